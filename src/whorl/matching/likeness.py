"""How alike two documents are: the measures and the passages, in one record."""

from dataclasses import dataclass, replace

from whorl.matching.chain import chains, covered, symbols
from whorl.matching.matches import find
from whorl.matching.passage import Match, Passage
from whorl.matching.passages import Readable, passages
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True)
class Likeness:
    """What two documents have in common.

    ``similarity`` is the weighted Jaccard coefficient of their fingerprints, ``containment`` the share of the smaller
    one's that the larger has too, ``score`` the mean of both. A ``coverage`` is the share of a side's symbols that are
    inside matches, sanctioned ones aside; ``longest`` is the symbols of the longest passage.
    """

    similarity: float
    containment: float
    shared_fingerprints: int
    left_coverage: float
    right_coverage: float
    passages: tuple[Passage, ...]

    @property
    def score(self) -> float:
        """The mean of both measures: neither wins everywhere."""
        return (self.similarity + self.containment) / 2

    @property
    def longest(self) -> int:
        """The symbols of the longest passage."""
        return max((passage.symbols for passage in self.passages), default=0)

    def mirrored(self) -> "Likeness":
        """The same, with the sides exchanged."""
        turned = tuple(passage.mirrored() for passage in self.passages)
        return replace(self, left_coverage=self.right_coverage, right_coverage=self.left_coverage, passages=turned)

    @property
    def matches(self) -> tuple[Match, ...]:
        """The matches of all passages, in the order of the left side."""
        return tuple(sorted(match for passage in self.passages for match in passage.matches))


def likeness(
    left: Readable, right: Readable, scheme: Scheme, similarity: float, containment: float, shared: int
) -> Likeness:
    """Look closely at two documents whose fingerprints were compared. Which of them is the left one does not matter:
    choosing and chaining break ties by the order of one side, so they always begin with the same."""
    if left.evidence.symbols.tobytes() > right.evidence.symbols.tobytes():
        return likeness(right, left, scheme, similarity, containment, shared).mirrored()
    matches = find(left.evidence, right.evidence, scheme)
    sizes = len(left.evidence), len(right.evidence)
    # What is shorter than the guarantee is found by chance or not at all, and any two documents have some of it. Only
    # of documents that are shorter themselves it is all that there is to show.
    shortest = min(scheme.guarantee or scheme.k, *sizes)
    found = chains(matches, left.evidence, right.evidence, scheme.k)
    kept = [chain for chain in found if symbols(chain) >= shortest]
    lefts, rights = covered(kept)
    return Likeness(
        similarity,
        containment,
        shared,
        lefts / max(1, sizes[0]),
        rights / max(1, sizes[1]),
        passages(kept, left, right),
    )
