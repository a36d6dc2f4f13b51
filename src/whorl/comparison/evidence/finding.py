"""The records of the evidence: the texts of submissions, and the findings in them."""

from collections.abc import Mapping
from typing import NamedTuple


class Text(NamedTuple):
    """A file of a submission. ``format`` is the detected format. ``unseen`` are its hidden pieces of text
    (``formats.documents.hidden``). ``starter_code`` are its spans of starter code, sorted; they are blank here."""

    name: str
    format: str
    text: str
    unseen: tuple[str, ...] = ()
    starter_code: tuple[tuple[int, int], ...] = ()


class SubmissionTexts(NamedTuple):
    """The texts of one submission."""

    name: str
    files: tuple[Text, ...]


class Place(NamedTuple):
    """A place: the number of a submission, the name of a file, and a line, counted from 1."""

    submission: int
    file: str
    line: int


class Finding(NamedTuple):
    """A finding: its kind, a sentence for people, and its first place on each side."""

    kind: str
    words: str
    places: tuple[Place, ...]


class Findings(NamedTuple):
    """All findings, by the number of a submission, and by the numbers of a pair, the smaller first."""

    submissions: Mapping[int, tuple[Finding, ...]]
    pairs: Mapping[tuple[int, int], tuple[Finding, ...]]

    def of_submission(self, number: int) -> tuple[Finding, ...]:
        """Return the oddities of one submission."""
        return self.submissions.get(number, ())

    def of_pair(self, left: int, right: int) -> tuple[Finding, ...]:
        """Return the rare traces that two submissions share."""
        return self.pairs.get((min(left, right), max(left, right)), ())


NO_FINDINGS = Findings({}, {})
