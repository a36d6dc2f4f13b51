"""How alike two documents are: the measures and the passages, in one record."""

from dataclasses import dataclass, replace

from whorl.frontends.reading import CODE
from whorl.matching.background import NONE, Background
from whorl.matching.chain import covered
from whorl.matching.matches import Finding, find
from whorl.matching.passage import Match, Passage
from whorl.matching.passages import Readable, passages
from whorl.matching.unlikely import unlikely
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


def find_plain(scheme: Scheme) -> Finding:
    """How matches are found. Programs have their normal form against edits; of a scheme that promises nothing every
    match is shown. So rare k-grams beside the fingerprints are for prose that is promised to be found."""
    rare = scheme.frontend != CODE and scheme.guarantee is not None
    return lambda left, right: find(left, right, scheme, rare=rare)


def likeness(
    left: Readable,
    right: Readable,
    scheme: Scheme,
    similarity: float,
    containment: float,
    shared: int,
    background: Background = NONE,
) -> Likeness:
    """Look closely at two documents whose fingerprints were compared. Which of them is the left one does not matter:
    choosing and chaining break ties by the order of one side, so they always begin with the same."""
    if left.evidence.symbols.tobytes() > right.evidence.symbols.tobytes():
        return likeness(right, left, scheme, similarity, containment, shared, background).mirrored()
    sides = left.evidence, right.evidence
    kept = unlikely(find_plain(scheme)(*sides), *sides, scheme, background)
    sizes = len(sides[0]), len(sides[1])
    lefts, rights = covered(kept)
    return Likeness(
        similarity,
        containment,
        shared,
        lefts / max(1, sizes[0]),
        rights / max(1, sizes[1]),
        passages(kept, left, right),
    )
