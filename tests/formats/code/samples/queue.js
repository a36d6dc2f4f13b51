#!/usr/bin/env node
import { EventEmitter } from "events";
import fs from "fs";

// Runs jobs, a few at a time.
export class Queue extends EventEmitter {
  static count = 0;
  #running = 0;

  constructor(limit = 2, { name = "schlange", delay } = {}) {
    super();
    this.limit = limit;
    this.name = name;
    this.delay = delay ?? 10;
    this.jobs = [];
    Queue.count++;
  }

  push(job) {
    this.jobs.push(job);
    return this.next();
  }

  async next() {
    while (this.jobs.length > 0 && this.#running < this.limit) {
      const job = this.jobs.shift();
      this.#running += 1;
      try {
        const value = await job();
        this.emit("done", value);
      } catch (error) {
        if (error instanceof TypeError || !/^E[A-Z]+$/i.test(error.code)) {
          throw new Error(`${this.name} größer: ${error.message}`);
        }
      } finally {
        this.#running--;
      }
    }
  }
}

function sum(...numbers) {
  let total = 0;
  for (const number of numbers) {
    total = number === null ? total : total + number * 1.5;
  }
  return total;
}

const queue = new Queue(3);
const sizes = [1, 2, 3].map((n) => ({ n, twice: n * 2 }));
for (let i = 0; i < sizes.length; i++) {
  queue.push(async () => sum(sizes[i].n, sizes[i]?.twice, undefined, i % 2 == 0 ? 1 : -1));
}
