"""The result of a comparison: submissions, pairs, clusters and skipped files."""

from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import accumulate
from typing import Any, NamedTuple

from whorl.comparison.evidence.finding import NO_FINDINGS, Findings
from whorl.comparison.layouts import Recognised
from whorl.comparison.settings import Settings, is_code
from whorl.formats.documents.extraction import SectionMark
from whorl.formats.reading import CODE, NO_LANGUAGE
from whorl.matching.passage import Passage
from whorl.matching.score import Score
from whorl.model import Skipped, Span
from whorl.scheme import Scheme

# Minimum size, in bytes, of a file without fingerprints that is worth a notice among others: more than an empty
# __init__.py.
NOTABLE = 200


@dataclass(frozen=True, slots=True)
class File:
    """One file of a submission. ``sanctioned`` are the spans of starter code in its text; ``notes`` are irregularities
    while reading it; ``size`` is in bytes, if known; ``digest`` is the SHA-256 of the original; ``cells`` are
    those of a notebook."""

    name: str
    format: str
    symbols: int
    sanctioned: tuple[Span, ...] = ()
    notes: tuple[str, ...] = ()
    size: int | None = None
    digest: str = ""
    cells: tuple[SectionMark, ...] = ()


@dataclass(frozen=True, slots=True)
class Submission:
    """One submission. ``symbols`` and ``fingerprints`` are counted without starter code. An ``archived`` submission is
    compared with new ones only. ``place`` is the path of its only file, or that of its folder with a slash at the end;
    empty if it is anonymous."""

    name: str
    files: tuple[File, ...]
    symbols: int
    fingerprints: int
    archived: bool = False
    person: str | None = None
    assignment: str | None = None
    label: str | None = None
    date: str | None = None
    place: str = ""

    @property
    def digest(self) -> str:
        """The SHA-256 of its only file, or of the lines digest, two blanks, name of all its files, in the order of the
        names, as sha256sum prints them."""
        if len(self.files) == 1:
            return self.files[0].digest
        lines = "".join(f"{file.digest}  {file.name}\n" for file in sorted(self.files, key=lambda file: file.name))
        return sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()


class NotCompared(NamedTuple):
    """A file that could not be compared: its submission, the reason, and its size in bytes, if known."""

    submission: str
    file: str
    reason: str
    size: int | None


# Why a pair is listed.
BY_SCORE, BY_PASSAGE = "score", "long passage"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two submissions, by their numbers, and their passages.

    ``score_parts`` explains the score: the mean of similarity and containment over its parts, damped if little is
    shared. It counts fingerprints inside passages only. A ``coverage`` is the share of a side's symbols inside matches;
    ``longest`` is the length of the longest passage in symbols. ``listed`` is the reason for listing the pair: its
    ``score``, or a ``long passage``. ``same_as`` is the number of the pair that is shown for this one, because their
    submissions have identical streams.
    """

    left: int
    right: int
    score_parts: Score
    shared_fingerprints: int
    left_coverage: float
    right_coverage: float
    longest: int
    passages: tuple[Passage, ...]
    listed: str = BY_SCORE
    same_as: int | None = None

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
        """The weighted share of the smaller submission's fingerprints that both have inside passages."""
        return self.score_parts.containment

    @property
    def coverage(self) -> float:
        """The larger coverage of the two sides."""
        return max(self.left_coverage, self.right_coverage)

    @property
    def shared(self) -> int:
        """The number of shared fingerprints, under the name of the measure."""
        return self.shared_fingerprints


@dataclass(frozen=True, slots=True)
class Cluster:
    """Submissions, by their numbers, connected by pairs with at least the cluster's score, and the numbers of these
    pairs."""

    members: tuple[int, ...]
    pairs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """Two people over several assignments, and the numbers of their pairs, best first."""

    left: str
    right: str
    score: float
    pairs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NormalForms:
    """The number of files with and without a normal form, and the CPU time for all, in seconds."""

    files: int
    without: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Run:
    """Everything needed to repeat a comparison: its inputs, its settings by name, and the command, if there was one."""

    paths: tuple[str, ...]
    base: tuple[str, ...]
    archive: tuple[str, ...]
    settings: Mapping[str, Any]
    command: str = ""


