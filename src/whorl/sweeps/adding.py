"""``Sweep.add``: the paper's phases for what is new, in one transaction.

A crash at any moment leaves the store as it was before or as it is after: the database's commit is the only commit
point, and segments are written before it.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from whorl.clustering.settings import ClusterSettings
from whorl.index import files
from whorl.index.segment_merge import merge
from whorl.model import Document, Hashes
from whorl.sweeps.candidates import Candidates, Numbers, became_common
from whorl.sweeps.content import Reader, Seen, tie
from whorl.sweeps.intake import Intake, Taken
from whorl.sweeps.joining import Linked, changed, heads
from whorl.sweeps.rows import CONTENT_COLUMNS, Content
from whorl.sweeps.segments import Segments, counts
from whorl.sweeps.store import SweepStore
from whorl.sweeps.verifying import Sizes, Verifier

# Told what is being done, how much of it is done, and how much there is, if that is known.
Progress = Callable[[str, int, int | None], object]


class Adding:
    """One add, under the store's lock."""

    def __init__(self, store: SweepStore, segments: Segments, reader: Reader, memory: int, tell: Progress) -> None:
        self._store, self._segments, self._reader = store, segments, reader
        self._settings: ClusterSettings = reader.settings
        self._memory, self._tell = memory, tell

    def run(self, documents: Iterable[Document], date: str | None, own_dates: bool) -> Taken:
        """Add documents; what was taken."""
        self._segments.sweep()
        gone: list[Path] = []
        try:
            with self._store.transaction():
                self._store.check_indexes()
                self._segments.load()
                taken = self._take(documents, date, own_dates)
                if taken.rows:
                    self._link(taken.rows)
                    gone = self._segments.tidy()
        finally:
            self._segments.close()
        for path in gone:
            files.unlink(path)
        return taken

    def _take(self, documents: Iterable[Document], date: str | None, own_dates: bool) -> Taken:
        """Phases 1 and 2: read, set aside what is known, sketch the rest, sort."""
        intake = Intake(self._store, self._segments, self._reader, self._memory)
        seen = Seen(fields[1] for fields in self._store.scan("contents", CONTENT_COLUMNS.removesuffix(", seal")))
        for number, read in enumerate(self._reader.read(documents, seen, self._settings.threads)):
            self._tell("reading", number, None)
            intake.add(read, date, own_dates)
        intake.flush()
        return intake.taken

    def _link(self, fresh: list[int]) -> None:
        """Phases 3 and 4: pairs with a new member, verified; then all pairs are joined."""
        rows, ties, sizes = self._rows()
        linked = Linked.read(self._store)
        self._reduce(linked)
        contents = self._store.total("contents")
        candidates = Candidates(self._segments.all(), self._settings.common, self._memory, contents)
        verifier = Verifier(self._store, sizes, self._settings, self._memory)
        found = []
        for batch in self._batches(fresh, candidates.room):
            for pairs in candidates.pairs(batch):
                found += list(verifier.alike(pairs, candidates.common))
        for pairs, shared in found:
            columns = pairs.left.tolist(), pairs.right.tolist(), pairs.count.tolist(), shared.tolist()
            self._store.put_pairs(zip(*columns, strict=True))
        linked.join(found)
        self._tell("joining", 0, None)
        for row, head, old in changed(self._store, rows, heads(rows, ties, linked, sizes, self._settings)):
            self._store.put_head(row, head, old)

    def _rows(self) -> tuple[Numbers, "np.typing.NDArray[np.uint64]", Sizes]:
        """The contents that stand for themselves, what breaks ties between them, and the sizes of all by number."""
        count = self._store.total("contents") + 1
        sizes = Sizes(np.zeros(count, np.int64), np.ones(count, np.int64))
        rows, ties = [], []
        for fields in self._store.scan("contents", CONTENT_COLUMNS.removesuffix(", seal")):
            content = Content(*fields)
            if content.shingles is not None:
                rows.append(content.id)
                ties.append(tie(content.shingles))
                sizes.shingles[content.id], sizes.moduli[content.id] = content.size, content.modulus
        return np.array(rows, np.int64), np.array(ties, np.uint64), sizes

    def _reduce(self, linked: Linked) -> None:
        """Shingles that are in too many contents now count no more, for old pairs either."""
        before = linked.counts.copy()
        for part in merge(self._segments.new):
            hashes = np.unique(part.hashes)
            having = counts(self._segments.all(), hashes)
            for keys, by in became_common(self._segments.old, hashes, having, self._settings.common, self._memory):
                linked.reduce(keys, by)
        linked.settle(self._store, before)

    def _batches(self, rows: list[int], room: int) -> Iterator[list[tuple[int, Hashes]]]:
        """New contents with their sketches, as many at a time as there is room for."""
        batch: list[tuple[int, Hashes]] = []
        held = 0
        for done, row in enumerate(rows):
            self._tell("finding pairs", done, len(rows))
            sketch = self._reader.sketch(self._store.hashes(row))
            if batch and held + len(sketch) > room:
                yield batch
                batch, held = [], 0
            batch.append((row, sketch))
            held += len(sketch)
        if batch:
            yield batch
