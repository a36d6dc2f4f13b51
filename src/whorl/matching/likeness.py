"""Compare two documents: their score with its parts, and their passages."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.formats.reading import CODE
from whorl.kernel import native_matching
from whorl.matching.chains import NO_BACKGROUND, Background, Chains, significant_chains
from whorl.matching.evidence import Evidence
from whorl.matching.matches import MatchFinder, find_matches, longest_match
from whorl.matching.passage import Lines, Match, Passage, Side, make_match, make_spans
from whorl.matching.score import Score, ScorePart, make_score
from whorl.model import Hashes, Span
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True, eq=False)
class ComparedDocument:
    """A document to match: its evidence, and the names and line tables of its files, by file number."""

    evidence: Evidence
    names: Sequence[str]
    lines: Sequence[Lines]

    def span(self, start: int, end: int) -> Span:
        """Return the text span of the symbols ``start`` to ``end``, all in one file."""
        return Span(int(self.evidence.starts[start]), int(self.evidence.ends[end - 1]))

    def spans(self, starts: NDArray[Any], ends: NDArray[Any]) -> Iterator[Span]:
        """Return the text spans of several runs of symbols, each in one file."""
        return make_spans(self.evidence.starts[starts], self.evidence.ends[ends - 1])

    def side(self, file: int, start: int, end: int) -> Side:
        """Return the symbols ``start`` to ``end`` of a file as one side of a passage."""
        return self._side(file, *self.span(start, end))

    def sides(self, files: NDArray[Any], starts: NDArray[Any], ends: NDArray[Any]) -> list[Side]:
        """Return text spans of some files as sides of passages."""
        return list(map(self._side, files.tolist(), starts.tolist(), ends.tolist()))

    def _side(self, file: int, start: int, end: int) -> Side:
        lines = self.lines[file]
        return Side(self.names[file], start, end, lines.line(start), lines.line(max(start, end - 1)))


def passages(chains: Chains, left: ComparedDocument, right: ComparedDocument) -> tuple[Passage, ...]:
    """Return chains of matches as passages, longest first."""
    if not len(chains):
        return ()
    sides, spans = [], []
    for number, (document, starts) in enumerate(((left, chains.lefts), (right, chains.rights))):
        ends = starts + chains.lengths
        spans.append(document.spans(starts, ends))
        first, last = np.minimum.reduceat(starts, chains.firsts), np.maximum.reduceat(ends, chains.firsts)
        evidence = document.evidence
        sides.append(document.sides(chains.files[number], evidence.starts[first], evidence.ends[last - 1]))
    matches = list(map(make_match, zip(*spans, chains.lengths.tolist(), strict=True)))
    bounds = chains.bounds.tolist()
    listed = [
        Passage(one, other, size, tuple(matches[first:last]))
        for one, other, size, first, last in zip(
            *sides, chains.symbols().tolist(), bounds[:-1], bounds[1:], strict=True
        )
    ]
    return tuple(sorted(listed, key=lambda passage: -passage.symbols))


# Returns a part of the score, given the fingerprints that both documents have inside passages.
WeighPart = Callable[[Hashes], ScorePart]


@dataclass(frozen=True, slots=True)
class Likeness:
    """The result of comparing two documents.

    ``score_parts`` explains the score (``whorl.matching.score``). ``shared_fingerprints`` counts the fingerprints that
    both have inside passages. A ``coverage`` is the share of a side's symbols inside matches, without starter code.
    """

    score_parts: Score
    shared_fingerprints: int
    left_coverage: float
    right_coverage: float
    passages: tuple[Passage, ...]

    @property
    def score(self) -> float:
        """The mean of similarity and containment, damped if little is shared."""
        return self.score_parts.value

    @property
    def similarity(self) -> float:
        """The weighted share of the combined fingerprints that both have inside passages."""
        return self.score_parts.similarity

    @property
    def containment(self) -> float:
        """The weighted share of the smaller document's fingerprints that both have inside passages."""
        return self.score_parts.containment

    @property
    def longest(self) -> int:
        """The length of the longest passage in symbols."""
        return max((passage.symbols for passage in self.passages), default=0)

    def mirrored(self) -> "Likeness":
        """Return the result with its sides exchanged."""
        mirrored = tuple(passage.mirrored() for passage in self.passages)
        return replace(self, left_coverage=self.right_coverage, right_coverage=self.left_coverage, passages=mirrored)

    @property
    def matches(self) -> tuple[Match, ...]:
        """The matches of all passages, in the order of the left side."""
        return tuple(sorted(match for passage in self.passages for match in passage.matches))


