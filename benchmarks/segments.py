"""Segments against LMDB and plain SQLite: bytes a posting, building, looking hashes up, scanning.

``python -m benchmarks.segments --postings 20000000 --others 2000000``: the other stores get fewer postings, because
filling them takes minutes, and segments are measured with as many for comparison.
"""

import argparse
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.postings import DOCUMENTS, questions, read_run, write_runs
from benchmarks.stores import LmdbStore, SqliteStore
from whorl.storage.segment_writer import merge, write_segment
from whorl.storage.segments import Segment

RUNS = 8
ROUNDS = 50
IDS = {"documents": (0, DOCUMENTS - 1), "scheme": "benchmark", "key": "public"}

Questions = list[NDArray[np.uint64]]


@dataclass(frozen=True)
class Built:
    """What building cost: CPU seconds for the runs and for the merge, bytes of memory at the peak."""

    runs: float
    merged: float
    memory: int


def in_own_process(work: Callable[..., Any], *args: object) -> Any:
    """Run a function in a process that has nothing else in its memory."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, args)


def peak() -> int:
    """Return the most bytes of memory that this process has had, mapped files included."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def build(runs: list[Path], target: Path) -> Built:
    """Make a segment of each sorted run, and one of all of them."""
    start = time.process_time()
    paths = [path.with_suffix(".seg") for path in runs]
    for run, path in zip(runs, paths, strict=True):
        write_segment(path, read_run(run), expected=run.stat().st_size // 16, **IDS)  # type: ignore[arg-type]
    middle = time.process_time()
    segments = [Segment.open(path) for path in paths]
    write_segment(target, merge(segments), expected=sum(map(len, segments)), **IDS)  # type: ignore[arg-type]
    taken = Built(middle - start, time.process_time() - middle, peak())
    for path in paths:
        path.unlink()
    return taken


def milliseconds(look_up: Callable[[Any], object], asked: Questions, clock: Callable[[], float]) -> str:
    """Return the median of the rounds, and their range."""
    taken = []
    for hashes in asked:
        start = clock()
        look_up(hashes)
        taken.append(1e3 * (clock() - start))
    return f"{median(taken):6.2f} ms ({min(taken):.2f}–{max(taken):.2f})"


def scan_speed(parts: Callable[[], int]) -> str:
    """Millions of postings a CPU second."""
    start = time.process_time()
    count = parts()
    return f"{count / (time.process_time() - start) / 1e6:6.1f} M postings a CPU second"


def forget(path: Path) -> None:
    """Have the system drop a file from its cache."""
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(descriptor)


def known_hashes(path: Path) -> NDArray[np.uint64]:
    """Return some of the hashes of a segment, distinct, from all of its range."""
    with Segment.open(path) as segment:
        return np.unique(np.concatenate([part.hashes[::50] for part in segment.scan()]))


def measure_segment(path: Path, asked: Questions) -> None:
    """Look-ups: warm, with blocks that this process has not verified, and from the disk; then a scan."""
    with Segment.open(path) as segment:
        each = segment.size / len(segment)
        print(f"  {each:6.2f} bytes a posting, {len(segment):,} postings, {segment.header.blocks:,} blocks")
        print(f"  scan, first time   {scan_speed(lambda: sum(map(len, segment.scan())))}")
        print(f"  scan               {scan_speed(lambda: sum(map(len, segment.scan())))}")
        print(f"  look-up, warm      {milliseconds(segment.look_up, asked, time.process_time)} CPU")
        print(f"  counts only, warm  {milliseconds(segment.count, asked, time.process_time)} CPU")
    unverified = milliseconds(lambda hashes: first(path, hashes), asked[:10], time.process_time)
    print(f"  open and look up   {unverified} CPU, every block verified")
    forget(path)
    uncached = milliseconds(lambda hashes: first(path, hashes), asked[:1], time.perf_counter)
    print(f"  the same, uncached {uncached} wall")
    with Segment.open(path) as segment:
        start = time.process_time()
        segment.verify()
        print(f"  verified in        {time.process_time() - start:6.2f} s CPU")


def first(path: Path, hashes: NDArray[np.uint64]) -> None:
    """Open, and ask once."""
    with Segment.open(path) as segment:
        segment.look_up(hashes)


def measure_others(folder: Path, segment: Path, asked: Questions) -> None:
    """The second choices, with the same postings."""
    for store in (LmdbStore(folder / "lmdb"), SqliteStore(folder / "rows.sqlite")):
        with Segment.open(segment) as source:
            start = time.process_time()
            store.fill(source.scan())
            built, count = time.process_time() - start, len(source)
        print(f"{store.name}: filled in {built:.1f} s CPU")
        print(f"  {store.size() / count:6.2f} bytes a posting")
        print(f"  scan               {scan_speed(store.scan)}")
        print(f"  look-up, warm      {milliseconds(store.look_up, asked, time.process_time)} CPU")
        store.close()


def segment_of(postings: int, folder: Path) -> Path:
    """Make the data and the segment, and say what it cost."""
    folder.mkdir()
    runs = in_own_process(write_runs, folder, postings, RUNS)
    target = folder / "all.seg"
    built = in_own_process(build, runs, target)
    for run in runs:
        run.unlink()
    print(f"segments: {RUNS} runs written in {built.runs:.1f} s CPU, merged in {built.merged:.1f} s CPU, ", end="")
    print(f"at most {built.memory / 1e6:.0f} MB of memory")
    return target


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postings", type=int, default=20_000_000)
    parser.add_argument("--others", type=int, default=2_000_000, help="postings for LMDB and SQLite; 0: without them")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = segment_of(options.postings, folder / "large")
        measure_segment(path, questions(known_hashes(path), ROUNDS))
        if options.others:
            path = path if options.others == options.postings else segment_of(options.others, folder / "small")
            asked = questions(known_hashes(path), ROUNDS)
            measure_segment(path, asked)
            measure_others(folder, path, asked)


if __name__ == "__main__":
    main()
