"""How often a document is searched for: the sign of somebody who tries to learn its stored fingerprint."""

from dataclasses import dataclass

# Searches since the last draw from which on a document is suspicious, and such of texts less than half as long. Whoever
# chops a document to learn its 100 stored substrings learns one or two with each piece that finds it.
SEARCHES, PIECES = 100, 20


@dataclass(frozen=True, slots=True)
class Activity:
    """How often a document was among the hits of a search since its fingerprint was drawn, and how often the text that
    was searched for was less than half as long: a piece of it, perhaps."""

    searches: int = 0
    pieces: int = 0

    def __add__(self, other: "Activity") -> "Activity":
        return Activity(self.searches + other.searches, self.pieces + other.pieces)

    @property
    def is_suspicious(self) -> bool:
        """Whether so many searches may be attempts to learn the stored fingerprint."""
        return self.searches >= SEARCHES or self.pieces >= PIECES
