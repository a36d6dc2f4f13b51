"""Where does this text come from? A document's fingerprints are looked up, and the documents that share them ranked.

Broder's on-the-fly resemblance, and the winnowing paper's spectrum (section 5.2): fewer look-ups, by a larger window or
by the smallest hashes alone, give estimates from which resemblance and containment are told apart less sharply.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.index.entry import Entry
from whorl.index.segment import Found
from whorl.matching.passage import Passage

# Fingerprints that documents of more owners than this have are common, not copied.
COMMON_OWNERS = 1000

# Documents of one owner that come first in a list of hits; others of his fill it up.
OF_ONE_OWNER = 3


# A document that shares less than another may still rank higher if it is shorter: more are looked at than are wanted.
CLOSER = 20
BATCH = 256


class View(Protocol):
    """What a search asks of an index."""

    @property
    def documents(self) -> int:
        """How many documents there are."""

    @property
    def sanctioned(self) -> NDArray[np.uint32]:
        """The numbers of sanctioned documents."""

    def look_up(self, hashes: NDArray[np.uint64]) -> Found:
        """The postings of sorted hashes."""

    def numbered(self, number: int) -> Entry:
        """The document of a number."""

    def owners(self, numbers: Sequence[int]) -> dict[int, str | None]:
        """Whose documents these are."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that shares fingerprints with the one that was asked for.

    ``containment`` is the share of the query's fingerprints that the document has, ``contained`` the share of the
    document's that the query has; ``score`` is the mean of the resemblance and the larger of both. ``passages`` are
    verified on the texts if ``verified``; otherwise the index keeps no texts, and they are what the fingerprints cover.
    ``others`` counts further documents of the same owner among those that were looked at.
    """

    document: Entry
    score: float
    resemblance: float
    containment: float
    contained: float
    shared: int
    passages: tuple[Passage, ...] = ()
    verified: bool = False
    others: int = 0


@dataclass(frozen=True, slots=True)
class Cost:
    """What a search did: fingerprints of the query, look-ups, postings that were found, how many fingerprints were
    sanctioned or common, documents that share any."""

    fingerprints: int
    look_ups: int
    postings: int
    sanctioned: int
    common: int
    candidates: int


@dataclass(frozen=True, slots=True)
class Hits:
    """The answer to a search, best first, and what it cost. The left sides of passages are spans of ``text``, the
    document that was asked for; the right ones are spans of the text that the index gives of a hit."""

    hits: tuple[Hit, ...]
    cost: Cost
    notes: tuple[str, ...] = ()
    text: str = ""

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __getitem__(self, number: int) -> Hit:
        return self.hits[number]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Documents that share evidence with the query, by number, and how many fingerprints each shares."""

    numbers: NDArray[np.uint32]
    shared: NDArray[np.int64]
    evidence: int
    cost: Cost


def candidates(view: View, hashes: NDArray[np.uint64], look_ups: int | None) -> Candidates:
    """Look the query's distinct hashes up, the smallest first, no more of them than ``look_ups``."""
    if look_ups is not None and look_ups < 1:
        raise InputError(f"look_ups: {look_ups} is out of range; give 1 or more")
    asked = hashes[:look_ups]
    found = view.look_up(asked)
    is_sanctioned = np.zeros(len(asked), np.bool_)
    own = np.isin(found.documents, view.sanctioned)
    is_sanctioned[found.which[own]] = True
    is_common = _common(view, found, ~is_sanctioned)
    kept = ~(is_sanctioned | is_common)[found.which]
    # A hash may stand in a document several times; it is one fingerprint.
    pairs = np.unique(found.documents[kept].astype(np.uint64) << np.uint64(32) | found.which[kept].astype(np.uint64))
    numbers, shared = np.unique((pairs >> np.uint64(32)).astype(np.uint32), return_counts=True)
    cost = Cost(len(hashes), len(asked), len(found), int(is_sanctioned.sum()), int(is_common.sum()), len(numbers))
    return Candidates(numbers, shared, len(asked) - cost.sanctioned - cost.common, cost)


def _common(view: View, found: Found, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which hashes documents of too many owners have. Owners count, not documents: else whoever registers a text often
    enough would make it common."""
    is_common = np.zeros(len(wanted), np.bool_)
    frequent = np.flatnonzero((found.counts > COMMON_OWNERS) & wanted)
    if not len(frequent):
        return is_common
    concerned = np.isin(found.which, frequent)
    numbers, places = np.unique(found.documents[concerned], return_inverse=True)
    owners = view.owners(numbers.tolist())
    # A document that nobody owns stands for itself.
    names = dict[str | int, int]()
    owner = np.array([names.setdefault(owners[number] or number, len(names)) for number in numbers.tolist()], np.uint64)
    pairs = np.unique(found.which[concerned].astype(np.uint64) << np.uint64(32) | owner[places])
    hashed, counts = np.unique(pairs >> np.uint64(32), return_counts=True)
    is_common[hashed[counts > COMMON_OWNERS].astype(np.int64)] = True
    return is_common


def rank(view: View, found: Candidates, limit: int) -> list[Hit]:
    """The best documents. A few of each owner's come first of all, others take the places that are left: whoever
    registers a text a thousand times hides nobody else's."""
    shortlist, seen = _shortlist(view, found, limit)
    hits = [_hit(entry, shared, found) for entry, shared in shortlist]
    hits.sort(key=_order)
    quota: Counter[str] = Counter()
    first: list[Hit] = []
    others: list[Hit] = []
    for hit in hits:
        owner = hit.document.owner
        quota[owner or ""] += 1
        (first if owner is None or quota[owner] <= OF_ONE_OWNER else others).append(hit)
    shown = sorted([*first, *others][:limit], key=_order)
    listed = Counter(hit.document.owner for hit in shown)
    return [replace(hit, others=_more(hit.document.owner, seen, listed)) for hit in shown]


def _order(hit: Hit) -> tuple[float, float, int]:
    return -hit.score, -hit.containment, hit.document.id


def _more(owner: str | None, seen: Counter[str], listed: Counter[str | None]) -> int:
    return 0 if owner is None else seen[owner] - listed[owner]


def _shortlist(view: View, found: Candidates, limit: int) -> tuple[list[tuple[Entry, int]], Counter[str]]:
    """The documents that share most, and how much, no more of one owner's than are wanted in all; and how many each
    owner has among those that were looked at."""
    order = np.lexsort((found.numbers, -found.shared))
    kept: list[tuple[Entry, int]] = []
    seen: Counter[str] = Counter()
    for start in range(0, len(order), BATCH):
        places = order[start : start + BATCH]
        for number, shared in zip(found.numbers[places].tolist(), found.shared[places].tolist(), strict=True):
            entry = view.numbered(number)
            if entry.owner is not None:
                seen[entry.owner] += 1
            if entry.owner is None or seen[entry.owner] <= limit:
                kept.append((entry, shared))
        if len(kept) >= CLOSER * limit + BATCH:
            break
    return kept, seen


def _hit(entry: Entry, shared: int, found: Candidates) -> Hit:
    asked = found.cost.fingerprints - found.cost.sanctioned - found.cost.common
    containment = shared / max(1, found.evidence)
    # Of a query of which only some hashes were looked up, the whole share is estimated.
    whole = containment * asked
    contained = min(1.0, whole / max(1, entry.fingerprints))
    resemblance = min(1.0, whole / max(1.0, asked + entry.fingerprints - whole))
    score = (resemblance + max(containment, contained)) / 2
    return Hit(entry, score, resemblance, containment, contained, shared)
