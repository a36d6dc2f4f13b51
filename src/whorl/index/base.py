"""The base of every index, on disk or in memory: read documents, search, and find shared passages."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.engine.documents import WholeDocument, read_whole, read_wholes
from whorl.engine.hashing import Key
from whorl.engine.sampling import distinct
from whorl.errors import DocumentError, InputError, checked_number
from whorl.formats.reading import CODE
from whorl.index.cover import Cover, PassageFilter, Timer, likeliest_copied
from whorl.index.prepare import TEXT, Prepared, digest, prepare, refuse_larger
from whorl.index.search import (
    Hit,
    Hits,
    SearchCandidates,
    Wanted,
    find_candidates,
    joined,
    notes_of,
    only,
    rank,
    readable,
    revived,
    scored,
    stored,
    text_of,
    unverified,
    verified,
)
from whorl.index.store import Entry
from whorl.index.writer import Added
from whorl.matching.deep.likeness import Prose, check_prose, edited_passages
from whorl.matching.deep.words import words
from whorl.matching.likeness import ComparedDocument
from whorl.model import Closing, Document, Skipped, checked_documents, document_at, is_unicode
from whorl.scheme import Scheme
from whorl.storage.postings import PostingHits
from whorl.threads import Prefetch

# Documents in one commit when many are added: a commit waits for the disk, and a crash loses the current batch.
BATCH = 64

# Documents in one page of a list at most: the caller holds them in memory.
MOST_LISTED = 10_000

# Programs with a longest run that are read first: parsing each takes a few hundredths of a second.
FIRST_READ = 24

# Documents in which a deep pass looks for changed words: so many that have a passage already, and so many others.
DEEP_SOURCES = 100

# The facts about a document besides its content.
FACTS = ("url", "date", "contact", "owner", "labels")

# Returns the postings of a query's fingerprints.
PostingsOfQuery: TypeAlias = Callable[[], PostingHits]


class BaseIndex(Closing, ABC):
    """A collection of fingerprinted documents. ``kind`` says what is stored of their texts."""

    def __init__(self, scheme: Scheme, key: Key, kind: str) -> None:
        self.scheme, self._key, self._kind = scheme, key, kind

    def __len__(self) -> int:
        self.refresh()
        return self.documents

    def add(self, document: Document | Path | str, *, sanctioned: bool = False) -> Added:
        """Add a document, or replace the one of this name. It is durable on return. A string is the path of a file."""
        document, sanctioned = document_at(document), _checked_flag(sanctioned)
        if self._is_known(document, sanctioned):
            return Added(document.name, "unchanged")
        return self._put([self._prepared(document, sanctioned)])[0]

    def add_all(
        self, documents: Iterable[Document], *, sanctioned: bool = False, threads: int = 1
    ) -> Iterator[Added | Skipped]:
        """Add many documents, several in a commit. Yield the result of each once it is durable."""
        sanctioned = _checked_flag(sanctioned)
        with Prefetch(threads) as ahead:
            coming = ahead.map(lambda each: self._readied(*each, sanctioned), _marked(checked_documents(documents)))
            while batch := list(islice(coming, BATCH)):
                fresh = [item for item in batch if isinstance(item, Prepared)]
                added = iter(self._put(fresh) if fresh else [])
                yield from (next(added) if isinstance(item, Prepared) else item for item in batch)

    def text(self, name: str) -> str:
        """Return the text of a document; the spans of passages refer to it."""
        return read_whole(self.document(name), self.scheme, self._key).text

    def text_of(self, entry: Entry) -> str | None:
        """Return the text of a document to which the spans of its passages refer; None if the index keeps no texts.
        Only notebooks are read again: programs and text extracted from other formats are stored as text."""
        kind, data = self._stored(entry)
        if kind != TEXT:
            return None
        document = revived(entry, data, self.scheme)
        if document.format == "notebook":
            return read_whole(document, self.scheme, self._key).text
        return str(document.content)

    def document(self, name: str) -> Document:
        """Return a document of the index, for reading it again."""
        with self.reading():
            entry = self.entry(name)
            if entry is None:
                self._check_missing(name)
                raise DocumentError("not in the index", name)
            kind, data = self._stored(entry)
        if kind != TEXT:
            raise DocumentError("the index keeps no texts", name)
        return revived(entry, data, self.scheme)

    def search(
        self, document: Document | Path | str | bytes, *, limit: int = 10, window: int | None = None,
        look_ups: int | None = None, passages: bool = True, wanted: Wanted | None = None,
    ) -> Hits:  # fmt: skip
        """Return the documents that share most with this one, best first. A string is a text, a path a file.

        A document without a shared passage is not listed; a note says how many there were. Without ``passages``, all
        documents that share fingerprints are. A larger ``window`` than the scheme's, or fewer ``look_ups`` (the
        smallest hashes), is faster and gives an estimate. ``wanted`` returns whether a document may be a hit.
        """
        checked_number("limit", limit, 1)
        if not isinstance(document, Document):
            document = Document(str(document) if isinstance(document, Path) else "", document)
        refuse_larger(document, self.scheme)
        whole = read_whole(document, self._wider(window), self._key)
        with self.reading():
            candidates = find_candidates(self, distinct(whole.fingerprints.hashes), look_ups)
            hits, notes = rank(self, candidates, limit, wanted), notes_of(whole)
            if passages and hits:
                query = readable(document.name, read_whole(document, self.scheme, self._key) if window else whole)
                hits, notes = self._sharing(hits, query, notes)
        return Hits(tuple(hits), candidates.cost, notes, whole.text, whole.format, whole.marks)

    def explain(
        self, document: Document, *, wanted: Wanted | None = None, counted: Wanted | None = None,
        timer: Timer | None = None, deep_seconds: float | None = None,
    ) -> Hits:  # fmt: skip
        """Return documents that together explain this one: each stretch that a ``wanted`` document shares with it is in
        a passage of a hit. Each stretch that a ``counted`` document shares is in a passage of a counted hit. A note
        says how many documents were not read when ``timer`` ran out.

        With ``deep_seconds``, look for passages with changed words too, for that many seconds, in the likeliest
        documents; a note says how many those are.
        """
        if deep_seconds is not None:
            check_prose(self.scheme)
        whole = read_whole(document, self.scheme, self._key)
        with self.reading():
            candidates = find_candidates(self, distinct(whole.fingerprints.hashes), None)
            return self._explained(document.name, whole, candidates, wanted, counted, timer or Timer(), deep_seconds)

    def _explained(
        self, name: str, whole: WholeDocument, candidates: SearchCandidates, wanted: Wanted | None,
        counted: Wanted | None, timer: Timer, deep_seconds: float | None,
    ) -> Hits:  # fmt: skip
        """Return the candidates that together explain a document that was read. A short snippet of a program may have
        common fingerprints only, so documents that share only such are candidates as well."""
        candidates = only(self, candidates.and_common() if self.scheme.frontend == CODE else candidates, wanted)
        query, hits = readable(name, whole), dict[int, Hit]()
        unread = self._cover(candidates, query, whole.text, hits, timer)
        if counted is not None:
            unread = max(unread, self._cover(only(self, candidates, counted), query, whole.text, hits, timer))
        more = f"{unread:,} more documents share a short phrase with it and were not read"
        if timer.is_over:
            more = f"{timer}: {unread:,} more documents that may share something with it were not read"
        notes = [*whole.fingerprints.notes, *([more] if unread else [])]
        if deep_seconds is not None:
            prose = Prose(query, words([whole.text], [query.evidence]))
            notes.append(self._add_edited(prose, candidates, hits, Timer(deep_seconds)))
        explaining = tuple(hit for hit in hits.values() if hit.passages)
        return Hits(explaining, candidates.cost, tuple(notes), whole.text, whole.format, whole.marks, whole.stream)

    def _add_edited(self, query: Prose, candidates: SearchCandidates, hits: dict[int, Hit], timer: Timer) -> str:
        """Add passages with changed words to the hits, and hits that have only such. Return a note about the documents
        that were looked at."""
        cover = Cover(candidates, query.document.evidence, self.scheme.k)
        for number, hit in hits.items():
            cover.tried(number, hit.passages)
        sources = sorted((hit for hit in hits.values() if hit.passages), key=lambda hit: -hit.shared)[:DEEP_SOURCES]
        others = cover.likely_edited(self.documents)
        others = others[np.arange(min(len(others), DEEP_SOURCES))]
        likely = [*sources, *scored([self.numbered(number) for number in others.numbers.tolist()], others)]
        looked_at = 0
        for hit in likely:
            if timer.is_over:
                break
            hits[hit.document.id] = self._with_edited(hit, query)
            looked_at += 1
        about = f"changed words were looked for in {_looked_at(looked_at, len(candidates), len(likely))}"
        return f"{timer}: {about}" if looked_at < len(likely) else about.capitalize()

    def _with_edited(self, hit: Hit, query: Prose) -> Hit:
        kind, data = self._stored(hit.document)
        if kind != TEXT:
            raise InputError("deep: the index keeps no texts, in which changed words could be looked for")
        other, text = stored(hit.document, data, self.scheme, self._key)
        edited = edited_passages(query, Prose(other, words([text], [other.evidence])), self.scheme)
        return replace(hit, passages=joined(hit.passages, edited), verified=True)

    def _cover(
        self, candidates: SearchCandidates, query: ComparedDocument, text: str, hits: dict[int, Hit], timer: Timer
    ) -> int:
        """Add documents to the hits until the candidates explain no more of the query, or until the time is over.
        Return how many are unread."""
        is_first_of_runs = self.scheme.frontend == CODE
        cover = Cover(candidates, query.evidence, self.scheme.k, runs_first=is_first_of_runs)
        for number, hit in hits.items():
            cover.tried(number, hit.passages)
        suits = self._kind == TEXT and PassageFilter.suits(self.scheme)
        sieve = PassageFilter(query.evidence, self.scheme) if suits and len(candidates) else None
        postings = cache(lambda: self.look_up(distinct(query.evidence.hashes)))
        while len(chosen := cover.choose()):
            if is_first_of_runs:
                chosen, is_first_of_runs = self._likeliest_copied(chosen, text), False
            for start in range(0, len(chosen), BATCH):
                if timer.is_over:
                    return cover.unread
                part = chosen[np.arange(start, min(start + BATCH, len(chosen)))]
                for hit in self._explaining(part, query, sieve, postings):
                    hits[hit.document.id] = hit
                    cover.tried(hit.document.id, hit.passages)
        return cover.unread

    def _likeliest_copied(self, candidates: SearchCandidates, text: str) -> SearchCandidates:
        """Return the candidates to read first: a third of them come first already, the others share names with a text,
        or the order in which names repeat."""
        stored = (self._stored(self.numbered(number)) for number in candidates.numbers.tolist())
        texts = (text_of(data) if kind == TEXT else "" for kind, data in stored)
        order = [*range(min(len(candidates), FIRST_READ // 3)), *likeliest_copied(text, texts)]
        return candidates[np.array(list(dict.fromkeys(order))[:FIRST_READ], np.intp)]

    def _explaining(
        self, chosen: SearchCandidates, query: ComparedDocument, sieve: PassageFilter | None, postings: PostingsOfQuery
    ) -> Iterator[Hit]:
        """Yield candidates with their passages. A text that cannot share a passage is not aligned; programs are parsed
        on all cores."""
        hits = list(scored([self.numbered(number) for number in chosen.numbers.tolist()], chosen))
        contents = [self._stored(hit.document) for hit in hits]
        if self.scheme.frontend == CODE and self._kind == TEXT:
            programs = [revived(hit.document, data, self.scheme) for hit, (_, data) in zip(hits, contents, strict=True)]
            for hit, whole in zip(hits, read_wholes(programs, self.scheme, self._key), strict=True):
                if isinstance(whole, DocumentError):
                    raise whole
                yield self._with_shared(hit, query, readable(hit.document.name, whole))
            return
        if sieve is None:
            yield from (
                self._with_passages(hit, *each, query, postings) for hit, each in zip(hits, contents, strict=True)
            )
            return
        texts = [text_of(data) for _, data in contents]
        for hit, each, is_promising in zip(hits, contents, sieve.promising(texts), strict=True):
            if is_promising:
                yield self._with_passages(hit, *each, query, postings)
            else:
                yield replace(hit, verified=True)

    @abstractmethod
    def reading(self) -> AbstractContextManager[None]:
        """Read the newest committed state inside, whatever others write meanwhile."""

    @abstractmethod
    def refresh(self) -> None:
        """Move to the newest committed state."""

    @abstractmethod
    def remove(self, *names: str) -> list[str]:
        """Remove the documents of these names; return the names that existed."""

    @abstractmethod
    def entries(self) -> Iterator[Entry]:
        """Return all documents, in the order in which they were added."""

    @abstractmethod
    def entry(self, name: str) -> Entry | None:
        """Return the document of this name, or None."""

    def page(self, prefix: str = "", after: str = "", limit: int = 50) -> list[Entry]:
        """Return the first documents whose names begin with ``prefix`` and follow ``after``, sorted by name."""
        for text in (prefix, after):
            if not is_unicode(text):
                raise InputError(f"{text!r} is not Unicode, so no name begins with it")
        checked_number("limit", limit, 1, MOST_LISTED)
        return self._page(prefix, after, limit)

    def page_by_number(self, after: int = 0, limit: int = 50) -> list[Entry]:
        """Return the first documents with numbers above ``after``, in the order in which they were added."""
        checked_number("limit", limit, 1, MOST_LISTED)
        return self._page_by_number(after, limit)

    @abstractmethod
    def find(self, number: int) -> Entry | None:
        """Return the document of a number, or None."""

    @property
    @abstractmethod
    def documents(self) -> int:
        """The number of documents."""

    @property
    @abstractmethod
    def sanctioned(self) -> NDArray[np.uint32]:
        """The numbers of sanctioned documents."""

    @abstractmethod
    def look_up(self, hashes: NDArray[np.uint64]) -> PostingHits:
        """Return the postings of sorted hashes."""

    @abstractmethod
    def numbered(self, number: int) -> Entry:
        """Return the document of a number that a posting names."""

    @abstractmethod
    def owners(self, numbers: Iterable[int]) -> dict[int, str | None]:
        """Return the owner of each document."""

    @abstractmethod
    def _page(self, prefix: str, after: str, limit: int) -> list[Entry]:
        """Do the work of ``page``; the arguments are checked."""

    @abstractmethod
    def _page_by_number(self, after: int, limit: int) -> list[Entry]:
        """Do the work of ``page_by_number``; the arguments are checked."""

    @abstractmethod
    def _put(self, prepared: list[Prepared]) -> list[Added]:
        """Store documents, all in one commit."""

    @abstractmethod
    def _stored(self, entry: Entry) -> tuple[str, bytes]:
        """Return the kind and the bytes of what is stored of a document's text."""

    @abstractmethod
    def _check_missing(self, name: str) -> None:
        """Raise DamageError if the name exists after all."""

    def _wider(self, window: int | None) -> Scheme:
        if window is None:
            return self.scheme
        if self.scheme.w is None:
            raise InputError(f"window: the selector {self.scheme.select!r} of this index has none")
        if checked_number("window", window, 1) < self.scheme.w:
            raise InputError(f"window: {window} is smaller than the index's own, {self.scheme.w}: give a larger one")
        return replace(self.scheme, w=window)

    def _sharing(
        self, hits: list[Hit], query: ComparedDocument, notes: tuple[str, ...]
    ) -> tuple[list[Hit], tuple[str, ...]]:
        """Return the hits that share a passage with the query, and the notes with one about the others."""
        postings = cache(lambda: self.look_up(distinct(query.evidence.hashes)))
        read = [self._with_passages(hit, *self._stored(hit.document), query, postings) for hit in hits]
        shown = [hit for hit in read if hit.passages]
        return shown, notes if len(shown) == len(read) else (*notes, _without_passage(len(read) - len(shown)))

    def _with_passages(
        self, hit: Hit, kind: str, data: bytes, query: ComparedDocument, postings: PostingsOfQuery
    ) -> Hit:
        """Return a hit with its passages, given what is stored of its text. ``postings`` looks the query up."""
        if kind == TEXT:
            return self._with_shared(hit, query, stored(hit.document, data, self.scheme, self._key)[0])
        in_document = postings().documents == hit.document.id
        hashes = distinct(query.evidence.hashes)[postings().which[in_document]]
        places = postings().places[in_document]
        return replace(hit, passages=unverified(query, hit.document.name, data, hashes, places, self.scheme.k))

    def _with_shared(self, hit: Hit, query: ComparedDocument, other: ComparedDocument) -> Hit:
        return replace(hit, passages=verified(query, other, self.scheme), verified=True)

    def _prepared(self, document: Document, sanctioned: bool) -> Prepared:
        return prepare(document, self.scheme, self._key, sanctioned=sanctioned, kind=self._kind)

    def _is_known(self, document: Document, sanctioned: bool) -> bool:
        """Return whether the same document with the same facts exists: then nothing is read."""
        _refuse_surrogates(document)
        old = self.entry(document.name)
        if old is None or old.digest != digest(document, sanctioned, self._kind):
            return False
        return all(getattr(old, fact) == getattr(document, fact) for fact in FACTS)

    def _readied(self, document: Document, is_repeated: bool, sanctioned: bool) -> Prepared | Added | Skipped:
        try:
            if self._is_known(document, sanctioned) and not is_repeated:
                return Added(document.name, "unchanged")
            return self._prepared(document, sanctioned)
        except DocumentError as error:
            return Skipped(document.name, error.reason)


