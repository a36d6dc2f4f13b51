"""Adds to a sweep store that are killed, again and again. Called in a process of its own, whose segments are small.

After each kill the store answers as before the add or as after it, is sound, and the next add goes on.
"""

import random
import shutil
import time
from contextlib import closing
from pathlib import Path

from tests.index.corpus import prose
from tests.killing import lived
from whorl import Document, Scheme
from whorl.storage import files, segment_writer
from whorl.stores import SEGMENTS, SWEEP_DATABASE
from whorl.sweep.store import SweepStore
from whorl.sweep.sweep import Sweep, is_sweep

SCHEME = Scheme(symbols="words", k=3, select="full")

PAGES = 7

# Points that an add passes, or making a store.
PASSED = [
    name
    for name in files.POINTS
    if name.startswith(("segment.", "store.", "segments.")) or name in ("create.folder", "create.tables", "create.done")
]


def documents(number: int) -> list[Document]:
    """The pages of a sweep: some stay as they are, some change, some come and go."""
    draw = random.Random(number)
    return [
        Document(f"http://x/{page}", prose(page, 12) + (prose(1000 * number + page, 3) if draw.random() < 0.4 else ""))
        for page in range(PAGES)
        if draw.random() < 0.8
    ]


def added(folder: Path, number: int) -> None:
    """What a writer does: make the store if it is not there, and add a sweep. A little memory makes many segments."""
    sweep = Sweep.open(folder) if is_sweep(folder) else Sweep.create(folder, SCHEME, modulus=1)
    with sweep:
        sweep.add(documents(number), f"{2000 + number}-01-01", memory=6_000)


def answers(folder: Path) -> object:
    """All that can be asked; nothing, if there is no store or no sweep."""
    if not is_sweep(folder):
        return None
    with Sweep.open(folder) as sweep:
        sweep.verify()
        if not sweep.sweeps():
            return None
        pages = [f"http://x/{page}" for page in range(PAGES)]
        shown = {url: (sweep.find(url), sweep.history(url)) for url in pages if url in sweep}
        return sweep.stats(), sweep.clusters(), shown


def after(folder: Path, number: int) -> object:
    """Return what a store will answer when a sweep has been added to it."""
    scratch = folder.with_name("scratch")
    if folder.exists():
        shutil.copytree(folder, scratch)
    added(scratch, number)
    whole = answers(scratch)
    shutil.rmtree(scratch)
    return whole


def life(
    folder: Path, number: int, before: object, whole: object, crash_at: str = "", seconds: float | None = None
) -> bool:
    """Add a sweep in a process that is killed at a point or after some seconds, add it again if need be, and return
    whether the process was killed. What a kill leaves answers as before the add or as after it (``whole``)."""
    was_killed, _ = lived(lambda _: added(folder, number), crash_at, seconds)
    now = answers(folder)
    assert now in (before, whole), f"killed at {crash_at or seconds}: neither before nor after"
    if now != whole:
        added(folder, number)
        assert answers(folder) == whole
        with closing(SweepStore(folder / SWEEP_DATABASE)) as store:
            assert {path.name for path in (folder / SEGMENTS).iterdir()} == set(store.keys("segments")), "orphans"
    return was_killed


def at_random(folder: Path, kills: int, seed: int) -> int:
    """Kill adds at any moment, so many of them; every fifth store is a new one. Return how many were killed."""
    make_fast()
    draw = random.Random(f"sweeps {seed}")
    started = time.monotonic()
    added(folder / "usual", 0)
    usual = time.monotonic() - started
    number, killed, state = 0, 0, None
    while killed < kills:
        whole = after(folder / "store", number)
        killed += life(folder / "store", number, state, whole, seconds=draw.uniform(0, usual))
        state = whole
        number += 1
        assert number < 20 * kills, "writers are never caught at work"
        if number % 5 == 0:
            shutil.rmtree(folder / "store")
            state = None
    return killed


def at_every_point(folder: Path) -> int:
    """Kill an add at each point: to a new store, or to a copy of one with two sweeps. Return the number of points."""
    make_fast()
    new, old = folder / "new", folder / "old"
    added(old, 0)
    added(old, 1)
    expected = {store: (answers(store), after(store, 2)) for store in (new, old)}
    for place, name in enumerate(PASSED):
        where, store = folder / f"p{place}", new if name.startswith("create.") else old
        if store.exists():
            shutil.copytree(store, where)
        assert life(where, 2, *expected[store], name), f"nothing passed {name}"
    return len(PASSED)


def make_fast() -> None:
    """Write small segments, and do not wait for the disk: a process that is killed takes nothing along that it had
    given to the system."""
    segment_writer.BUFFERED = 100
    files.fsync, files.fsync_folder = (lambda *_: None), (lambda *_: None)
