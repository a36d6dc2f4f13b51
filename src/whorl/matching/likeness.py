"""How alike two documents are: the measures and the passages, in one record."""

from dataclasses import dataclass

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

    @property
    def matches(self) -> tuple[Match, ...]:
        """The matches of all passages, in the order of the left side."""
        return tuple(sorted(match for passage in self.passages for match in passage.matches))


def likeness(
    left: Readable, right: Readable, scheme: Scheme, similarity: float, containment: float, shared: int
) -> Likeness:
    """Look closely at two documents whose fingerprints were compared."""
    matches = find(left.evidence, right.evidence, scheme)
    return Likeness(
        similarity,
        containment,
        shared,
        matches.left_symbols() / max(1, len(left.evidence)),
        matches.right_symbols() / max(1, len(right.evidence)),
        passages(matches, left, right, scheme.k),
    )
