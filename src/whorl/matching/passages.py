"""Passages: chains of matches, told in the files and lines that people read."""

from collections.abc import Sequence
from dataclasses import dataclass

from whorl.matching.chain import Chain, symbols
from whorl.matching.evidence import Evidence
from whorl.matching.lines import Lines
from whorl.matching.passage import Match, Passage, Side
from whorl.model import Span


@dataclass(frozen=True, slots=True, eq=False)
class Readable:
    """A document's evidence, and the names and lines of its files, by number."""

    evidence: Evidence
    names: Sequence[str]
    lines: Sequence[Lines]

    def span(self, start: int, end: int) -> Span:
        """The text of some symbols, none of them in another file."""
        return Span(int(self.evidence.starts[start]), int(self.evidence.ends[end - 1]))

    def side(self, file: int, start: int, end: int) -> Side:
        """Where some symbols of a file stand."""
        span, lines = self.span(start, end), self.lines[file]
        return Side(self.names[file], *span, lines.line(span.start), lines.line(max(span.start, span.end - 1)))


def passages(chains: Sequence[Chain], left: Readable, right: Readable) -> tuple[Passage, ...]:
    """The passages that chains of matches are, the longest first."""
    found = [_passage(chain, left, right) for chain in chains]
    return tuple(sorted(found, key=lambda passage: -passage.symbols))


def _passage(chain: Chain, left: Readable, right: Readable) -> Passage:
    links, files = chain.links, chain.links[0].files
    matches = tuple(
        Match(
            left.span(link.left, link.left + link.length), right.span(link.right, link.right + link.length), link.length
        )
        for link in links
    )
    return Passage(
        left.side(files[0], links[0].left, max(link.left + link.length for link in links)),
        right.side(files[1], min(link.right for link in links), max(link.right + link.length for link in links)),
        symbols(chain),
        matches,
    )
