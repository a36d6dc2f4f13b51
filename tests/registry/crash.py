"""A writer of a registry that is killed: ``python -m tests.registry.crash FOLDER points`` or ``… FOLDER random 30 1``.

As ``tests.index.crash`` does it: one child a life, which says on a pipe what it was promised.
"""

import os
import random
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from dataclasses import replace as with_fields
from pathlib import Path

from tests.index.crash import lived
from tests.index.crash import small as small_segments
from tests.registry.corpus import prose
from whorl import Document, WhorlError
from whorl.index import points
from whorl.registry import writer
from whorl.registry.registry import Registry
from whorl.scheme import PRESETS

SCHEME = with_fields(PRESETS["koala"], n=60, stored=20)
NAMES = 10

# A registry passes all the points that an index passes.
POINTS = points.POINTS

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
    writer.FEW_TOMBSTONES = 3


def writing(folder: Path, todo: Sequence[Change]) -> Callable[[int], None]:
    """A writer's work: open, change, say so."""

    def work(pipe: int) -> None:
        with Registry.open(folder) as registry:
            for change in todo:
                change.apply(registry)
                os.write(pipe, b".")

    return work


def checked(folder: Path, allowed: Sequence[State]) -> State:
    """Which of the allowed states the registry is in; all of it is there, and nothing of another."""
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


def reached(state: State, todo: Sequence[Change], done: int) -> list[State]:
    """The state after what was acknowledged, and the one after what was being done."""
    for change in todo[:done]:
        state = change.after(state)
    return [state, todo[done].after(state)] if done < len(todo) else [state]


def life(folder: Path, state: State, todo: Sequence[Change], crash_at: str = "") -> State:
    """One writer's life, to a point if one is given, and what is left of it."""
    was_killed, done = lived(writing(folder, todo), crash_at)
    assert was_killed or not crash_at, f"nothing passed {crash_at}"
    return checked(folder, reached(state, todo, done))


def at_every_point(folder: Path) -> int:
    """One kill a point; how many kills."""
    kills = 0
    for number, name in enumerate(POINTS):
        where = folder / f"p{number}"
        if name.startswith("create."):
            _create(where, name)
            kills += 1
            continue
        Registry.create(where, SCHEME).close()
        state = life(where, {}, every_verb(1))
        if name == "sweep.unlinked":
            state = life(where, state, every_verb(2), "flush.written")
            kills += 1
        state = life(where, state, every_verb(3), name)
        assert life(where, state, every_verb(4)) == reached(state, every_verb(4), 99)[0]
        kills += 1
    return kills


def _create(folder: Path, name: str) -> None:
    """A registry that was not finished is refused in words, and can be made anew."""
    was_killed, _ = lived(lambda _: Registry.create(folder, SCHEME).close(), name)
    assert was_killed
    try:
        is_there = checked(folder, [{}]) == {}
    except WhorlError:
        is_there = False
        shutil.rmtree(folder)
        Registry.create(folder, SCHEME).close()
    assert is_there == (name == "create.done")
    assert set(life(folder, {}, every_verb(1))) == {0, 2, 3, 4, 5}


def at_random(folder: Path, kills: int, seed: int) -> int:
    """Kills at any moment, two of three by the clock, of writers that go on where the last one died."""
    draw = random.Random(f"kills {seed}")
    where = folder / "random"
    Registry.create(where, SCHEME).close()
    started = time.monotonic()
    state = life(where, {}, drawn(draw, {}, 15, 0))
    usual = time.monotonic() - started
    lives = killed = 0
    while killed < kills:
        lives += 1
        todo = drawn(draw, state, 15, lives)
        name = draw.choice([name for name in POINTS if not name.startswith("create.")])
        crash_at = "" if lives % 3 else f"{name}:{draw.randint(1, 4)}"
        was_killed, done = lived(writing(where, todo), crash_at, None if crash_at else draw.uniform(0, usual))
        state = checked(where, reached(state, todo, done))
        killed += was_killed
        assert lives < 20 * kills, "writers are never caught at work"
    return killed


if __name__ == "__main__":
    small()
    base = Path(sys.argv[1])
    if sys.argv[2] == "points":
        print(at_every_point(base))
    else:
        print(at_random(base, int(sys.argv[3]), int(sys.argv[4])))
