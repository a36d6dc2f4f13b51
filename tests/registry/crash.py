"""A writer of a registry that is killed. Called in a process of its own, whose segments and buffers are small."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as with_fields
from pathlib import Path
from typing import ClassVar

from tests.index.crash import small as small_segments
from tests.killing import Killing
from tests.registry.corpus import prose
from whorl import Document
from whorl.registry.registry import Registry
from whorl.scheme import PRESETS
from whorl.storage import store

SCHEME = with_fields(PRESETS["koala"], n=60, stored=20)
NAMES = 10

# Of each document that is there, its version, its address, and how often it was drawn again.
State = dict[int, tuple[int, str | None, int]]


@dataclass(frozen=True)
class Change:
    """One thing that a writer does: to a document, or to the whole registry."""

    verb: str
    name: int = 0
    version: int = 0
    url: str | None = None

    def apply(self, registry: Registry) -> None:
        document = Document(f"{self.name}", text_of(self.name, self.version), url=self.url)
        if self.verb == "put":
            registry.add(document)
        elif self.verb == "rotate":
            list(registry.rotate([document]))
        elif self.verb == "remove":
            registry.remove(f"{self.name}")
        elif self.verb == "flush":
            registry.flush()
        else:
            registry.compact()

    def after(self, state: State) -> State:
        old = state.get(self.name)
        if self.verb == "put":
            draws = old[2] if old is not None and old[0] == self.version else 0
            return {**state, self.name: (self.version, self.url, draws)}
        if self.verb == "rotate" and old is not None and old[0] == self.version:
            return {**state, self.name: (*old[:2], old[2] + 1)}
        return {name: value for name, value in state.items() if (self.verb, self.name) != ("remove", name)}


def text_of(name: int, version: int) -> str:
    return prose(f"{name} {version}", 120)


def drawn(draw: random.Random, state: State, count: int, life: int) -> list[Change]:
    """A row of changes: new documents, new versions, other facts, rotations, removals, flushes, compactions."""
    made = []
    for number in range(count):
        verb = draw.choices(("put", "update", "rotate", "remove", "flush", "compact"), (8, 2, 6, 3, 2, 1))[0]
        name = draw.randrange(NAMES)
        if verb == "update" and name in state:
            change = Change("put", name, state[name][0], f"url {life}")
        elif verb == "rotate" and name in state:
            change = Change("rotate", name, state[name][0])
        elif verb in ("put", "update", "rotate"):
            change = Change("put", name, 100 * life + number)
        else:
            change = Change(verb, name)
        made.append(change)
        state = change.after(state)
    return made


def every_verb(life: int) -> list[Change]:
    """Changes that pass every point but those of creating and sweeping."""
    puts = [Change("put", name, life) for name in range(6)]
    update = Change("put", 0, life, f"url {life}")
    fresh = [Change("put", 8, life), Change("remove", 8)]
    turned = [Change("rotate", name, life) for name in (3, 4)]
    last = [Change("flush"), Change("remove", 1), *turned, *puts[2:], *turned, Change("flush"), Change("compact")]
    return [*puts, update, *fresh, *turned, *last]


def small() -> None:
    """Small segments and buffers, so that every point is passed within a few changes."""
    small_segments()
    store.FEW_TOMBSTONES = 3


class Registries(Killing[State]):
    """Registries that are written to. They pass all the points that an index passes."""

    nothing: ClassVar[State] = {}

    def create(self, folder: Path) -> None:
        Registry.create(folder, SCHEME).close()

    def opened(self, folder: Path) -> Registry:
        return Registry.open(folder)

    def every_verb(self, life: int) -> list[Change]:
        return every_verb(life)

    def drawn(self, draw: random.Random, state: State, life: int) -> list[Change]:
        return drawn(draw, state, 15, life)

    def checked(self, folder: Path, allowed: Sequence[State]) -> State:
        with Registry.open(folder) as registry:
            registry.verify()
            entries = {int(entry.name): entry for entry in registry.entries()}
            assert len(registry) == len(entries)
            versions = {
                name: next((v for each in allowed for v in [each.get(name)] if v and _is(registry, name, v)), None)
                for name in entries
            }
            assert versions in allowed, f"{versions} is none of {allowed}"
            gone = [(name, value[0]) for each in allowed for name, value in each.items() if versions.get(name) != value]
            for name, version in gone:
                hits = registry.search(text_of(name, version), count=False)
                is_kept = (versions.get(name) or (None,))[0] == version
                assert is_kept or not any(hit.ratio > 0.5 for hit in hits)
            return allowed[allowed.index(versions)]


def _is(registry: Registry, name: int, value: tuple[int, str | None, int]) -> bool:
    """Whether a document is in this version, with these facts, and all that it stores is found."""
    entry = registry.entry(f"{name}")
    assert entry is not None
    hits = registry.search(text_of(name, value[0]), count=False)
    is_found = len(hits) > 0 and (hits[0].document.name, hits[0].shared) == (f"{name}", 20)
    return is_found and (entry.url, entry.draws) == value[1:]


def at_every_point(folder: Path) -> int:
    """Kill writers at each point, or at several of its passings, and return how many were killed."""
    small()
    return Registries().at_every_point(folder)


def at_random(folder: Path, kills: int, seed: int) -> int:
    """Kill so many writers at any moment, and return how many were killed."""
    small()
    return Registries().at_random(folder, kills, seed)
