"""Phase 2: ⟨shingle, document⟩, sorted. What does not fit in memory goes to disk in sorted runs that are merged."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.records import Rows
from whorl.index.postings import Postings
from whorl.model import Hashes

if TYPE_CHECKING:
    from whorl.index.segment import Segment

# Bytes that sorting a posting takes: itself, its copies, the order, and the next one that is read meanwhile.
EACH = 64

# Shingles that are made super shingles of at a time.
SHINGLES = 1 << 22


def sorted_postings(posted: Iterable[Postings], folder: Path, memory: int, threads: int = 1) -> Iterator[Postings]:
    """Postings that come in parts, each of which fits in memory, in the order of their hashes, in parts that are about
    as large. A hash is never in two parts. Uses the index's own segments for what does not fit."""
    runs: list[Segment] = []
    held = Postings.none()
    for part in posted:
        if len(held):
            runs.append(_run(held.in_order(threads), folder, len(runs)))
        held = part
    if not runs:
        yield held.in_order(threads)
        return
    runs.append(_run(held.in_order(threads), folder, len(runs)))
    del held, part
    yield from _gathered(runs, max(1, memory // EACH))
    for run in runs:
        run.close()
        run.path.unlink()


def _run(part: Postings, folder: Path, number: int) -> "Segment":
    from whorl.index.segment import Segment  # what fits does without
    from whorl.index.segment_writer import write_segment

    path = folder / f"run-{number:06}.segment"
    documents = (int(part.documents.min()), int(part.documents.max())) if len(part) else (0, 0)
    write_segment(path, [part], expected=len(part), documents=documents, scheme="run", key="run")
    return Segment.open(path)


def _gathered(runs: Sequence["Segment"], size: int) -> Iterator[Postings]:
    """The postings of all runs, merged, so many at a time."""
    from whorl.index.segment_merge import merge

    waiting, count = list[Postings](), 0
    for part in merge(runs):
        waiting.append(part)
        count += len(part)
        if count >= size:
            yield Postings.joined(waiting)
            waiting, count = [], 0
            for run in runs:
                run.forget()
    if waiting:
        yield Postings.joined(waiting)


def sketched(sketches: Rows, chosen: NDArray[np.bool_], memory: int) -> Iterator[Postings]:
    """The sketches of the chosen documents, as much at a time as sorting it takes this memory."""
    for first, last in sketches.spans(max(1, memory // EACH)):
        part = sketches.part(first, last)
        yield _posted(part.hashes, part.bounds, first, chosen)


def super_shingled(shingles: Rows, chosen: NDArray[np.bool_], memory: int, threshold: float) -> Iterator[Postings]:
    """The super shingles of the chosen documents, likewise."""
    from whorl.sketches.supers import binned, size_for

    waiting, count = [Postings.none()], 0
    for first, last in shingles.spans(SHINGLES):
        part = shingles.part(first, last)
        values, lengths = binned(part.hashes, part.bounds, size_for(threshold))
        waiting.append(_posted(values, np.concatenate([[0], np.cumsum(lengths)]), first, chosen))
        count += len(waiting[-1])
        if count * EACH >= memory:
            yield Postings.joined(waiting)
            waiting, count = [Postings.none()], 0
    yield Postings.joined(waiting)


def _posted(values: Hashes, bounds: NDArray[np.int64], first: int, chosen: NDArray[np.bool_]) -> Postings:
    """Values with their documents, which follow each other from ``first`` on, as far as they are chosen."""
    those = chosen[first : first + len(bounds) - 1].view(np.uint8)
    hashes, documents = kernel.postings().post(values, bounds, those, first)
    return Postings(hashes, documents, np.zeros(len(documents), np.uint32))
