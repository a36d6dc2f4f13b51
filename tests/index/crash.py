"""A writer that is killed, again and again: ``python -m tests.index.crash FOLDER points`` or ``… FOLDER random 30 1``.

This process has imported Whorl and forks one child a life, so that a kill costs milliseconds. A child says on a pipe
what it was promised: one byte a change that is durable. What it was doing when it died is there whole, or not at all.
"""

import os
import random
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.index.corpus import prose
from whorl import Document, Scheme, WhorlError
from whorl.index import points, segment_writer, writer
from whorl.index.index import Index

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


def small() -> None:
    """Small segments and buffers, so that every point is passed within a few changes."""
    writer.FLUSH_DOCUMENTS, writer.FLUSH_POSTINGS, writer.FAN = 4, 200, 2
    segment_writer.BUFFERED = 500


def lived(work: Callable[[int], None], crash_at: str = "", after: float | None = None) -> tuple[bool, int]:
    """Fork a child that works and writes a byte for each thing done, and kill it at a point or after some seconds.
    Whether it was killed, and how many bytes it wrote."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        _work(work, writing, crash_at)
    os.close(writing)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    with os.fdopen(reading, "rb") as pipe:
        said = len(pipe.read())
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the writer failed: see above"
    return os.WIFSIGNALED(status), said


def _work(work: Callable[[int], None], pipe: int, crash_at: str) -> None:
    """Nothing of the parent's may run in the child: it leaves by ``_exit`` alone."""
    status = 1
    try:
        os.environ[points.VARIABLE] = crash_at
        work(pipe)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def writing(folder: Path, todo: Sequence[Change]) -> Callable[[int], None]:
    """A writer's work: open, change, say so."""

    def work(pipe: int) -> None:
        with Index.open(folder) as index:
            for change in todo:
                change.apply(index)
                os.write(pipe, b".")

    return work


def checked(folder: Path, allowed: Sequence[State]) -> State:
    """Which of the allowed states the index is in; all of it is there, and nothing of another."""
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
            (name, value[0]) for each in allowed for name, value in each.items() if now.get(name, (0,))[0] != value[0]
        ]
        for name, version in gone:
            assert not any(hit.containment > 0.5 for hit in index.search(text_of(name, version), passages=False))
        return now


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
    """One kill a point; where the first passing tells little, the third too. How many kills."""
    kills = 0
    for number, name in enumerate(points.POINTS):
        if name.startswith("create."):
            _create(folder / f"c{number}", name)
            kills += 1
            continue
        for time_of in ("", ":3") if name.startswith(("segment.block", "store.")) else ("",):
            where = folder / f"p{number}{time_of[1:]}"
            Index.create(where, SCHEME).close()
            state = life(where, {}, every_verb(1))
            if name == "sweep.unlinked":
                state = life(where, state, every_verb(2), "flush.written")
                kills += 1
            state = life(where, state, every_verb(3), name + time_of)
            assert life(where, state, every_verb(4)) == reached({}, every_verb(4), 99)[0]
            kills += 1
    return kills


def _create(folder: Path, name: str) -> None:
    """An index that was not finished is refused in words, and can be made anew."""
    was_killed, _ = lived(lambda _: Index.create(folder, SCHEME).close(), name)
    assert was_killed
    try:
        is_there = checked(folder, [{}]) == {}
    except WhorlError:
        is_there = False
        shutil.rmtree(folder)
        Index.create(folder, SCHEME).close()
    assert is_there == (name == "create.done")
    assert set(life(folder, {}, every_verb(1))) == {0, 2, 3, 4, 5}


def at_random(folder: Path, kills: int, seed: int) -> int:
    """Kills at any moment, two of three by the clock, of writers that go on where the last one died."""
    draw = random.Random(f"kills {seed}")
    where = folder / "random"
    Index.create(where, SCHEME).close()
    started = time.monotonic()
    state = life(where, {}, drawn(draw, {}, 25, 0))
    usual = time.monotonic() - started
    lives = killed = 0
    while killed < kills:
        lives += 1
        todo = drawn(draw, state, 25, lives)
        name = draw.choice([name for name in points.POINTS if not name.startswith("create.")])
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
