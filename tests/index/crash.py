"""A writer of an index that is killed. Called in a process of its own, whose segments and buffers are small."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tests.index.corpus import prose
from tests.killing import Killing
from whorl import Document, Scheme
from whorl.index.index import Index
from whorl.storage import segment_writer, store

SCHEME = Scheme(k=8, w=4)
NAMES = 12

# Of each document that is there, its version and its owner.
State = dict[int, tuple[int, str | None]]


@dataclass(frozen=True)
class Change:
    """One thing that a writer does: to a document, or to the whole index."""

    verb: str
    name: int = 0
    version: int = 0
    owner: str | None = None

    def apply(self, index: Index) -> None:
        if self.verb == "put":
            index.add(Document(f"{self.name}", text_of(self.name, self.version), owner=self.owner))
        elif self.verb == "remove":
            index.remove(f"{self.name}")
        elif self.verb == "flush":
            index.flush()
        else:
            index.compact()

    def after(self, state: State) -> State:
        if self.verb == "put":
            return {**state, self.name: (self.version, self.owner)}
        return {name: value for name, value in state.items() if (self.verb, self.name) != ("remove", name)}


def text_of(name: int, version: int) -> str:
    return prose(1000 * name + version, 15)


def drawn(draw: random.Random, state: State, count: int, life: int) -> list[Change]:
    """A row of changes: new documents, new versions, other facts, removals, flushes, compactions."""
    made = []
    for number in range(count):
        verb = draw.choices(("put", "update", "remove", "flush", "compact"), (10, 2, 4, 2, 1))[0]
        name = draw.randrange(NAMES)
        if verb == "update" and name in state:
            change = Change("put", name, state[name][0], f"owner {life}")
        elif verb in ("put", "update"):
            change = Change("put", name, 100 * life + number)
        else:
            change = Change(verb, name)
        made.append(change)
        state = change.after(state)
    return made


def every_verb(life: int) -> list[Change]:
    """Changes that pass every point but those of creating and sweeping."""
    puts = [Change("put", name, life) for name in range(6)]
    update = Change("put", 0, life, f"owner {life}")
    fresh = [Change("put", 8, life), Change("remove", 8)]
    return [*puts, update, *fresh, Change("flush"), Change("remove", 1), *puts[2:], Change("flush"), Change("compact")]


# Small segments and buffers, with which every point is passed within a few changes.
SMALL = (
    *((store, "FLUSH_DOCUMENTS", 4), (store, "FLUSH_POSTINGS", 200), (store, "FAN", 2)),
    (segment_writer, "BUFFERED", 500),
)


def small() -> None:
    """Let this process write small segments from now on."""
    for module, name, value in SMALL:
        setattr(module, name, value)


class Indexes(Killing[State]):
    """Indexes that are written to."""

    nothing: ClassVar[State] = {}

    def create(self, folder: Path) -> None:
        Index.create(folder, SCHEME).close()

    def opened(self, folder: Path) -> Index:
        return Index.open(folder)

    def every_verb(self, life: int) -> list[Change]:
        return every_verb(life)

    def drawn(self, draw: random.Random, state: State, life: int) -> list[Change]:
        return drawn(draw, state, 25, life)

    def times(self, name: str) -> tuple[str, ...]:
        """Where the first passing tells little, the third too."""
        return ("", ":3") if name.startswith(("segment.block", "store.")) else ("",)

    def checked(self, folder: Path, allowed: Sequence[State]) -> State:
        with Index.open(folder) as index:
            index.verify()
            texts = {int(entry.name): (index.text(entry.name), entry.owner) for entry in index.entries()}
            whole = [{name: (text_of(name, value[0]), value[1]) for name, value in each.items()} for each in allowed]
            assert texts in whole, f"{sorted(texts)} is none of {allowed}"
            for name, (text, _) in texts.items():
                hits = index.search(text, passages=False)
                assert (hits[0].document.name, hits[0].resemblance) == (f"{name}", 1.0)
            assert len(index) == len(texts) == len(list(index.entries()))
            now = allowed[whole.index(texts)]
            gone = [
                (name, value[0])
                for each in allowed
                for name, value in each.items()
                if now.get(name, (0,))[0] != value[0]
            ]
            for name, version in gone:
                assert not any(hit.containment > 0.5 for hit in index.search(text_of(name, version), passages=False))
            return now


def at_every_point(folder: Path) -> int:
    """Kill writers at each point, or at several of its passings, and return how many were killed."""
    small()
    return Indexes().at_every_point(folder)


def at_random(folder: Path, kills: int, seed: int) -> int:
    """Kill so many writers at any moment, and return how many were killed."""
    small()
    return Indexes().at_random(folder, kills, seed)
