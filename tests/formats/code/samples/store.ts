import { readFile } from "fs";
import type { Level } from "./level";

/** What a store keeps. */
export interface Entry<T> {
  readonly key: string;
  value: T;
  tags?: string[];
}

type Listener<T> = (entry: Entry<T>, level: number) => void;

enum Mode {
  Quiet = 1,
  Loud,
}

@sealed
export abstract class Store<T extends object> {
  private entries: Map<string, Entry<T>> = new Map();
  protected listeners: Listener<T>[] = [];

  constructor(private readonly mode: Mode, public name: string = "größe") {}

  abstract load(path: string): Promise<boolean>;

  public set(key: string, value: T): this {
    const entry = { key, value } as Entry<T>;
    this.entries.set(key, entry);
    for (const listener of this.listeners) {
      listener(entry, this.mode === Mode.Loud ? 2 : 0.5);
    }
    return this;
  }

  // nothing is found twice
  get(key: string): T | undefined {
    const found = this.entries.get(key);
    if (found === undefined || found.tags?.length === 0) {
      return undefined;
    }
    return found!.value;
  }

  static async from<U extends object>(make: () => Store<U>, paths: string[]): Promise<Store<U>> {
    const store = make();
    let loaded: number = 0;
    for (let i = 0; i < paths.length; i++) {
      loaded += (await store.load(paths[i])) ? 1 : 0;
    }
    console.log(`${loaded} of ${paths.length}`, typeof loaded);
    return store;
  }
}
