"""The passages of the pairs that are reported."""

from collections.abc import Sequence
from functools import lru_cache

from whorl.comparison.intake import Entry, unpacked
from whorl.comparison.result import Pair
from whorl.comparison.scores import Scores
from whorl.comparison.shelf import Shelf
from whorl.matching.evidence import gather
from whorl.matching.likeness import Likeness, likeness
from whorl.matching.lines import Lines
from whorl.matching.passages import Readable
from whorl.scheme import Scheme

# Submissions that are held ready: the pairs of one are often next to each other in the ranking.
HELD = 64


class Details:
    """Looks closely at pairs: reads both sides from the shelf, and finds what they share."""

    def __init__(self, entries: Sequence[Entry], shelf: Shelf, scheme: Scheme) -> None:
        self._entries, self._shelf, self._scheme = entries, shelf, scheme
        self._readable = lru_cache(HELD)(self._read)

    def text(self, submission: int, file: int) -> str:
        """The text of a submission's file, by the numbers of both."""
        return unpacked(self._shelf.get(self._entries[submission].rows[file]))[1]

    def pair(self, scores: Scores, number: int) -> Pair:
        """A pair of the ranking with its passages."""
        left, right = int(scores.left[number]), int(scores.right[number])
        found = likeness(
            self._readable(left), self._readable(right), self._scheme,
            float(scores.similarity[number]), float(scores.containment[number]), int(scores.shared[number]),
        )  # fmt: skip
        return _pair(left, right, found)

    def _read(self, submission: int) -> Readable:
        entry = self._entries[submission]
        rows = [unpacked(self._shelf.get(row)) for row in entry.rows]
        own = gather([found for found, _ in rows])
        return Readable(own, [file.name for file in entry.files], [Lines(text) for _, text in rows])


def _pair(left: int, right: int, found: Likeness) -> Pair:
    return Pair(
        left, right, found.score, found.similarity, found.containment, found.shared_fingerprints, found.left_coverage,
        found.right_coverage, found.longest, found.passages,
    )  # fmt: skip
