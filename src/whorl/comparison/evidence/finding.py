"""The records of the evidence: what submissions are given as, and what is found in them."""

from collections.abc import Mapping
from dataclasses import dataclass

from whorl.model import Span


@dataclass(frozen=True, slots=True)
class Text:
    """A file of a submission. ``format`` is what Whorl took it for. ``unseen`` are the pieces of it that its page does
    not show (``hidden.hidden_text`` finds them), if it is of a format that has pages. ``given`` are the spans of it, in
    order, that are sanctioned, and blank here."""

    name: str
    format: str
    text: str
    unseen: tuple[str, ...] = ()
    given: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """What one person handed in."""

    name: str
    files: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: the number of a submission, a file of it, and a line, counted from 1."""

    submission: int
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was found: its kind, a sentence for people, and where it stands first on each side."""

    kind: str
    words: str
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was found: by the number of a submission, and by the numbers of a pair, the smaller first."""

    submissions: Mapping[int, tuple[Finding, ...]]
    pairs: Mapping[tuple[int, int], tuple[Finding, ...]]

    def of_submission(self, number: int) -> tuple[Finding, ...]:
        """What is odd about one submission."""
        return self.submissions.get(number, ())

    def of_pair(self, left: int, right: int) -> tuple[Finding, ...]:
        """What two submissions share that few others have."""
        return self.pairs.get((min(left, right), max(left, right)), ())


NONE = Findings({}, {})