def plain_matches(scheme: Scheme) -> MatchFinder:
    """Return the function that finds the matches of plain streams. Use rare k-grams for prose under a scheme with a
    guarantee; programs have their normal form instead."""
    rare = _has_rare(scheme)
    return lambda left, right: find_matches(left, right, scheme, rare=rare)


def _has_rare(scheme: Scheme) -> bool:
    return scheme.frontend != CODE and scheme.guarantee is not None


def is_mirrored(left: Evidence, right: Evidence) -> bool:
    """Return whether to exchange the sides, so that their order is always the same."""
    first, other = left.symbols[:BEGINNING].tobytes(), right.symbols[:BEGINNING].tobytes()
    if first[: len(other)] == other[: len(first)]:
        return left.symbols.tobytes() > right.symbols.tobytes()
    return first > other


# Symbols that nearly always decide the order of two documents.
BEGINNING = 64


def shared_passages(
    left: ComparedDocument, right: ComparedDocument, scheme: Scheme, background: Background = NO_BACKGROUND
) -> tuple[Passage, ...]:
    """Return the passages of two documents."""
    return passages(plain_chains(left.evidence, right.evidence, scheme, background), left, right)


def longest_run(left: Evidence, right: Evidence, scheme: Scheme) -> int:
    """Return the length of the longest match of two documents, in symbols: cheaper than their passages, never
    longer."""
    if is_mirrored(left, right):
        left, right = right, left
    return longest_match(left, right, scheme, rare=_has_rare(scheme))


def likeness(
    left: ComparedDocument,
    right: ComparedDocument,
    scheme: Scheme,
    weigh: WeighPart,
    background: Background = NO_BACKGROUND,
) -> Likeness:
    """Compare two documents: chain their matches, score them, and return the passages."""
    return likeness_of(plain_chains(left.evidence, right.evidence, scheme, background), left, right, scheme, weigh)


def likeness_of(
    chains: Chains, left: ComparedDocument, right: ComparedDocument, scheme: Scheme, weigh: WeighPart
) -> Likeness:
    """Return the likeness of two documents that these chains make."""
    common, lefts, rights = common_inside(chains, left.evidence, right.evidence, scheme.k)
    return Likeness(
        make_score((weigh(common),), min(lefts, rights), scheme),
        len(common),
        lefts / max(1, len(left.evidence)),
        rights / max(1, len(right.evidence)),
        passages(chains, left, right),
    )


def plain_chains(left: Evidence, right: Evidence, scheme: Scheme, background: Background) -> Chains:
    """Return the chains of two plain streams that chance does not explain."""
    return symmetric_chains(left, right, scheme, background, plain_matches(scheme))


def symmetric_chains(
    left: Evidence, right: Evidence, scheme: Scheme, background: Background, find: MatchFinder
) -> Chains:
    """Return the significant chains of two streams. Choosing and chaining break ties by the order of the left side, so
    a fixed order makes the result symmetric."""
    if is_mirrored(left, right):
        return significant_chains(find(right, left), right, left, scheme, background).mirrored()
    return significant_chains(find(left, right), left, right, scheme, background)


def common_inside(chains: Chains, left: Evidence, right: Evidence, width: int) -> tuple[Hashes, int, int]:
    """Return the fingerprints of ``width`` symbols that both sides have inside the matches of chains, ascending and
    distinct, and the number of symbols of each side in these matches."""
    if not len(chains):
        return np.zeros(0, np.uint64), 0, 0
    sides = ((left, chains.lefts), (right, chains.rights))
    columns = [(side.hashes, side.places, starts, len(side)) for side, starts in sides]
    return native_matching.shared_inside(*columns[0], *columns[1], chains.lengths, width)
