"""Common shingles: which they are, and what they are made of."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

import whorl
from experiments.clustering.crawled import clustered, documents
from experiments.reproduction.record import Finding, Section, Table
from experiments.reproduction.setting import Setting, paper
from whorl.model import Hashes

# Shingles in more documents than this are common, in the paper's 30 million; of a small crawl those in one document of
# so many.
COMMON, ONE_IN = paper("clustering")["crawl"]["common"], 100

# A shingle stands at the head or the foot of a page if half of its places are in the first or last tenth.
EDGE = 0.1

# Words of a shingle that have digits, at the least, for it to be a sequence of numbers.
DIGITS = 5

# Examples that are shown.
SHOWN = 10


@dataclass(frozen=True)
class Shingle:
    """A common shingle: its words, the documents that have it, where it stands in them (0 to 1, the median), what
    share of its places are at the head or foot, and what share of its documents is in one cluster."""

    text: str
    documents: int
    place: float
    edges: float
    copies: float

    @property
    def kind(self) -> str:
        """What it is made of."""
        if sum(any(map(str.isdigit, word)) for word in self.text.split()) >= DIGITS:
            return "a sequence of numbers"
        if self.copies >= 0.5:
            return "copies of one page"
        if self.edges >= 0.5:
            return "head of the page" if self.place < 0.5 else "foot of the page"
        return "within the page"


@dataclass(frozen=True, slots=True)
class Place:
    """A document by number, a fingerprint of it, and how far into the document that is."""

    document: int
    fingerprint: int
    share: float


def measure(those: Sequence[whorl.Document], cluster: NDArray[np.int64]) -> tuple[int, list[Shingle]]:
    """How many documents make a shingle common here, and those that are, the commonest first. ``cluster`` has the
    cluster of each document."""
    found = [whorl.fingerprint(document, "web") for document in those]
    least = max(2, min(COMMON, len(those) // ONE_IN))
    values, counts = np.unique(np.concatenate([np.unique(each.hashes) for each in found]), return_counts=True)
    places: dict[int, list[Place]] = {value: [] for value in values[counts > least].tolist()}
    common: Hashes = np.array(list(places), np.uint64)
    for number, each in enumerate(found):
        for at in np.flatnonzero(np.isin(each.hashes, common)).tolist():
            places[int(each.hashes[at])].append(Place(number, at, int(each.positions[at]) / max(1, each.grams - 1)))
    shingles = [_shingle(some, those, found, cluster) for some in places.values()]
    return least, sorted(shingles, key=lambda one: (-one.documents, one.text))


def _shingle(
    places: Sequence[Place], those: Sequence[whorl.Document], found: Sequence[whorl.Fingerprints],
    cluster: NDArray[np.int64],
) -> Shingle:  # fmt: skip
    first = places[0]
    span = found[first.document].spans[first.fingerprint]
    text = " ".join(str(those[first.document].content)[span.start : span.end].split()).lower()
    numbers = np.unique([place.document for place in places])
    shares = np.array([place.share for place in places])
    largest = np.unique(cluster[numbers], return_counts=True)[1].max()
    edges = float(np.mean((shares < EDGE) | (shares > 1 - EDGE)))
    return Shingle(text, len(numbers), float(np.median(shares)), edges, float(largest / len(numbers)))


def section(setting: Setting) -> Section:
    """By kind, and the commonest."""
    least, found = measure(documents(setting), clustered(setting).cluster)
    kinds = ("head of the page", "foot of the page", "a sequence of numbers", "copies of one page", "within the page")
    counts = {kind: sum(one.kind == kind for one in found) for kind in kinds}
    rows = [(kind, f"{count:,}", f"{count / max(1, len(found)):.0%}") for kind, count in counts.items()]
    shown = [(one.text, f"{one.documents:,}", one.kind) for one in found[:SHOWN]]
    mechanical = 1 - counts["within the page"] / max(1, len(found))
    return Section(
        "Common shingles",
        "Shingles in more than 1,000 of 30 million documents are nearly all mechanically generated: comments of "
        "programs, headers and footers of forms and views, sequences such as the numbers 3 to 12. They are ignored.",
        f"Common here: in more than {least:,} of {len(documents(setting)):,} documents, among one shingle in 25. A "
        "shingle counts as mechanical if half of its pages have it in their first or last tenth, if it is mostly "
        "digits, or if it is mostly in copies of one page. Whorl drops comments and tags of HTML "
        "before it makes shingles.",
        [Table("What they are made of", ("kind", "shingles", "share"), rows),
         Table("The commonest", ("shingle", "documents", "kind"), shown)],
        findings=[Finding("common shingles are nearly all mechanically generated", "nearly all",
                          f"{mechanical:.0%} of {len(found):,}", bool(found) and mechanical >= 0.8)],
    )  # fmt: skip