@dataclass(frozen=True, slots=True)
class _LoadedTexts:
    """The texts of all files in memory, by submission."""

    texts: tuple[tuple[str, ...], ...]

    def __call__(self, submission: int, file: int) -> str:
        return self.texts[submission][file]


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result of comparing a class. Pairs are sorted, best first; numbers count from 0.

    ``pairs`` has the pairs that reach the threshold or share a passage of ``long`` symbols, up to the limit;
    ``omitted`` counts the pairs that may reach it but were not verified. ``scores`` is a histogram of the scores of all
    pairs that share a fingerprint: ``scores[i]`` pairs have a score from i/100 on. Scores of unverified pairs are
    estimates, seldom too low. ``compared`` counts all pairs. ``identical`` are groups of submissions with the same
    symbols.
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
    compared: int
    long: int
    identical: tuple[tuple[int, ...], ...]
    text: Callable[[int, int], str] = field(repr=False)
    """Returns the text of a submission's file, by the numbers of both; spans refer to it."""
    normal_forms: NormalForms | None = None
    """Counts of normal forms, if they were requested."""
    layouts: tuple[Recognised, ...] = ()
    """The course systems whose exports were recognised."""
    run: Run | None = None
    """How the comparison was made."""
    findings: Findings = NO_FINDINGS
    """Unscored findings, by the numbers of submissions."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields for a pickle, with all texts: the files that they are read from do not outlive this one."""
        texts = tuple(
            tuple(self.text(number, file) for file in range(len(submission.files)))
            for number, submission in enumerate(self.submissions)
        )
        return {**vars(self), "text": _LoadedTexts(texts)}

    @property
    def rows(self) -> tuple[int, ...]:
        """The numbers of the pairs to show: one of each set of identical pairs."""
        return tuple(number for number, pair in enumerate(self.pairs) if pair.same_as is None)

    def others(self, pair: Pair) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the other submissions identical with the left side of a pair, and those identical with the right side.
        If both sides are identical, return the others once, with the right side."""
        groups = self._group_of.get(pair.left, ()), self._group_of.get(pair.right, ())
        left, right = (tuple(each for each in group if each not in (pair.left, pair.right)) for group in groups)
        return () if groups[0] is groups[1] else left, right

    def identical_with(self, number: int) -> tuple[int, ...]:
        """Return the other submissions that are identical with one."""
        return tuple(each for each in self._group_of.get(number, ()) if each != number)

    @cached_property
    def _group_of(self) -> dict[int, tuple[int, ...]]:
        return {member: group for group in self.identical for member in group}

    @property
    def unlisted(self) -> int:
        """The number of pairs that share a fingerprint and are not listed."""
        return sum(self.scores) - len(self.pairs)

    @property
    def long_rule(self) -> str:
        """What lists a pair whatever its score, in words; "" if nothing does."""
        if not self.long:
            return ""
        length = f"{self.long:,} {self.scheme.symbols or 'symbols'}"
        return f"{length} in a row" if Settings.needs_run(self.scheme) else f"a passage of {length}"

    @property
    def other_kind(self) -> str:
        """How many submissions are of another kind than most, and how to compare that kind, in words; "" if none
        are."""
        if self.scheme.frontend == CODE:
            count = len({item.submission for item in self.not_compared if NO_LANGUAGE in item.reason})
            what = "submission without a program was" if count == 1 else "submissions without a program were"
            line = f"compared as programs: {count:,} {what} not compared; --scheme text compares all by their text"
        else:
            count = sum(any(is_code(file.format) for file in each.files) for each in self.submissions)
            count = count if count < len(self.submissions) else 0  # as was asked for
            what = "submission with a program was" if count == 1 else "submissions with programs were"
            line = f"compared as texts: {count:,} {what} compared as text, too; --scheme code compares programs only"
        return line if count else ""

    def quantile(self, share: float) -> float:
        """Return the score, in whole hundredths, that this share of all compared pairs does not exceed. Most pairs of a
        class are independent, so it shows which scores independent submissions reach."""
        return min(100, bisect_left(self._reached, share * self.compared)) / 100

    @cached_property
    def _reached(self) -> tuple[int, ...]:
        """How many of all compared pairs have a score of 0, of less than 0.01, of less than 0.02 and so on."""
        return tuple(accumulate(self.scores, initial=self.compared - sum(self.scores)))

    @property
    def not_compared(self) -> tuple[NotCompared, ...]:
        """Files that could not be compared: damaged, or almost without symbols. Read them, because no score covers
        them."""
        unread = [
            NotCompared(item.submission, item.name, item.reason, item.size)
            for item in self.skipped
            if not item.expected
        ]
        short = [
            NotCompared(submission.name, file.name, self._too_short(file), file.size)
            for submission in self.submissions
            for file in submission.files
            if file.symbols < self.scheme.k and not file.sanctioned and _is_missed(file, submission)
        ]
        return tuple(sorted([*unread, *short], key=lambda item: (item.submission, item.file)))

    def _too_short(self, file: File) -> str:
        symbols = self.scheme.symbols
        if not file.symbols and file.notes:
            return f"no {symbols}: {'; '.join(file.notes)}"
        if not file.symbols:
            return f"no {symbols}: blank" + ", or nothing but comments or one string" * (symbols == "tokens")
        return f"only {file.symbols} {symbols}; nothing shorter than {self.scheme.k} is compared"


def _is_missed(file: File, submission: Submission) -> bool:
    """Return whether a file without fingerprints matters: its submission has none at all, or it is large."""
    return submission.fingerprints == 0 or (file.size or 0) >= NOTABLE
