"""The index as one tenant sees it: who owns which document, searches in a tenant's name, and group commits."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Lock, Semaphore
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from whorl.engine.documents import read_whole
from whorl.engine.sampling import distinct
from whorl.errors import WhorlError
from whorl.index.cover import Timer
from whorl.index.index import Index
from whorl.index.prepare import Prepared
from whorl.index.search import Hits, SearchCandidates, Wanted, find_candidates, notes_of, rank, readable, score
from whorl.index.store import Entry
from whorl.index.writer import Added, State
from whorl.matching.deep.likeness import check_prose
from whorl.model import Document
from whorl.service.disclosure import Overlap
from whorl.service.problems import Problem, missing
from whorl.service.retention import ReceiptStore
from whorl.storage.postings import EACH, PostingHits

# Rows that are read at a time: a few megabytes of them.
BATCH = 2000

# Owners in the array: nobody has this number yet; and the house.
UNKNOWN, HOUSE = -1, 0


class KnownOwners(NamedTuple):
    """The number of the last document, the codes of owners, and the code and the fingerprints of each document."""

    last: int
    codes: dict[str, int]
    owners: NDArray[np.int32]
    sizes: NDArray[np.int64]


class Ownership:
    """Owners and sizes of all documents, by number. Several threads may ask; one at a time adds."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._codes: dict[str, int]
        self._clear()

    def learn(self, index: Index) -> None:
        """Load new documents. Call inside ``index.reading()``, so that every document is known."""
        with self._turn:
            while entries := index.page_by_number(self._last, BATCH):
                self._take(entries)

    def forget(self) -> None:
        """Load everything again next time: an owner changed."""
        with self._turn:
            self._clear()

    def known(self) -> "KnownOwners":
        """Return what was loaded, for another process."""
        with self._turn:
            size = self._last + 1
            return KnownOwners(self._last, dict(self._codes), self._owners[:size].copy(), self._sizes[:size].copy())

    def adopt(self, known: "KnownOwners") -> None:
        """Take what another process has loaded instead of loading it."""
        with self._turn:
            self._last, self._codes = known.last, known.codes
            self._owners, self._sizes = known.owners, known.sizes

    def are_of(self, tenant: str | None, numbers: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return which documents belong to a tenant."""
        owners = self._owners
        wanted = HOUSE if tenant is None else self._codes.get(tenant)
        if wanted is None:
            return np.zeros(len(numbers), np.bool_)
        mask: NDArray[np.bool_] = owners[numbers] == wanted
        return mask

    def numbers_of(self, tenant: str | None) -> NDArray[np.int64]:
        """Return the numbers of all current and removed documents of a tenant."""
        return np.flatnonzero(self.are_of(tenant, np.arange(len(self._owners), dtype=np.uint32)))

    def owners(self, numbers: NDArray[np.uint32]) -> dict[int, str | None]:
        """Return the owners of documents."""
        names: list[str | None] = [None, *self._codes]
        return {
            number: names[code] for number, code in zip(numbers.tolist(), self._owners[numbers].tolist(), strict=True)
        }

    def fingerprints(self, numbers: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the number of fingerprints of documents."""
        sizes: NDArray[np.int64] = self._sizes[numbers]
        return sizes

    def agrees(self, entry: Entry) -> bool:
        """Return whether the owner in a row is the one loaded."""
        return bool(self.are_of(entry.owner, np.array([entry.id], np.uint32))[0])

    def _clear(self) -> None:
        self._last = 0
        self._codes = {}
        self._owners = np.full(1, UNKNOWN, np.int32)
        self._sizes = np.zeros(1, np.int64)

    def _take(self, entries: list[Entry]) -> None:
        last = entries[-1].id
        if last >= len(self._owners):
            self._grow(max(last + 1, 2 * len(self._owners)))
        for entry in entries:
            code = HOUSE if entry.owner is None else self._codes.setdefault(entry.owner, len(self._codes) + 1)
            self._owners[entry.id], self._sizes[entry.id] = code, entry.fingerprints
        self._last = last

    def _grow(self, size: int) -> None:
        """Replace the arrays by larger ones. Concurrent readers of the old arrays know no larger number."""
        owners, sizes = np.full(size, UNKNOWN, np.int32), np.zeros(size, np.int64)
        owners[: len(self._owners)], sizes[: len(self._sizes)] = self._owners, self._sizes
        self._owners, self._sizes = owners, sizes


# Documents that are ranked for each one that is shown: an owner who has a text a thousand times leaves room for others.
CLOSER = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """A request. ``tenant`` is whose documents are ranked, unless ``everyone``'s are. ``alike`` asks for those that
    resemble the document most, not for those that share most with it; ``only`` for one document."""

    document: Document
    tenant: str | None = None
    everyone: bool = False
    limit: int = 10
    window: int | None = None
    look_ups: int | None = None
    passages: bool = True
    alike: bool = False
    only: int | None = None


class LargeSearchError(WhorlError):
    """A search has more to read than it may in this process."""


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """The hits of the tenant, and the overlap with documents of others."""

    hits: Hits
    others: Overlap


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """Postings that were looked up once, as a search of one side sees them: own documents or others', and whatever is
    sanctioned."""

    index: "TenantIndex"
    postings: PostingHits
    mask: NDArray[np.bool_]

    @property
    def documents(self) -> int:
        """Return the number of documents in the whole index."""
        return self.index.documents

    @property
    def sanctioned(self) -> NDArray[np.uint32]:
        """Return the sanctioned documents of the whole index."""
        return self.index.sanctioned

    def look_up(self, hashes: NDArray[np.uint64]) -> PostingHits:
        """Return the postings of this side."""
        mask = self.mask | np.isin(self.postings.documents, self.sanctioned)
        which = self.postings.which[mask]
        counts = np.bincount(which, minlength=len(hashes)).astype(np.int64)
        return PostingHits(which, self.postings.documents[mask], self.postings.places[mask], counts)

    def numbered(self, number: int) -> Entry:
        """Return the document of a number."""
        return self.index.numbered(number)

    def owners(self, numbers: Sequence[int]) -> dict[int, str | None]:
        """Return the owners without reading rows: there may be a hundred thousand."""
        return self.index.ownership.owners(np.array(numbers, np.uint32))


class TenantIndex(Index):
    """An index that is searched in the name of a tenant. Not thread-safe."""

    ownership: Ownership

    @classmethod
    def of(cls, index: Path, ownership: Ownership) -> Self:
        """Open an index with the shared ownership table."""
        reader = cls.open(index)
        reader.ownership = ownership
        return reader

    def ask(self, query: IndexQuery, most: int | None = None) -> SearchOutcome:
        """Search in the name of a tenant. Raise ``LargeSearchError`` if the query has more than ``most`` letters, or if
        the documents whose passages are looked for have more symbols."""
        whole = read_whole(query.document, self._wider(query.window), self._key)
        if most is not None and len(whole.text) > most:
            raise LargeSearchError
        hashes = distinct(whole.fingerprints.hashes)
        with self.reading():
            ours, overlap = self._sides(query, hashes)
            hits, notes = rank(self, self._best(ours, query), query.limit), notes_of(whole)
            if query.passages and hits:
                if most is not None and sum(hit.document.symbols for hit in hits) > most:
                    raise LargeSearchError
                full = read_whole(query.document, self.scheme, self._key) if query.window else whole
                document = readable(query.document.name, full)
                hits, notes = self._sharing(hits, document, notes)
        return SearchOutcome(Hits(tuple(hits), ours.cost, notes, whole.text), overlap)

    def explain_own(
        self, query: IndexQuery, timer: Timer, *, wanted: Wanted | None = None, counted: Wanted | None = None,
        deep_seconds: float | None = None,
    ) -> SearchOutcome:  # fmt: skip
        """Return the tenant's documents that together explain the query, as ``Index.explain`` does for all, and the
        overlap with documents of others."""
        if deep_seconds is not None:
            check_prose(self.scheme)
        whole = read_whole(query.document, self.scheme, self._key)
        with self.reading():
            ours, overlap = self._sides(query, distinct(whole.fingerprints.hashes))
            hits = self._explained(query.document.name, whole, ours, wanted, counted, timer, deep_seconds)
        return SearchOutcome(hits, overlap)

    def _sides(self, query: IndexQuery, hashes: NDArray[np.uint64]) -> tuple[SearchCandidates, Overlap]:
        """Return the tenant's candidates, and the overlap with documents of others. Neither depends on the other."""
        self.ownership.learn(self)
        postings = self.look_up(hashes[: query.look_ups])
        mine = self._mine(query, postings.documents)
        ours = find_candidates(_Side(self, postings, mine), hashes, query.look_ups)
        theirs = find_candidates(_Side(self, postings, ~mine), hashes, query.look_ups)
        sizes = self.ownership.fingerprints(theirs.numbers)
        return ours, Overlap(theirs.numbers, theirs.shared, sizes, theirs.evidence, hashes)

    def secret_for(self, purpose: str) -> bytes:
        """Derive secret bytes from the key of the index."""
        return self._key.words(purpose, 4).tobytes()

    def prepared(self, document: Document, *, sanctioned: bool) -> Prepared:
        """Fingerprint a document, ready for ``put``. May run while another thread writes."""
        return self._prepared(document, sanctioned)

    def known(self, document: Document, *, sanctioned: bool) -> Entry | None:
        """Return the entry if the same document with the same metadata is stored."""
        return self.entry(document.name) if self._is_known(document, sanctioned) else None

    def bytes_by_tenant(self) -> dict[str | None, int]:
        """Return the stored bytes of documents by tenant; None is the house. Reads every row."""
        return self._store.bytes_by_owner(EACH)

    def put(self, prepared: list[Prepared]) -> list[Added]:
        """Store prepared documents in one commit."""
        return self._put(prepared) if prepared else []

    def page_of(self, owner: str | None, prefix: str, after: str, limit: int) -> list[Entry]:
        """Return the next documents of an owner with this prefix. Others' documents may have it as well: the command
        line accepts any name."""
        entries: list[Entry] = []
        while len(entries) < limit and (page := self.page(prefix, after, limit)):
            entries += [entry for entry in page if entry.owner == owner]
            after = page[-1].name
        return entries[:limit]

    def _mine(self, query: IndexQuery, numbers: NDArray[np.uint32]) -> NDArray[np.bool_]:
        return np.ones(len(numbers), np.bool_) if query.everyone else self.ownership.are_of(query.tenant, numbers)

    def _best(self, matches: SearchCandidates, query: IndexQuery) -> SearchCandidates:
        """Return the candidates that can rank first, by the score that ``rank`` gives them. A tenant may have a hundred
        thousand documents that share a fingerprint, and ``rank`` reads a row for each."""
        if query.only is not None:
            matches = matches[matches.numbers == query.only]
        scores = score(matches, self.ownership.fingerprints(matches.numbers))
        order = np.lexsort(
            (matches.numbers, -scores.containment, -(scores.resemblance if query.alike else scores.score))
        )
        return matches[np.sort(order[: query.limit * (CLOSER if query.everyone and not query.alike else 1)])]


def adopt_owners(index: TenantIndex, known: KnownOwners) -> None:
    """Tell the index of another process whose the documents are: to read all rows again takes seconds."""
    index.ownership.adopt(known)


def stored_bytes(prepared: Prepared) -> int:
    """Return the bytes that a prepared document will count."""
    return len(prepared.text) + EACH * prepared.fingerprints


# Who may wait for the writer. A purge can hold it up for long, and each who waits holds a thread: some must be left.
WAITING = 16


@dataclass(slots=True, eq=False)
class _Ticket:
    """A waiting document and its outcome."""

    prepared: Prepared
    entry: Entry | None = None
    state: State = "unchanged"
    error: WhorlError | None = None
    is_done: bool = field(default=False)


class DocumentWriter:
    """The only way in which the service changes the index. ``within`` is the time until a text that was replaced or
    deleted is purged."""

    def __init__(self, index: TenantIndex, receipts: ReceiptStore, within: timedelta) -> None:
        self._index, self._receipts, self._within = index, receipts, within
        self._turn, self._pending, self._room = Lock(), Lock(), Semaphore(WAITING)
        self._tickets: list[_Ticket] = []

    def put(self, prepared: Prepared) -> tuple[Entry, State]:
        """Add a document durably. The thread whose turn it is commits all waiting documents."""
        ticket = _Ticket(prepared)
        with self._waiting():
            with self._pending:
                self._tickets.append(ticket)
            with self._turn:
                if not ticket.is_done:
                    self._commit(self._next())
        if ticket.error is not None:
            raise ticket.error
        if ticket.entry is None:
            raise Problem(409, "The document was removed at the same moment. Add it again if you need it.")
        return ticket.entry, ticket.state

    def remove(self, entry: Entry) -> None:
        """Remove a document. Its purge is recorded first, so that it happens even after a crash."""
        with self._waiting(), self._turn:
            current = self._index.entry(entry.name)
            if current is None or current.id != entry.id:
                raise missing(f"Document {entry.id}")
            samples = self._index.samples_of(entry)
            self._receipts.requested(entry.id, entry.name, entry.owner, self._within, samples)
            self._index.remove(entry.name)

    def close(self) -> None:
        """Close the index."""
        with self._turn:
            self._index.close()

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        """Count a waiting thread; raise 429 if too many wait."""
        if not self._room.acquire(blocking=False):
            raise Problem(429, "Too many changes are waiting. Try again in a moment.")
        try:
            yield
        finally:
            self._room.release()

    def _next(self) -> list[_Ticket]:
        """Take all waiting documents."""
        with self._pending:
            batch, self._tickets = self._tickets, []
            return batch

    def _commit(self, batch: Sequence[_Ticket]) -> None:
        try:
            old = {ticket.prepared.document.name: self._index.entry(ticket.prepared.document.name) for ticket in batch}
            samples = {entry.id: self._index.samples_of(entry) for entry in old.values() if entry is not None}
            mine = [ticket for ticket in batch if self._is_allowed(ticket, old[ticket.prepared.document.name])]
            for ticket, added in zip(mine, self._index.put([each.prepared for each in mine]), strict=True):
                ticket.entry, ticket.state = self._index.entry(added.name), added.state
            for ticket in mine:
                before = old[ticket.prepared.document.name]
                if before is not None and ticket.entry is not None and before.id != ticket.entry.id:
                    pieces = samples[before.id]
                    self._receipts.requested(before.id, before.name, before.owner, self._within, pieces)
        except BaseException as error:
            failure = error if isinstance(error, WhorlError) else Problem(500, "The document could not be written.")
            for ticket in batch:
                ticket.error = ticket.error or failure
            if failure is not error:
                raise
        finally:
            for ticket in batch:
                ticket.is_done = True

    def _is_allowed(self, ticket: _Ticket, old: Entry | None) -> bool:
        """Return whether a document may replace another: only one of the same owner."""
        if old is not None and old.owner != ticket.prepared.document.owner:
            ticket.error = Problem(409, "A document of another owner has this name. Choose another name.")
            return False
        return True
