"""What every index does, wherever it keeps its documents: read, look up, rank, and show what is shared."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from whorl.errors import DocumentError, InputError
from whorl.fingerprinting.ahead import Ahead
from whorl.fingerprinting.whole import read_whole
from whorl.hashing.key import Key
from whorl.index.entry import Entry
from whorl.index.prepare import TEXT, Prepared, digest, prepare
from whorl.index.search import Hit, Hits, candidates, rank
from whorl.index.segment import Found
from whorl.index.witness import readable, revived, stored, unverified, verified
from whorl.index.writer import Added
from whorl.matching.passages import Readable
from whorl.model import Document, Skipped
from whorl.scheme import Scheme

# Documents in one commit when many are added: a commit waits for the disk, and a crash loses what is not committed.
BATCH = 64

# Documents in one page of a list at the most: what a caller may hold in memory at once.
MOST_LISTED = 10_000

# What is known about a document beside its content.
FACTS = ("url", "date", "contact", "owner", "labels")


class BaseIndex(ABC):
    """A collection of fingerprinted documents. ``kind`` says what is kept of their texts."""

    def __init__(self, scheme: Scheme, key: Key, kind: str) -> None:
        self.scheme, self._key, self._kind = scheme, key, kind

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        self.refresh()
        return self.documents

    def add(self, document: Document | Path | str, *, sanctioned: bool = False) -> Added:
        """Add a document, or replace the one of its name; durable when it returns. A string is the path of a file."""
        document = document if isinstance(document, Document) else Document(str(document), Path(document))
        if self._is_known(document, sanctioned):
            return Added(document.name, "unchanged")
        return self._put([self._prepared(document, sanctioned)])[0]

    def add_all(
        self, documents: Iterable[Document], *, sanctioned: bool = False, threads: int = 1
    ) -> Iterator[Added | Skipped]:
        """Add many documents, some in a commit; what became of each is told when it is durable."""
        with Ahead(threads) as ahead:
            coming = ahead.map(lambda each: self._readied(*each, sanctioned), _marked(documents))
            while batch := list(islice(coming, BATCH)):
                fresh = [item for item in batch if isinstance(item, Prepared)]
                added = iter(self._put(fresh) if fresh else [])
                yield from (next(added) if isinstance(item, Prepared) else item for item in batch)

    def text(self, name: str) -> str:
        """The text of a document, into which the spans of its passages point."""
        return read_whole(self.document(name), self.scheme, self._key).text

    def document(self, name: str) -> Document:
        """A document of the index, as one that can be read again."""
        with self.reading():
            entry = self.entry(name)
            if entry is None:
                self._check_missing(name)
                raise DocumentError(f"{name}: no document of this name is in the index")
            kind, data = self._stored(entry)
        if kind != TEXT:
            raise DocumentError(f"{name}: the index keeps no texts")
        return revived(entry, data, self.scheme)

    def search(
        self, document: Document | Path | str | bytes, *, limit: int = 10, window: int | None = None,
        look_ups: int | None = None, passages: bool = True,
    ) -> Hits:  # fmt: skip
        """The documents that share most with this one, best first. A string is a text, a path a file.

        ``window``, at least the scheme's, and ``look_ups``, the smallest hashes first, ask less and get an estimate.
        """
        if not isinstance(document, Document):
            document = Document(str(document) if isinstance(document, Path) else "", document)
        whole = read_whole(document, self._wider(window), self._key)
        with self.reading():
            found = candidates(self, np.unique(whole.fingerprints.hashes), look_ups)
            hits = rank(self, found, limit)
            if passages and hits:
                query = readable(document.name, read_whole(document, self.scheme, self._key) if window else whole)
                hits = [self._witnessed(hit, query) for hit in hits]
        return Hits(tuple(hits), found.cost, whole.fingerprints.notes, whole.text)

    @abstractmethod
    def close(self) -> None:
        """Let everything go."""

    @abstractmethod
    def reading(self) -> AbstractContextManager[None]:
        """The newest committed state for everything that is read inside, whatever others write meanwhile."""

    @abstractmethod
    def refresh(self) -> None:
        """See what was committed since."""

    @abstractmethod
    def remove(self, *names: str) -> list[str]:
        """Remove the documents of these names; those that were there."""

    @abstractmethod
    def entries(self) -> Iterator[Entry]:
        """All documents, in the order in which they were added."""

    @abstractmethod
    def entry(self, name: str) -> Entry | None:
        """The document of this name."""

    def page(self, prefix: str = "", after: str = "", limit: int = 50) -> list[Entry]:
        """The first documents whose names begin so and come after another, in the order of names."""
        for text in (prefix, after):
            if not _is_unicode(text):
                raise InputError(f"{text!r} is not Unicode, and no name begins so")
        return self._page(prefix, after, _checked_limit(limit))

    def page_by_number(self, after: int = 0, limit: int = 50) -> list[Entry]:
        """The first documents with greater numbers, in the order in which they were added."""
        return self._page_by_number(after, _checked_limit(limit))

    @abstractmethod
    def find(self, number: int) -> Entry | None:
        """The document of a number, if there is one."""

    @property
    @abstractmethod
    def documents(self) -> int:
        """How many documents there are."""

    @property
    @abstractmethod
    def sanctioned(self) -> NDArray[np.uint32]:
        """The numbers of sanctioned documents."""

    @abstractmethod
    def look_up(self, hashes: NDArray[np.uint64]) -> Found:
        """The postings of sorted hashes."""

    @abstractmethod
    def numbered(self, number: int) -> Entry:
        """The document of a number."""

    @abstractmethod
    def owners(self, numbers: Iterable[int]) -> dict[int, str | None]:
        """Whose documents these are."""

    @abstractmethod
    def _page(self, prefix: str, after: str, limit: int) -> list[Entry]:
        """As ``page``, of arguments that were checked."""

    @abstractmethod
    def _page_by_number(self, after: int, limit: int) -> list[Entry]:
        """As ``page_by_number``, of arguments that were checked."""

    @abstractmethod
    def _put(self, prepared: list[Prepared]) -> list[Added]:
        """Keep documents, all in one commit."""

    @abstractmethod
    def _stored(self, entry: Entry) -> tuple[str, bytes]:
        """What is kept of a document's text, and of which kind it is."""

    @abstractmethod
    def _check_missing(self, name: str) -> None:
        """That a name which was not found is not there."""

    def _wider(self, window: int | None) -> Scheme:
        if window is None:
            return self.scheme
        if self.scheme.w is None:
            raise InputError(f"window: the selector {self.scheme.select!r} of this index has none")
        if window < self.scheme.w:
            raise InputError(f"window: {window} is less than the index's own, {self.scheme.w}: it would find no more")
        return replace(self.scheme, w=window)

    def _witnessed(self, hit: Hit, query: Readable) -> Hit:
        kind, data = self._stored(hit.document)
        if kind == TEXT:
            other, _ = stored(hit.document, data, self.scheme, self._key)
            return replace(hit, passages=verified(query, other, self.scheme), verified=True)
        asked = np.unique(query.evidence.hashes)
        postings = self.look_up(asked)
        own = postings.documents == hit.document.id
        hashes, places = asked[postings.which[own]], postings.places[own]
        return replace(hit, passages=unverified(query, hit.document.name, data, hashes, places, self.scheme.k))

    def _prepared(self, document: Document, sanctioned: bool) -> Prepared:
        return prepare(document, self.scheme, self._key, sanctioned=sanctioned, kind=self._kind)

    def _is_known(self, document: Document, sanctioned: bool) -> bool:
        """Whether the same document is there with the same facts: then nothing is read."""
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
            return Skipped(document.name, str(error))


def _marked(documents: Iterable[Document]) -> Iterator[tuple[Document, bool]]:
    """With each document whether its name came before: then what is stored is not what it will be compared with."""
    seen = set[str]()
    for document in documents:
        yield document, document.name in seen
        seen.add(document.name)


def _refuse_surrogates(document: Document) -> None:
    """A name or a fact that is not Unicode cannot be stored: so the system gives file names that it cannot decode."""
    for text in (document.name, *(getattr(document, fact) for fact in FACTS[:-1]), *document.labels):
        if not _is_unicode(text or ""):
            raise DocumentError(f"{document.name!r}: {text!r} is not Unicode: rename the file")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _checked_limit(limit: int) -> int:
    if not 1 <= limit <= MOST_LISTED:
        raise InputError(f"limit: {limit} is out of range; give 1 to {MOST_LISTED:,}")
    return limit
