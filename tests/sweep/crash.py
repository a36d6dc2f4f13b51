"""Adds that are killed, again and again: ``python -m tests.sweep.crash FOLDER random 20 1`` or ``… FOLDER points``.

After each kill the store answers as before the add or as after it, is sound, and the next add goes on.
"""

import random
import shutil
import sys
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


def life(
    folder: Path, number: int, before: object, crash_at: str = "", after: float | None = None
) -> tuple[bool, object]:
    """An add that may be killed, of a store that answers so. Whether it was killed, and what the store answers when the
    add is done or done again. What a kill leaves is the state before or the one after."""
    scratch = folder.with_name("scratch")
    if folder.exists():
        shutil.copytree(folder, scratch)
    added(scratch, number)
    whole = answers(scratch)
    shutil.rmtree(scratch)
    was_killed, _ = lived(lambda _: added(folder, number), crash_at, after)
    now = answers(folder)
    assert now in (before, whole), f"killed at {crash_at or after}: neither before nor after"
    if now != whole:
        added(folder, number)
        assert answers(folder) == whole
        with closing(SweepStore(folder / SWEEP_DATABASE)) as store:
            assert {path.name for path in (folder / SEGMENTS).iterdir()} == set(store.keys("segments")), "orphans"
    return was_killed, whole


def at_random(folder: Path, kills: int, seed: int) -> int:
    """Kills at any moment of an add; every fifth store is a new one."""
    draw = random.Random(f"sweeps {seed}")
    started = time.monotonic()
    added(folder / "usual", 0)
    usual = time.monotonic() - started
    number, killed, state = 0, 0, None
    while killed < kills:
        was_killed, state = life(folder / "store", number, state, after=draw.uniform(0, usual))
        killed += was_killed
        number += 1
        assert number < 20 * kills, "writers are never caught at work"
        if number % 5 == 0:
            shutil.rmtree(folder / "store")
            state = None
    return killed


def at_every_point(folder: Path) -> int:
    """One kill a point."""
    for place, name in enumerate(PASSED):
        where = folder / f"p{place}"
        if not name.startswith("create."):
            added(where, 0)
            added(where, 1)
        was_killed, _ = life(where, 2, answers(where), name)
        assert was_killed, f"nothing passed {name}"
    return len(PASSED)


if __name__ == "__main__":
    segment_writer.BUFFERED = 100
    # A process that is killed takes nothing along that it had given to the system: no need to wait for the disk.
    files.fsync, files.fsync_folder = (lambda *_: None), (lambda *_: None)
    base = Path(sys.argv[1])
    print(at_every_point(base) if sys.argv[2] == "points" else at_random(base, int(sys.argv[3]), int(sys.argv[4])))
