"""Search a registry: look the search fingerprint up, and rank the documents that store a part of it. Find the passages
that the query shares with the texts of the hits."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl.engine.documents import read_whole
from whorl.engine.hashing import Key
from whorl.errors import DocumentError, checked_number, checked_share
from whorl.formats.corpora.records import DEFAULT as NAMES
from whorl.formats.corpora.records import Columns
from whorl.index.search import readable, verified
from whorl.matching.passage import Passage
from whorl.model import Document
from whorl.registry.reading import Reading, texts
from whorl.registry.store import PAGE, RegistryEntry, RegistryStore
from whorl.scheme import Scheme, preset
from whorl.storage.postings import PostingHits

# The minimum match ratio of a hit. One substring of 100 is shared by chance with 370 of a million documents, two with
# one document in fifteen searches (Heintze 1996, section 6.1).
THRESHOLD = 0.02

# Warn if lengths differ by this factor: the match ratio may be as far from the true one (section 3.5).
FAR = 3.0

# Pages of the log that a search reads at most: 64 documents each, enough for a crowd of copies.
PAGES = 512


@dataclass(frozen=True, slots=True)
class RegistryHit:
    """A registered document that shares substrings with the query.

    ``ratio`` is the share of its stored fingerprint that the search fingerprint has; ``shared`` counts these,
    ``ignored`` those that were too common to count. ``factor`` is the ratio of the two lengths, at least 1. ``low`` and
    ``high`` bound the match ratio that full fingerprinting would give: ``ratio`` divided and multiplied by ``factor``.
    """

    document: RegistryEntry
    ratio: float
    shared: int
    ignored: int
    factor: float

    @property
    def low(self) -> float:
        """The lower bound of full fingerprinting, but for chance."""
        return self.ratio / self.factor

    @property
    def high(self) -> float:
        """The upper bound of full fingerprinting, but for chance."""
        return min(1.0, self.ratio * self.factor)

    @property
    def warning(self) -> str:
        """A warning if the lengths differ much, or ""."""
        if self.factor < FAR:
            return ""
        return f"lengths differ {self.factor:.0f}-fold: the share of text in common may be up to {self.high:.0%}"


@dataclass(frozen=True, slots=True)
class RegistryCost:
    """The work of a search: substrings looked up, postings read, substrings ignored as too common, documents that share
    any, and documents that reach the threshold."""

    look_ups: int
    postings: int
    ignored: int
    candidates: int
    documents: int


@dataclass(frozen=True, slots=True)
class RegistryHits:
    """The hits of a search, best first, and its cost. ``symbols`` is the length of the query."""

    hits: tuple[RegistryHit, ...]
    cost: RegistryCost
    symbols: int
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[RegistryHit]:
        return iter(self.hits)

    def __getitem__(self, number: int) -> RegistryHit:
        return self.hits[number]


def ignored(postings: PostingHits, count: int, scheme: Scheme) -> NDArray[np.bool_]:
    """Return which of the query's ``count`` substrings are in too many documents (section 6.2).

    Ignore the commonest, at most the scheme's cap: otherwise registering a text many times would make all of it common.
    For a query with fewer substrings than are stored of a document, the cap is the same share."""
    mask = np.zeros(count, np.bool_)
    if scheme.common is None:
        return mask
    common = np.flatnonzero(postings.counts >= scheme.common)
    if scheme.cap is not None:
        usual = scheme.stored or count or 1
        cap = scheme.cap if count >= usual else scheme.cap * count // usual
        common = common[np.lexsort((common, -postings.counts[common]))][:cap]
    mask[common] = True
    return mask


@dataclass(frozen=True, slots=True, eq=False)
class RegistryCandidates:
    """Documents that share substrings, by number; how many each shares, counted and ignored ones."""

    numbers: NDArray[np.uint32]
    shared: NDArray[np.int64]
    ignored: NDArray[np.int64]

    @classmethod
    def of(cls, postings: PostingHits, mask: NDArray[np.bool_]) -> "RegistryCandidates":
        """Count the postings of each document; ``mask`` has the ignored substrings."""
        numbers, places = np.unique(postings.documents, return_inverse=True)
        idle = mask[postings.which]
        counts = (np.bincount(places[chosen], minlength=len(numbers)) for chosen in (~idle, idle))
        return cls(numbers, *counts)

    def at_least(self, least: int, pages: int) -> "RegistryCandidates":
        """Return the documents that share at least so many, most first, on at most so many pages of the log."""
        rows = np.flatnonzero(self.shared >= least)
        rows = rows[np.lexsort((self.numbers[rows], -(self.shared + self.ignored)[rows]))]
        _, first = np.unique(self.numbers[rows] // PAGE, return_index=True)
        if len(first) > pages:
            rows = rows[: np.sort(first)[pages]]
        return RegistryCandidates(self.numbers[rows], self.shared[rows], self.ignored[rows])


def rank(
    store: RegistryStore, postings: PostingHits, reading: Reading, scheme: Scheme, threshold: float, limit: int
) -> tuple[list[RegistryHit], RegistryCost]:
    """Return the best documents. Of equal ones, the one registered first comes first, whenever it was rotated."""
    checked_share("threshold", threshold)
    checked_number("limit", limit, 1)
    mask = ignored(postings, len(reading.hashes), scheme)
    everyone = RegistryCandidates.of(postings, mask)
    near = everyone.at_least(_least(reading, scheme, threshold), PAGES)
    entries = store.known(near.numbers.tolist())
    rows = zip(near.numbers.tolist(), near.shared.tolist(), near.ignored.tolist(), strict=True)
    hits = [_hit(entries[number], shared, idle, reading.symbols) for number, shared, idle in rows]
    hits = [hit for hit in hits if hit.ratio >= threshold]
    hits.sort(key=lambda hit: (-hit.ratio, hit.document.serial))
    cost = RegistryCost(len(reading.hashes), len(postings), int(mask.sum()), len(everyone.numbers), len(hits))
    return hits[:limit], cost


def _least(reading: Reading, scheme: Scheme, threshold: float) -> int:
    """Return how many substrings a document must share to be scored. One is enough for a short query: it shares few by
    chance, and a short document has no more."""
    if scheme.stored is None or len(reading.hashes) <= scheme.stored:
        return 1
    return max(1, ceil(threshold * scheme.stored))


def _hit(entry: RegistryEntry, shared: int, idle: int, symbols: int) -> RegistryHit:
    # The hash of the id may equal a substring of the query, once in 2^28: then one too many is counted.
    counted = max(1, entry.stored - idle)
    longer, shorter = max(entry.symbols, symbols), max(1, min(entry.symbols, symbols))
    return RegistryHit(entry, min(1.0, shared / counted), shared, idle, longer / shorter)


@dataclass(frozen=True, slots=True)
class Witness:
    """The passages that a query and a hit share, verified on both texts, the longest first. The left side of a passage
    is a span of ``left``, the query; the right side a span of ``right``, the hit. ``fault`` is the reason if no source
    has a text of it that can be read."""

    passages: tuple[Passage, ...]
    left: str
    right: str
    fault: str = ""


def witnesses(
    hits: RegistryHits, document: Document, sources: Sequence[Path], columns: Columns = NAMES
) -> dict[str, Witness]:
    """Return the passages of each hit whose text is in the sources: indexes, folders, archives, tables or files. A
    source without a usable text is followed by the next one. ``columns`` are those of tables."""
    scheme = preset("text")
    whole = read_whole(document, scheme, Key.PUBLIC)
    query = readable(document.name, whole)
    witnessed: dict[str, Witness] = {}
    faults: dict[str, str] = {}
    for source in sources:
        left = [hit.document.name for hit in hits if hit.document.name not in witnessed]
        for other in texts(source, left, faults, columns):
            try:
                read = read_whole(other, scheme, Key.PUBLIC)
            except DocumentError as error:
                faults[other.name] = error.reason
                continue
            passages = verified(query, readable(other.name, read), scheme)
            witnessed[other.name] = Witness(passages, whole.text, read.text)
    return {name: Witness((), whole.text, "", fault) for name, fault in faults.items()} | witnessed
