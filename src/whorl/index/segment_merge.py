"""One run of postings made of several, in order, without those of removed documents, and within bounded memory."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.index.postings import Postings
from whorl.index.segment import Segment


def merge(
    segments: Sequence[Segment],
    drop: NDArray[np.uint32] | None = None,
    parts: Sequence[Iterable[Postings]] = (),
) -> Iterator[Postings]:
    """The postings of all segments, and of other runs that are in order, in order; a hash is never in two parts.

    ``drop`` are documents, in any order, whose postings are left out. What is held at a time is a part of each run.
    """
    dropped = np.unique(drop).astype(np.uint32) if drop is not None else np.empty(0, np.uint32)
    runs = [_Run(run) for run in [*(segment.scan() for segment in segments), *parts]]
    while runs := [run for run in runs if run.fill()]:
        last = min(run.last for run in runs)
        joined = _merged([run.take(last) for run in runs])
        kept = joined[kernel.postings().keep(joined.documents, dropped)] if len(dropped) else joined
        if len(kept):
            yield kept


class _Run:
    """A run of postings, and the part of it that was read and not yet taken."""

    def __init__(self, parts: Iterable[Postings]) -> None:
        self._parts = iter(parts)
        self._held = Postings.none()

    def fill(self) -> bool:
        """Read on if nothing is held; false at the end."""
        while not len(self._held):
            part = next(self._parts, None)
            if part is None:
                return False
            self._held = part
        return True

    @property
    def last(self) -> int:
        """The last hash that is held."""
        return int(self._held.hashes[-1])

    def take(self, last: int) -> Postings:
        """All postings up to a hash, which is none after the last one that is held; those of it that come later too."""
        taken = []
        while self.fill():
            end = int(np.searchsorted(self._held.hashes, np.uint64(last), "right"))
            taken.append(self._held[:end])
            self._held = self._held[end:]
            if len(self._held):
                break
        return Postings.joined(taken)


def _merged(runs: list[Postings]) -> Postings:
    """Two by two, so that a posting is copied as often as the number of runs has bits."""
    runs = [run for run in runs if len(run)]
    loops = kernel.postings()
    while len(runs) > 1:
        pairs = zip(runs[::2], runs[1::2], strict=False)
        odd = runs[len(runs) // 2 * 2 :]
        runs = [
            Postings(*loops.merge(one.hashes, one.documents, one.places, two.hashes, two.documents, two.places))
            for one, two in pairs
        ] + odd
    return runs[0] if runs else Postings.none()