def _looked_at(count: int, candidates: int, likely: int) -> str:
    """Return in how many documents changed words were looked for: the likeliest of all that share a phrase."""
    if not likely:
        return "no document: none has enough words in common with it"
    if not count:
        return "no document"
    if count < candidates:
        number = "" if count == 1 else f"{count:,} "
        return f"the {number}likeliest of {candidates:,} documents that share a phrase with it"
    return (
        f"{'the only document that shares' if count == 1 else f'all {count:,} documents that share'} a phrase with it"
    )


def _without_passage(count: int) -> str:
    documents = "1 document is" if count == 1 else f"{count:,} documents are"
    return f"{documents} not listed: fingerprints here and there are shared, but no passage"


def _marked(documents: Iterable[Document]) -> Iterator[tuple[Document, bool]]:
    """Mark each document whose name came before: the stored version is then not the one to compare it with."""
    seen = set[str]()
    for document in documents:
        yield document, document.name in seen
        seen.add(document.name)


def _refuse_surrogates(document: Document) -> None:
    """Refuse a name or a fact that is not Unicode: it cannot be stored. File names that do not decode are such."""
    for text in (document.name, *(getattr(document, fact) for fact in FACTS[:-1]), *document.labels):
        if not is_unicode(text or ""):
            raise DocumentError(f"{text!r} is not Unicode: rename the file", repr(document.name))


def _checked_flag(sanctioned: object) -> bool:
    """Return a flag as it is stored. A text such as "0" would count as true."""
    if not isinstance(sanctioned, bool | np.bool_):
        raise InputError(f"sanctioned: {sanctioned!r} is no flag; give True or False")
    return bool(sanctioned)
