"""``Sweep.add``: store new documents and their sightings, find and verify pairs, cluster them, in one transaction."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from whorl.clustering import ClusterSettings
from whorl.clustering.records import Item
from whorl.engine.sampling import distinct
from whorl.errors import DocumentError, InputError
from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.records import UnchangedPage
from whorl.model import Document, Hashes, Skipped
from whorl.storage import files
from whorl.storage.postings import Postings
from whorl.storage.segment_writer import SegmentFolder, merge
from whorl.storage.store import sweep
from whorl.sweep import day, days, normalise
from whorl.sweep.contents import (
    ITSELF,
    LEXICAL,
    NOTHING,
    SHINGLE,
    ContentReader,
    KnownDigests,
    Read,
    SweepSegments,
    counts,
    tie,
)
from whorl.sweep.pairs import CandidateFinder, ContentSizes, Numbers, PairTable, Verifier, became_common, changed, heads
from whorl.sweep.result import ScreenedDocument, ScreeningCounts
from whorl.sweep.screening import (
    DUPLICATE,
    IDENTICAL,
    NEW,
    STATES,
    Answered,
    Screen,
    fault_of,
    page_of,
    postings_of,
    refuse,
)
from whorl.sweep.store import CONTENT_COLUMNS, Content, Sighting, SweepStore

# Bytes of a posting while it is sorted: itself, its copy, and the order.
POSTING_BYTES = 48

# Bytes of postings that wait while documents are screened: they are merged with each batch.
SCREENED = POSTING_BYTES << 22


@dataclass(slots=True)
class IntakeResult:
    """Counts of documents and of new contents; the new contents that represent themselves (``rows``); and the documents
    that were skipped."""

    documents: int = 0
    contents: int = 0
    rows: list[int] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)


class SweepIntake:
    """Adds documents to a store, inside a transaction."""

    def __init__(self, store: SweepStore, segments: SweepSegments, reader: ContentReader, memory: int) -> None:
        self._store, self._segments, self._reader = store, segments, reader
        self._room = max(1, memory // POSTING_BYTES)
        self._sketches: list[tuple[int, Hashes]] = []
        self._waiting, self._pending = Postings.none(), 0
        self._contents = store.total("contents")
        self._sweeps: dict[str, int] = {}
        self.result = IntakeResult()

    def add(self, read: Read, date: str | None, own_dates: bool) -> None:
        """Add a document, seen on its own day or on this date. Skip one that cannot be read, with the reason."""
        document = read.document
        try:
            when = _when(document, date, own_dates)
            content = self._content(read)
        except (DocumentError, InputError) as error:
            self.result.skipped.append(Skipped(document.name, str(error)))
            return
        self._show(document, when, content)

    def add_unchanged(self, page: UnchangedPage, date: str | None, own_dates: bool) -> None:
        """Add a page that shows what another one showed, or itself, in an earlier sweep."""
        try:
            when = _when(page, date, own_dates)
            content = self._shown(page, when)
            if content is None:
                raise DocumentError(f"unchanged, but no sweep has the page that it repeats: {page.of!r}")
        except (DocumentError, InputError) as error:
            self.result.skipped.append(Skipped(page.name, str(error)))
            return
        self._show(page, when, content)

    def _shown(self, page: UnchangedPage, when: str) -> int | None:
        """Return what the page that is repeated showed in the sweep nearest to the date that is named: sweeps may have
        later dates than their pages. None if no sweep has it."""
        number, dates = self._store.page(page.of), self._store.sweeps()
        since = when if page.since is None else normalise(page.since)

        def distance(place: Sighting) -> tuple[bool, float, int]:
            date = dates[place.sweep]
            return date > when, abs(days(date, since)), -place.id

        places = [] if number is None else self._store.places_of_page(number)
        return min(places, key=distance).content if places else None

    def accept(self, read: Read, date: str) -> None:
        """Add a document that forms no pair with any other, as a cluster of its own."""
        number = self._stand(read, self._contents + 1)
        self._store.put_head(number, number, None)
        self._show(read.document, date, number)

    def _show(self, document: Document, date: str, content: int) -> None:
        page = self._store.put_page(page_of(document))
        self._store.put_place(page, self._sweep(date), content, document.contact)
        self.result.documents += 1

    def _sweep(self, date: str) -> int:
        if date not in self._sweeps:
            self._sweeps[date] = self._store.sweep(date)
        return self._sweeps[date]

    def flush(self) -> None:
        """Write the pending postings to a segment."""
        self._segments.write(self.waiting())
        self._waiting, self._pending = Postings.none(), 0

    def waiting(self) -> Postings:
        """Return the pending postings, sorted."""
        if self._sketches:
            self._waiting = self._waiting.merged(postings_of(self._sketches).in_order())
            self._sketches = []
        return self._waiting

    def _content(self, read: Read) -> int:
        """Return the number of a document's content; store a new one."""
        if (reason := fault_of(read)) is not None:
            raise DocumentError(reason)
        known = self._store.known("digest", read.digest)
        if known is not None:
            return known.id
        if not read.is_new:
            read = self._reader.read_one(read.document)
        number = self._contents + 1
        for kind, column, digest in ((LEXICAL, "lexical", read.lexical), (SHINGLE, "shingles", read.shingles)):
            equal = self._store.known(column, digest) if digest != NOTHING else None
            if equal is not None:
                return self._put(Content(number, read.digest, read.lexical, None, equal.row, kind, 0, 0), None)
        return self._stand(read, number)

    def _stand(self, read: Read, number: int) -> int:
        """Store a content that equals no other, and the postings of its sketch."""
        size = len(read.hashes)
        content = Content(number, read.digest, read.lexical, read.shingles, number, ITSELF, size, read.modulus)
        self._put(content, read.hashes)
        self.result.rows.append(number)
        self._sketches.append((number, read.sketch))
        self._pending += len(read.sketch)
        if self._pending >= self._room:
            self.flush()
        return number

    def _put(self, content: Content, hashes: Hashes | None) -> int:
        self._store.put_content(content, hashes)
        self._contents += 1
        self.result.contents += 1
        return content.id


