"""Kills, power cuts, calls that fail, flipped bits, interrupts: each campaign goes on for a while, and counts.

All of them run in a process that has the shim under it and everything imported; children are forked from it.
"""

import os
import random
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from types import FrameType
from typing import TypeVar

from tests.interrupts import interrupted
from tests.torture import power, shim
from tests.torture.forks import Child, Ended, done, outcome
from tests.torture.stores import Kind, expected

T = TypeVar("T")

# Documents of a store before it is made anew.
MANY = 40

# Flips that one child tries, one after the other: to make a child takes longer than to try one. And interrupts of one
# object.
TOGETHER, INTERRUPTS = 50, 500


@dataclass
class Report:
    """What was done to a kind of store, and what went wrong."""

    campaign: str
    kind: str
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def lasting(seconds: float) -> Iterator[int]:
    """Numbers, for so long; at least one."""
    until = time.monotonic() + seconds
    number = 0
    while not number or time.monotonic() < until:
        yield number
        number += 1


class Stop:
    """End turns early when this process gets SIGTERM: what was counted so far is reported. Children inherit it."""

    def __init__(self) -> None:
        self.is_asked = False
        signal.signal(signal.SIGTERM, self._ask)

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        self.is_asked = True

    def before(self, turns: Iterable[int]) -> Iterator[int]:
        """The turns until then."""
        return takewhile(lambda _: not self.is_asked, turns)


