"""The passages of the pairs that are reported."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from whorl.comparison.intake import Entry, own_evidence, unpacked
from whorl.comparison.normal_passages import find_normal, with_normal
from whorl.comparison.result import Pair
from whorl.comparison.scores import Scores
from whorl.comparison.second import Marked, joined
from whorl.comparison.settings import Settings
from whorl.comparison.shelf import Shelf
from whorl.matching.background import Background
from whorl.matching.calibration import calibrated
from whorl.matching.deep.likeness import Prose, deep_likeness
from whorl.matching.deep.words import words
from whorl.matching.evidence import gather
from whorl.matching.likeness import Likeness, find_plain, likeness
from whorl.matching.lines import Lines
from whorl.matching.passages import Readable
from whorl.scheme import Scheme

# Submissions that are held ready: the pairs of one are often next to each other in the ranking.
HELD = 64


@dataclass(frozen=True, slots=True)
class Backgrounds:
    """What submissions share without copying, in the plain stream and in the normal form."""

    plain: Background
    normal: Background


def backgrounds(entries: Iterable[Entry], shelf: Shelf, scheme: Scheme) -> Backgrounds:
    """What the submissions of a sample share. The deep pass asks for none of it."""
    plain, normal = [], []
    for entry in entries:
        plain.append(gather([own_evidence(shelf.get(row)) for row in entry.rows]))
        if entry.normal.forms:
            normal.append(joined([shelf.get(row) for row in entry.normal.rows]).evidence)
    return Backgrounds(calibrated(plain, scheme, find_plain(scheme)), calibrated(normal, scheme, find_normal(scheme)))


class Details:
    """Looks closely at pairs, or deeply: reads both sides from the shelf, and finds what they share."""

    def __init__(
        self,
        entries: Sequence[Entry] | Mapping[int, Entry],
        shelf: Shelf,
        scheme: Scheme,
        settings: Settings,
        commons: Backgrounds,
    ) -> None:
        self._entries, self._shelf, self._scheme, self._settings = entries, shelf, scheme, settings
        self._commons = commons
        self._readable = lru_cache(HELD)(self._read)
        self._normal = lru_cache(HELD)(self._read_normal)
        self._prose = lru_cache(HELD)(self._read_prose)

    def text(self, submission: int, file: int) -> str:
        """The text of a submission's file, by the numbers of both."""
        return unpacked(self._shelf.get(self._entries[submission].rows[file]))[1]

    def pair(self, scores: Scores, number: int) -> Pair:
        """A pair of the ranking with its passages."""
        left, right = int(scores.left[number]), int(scores.right[number])
        measures = float(scores.similarity[number]), float(scores.containment[number]), int(scores.shared[number])
        if self._settings.deep:
            return _pair(left, right, self._deep(left, right, measures))
        found = likeness(self._readable(left), self._readable(right), self._scheme, *measures, self._commons.plain)
        if self._entries[left].normal.forms and self._entries[right].normal.forms:
            sides, normal = (self._readable(left), self._readable(right)), (self._normal(left), self._normal(right))
            found = with_normal(found, sides, normal, self._scheme, self._commons.normal)
        return _pair(left, right, found)

    def _read(self, submission: int) -> Readable:
        entry = self._entries[submission]
        rows = [unpacked(self._shelf.get(row)) for row in entry.rows]
        own = gather([found for found, _ in rows])
        return Readable(own, [file.name for file in entry.files], [Lines(text) for _, text in rows])

    def _deep(self, left: int, right: int, measures: tuple[float, float, int]) -> Likeness:
        prose, summarised = (self._prose(left), self._prose(right)), self._settings.summaries
        return deep_likeness(prose[0], prose[1], self._scheme, *measures, summarised=summarised)

    def _read_prose(self, submission: int) -> Prose:
        rows = [unpacked(self._shelf.get(row)) for row in self._entries[submission].rows]
        own = words([text for _, text in rows], [found for found, _ in rows])
        return Prose(self._readable(submission), own)

    def _read_normal(self, submission: int) -> Marked:
        return joined([self._shelf.get(row) for row in self._entries[submission].normal.rows])


def _pair(left: int, right: int, found: Likeness) -> Pair:
    return Pair(
        left, right, found.score, found.similarity, found.containment, found.shared_fingerprints, found.left_coverage,
        found.right_coverage, found.longest, found.passages,
    )  # fmt: skip
