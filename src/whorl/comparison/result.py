"""What a comparison finds: submissions, pairs, clusters, and what was left out."""

from collections.abc import Callable
from dataclasses import dataclass, field

from whorl.comparison.evidence.finding import NONE, Findings
from whorl.matching.passage import Passage
from whorl.model import Skipped, Span
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True)
class File:
    """One file of a submission. ``name`` is its name there; ``sanctioned`` are the spans of its text that are no
    evidence; ``notes`` is what was not as usual in reading it."""

    name: str
    format: str
    symbols: int
    sanctioned: tuple[Span, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """What one person handed in. ``symbols`` and ``fingerprints`` count what is evidence: sanctioned material is not
    in them. An ``archived`` one is compared with the new ones only."""

    name: str
    files: tuple[File, ...]
    symbols: int
    fingerprints: int
    archived: bool = False
    person: str | None = None
    assignment: str | None = None
    label: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two submissions, by their numbers, and what they have in common.

    ``similarity`` is the weighted Jaccard coefficient of their fingerprints, ``containment`` the share of the smaller
    one's that the larger has too, ``score`` the mean of both. A ``coverage`` is the share of a side's symbols that are
    inside matches, ``longest`` the symbols of the longest passage.
    """

    left: int
    right: int
    score: float
    similarity: float
    containment: float
    shared_fingerprints: int
    left_coverage: float
    right_coverage: float
    longest: int
    passages: tuple[Passage, ...]

    @property
    def coverage(self) -> float:
        """The larger of both."""
        return max(self.left_coverage, self.right_coverage)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Submissions, by their numbers, that pairs of at least the threshold connect, and the numbers of those pairs."""

    members: tuple[int, ...]
    pairs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """The same two people over several assignments, and the numbers of their pairs, best first."""

    left: str
    right: str
    score: float
    pairs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NormalForms:
    """How many files were compared in their normal form too, how many have none, and the processor time that
    making it took, in seconds."""

    files: int
    without: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """A class, compared. Pairs are sorted, best first; numbers count from 0.

    ``scores`` are the scores of all pairs that share anything, in a histogram of hundredths (``scores[i]`` pairs have a
    score from i/100 on): ``pairs`` has only those that reached the threshold, and no more than were asked for;
    ``omitted`` counts what reached it beyond those.
    """

    scheme: Scheme
    submissions: tuple[Submission, ...]
    pairs: tuple[Pair, ...]
    clusters: tuple[Cluster, ...]
    groups: tuple[Group, ...]
    skipped: tuple[Skipped, ...]
    threshold: float
    measure: str
    scores: tuple[int, ...]
    omitted: int
    text: Callable[[int, int], str] = field(repr=False)
    """The text that spans point into: of a submission's file, by the numbers of both."""
    normal_forms: NormalForms | None = None
    """What there was of them, if they were asked for."""
    findings: Findings = NONE
    """Evidence beside the scores, by the numbers of submissions; no part of any score."""
