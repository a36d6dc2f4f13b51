"""Phase 2: ⟨shingle, document⟩, sorted. What does not fit in memory goes to disk in sorted runs that are merged."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from whorl.clustering.spool import Spool
from whorl.index.postings import Postings
from whorl.index.segment import Segment
from whorl.index.segment_merge import merge
from whorl.index.segment_writer import write_segment

# Bytes that sorting a posting takes: itself, its copy, and the order.
EACH = 48


def sorted_postings(sketches: Spool, folder: Path, memory: int) -> Iterator[Postings]:
    """The values of all sketches with the numbers of their rows, in the order of the values. A value is never in two
    parts. Uses the index's own segments for what does not fit."""
    numbers, bounds = sketches.numbers(), sketches.bounds()
    step = max(1, memory // EACH)
    runs: list[Segment] = []
    first = 0
    while first < len(sketches):
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + step, "right")) - 1)
        run = _run(numbers[bounds[first] : bounds[last]], bounds[first : last + 1], first)
        if first == 0 and last == len(sketches):
            yield run
            return
        path = folder / f"run-{len(runs):06}.segment"
        write_segment(path, [run], expected=len(run), documents=(first, last - 1), scheme="sketches", key="sketches")
        runs.append(Segment.open(path))
        first = last
    yield from merge(runs)
    for run_file in runs:
        run_file.close()
        run_file.path.unlink()


def _run(values: "np.typing.NDArray[np.uint64]", bounds: "np.typing.NDArray[np.int64]", first: int) -> Postings:
    documents = np.repeat(np.arange(first, first + len(bounds) - 1, dtype=np.uint32), np.diff(bounds))
    return Postings(np.array(values), documents, np.zeros(len(documents), np.uint32)).in_order()