def _when(document: Document, date: str | None, own_dates: bool) -> str:
    """Return the date of the sweep that a document belongs to."""
    when = day(document.date) if own_dates and document.date else date
    if when is None:
        raise DocumentError("no date: it has none of its own, so name the date of the sweep")
    return when


def _accepted_again(answer: ScreenedDocument) -> ScreenedDocument:
    """Return the answer about a document that may have been accepted before, under the same name."""
    is_same = [(match.of, match.kind) for match in answer.matches] == [(answer.name, IDENTICAL)]
    return ScreenedDocument(answer.name, NEW) if is_same else answer


def _others(documents: Iterable[Document], unchanged: list[UnchangedPage]) -> Iterator[Document]:
    """Yield the documents that have a content; collect the others."""
    for document in documents:
        if isinstance(document, UnchangedPage):
            unchanged.append(document)
        else:
            yield document


# Receives the current stage, how much of it is done, and the total if it is known.
Progress = Callable[[str, int, int | None], object]


class SweepAdd:
    """One add, under the lock of the store."""

    def __init__(
        self, store: SweepStore, folder: SegmentFolder, reader: ContentReader, memory: int, report: Progress
    ) -> None:
        self._store, self._folder, self._reader = store, folder, reader
        self._segments = SweepSegments(store, folder)
        self._settings: ClusterSettings = reader.settings
        self._memory, self._report = memory, report

    def run(self, documents: Iterable[Document], date: str | None, own_dates: bool) -> IntakeResult:
        """Add documents, and return what was added."""
        with self._adding():
            result = self._take(documents, date, own_dates)
            if result.rows:
                self._link(result.rows)
        return result

    def run_new(
        self, items: Iterable[Item | Sheet], date: str, overlap: float, again: bool, answered: Answered
    ) -> ScreeningCounts:
        """Screen documents and add those that are no duplicates. ``again``: one that is stored under the same name was
        accepted before, and is again."""
        if self._store.is_older:
            raise InputError(f"{self._folder.path.parent}: an earlier version of Whorl made it; build it again first")
        states = Counter[str]()
        with self._adding():
            intake = SweepIntake(self._store, self._segments, self._reader, min(self._memory, SCREENED))
            screen = Screen(
                self._store, lambda: [*self._segments.all(), intake.waiting()], self._reader, self._memory, overlap
            )
            for reads in self._reader.read_batches(items, KnownDigests(), self._settings.threads):
                self._report("reading", states.total(), None)
                for judged in screen.judge(reads, among=True):
                    answer = _accepted_again(judged.answer) if again else judged.answer
                    if judged.is_accepted:
                        intake.accept(judged.read, date)
                    elif judged.answer.state == DUPLICATE:
                        refuse(self._store, judged)
                    states[answer.state] += 1
                    answered(answer)
            intake.flush()
            self._rejoin()
        new, duplicates, overlaps, unread = (states[state] for state in STATES)
        return ScreeningCounts(states.total(), new, duplicates, overlaps, unread, self._store.total("contents"))

    @contextmanager
    def _adding(self) -> Iterator[None]:
        """Commit everything inside, then remove the segments that it merged."""
        sweep(self._store, self._folder.path)
        obsolete: list[Path] = []
        try:
            with self._store.transaction():
                self._store.check_indexes()
                self._segments.load()
                yield
                if self._segments.new:
                    obsolete = self._segments.merge()
        finally:
            self._segments.close()
        for path in obsolete:
            files.unlink(path)

    def _take(self, documents: Iterable[Document], date: str | None, own_dates: bool) -> IntakeResult:
        """Phases 1 and 2: read documents, set known ones aside, sketch the others, sort."""
        intake = SweepIntake(self._store, self._segments, self._reader, self._memory)
        known = KnownDigests(fields[1] for fields in self._store.scan("contents", CONTENT_COLUMNS))
        unchanged: list[UnchangedPage] = []
        for number, read in enumerate(self._reader.read(_others(documents, unchanged), known, self._settings.threads)):
            self._report("reading", number, None)
            intake.add(read, date, own_dates)
        for page in unchanged:  # at the end, because another file may have what they repeat
            intake.add_unchanged(page, date, own_dates)
        intake.flush()
        return intake.result

    def _link(self, fresh: list[int]) -> None:
        """Phases 3 and 4: find and verify pairs with a new member, then cluster all pairs."""
        rows, ties, sizes = self._rows()
        table = PairTable.read(self._store)
        self._reduce(table)
        contents = self._store.total("contents")
        finder = CandidateFinder(self._segments.all(), self._settings.common, self._memory, contents)
        verifier = Verifier(self._store.hashes, sizes, self._settings, self._memory)
        verified = []
        for batch in self._batches(fresh, finder.room):
            for pairs in finder.pairs(batch):
                verified += list(verifier.verify(pairs, finder.common))
        for pairs, shared in verified:
            columns = pairs.left.tolist(), pairs.right.tolist(), pairs.count.tolist(), shared.tolist()
            self._store.put_pairs(zip(*columns, strict=True))
        table.add(verified)
        self._report("joining", 0, None)
        self._join(rows, ties, sizes, table)

    def _rejoin(self) -> None:
        """Cluster again if shingles have become common. Accepted documents form no pairs."""
        if self._store.total("pairs"):
            table = PairTable.read(self._store)
            self._reduce(table)
            rows, ties, sizes = self._rows()
            self._join(rows, ties, sizes, table)

    def _join(self, rows: Numbers, ties: Hashes, sizes: ContentSizes, table: PairTable) -> None:
        for row, head, old in changed(self._store, rows, heads(rows, ties, table, sizes, self._settings)):
            self._store.put_head(row, head, old)

    def _rows(self) -> tuple[Numbers, Hashes, ContentSizes]:
        """Return the contents that represent themselves, their tie-breakers, and the sizes of all contents by
        number."""
        count = self._store.total("contents") + 1
        sizes = ContentSizes(np.zeros(count, np.int64), np.ones(count, np.int64))
        rows, ties = [], []
        for fields in self._store.scan("contents", CONTENT_COLUMNS):
            content = Content(*fields)
            if content.shingles is not None:
                rows.append(content.id)
                ties.append(tie(content.shingles))
                sizes.shingles[content.id], sizes.moduli[content.id] = content.size, content.modulus
        return np.array(rows, np.int64), np.array(ties, np.uint64), sizes

    def _reduce(self, table: PairTable) -> None:
        """Subtract shingles that have become too common from the counts of old pairs."""
        before = table.counts.copy()
        for part in merge(self._segments.new):
            hashes = distinct(part.hashes)
            having = counts(self._segments.all(), hashes)
            for keys, by in became_common(self._segments.old, hashes, having, self._settings.common, self._memory):
                table.reduce(keys, by)
        table.write_reduced(self._store, before)

    def _batches(self, rows: list[int], room: int) -> Iterator[list[tuple[int, Hashes]]]:
        """Yield new contents with their sketches, in batches of at most ``room`` values."""
        batch: list[tuple[int, Hashes]] = []
        size = 0
        for done, row in enumerate(rows):
            self._report("finding pairs", done, len(rows))
            sketch = self._reader.sketch(self._store.hashes(row))
            if batch and size + len(sketch) > room:
                yield batch
                batch, size = [], 0
            batch.append((row, sketch))
            size += len(sketch)
        if batch:
            yield batch
