"""Writers that are killed, again and again, and what is left of their work.

This process has imported Whorl and forks one child a life, so that a kill costs milliseconds. A child says on a pipe
what it was promised: one byte a change that is durable. What it was doing when it died is there whole, or not at all.
"""

import os
import random
import shutil
import signal
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from whorl import WhorlError
from whorl.storage import files

S = TypeVar("S")


class Change(Protocol[S]):
    """One thing that a writer does."""

    def apply(self, opened: Any) -> None:
        """Do it."""

    def after(self, state: S) -> S:
        """The state that it leads to."""


class Killing(ABC, Generic[S]):
    """A kind of folder that is written to: how it is made and opened, what is done to it, and how it is looked at. A
    state ``S`` says what a folder should hold."""

    nothing: ClassVar[Any]  # the state of an empty one

    @abstractmethod
    def create(self, folder: Path) -> None:
        """Make an empty one."""

    @abstractmethod
    def opened(self, folder: Path) -> AbstractContextManager[Any]:
        """Open it to write."""

    @abstractmethod
    def every_verb(self, life: int) -> Sequence[Change[S]]:
        """Changes of every kind."""

    @abstractmethod
    def drawn(self, draw: random.Random, state: S, life: int) -> Sequence[Change[S]]:
        """A row of changes that may follow a state."""

    @abstractmethod
    def checked(self, folder: Path, allowed: Sequence[S]) -> S:
        """Which of the allowed states it is in; all of it is there, and nothing of another."""

    def times(self, name: str) -> Sequence[str]:
        """At which passings of a point to kill, as its name is followed by."""
        return ("",)

    def life(self, folder: Path, state: S, todo: Sequence[Change[S]], crash_at: str = "") -> S:
        """One writer's life, to a point if one is given, and what is left of it."""
        was_killed, done = lived(self._writing(folder, todo), crash_at)
        assert was_killed or not crash_at, f"nothing passed {crash_at}"
        return self.checked(folder, reached(state, todo, done))

    def at_every_point(self, folder: Path) -> int:
        """One kill a point or more; how many kills."""
        kills = 0
        self.create(folder / "first")
        state = self.life(folder / "first", self.nothing, self.every_verb(1))
        for number, name in enumerate(files.POINTS):
            if name.startswith("create."):
                self._created(folder / f"c{number}", name)
                kills += 1
                continue
            for time_of in self.times(name):
                where = folder / f"p{number}{time_of[1:]}"
                shutil.copytree(folder / "first", where)
                kills += self._at_point(where, state, name, time_of)
        return kills

    def at_random(self, folder: Path, kills: int, seed: int) -> int:
        """Kills at any moment, two of three by the clock, of writers that go on where the last one died."""
        draw = random.Random(f"kills {seed}")
        where = folder / "random"
        self.create(where)
        started = time.monotonic()
        state = self.life(where, self.nothing, self.drawn(draw, self.nothing, 0))
        usual = time.monotonic() - started
        lives = killed = 0
        while killed < kills:
            lives += 1
            todo = self.drawn(draw, state, lives)
            name = draw.choice([name for name in files.POINTS if not name.startswith("create.")])
            crash_at = "" if lives % 3 else f"{name}:{draw.randint(1, 4)}"
            was_killed, done = lived(self._writing(where, todo), crash_at, None if crash_at else draw.uniform(0, usual))
            state = self.checked(where, reached(state, todo, done))
            killed += was_killed
            assert lives < 20 * kills, "writers are never caught at work"
        return killed

    def _writing(self, folder: Path, todo: Sequence[Change[S]]) -> Callable[[int], None]:
        """A writer's work: open, change, say so."""

        def work(pipe: int) -> None:
            with self.opened(folder) as opened:
                for change in todo:
                    change.apply(opened)
                    os.write(pipe, b".")

        return work

    def _at_point(self, where: Path, state: S, name: str, time_of: str) -> int:
        """After a first life that led to a state: a kill at the point, and a life after."""
        kills = 1
        if name.startswith("sweep."):
            state, kills = self.life(where, state, self.every_verb(2), "flush.written"), 2
        state = self.life(where, state, self.every_verb(3), name + time_of)
        assert self.life(where, state, self.every_verb(4)) == reached(state, self.every_verb(4), 99)[0]
        return kills

    def _created(self, folder: Path, name: str) -> None:
        """What was not finished is refused in words, and can be made in the same place."""
        was_killed, _ = lived(lambda _: self.create(folder), name)
        assert was_killed
        try:
            is_there = self.checked(folder, [self.nothing]) == self.nothing
        except WhorlError:
            is_there = False
            self.create(folder)
        assert is_there == (name == "create.done")
        todo = self.every_verb(1)
        assert self.life(folder, self.nothing, todo) == reached(self.nothing, todo, len(todo))[0]


def reached(state: S, todo: Sequence[Change[S]], done: int) -> list[S]:
    """The state after what was acknowledged, and the one after what was being done."""
    for change in todo[:done]:
        state = change.after(state)
    return [state, todo[done].after(state)] if done < len(todo) else [state]


def lived(work: Callable[[int], object], crash_at: str = "", after: float | None = None) -> tuple[bool, int]:
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


def _work(work: Callable[[int], object], pipe: int, crash_at: str) -> None:
    """Nothing of the parent's may run in the child: it leaves by ``_exit`` alone."""
    status = 1
    try:
        os.environ[files.VARIABLE] = crash_at
        work(pipe)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
