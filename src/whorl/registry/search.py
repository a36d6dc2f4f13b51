"""Where does this text come from? The search fingerprint is looked up, and documents that store some of it ranked."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.index.segment import Found
from whorl.registry.entry import Entry
from whorl.registry.pages import PAGE
from whorl.registry.reading import Reading
from whorl.registry.store import RegistryStore
from whorl.scheme import Scheme

# The least match ratio that is told. One substring of 100 is shared by accident with 370 of a million documents, two
# with one document in fifteen searches (Heintze 1996, section 6.1).
THRESHOLD = 0.02

# Lengths that differ by this factor or more are told: the match ratio may be as far from the true one (section 3.5).
FAR = 3.0

# Pages of the log that a search reads at the most: 64 documents each, so that a crowd of copies is looked at as well.
PAGES = 512


@dataclass(frozen=True, slots=True)
class Hit:
    """A registered document that stores substrings of the one that was asked for.

    ``ratio`` is the share of its stored fingerprint that the search fingerprint has; ``shared`` counts these,
    ``ignored`` those that were too common to count. ``factor`` is how many times as long the longer of the two is.
    ``low`` and ``high`` bound the match ratio that full fingerprinting would give: they are as far from ``ratio`` as
    the lengths are from each other. ``warning`` says so if they are far.
    """

    document: Entry
    ratio: float
    shared: int
    ignored: int
    factor: float

    @property
    def low(self) -> float:
        """The least that full fingerprinting would give, but for chance."""
        return self.ratio / self.factor

    @property
    def high(self) -> float:
        """The most that full fingerprinting would give, but for chance."""
        return min(1.0, self.ratio * self.factor)

    @property
    def warning(self) -> str:
        """What is to be said of the lengths, if anything."""
        if self.factor < FAR:
            return ""
        return f"lengths differ {self.factor:.0f}-fold: the share of text in common may be up to {self.high:.0%}"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a search did: substrings that were looked up, postings that were found, how many substrings were too common,
    documents that share any, documents that share enough to be told."""

    look_ups: int
    postings: int
    ignored: int
    candidates: int
    documents: int


@dataclass(frozen=True, slots=True)
class Hits:
    """The answer to a search, best first, and what it cost. ``symbols`` is the length of what was asked for."""

    hits: tuple[Hit, ...]
    cost: Cost
    symbols: int
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __getitem__(self, number: int) -> Hit:
        return self.hits[number]


def ignored(found: Found, asked: int, scheme: Scheme) -> NDArray[np.bool_]:
    """Which substrings are in too many documents to tell anything (section 6.2): the commonest, and no more than the
    cap allows, or whoever registers a text often enough would make all of it common. Of a short text with fewer
    substrings than are stored of others, the cap is the same share."""
    mask = np.zeros(asked, np.bool_)
    if scheme.common is None:
        return mask
    common = np.flatnonzero(found.counts >= scheme.common)
    if scheme.cap is not None:
        usual = scheme.stored or asked or 1
        cap = scheme.cap if asked >= usual else scheme.cap * asked // usual
        common = common[np.lexsort((common, -found.counts[common]))][:cap]
    mask[common] = True
    return mask


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Documents that share substrings, by number; how many each shares that count, and how many that do not."""

    numbers: NDArray[np.uint32]
    shared: NDArray[np.int64]
    ignored: NDArray[np.int64]

    @classmethod
    def of(cls, found: Found, mask: NDArray[np.bool_]) -> "Candidates":
        """Counted from postings and what is ignored of them."""
        numbers, places = np.unique(found.documents, return_inverse=True)
        idle = mask[found.which]
        counts = (np.bincount(places[chosen], minlength=len(numbers)) for chosen in (~idle, idle))
        return cls(numbers, *counts)

    def at_least(self, least: int, pages: int) -> "Candidates":
        """Those that share so many, those that share most first, on so many pages of the log at the most."""
        kept = np.flatnonzero(self.shared >= least)
        kept = kept[np.lexsort((self.numbers[kept], -(self.shared + self.ignored)[kept]))]
        _, first = np.unique(self.numbers[kept] // PAGE, return_index=True)
        if len(first) > pages:
            kept = kept[: np.sort(first)[pages]]
        return Candidates(self.numbers[kept], self.shared[kept], self.ignored[kept])


def rank(
    store: RegistryStore, found: Found, reading: Reading, scheme: Scheme, threshold: float, limit: int
) -> tuple[list[Hit], Cost]:
    """The best documents. Of equal ones the one that was registered first comes first, whenever it was rotated."""
    if not 0 < threshold <= 1:
        raise InputError(f"threshold: {threshold} is out of range; give a share above 0, up to 1")
    mask = ignored(found, len(reading.hashes), scheme)
    everyone = Candidates.of(found, mask)
    near = everyone.at_least(_least(reading, scheme, threshold), PAGES)
    entries = store.known(near.numbers.tolist())
    rows = zip(near.numbers.tolist(), near.shared.tolist(), near.ignored.tolist(), strict=True)
    hits = [_hit(entries[number], shared, idle, reading.symbols) for number, shared, idle in rows]
    hits = [hit for hit in hits if hit.ratio >= threshold]
    hits.sort(key=lambda hit: (-hit.ratio, hit.document.serial))
    cost = Cost(len(reading.hashes), len(found), int(mask.sum()), len(everyone.numbers), len(hits))
    return hits[:limit], cost


def _least(reading: Reading, scheme: Scheme, threshold: float) -> int:
    """How many substrings a document must share to be looked at. A short text shares few by accident, and may be all
    that a short document has: then one is enough."""
    if scheme.stored is None or len(reading.hashes) <= scheme.stored:
        return 1
    return max(1, ceil(threshold * scheme.stored))


def _hit(entry: Entry, shared: int, idle: int, symbols: int) -> Hit:
    # The id may have the hash of a substring of the query, once in 2^28 for each: then there is one too many.
    counted = max(1, entry.stored - idle)
    longer, shorter = max(entry.symbols, symbols), max(1, min(entry.symbols, symbols))
    return Hit(entry, min(1.0, shared / counted), shared, idle, longer / shorter)