def _writing(kind: Kind, root: Path, who: int, numbers: range) -> None:
    acks = os.open(root / f"acks-{who}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    kind.write(root / "store", who, numbers, lambda _: os.write(acks, b"."))


def _acknowledged(root: Path, who: int) -> int:
    path = root / f"acks-{who}"
    return path.stat().st_size if path.exists() else 0


def _names(kind: Kind, root: Path) -> Ended:
    return done(lambda: kind.names(root / "store"))


def _agrees(kind: Kind, present: set[str], actual: set[str], begun: dict[int, range], sure: dict[int, int]) -> bool:
    """Whether a store has what was acknowledged, and of each writer's next change all or nothing."""
    states = [present]
    for who, numbers in begun.items():
        after = [expected(kind, state, who, numbers[: sure[who]]) for state in states]
        more = [expected(kind, state, who, numbers[sure[who] : sure[who] + 1]) for state in after]
        states = [*after, *more]
    return actual in states


def kills(kind: Kind, base: Path, turns: Iterable[int], draw: random.Random, writers: int = 3) -> Report:
    """Several writers of one store, killed at any call, and again; after each round all must be there."""
    report = Report("kills", kind.name)
    root = base / f"kills-{kind.name}"
    root.mkdir()
    kind.create(root / "store")
    usual = _usual(kind, base)
    present: set[str] = set()
    first = 0
    for _ in turns:
        begun = {who: range(first, first + kind.life) for who in range(writers)}
        before = {who: _acknowledged(root, who) for who in begun}
        children = {who: Child(_mortal(kind, root, who, begun[who], draw.randint(1, usual))) for who in begun}
        if draw.random() < 0.3:
            time.sleep(draw.uniform(0, 0.2))
            children[0].kill()
        for who, child in children.items():
            ended = child.ended()
            report.counts["kills" if ended.was_killed else "ends"] += 1
            if ended.fault or ended.error:
                report.faults.append(f"writer {who}: {ended.error or ended.fault}")
        found = _names(kind, root)
        if found.error or found.fault or found.was_killed:
            report.faults.append(f"unusable: {found.error or found.fault or 'killed'}")
            return report
        sure = {who: _acknowledged(root, who) - before[who] for who in begun}
        report.counts["acknowledged"] += sum(sure.values())
        if not _agrees(kind, present, set(found.answer), begun, sure):
            report.faults.append(f"lost or too many: {sorted(set(found.answer) ^ present)}, {sure}")
            return report
        present = set(found.answer)
        first += kind.life
        if len(present) > MANY:  # reading all of it after each round would take longer and longer
            shutil.rmtree(root)
            root.mkdir()
            kind.create(root / "store")
            present, first = set(), 0
    return report


def warm_up(kind: Kind, base: Path) -> None:
    """Read a store in this process: what is imported and remembered here, no child has to do again."""
    root = base / f"warm-{kind.name}"
    root.mkdir()
    kind.create(root / "store")
    done(lambda: _writing(kind, root, 0, range(kind.life)))
    kind.names(root / "store")
    shutil.rmtree(root)
    assert threading.active_count() == 1, "forked children inherit no thread"


def _usual(kind: Kind, base: Path) -> int:
    """How many calls a life takes."""
    root = base / f"usual-{kind.name}"
    root.mkdir()
    kind.create(root / "store")

    def counted() -> int:
        shim.arm(root, shim.COUNT)
        _writing(kind, root, 0, range(kind.life))
        return shim.calls()

    ended = done(counted)
    assert ended.answer is not None, ended
    shutil.rmtree(root)
    return int(ended.answer)


def _mortal(kind: Kind, root: Path, who: int, numbers: range, at: int) -> Callable[[], None]:
    def live() -> None:
        shim.arm(root, shim.KILL, at)
        _writing(kind, root, who, numbers)

    return live


def power_cuts(kind: Kind, base: Path, turns: Iterable[int], draw: random.Random) -> Report:
    """One life is recorded; the power goes at any moment of it."""
    report = Report("power cuts", kind.name)
    root, log = base / f"power-{kind.name}", base / f"power-{kind.name}.log"
    root.mkdir()

    def live() -> None:
        shim.arm(root, shim.COUNT, log=log)
        kind.create(root / "store")
        _writing(kind, root, 0, range(kind.life))

    ended = done(live)
    if ended.fault or ended.error:
        report.faults.append(ended.fault or ended.error)
        return report
    calls = power.recorded(log)
    made = next(at for at, call in enumerate(calls) if "/acks-" in call.path)  # it must be there from then on
    target = base / f"cut-{kind.name}"
    for _ in turns:
        cut = draw.randint(made, len(calls))
        disk = power.Disk(str(root))
        for call in calls[:cut]:
            disk.apply(call)
        power.laid_out(disk.cut(draw), str(root), target)
        sure = {0: disk.acknowledged.get(str(root / "acks-0"), 0)}
        found = _names(kind, target)
        report.counts["states"] += 1
        if found.error or found.fault or found.was_killed:
            report.faults.append(f"call {cut}: unusable: {found.error or found.fault or 'killed'}")
        elif not _agrees(kind, set(), set(found.answer), {0: range(kind.life)}, sure):
            report.faults.append(f"call {cut}: lost or too many: {found.answer}, {sure}")
        shutil.rmtree(target)
    return report


def failures(kind: Kind, base: Path, turns: Iterable[int], draw: random.Random) -> Report:
    """Every call fails in turn, in one of several ways: the old state is intact, and the message is one line."""
    report = Report("failing calls", kind.name)
    usual = _usual(kind, base)
    ready, root = base / f"ready-{kind.name}", base / f"failing-{kind.name}"
    ready.mkdir()
    kind.create(ready / "store")
    done(lambda: _writing(kind, ready, 0, range(4)))
    present = expected(kind, set(), 0, range(4))
    order = draw.sample(range(1, usual + 1), usual)
    for number in turns:
        at, error = order[number % usual], shim.FAILURES[(number + number // usual) % len(shim.FAILURES)]
        shutil.copytree(ready, root)
        (root / "acks-0").unlink()
        ended = done(_hindered(kind, root, at, error))
        report.counts["calls"] += 1
        report.counts["refused"] += bool(ended.error)
        if ended.fault or ended.was_killed:
            report.faults.append(f"call {at}, {os.strerror(error) if error else 'short'}: {ended.fault or 'killed'}")
        found = _names(kind, root)
        begun, sure = {0: range(4, 4 + kind.life)}, {0: _acknowledged(root, 0)}
        if found.error or found.fault or found.was_killed:
            report.faults.append(f"call {at}, {error}: unusable: {found.error or found.fault or 'killed'}")
        elif not _agrees(kind, present, set(found.answer), begun, sure):
            report.faults.append(f"call {at}, {error}: lost or too many: {found.answer}, {sure}")
        shutil.rmtree(root)
        if number + 1 == usual * len(shim.FAILURES):
            break
    return report


def _hindered(kind: Kind, root: Path, at: int, error: int) -> Callable[[], None]:
    def live() -> None:
        shim.arm(root / "store", shim.FAIL if error else shim.SHORT, at, error)
        _writing(kind, root, 0, range(4, 4 + kind.life))

    return live


@dataclass(frozen=True)
class Flip:
    """One bit of a file of a store."""

    file: Path
    byte: int
    bit: int

    @classmethod
    def drawn(cls, files: list[Path], draw: random.Random) -> "Flip":
        file = draw.choice(files)
        return cls(file, draw.randrange(file.stat().st_size), draw.randrange(8))

    def names(self, kind: Kind, ready: Path, root: Path) -> set[str]:
        """What a copy of a store has after it."""
        if root.exists():
            shutil.rmtree(root)
        shutil.copytree(ready, root)
        path = root / self.file.relative_to(ready)
        data = bytearray(path.read_bytes())
        data[self.byte] ^= 1 << self.bit
        path.write_bytes(data)
        return kind.names(root / "store")


def flips(kind: Kind, base: Path, turns: Iterable[int], draw: random.Random) -> Report:
    """A bit of any file flips, the log's too, which a process that was killed left behind."""
    report = Report("flips", kind.name)
    ready, root = base / f"sound-{kind.name}", base / f"flipped-{kind.name}"
    ready.mkdir()
    kind.create(ready / "store")

    def live() -> None:
        kind.write(ready / "store", 0, range(kind.life), lambda number: number == kind.life - 1 and os._exit(0))

    done(live)
    files = sorted(path for path in ready.rglob("*") if path.is_file() and path.stat().st_size)
    shutil.copytree(ready, root)
    right = _names(kind, root)
    assert right.answer is not None, right
    left = iter(turns)
    while chosen := [Flip.drawn(files, draw) for _ in islice(left, TOGETHER)]:
        for flip, found in zip(chosen, _after(chosen, kind, ready, root), strict=True):
            report.counts["flips"] += 1
            report.counts["noticed"] += bool(found.error)
            if found.fault or found.was_killed or (not found.error and found.answer != right.answer):
                report.faults.append(f"{flip}: {found.fault or found.answer or 'killed'}")
    return report


def _after(chosen: list[Flip], kind: Kind, ready: Path, root: Path) -> list[Ended]:
    """What became of each flip. If one of them ends the child, each is tried in a child of its own."""
    works = [partial(flip.names, kind, ready, root) for flip in chosen]
    together = done(lambda: [outcome(work) for work in works])
    if together.answer is not None:
        return [Ended(**each) for each in together.answer]
    apart = [done(work) for work in works]
    # A child that ends only when they are together has ended all the same.
    return apart if any(each.fault or each.was_killed for each in apart) else [together for _ in chosen]


def interrupts(kind: Kind, base: Path, turns: Iterable[int], draw: random.Random) -> Report:
    """Ctrl-C at any moment: the same object is written to at once after it."""
    report = Report("interrupts", kind.name)
    folder = base / f"interrupts-{kind.name}"
    kind.create(folder)

    def live(numbers: Sequence[int], seed: int) -> int:
        chance = random.Random(seed)
        came = 0
        with kind.opened(folder) as opened:
            usual = min(_seconds(partial(kind.once, opened, number)) for number in range(50))
            for number in numbers:
                came += interrupted(partial(kind.once, opened, number % 50), chance.uniform(1e-6, usual))
                kind.once(opened, number % 50)
        return came

    left = iter(turns)
    while numbers := list(islice(left, INTERRUPTS)):
        ended = done(partial(live, numbers, draw.getrandbits(32)))
        report.counts["interrupts"] += ended.answer or 0
        if ended.answer is None:
            report.faults.append(ended.fault or ended.error or "killed")
    return report


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def silent(work: Callable[[], T]) -> T:
    """Commands that are run in a child print: nobody reads it."""
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        return work()
