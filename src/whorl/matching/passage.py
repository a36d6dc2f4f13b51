"""The records of what two documents share."""

from dataclasses import dataclass, replace
from typing import NamedTuple

from whorl.model import Span


class Match(NamedTuple):
    """Two spans with equal symbols, one in each text, as long as they can be. ``symbols`` is how many they are."""

    left: Span
    right: Span
    symbols: int


class Side(NamedTuple):
    """Where a passage stands in one document: a file, ``text[start:end]`` in it, and the lines, counted from 1."""

    file: str
    start: int
    end: int
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Passage:
    """Neighbouring matches with gaps between them: what a person reads as one copied piece.

    ``symbols`` counts those of the matches and not those of the gaps. ``stream`` tells which stream of a program they
    are of: its ``plain`` tokens, or its ``normal`` form, and then ``rewrites`` names those that one side needed and the
    other did not.
    """

    left: Side
    right: Side
    symbols: int
    matches: tuple[Match, ...]
    stream: str = "plain"
    rewrites: tuple[str, ...] = ()

    def mirrored(self) -> "Passage":
        """The same, with the sides exchanged."""
        turned = (Match(match.right, match.left, match.symbols) for match in self.matches)
        return replace(self, left=self.right, right=self.left, matches=tuple(turned))
