"""The index as one tenant sees it: who owns which document, searches in a tenant's name, and group commits."""

import json
from collections.abc import Iterable, Iterator, Sequence
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
from whorl.errors import DocumentError, ReplacedError, WhorlError
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
from whorl.service.retention import ReceiptStore, name_sha256, settle_announced
from whorl.storage.postings import EACH, PostingHits

# Rows that are read at a time: a few megabytes of them.
BATCH = 2000

# Owners in the array: nobody has this number yet; and the house.
UNKNOWN, HOUSE = -1, 0


class KnownOwners(NamedTuple):
    """Owners and sizes of all documents up to the number ``last``. They hold in every state of the index from the
    commit ``since`` on in which owners changed ``changes`` times. ``codes`` numbers the owners."""

    last: int
    codes: dict[str, int]
    owners: NDArray[np.int32]
    sizes: NDArray[np.int64]
    since: int
    changes: int

    @classmethod
    def none(cls, since: int, changes: int) -> Self:
        """Nothing is loaded yet."""
        return cls(0, {}, np.full(1, UNKNOWN, np.int32), np.zeros(1, np.int64), since, changes)

    def knows(self, number: int) -> bool:
        """Return whether a document of this number was loaded."""
        return number <= self.last and bool(self.owners[number] != UNKNOWN)

    def are_of(self, tenant: str | None, numbers: NDArray[np.uint32]) -> NDArray[np.bool_]:
        """Return which documents belong to a tenant."""
        wanted = HOUSE if tenant is None else self.codes.get(tenant)
        if wanted is None:
            return np.zeros(len(numbers), np.bool_)
        mask: NDArray[np.bool_] = self.owners[numbers] == wanted
        return mask

    def numbers_of(self, tenant: str | None) -> NDArray[np.int64]:
        """Return the numbers of all current and removed documents of a tenant."""
        return np.flatnonzero(self.are_of(tenant, np.arange(self.last + 1, dtype=np.uint32)))

    def owners_of(self, numbers: NDArray[np.uint32]) -> dict[int, str | None]:
        """Return the owners of documents."""
        names: list[str | None] = [None, *self.codes]
        return {
            number: names[code] for number, code in zip(numbers.tolist(), self.owners[numbers].tolist(), strict=True)
        }

    def fingerprints(self, numbers: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Return the number of fingerprints of documents."""
        sizes: NDArray[np.int64] = self.sizes[numbers]
        return sizes

    def extended(self, index: "TenantIndex") -> Self:
        """Return the same with the documents that came later."""
        known = self
        while entries := index.page_by_number(known.last, BATCH):
            known = known._with(entries)
        return known

    def _with(self, entries: list[Entry]) -> Self:
        last = entries[-1].id
        known = self._grown(max(last + 1, 2 * len(self.owners))) if last >= len(self.owners) else self
        for entry in entries:
            code = HOUSE if entry.owner is None else known.codes.setdefault(entry.owner, len(known.codes) + 1)
            known.owners[entry.id], known.sizes[entry.id] = code, entry.fingerprints
        return known._replace(last=last)

    def _grown(self, size: int) -> Self:
        """Copy the arrays into larger ones. Concurrent readers of the old arrays know no larger number."""
        owners, sizes = np.full(size, UNKNOWN, np.int32), np.zeros(size, np.int64)
        owners[: len(self.owners)], sizes[: len(self.sizes)] = self.owners, self.sizes
        return self._replace(owners=owners, sizes=sizes)


class Ownership:
    """Owners and sizes of all documents, by number. Several threads may ask; one at a time adds."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._known = KnownOwners.none(0, UNKNOWN)

    def learn(self, index: "TenantIndex") -> KnownOwners:
        """Load new documents, and all again if an owner changed; return what is known. Call inside ``index.reading()``,
        so that every document is known, with its owner in that state."""
        commits, changes = index.owner_state()
        with self._turn:
            known = self._known
            if commits < known.since:  # others have seen a later state: this one is not theirs
                return KnownOwners.none(commits, changes).extended(index)
            if changes != known.changes:
                known = KnownOwners.none(commits, changes)
            self._known = known.extended(index)
            return self._known

    def forget(self) -> None:
        """Load everything again next time."""
        with self._turn:
            self._known = KnownOwners.none(0, UNKNOWN)

    def known(self) -> KnownOwners:
        """Return what was loaded, for another process."""
        with self._turn:
            known = self._known
            size = known.last + 1
            return known._replace(
                codes=dict(known.codes), owners=known.owners[:size].copy(), sizes=known.sizes[:size].copy()
            )

    def adopt(self, known: KnownOwners) -> None:
        """Take what another process has loaded instead of loading it."""
        with self._turn:
            self._known = known

    def agrees(self, entry: Entry) -> bool:
        """Return whether the owner in a row is the one loaded."""
        known = self._known
        return entry.id > known.last or bool(known.are_of(entry.owner, np.array([entry.id], np.uint32))[0])


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
    known: KnownOwners
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
        return self.known.owners_of(np.array(numbers, np.uint32))


class TenantIndex(Index):
    """An index that is searched in the name of a tenant. Not thread-safe."""

    ownership: Ownership

    @classmethod
    def of(cls, index: Path, ownership: Ownership) -> Self:
        """Open an index with the shared ownership table."""
        reader = cls.open(index)
        reader.ownership = ownership
        return reader

    @classmethod
    def again(cls, index: Path, ownership: Ownership) -> Self:
        """Open an index that was there when the service started. Raise ReplacedError if it is there no more."""
        try:
            return cls.of(index, ownership)
        except DocumentError as error:
            raise ReplacedError(index) from error

    def ask(self, query: IndexQuery, most: int | None = None) -> SearchOutcome:
        """Search in the name of a tenant. Raise ``LargeSearchError`` if the query has more than ``most`` letters, or if
        the documents whose passages are looked for have more symbols."""
        whole = read_whole(query.document, self._wider(query.window), self._key)
        if most is not None and len(whole.text) > most:
            raise LargeSearchError
        hashes = distinct(whole.fingerprints.hashes)
        with self.reading():
            known, ours, overlap = self._sides(query, hashes)
            hits, notes = rank(self, self._best(ours, query, known), query.limit), notes_of(whole)
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
            _, ours, overlap = self._sides(query, distinct(whole.fingerprints.hashes))
            hits = self._explained(query.document.name, whole, ours, wanted, counted, timer, deep_seconds)
        return SearchOutcome(hits, overlap)

    def _sides(self, query: IndexQuery, hashes: NDArray[np.uint64]) -> tuple[KnownOwners, SearchCandidates, Overlap]:
        """Return the owners in this state, the tenant's candidates, and the overlap with documents of others. Neither
        depends on the other."""
        known = self.ownership.learn(self)
        postings = self.look_up(hashes[: query.look_ups])
        mine = np.ones(len(postings), np.bool_) if query.everyone else known.are_of(query.tenant, postings.documents)
        ours = find_candidates(_Side(self, known, postings, mine), hashes, query.look_ups)
        theirs = find_candidates(_Side(self, known, postings, ~mine), hashes, query.look_ups)
        sizes = known.fingerprints(theirs.numbers)
        return known, ours, Overlap(theirs.numbers, theirs.shared, sizes, theirs.evidence, hashes)

    def check_same(self) -> None:
        """Raise ReplacedError if the index was removed or replaced since it was opened."""
        self._store.check_same()

    def owner_state(self) -> tuple[int, int]:
        """Return the number of commits, and how many times a document got another owner and kept its number."""
        return self._store.owner_state()

    def skip_numbers(self, last: int) -> None:
        """Give no document a number up to ``last`` from now on."""
        self._writer.skip_numbers(last)

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

    def _best(self, matches: SearchCandidates, query: IndexQuery, known: KnownOwners) -> SearchCandidates:
        """Return the candidates that can rank first, by the score that ``rank`` gives them. A tenant may have a hundred
        thousand documents that share a fingerprint, and ``rank`` reads a row for each."""
        if query.only is not None:
            matches = matches[matches.numbers == query.only]
        scores = score(matches, known.fingerprints(matches.numbers))
        order = np.lexsort(
            (matches.numbers, -scores.containment, -(scores.resemblance if query.alike else scores.score))
        )
        return matches[np.sort(order[: query.limit * (CLOSER if query.everyone and not query.alike else 1)])]


def adopt_owners(index: TenantIndex, known: KnownOwners) -> None:
    """Tell the index of another process whose the documents are: to read all rows again takes seconds."""
    index.ownership.adopt(known)


def stored_bytes(prepared: Prepared) -> int:
    """Return the bytes that a prepared document will count."""
    facts = prepared.document
    words = (facts.name, json.dumps(facts.labels), facts.url or "", facts.date or "", facts.contact or "")
    named = len("".join(words).encode("utf-8", "surrogatepass"))
    return len(prepared.text) + named + EACH * prepared.fingerprints


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


def _versions(batch: Iterable[_Ticket]) -> list[list[_Ticket]]:
    """Divide tickets so that no two of a part have the same name. Of one name, the first comes first."""
    parts: list[dict[str, _Ticket]] = []
    for ticket in batch:
        name = ticket.prepared.document.name
        part = next((each for each in parts if name not in each), None)
        if part is None:
            parts.append(part := {})
        part[name] = ticket
    return [list(part.values()) for part in parts]


class DocumentWriter:
    """The only way in which the service changes the index. ``within`` is the time until a text that was replaced or
    deleted is purged."""

    def __init__(self, index: TenantIndex, receipts: ReceiptStore, within: timedelta) -> None:
        self._index, self._receipts, self._within = index, receipts, within
        self._turn, self._pending, self._room = Lock(), Lock(), Semaphore(WAITING)
        self._tickets: list[_Ticket] = []
        settle_announced(receipts, index)

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

    def repeat_deletions(self, known: KnownOwners) -> list[Entry]:
        """Delete documents that have a receipt, and return them: an older copy of the index was put in the place of
        the one that they were deleted from. New documents get numbers that no receipt has."""
        names = self._receipts.names()
        self._index.skip_numbers(max(names, default=0))
        entries = [self._index.find(number) for number in names if known.knows(number)]
        back = [entry for entry in entries if entry is not None and name_sha256(entry.name) == names[entry.id]]
        for entry in back:
            self._receipts.reopen(entry.id, self._within)
            self.remove(entry)
        return back

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
        """Commit the documents. Versions of one document are committed one after the other, so that each that is
        replaced leaves a receipt."""
        try:
            for tickets in _versions(batch):
                self._store(tickets)
                for ticket in tickets:
                    ticket.is_done = True
        except BaseException as error:
            failure = error if isinstance(error, WhorlError) else Problem(500, "The document could not be written.")
            for ticket in batch:
                if not ticket.is_done:
                    ticket.error = ticket.error or failure
            if failure is not error:
                raise
        finally:
            for ticket in batch:
                ticket.is_done = True

    def _store(self, tickets: Sequence[_Ticket]) -> None:
        """Store documents of different names in one commit."""
        old = {ticket.prepared.document.name: self._index.entry(ticket.prepared.document.name) for ticket in tickets}
        mine = [ticket for ticket in tickets if self._is_allowed(ticket, old[ticket.prepared.document.name])]
        before = [(old[ticket.prepared.document.name], ticket.prepared.digest) for ticket in mine]
        replaced = [entry for entry, digest in before if entry is not None and entry.digest != digest]
        with self._replacing(replaced):
            for ticket, added in zip(mine, self._index.put([each.prepared for each in mine]), strict=True):
                ticket.entry, ticket.state = self._index.entry(added.name), added.state

    @contextmanager
    def _replacing(self, entries: Sequence[Entry]) -> Iterator[None]:
        """Announce the receipts of documents before a commit may replace them, and settle them after it. If the process
        dies between, ``settle_announced`` does."""
        if not entries:
            yield
            return
        self._receipts.announce([(entry, self._index.samples_of(entry)) for entry in entries], self._within)
        try:
            yield
        finally:
            self._receipts.settle({entry.id: self._index.find(entry.id) is None for entry in entries})

    def _is_allowed(self, ticket: _Ticket, old: Entry | None) -> bool:
        """Return whether a document may replace another: only one of the same owner."""
        if old is not None and old.owner != ticket.prepared.document.owner:
            ticket.error = Problem(409, "A document of another owner has this name. Choose another name.")
            return False
        return True
