"""Choose and order the pairs to list, and group submissions: identical ones, clusters, and pairs of the same people.

Pairs with the same score are ordered by their shared unscored traces. The token stream has no names, literals, comments
and blanks, so independent solutions of a small task look exactly like copies. Copies keep these traces; independent
work does not. ``findings`` shows the shared traces of a pair.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import fsum, log, prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from whorl.comparison.candidates import Estimates
from whorl.comparison.evidence.finding import SubmissionTexts, Text
from whorl.comparison.evidence.traits import LexemeKind, is_program, lexemes
from whorl.comparison.result import BY_PASSAGE, BY_SCORE, Cluster, Group, Pair, Submission
from whorl.comparison.settings import Settings
from whorl.components import Components
from whorl.matching.passage import PLAIN
from whorl.scheme import Scheme

# Decimals to compare when looking for ties: sums in another order differ by less.
DECIMALS = 9


class Listing:
    """List the pairs with a passage that reach the threshold or have a long passage. ``texts_of`` reads the texts of
    some submissions, which break ties."""

    def __init__(
        self, settings: Settings, scheme: Scheme, texts_of: Callable[[Sequence[int]], Iterable[SubmissionTexts]]
    ) -> None:
        self._measure, self._least, self._limit = settings.measure, settings.least, settings.limit
        self._long, self._needs_run = settings.long_passage(scheme), settings.needs_run(scheme)
        self._texts_of = texts_of

    def pairs(
        self, verified: Iterable[Pair], representative: Callable[[int, int], tuple[int, int]]
    ) -> tuple[tuple[Pair, ...], int]:
        """Return the pairs to list, best first, and the number beyond the limit. ``representative`` returns the pair
        that is shown for another."""
        listed = self._ordered([replace(pair, listed=reason) for pair in verified if (reason := self._reason(pair))])
        ordered = self._limited(listed, representative)
        numbers = {(pair.left, pair.right): number for number, pair in enumerate(ordered)}
        pairs = tuple(
            _with_representative(pair, number, numbers, representative) for number, pair in enumerate(ordered)
        )
        return pairs, len(listed) - len(pairs)

    def _limited(self, pairs: Sequence[Pair], representative: Callable[[int, int], tuple[int, int]]) -> list[Pair]:
        """Apply the limit to pairs listed by score, to pairs listed by a long passage, and to the pairs that these
        represent."""
        chosen = set[tuple[int, int]]()
        for is_represented in (False, True):
            counts = Counter[str]()
            for pair in pairs:
                shown = representative(pair.left, pair.right)
                if (shown != (pair.left, pair.right)) == is_represented and (not is_represented or shown in chosen):
                    counts[pair.listed] += 1
                    if counts[pair.listed] <= self._limit:
                        chosen.add((pair.left, pair.right))
        return [pair for pair in pairs if (pair.left, pair.right) in chosen]

    def _reason(self, pair: Pair) -> str:
        if not pair.passages:
            return ""
        if getattr(pair, self._measure) >= self._least:
            return BY_SCORE
        longest = _longest_run(pair) if self._needs_run else pair.longest
        return BY_PASSAGE if 0 < self._long <= longest else ""

    def _ordered(self, pairs: Sequence[Pair]) -> list[Pair]:
        """Sort by measure, then by score; break ties by unscored traces, then by number."""
        keys = [self._key(pair) for pair in pairs]
        times = Counter(keys)
        tied = [(pair.left, pair.right) for pair, key in zip(pairs, keys, strict=True) if times[key] > 1]
        breaks = self._breaks(tied)
        order = sorted(
            range(len(pairs)),
            key=lambda at: (
                keys[at],
                -breaks.get((pairs[at].left, pairs[at].right), 0.0),
                pairs[at].left,
                pairs[at].right,
            ),
        )
        return [pairs[at] for at in order]

    def _key(self, pair: Pair) -> tuple[float, float]:
        return -round(getattr(pair, self._measure), DECIMALS), -round(pair.score, DECIMALS)

    def _breaks(self, tied: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """Return the tie-break of each pair; rarity is counted over the tied submissions."""
        if not tied:
            return {}
        numbers = sorted({number for pair in tied for number in pair})
        places = {number: place for place, number in enumerate(numbers)}
        tied_pairs = {(places[left], places[right]): (left, right) for left, right in tied}
        return {
            tied_pairs[pair]: value for pair, value in tie_breaks(self._texts_of(numbers), tied_pairs.keys()).items()
        }


def _longest_run(pair: Pair) -> int:
    """Return the symbols of the longest match in the plain stream."""
    plain = (passage for passage in pair.passages if passage.stream == PLAIN)
    return max((match.symbols for passage in plain for match in passage.matches), default=0)


def _with_representative(
    pair: Pair,
    number: int,
    numbers: dict[tuple[int, int], int],
    representative: Callable[[int, int], tuple[int, int]],
) -> Pair:
    """Set ``same_as`` of a pair if another listed pair represents it."""
    shown = numbers.get(representative(pair.left, pair.right), number)
    return pair if shown == number else replace(pair, same_as=shown)


def histogram(
    estimates: NDArray[np.int64], ranked: Estimates, verified: Sequence[Pair], scheme: Scheme
) -> tuple[int, ...]:
    """Replace the estimates of verified pairs in a histogram by their scores. ``ranked`` has their estimates."""
    rows = {pair: row for row, pair in enumerate(zip(ranked.left.tolist(), ranked.right.tolist(), strict=True))}
    known = np.array([rows[pair.left, pair.right] for pair in verified], np.int64)
    scores = np.array([pair.score for pair in verified], np.float64)
    was, now = (
        np.bincount((values * 100).astype(np.int64), minlength=101)
        for values in (ranked.measure("score", scheme)[known], scores)
    )
    return tuple((estimates - was + now).tolist())


class Streamed(Protocol):
    """A submission with the digests of its files' token streams; files without tokens have none."""

    archived: bool
    streams: list[bytes]
    person: str | None


def identical_groups(submissions: Iterable[Streamed]) -> list[tuple[int, ...]]:
    """Return the groups of submissions, by number, whose files have the same token streams in any order.

    A group has at least two members, ascending, of different people, and at least one that is not archived. Submissions
    without tokens are in no group. Groups are sorted by their first members.
    """
    members: dict[tuple[bytes, ...], list[int]] = {}
    people: dict[tuple[bytes, ...], set[str | int]] = {}
    fresh: set[tuple[bytes, ...]] = set()
    for number, submission in enumerate(submissions):
        key = tuple(sorted(submission.streams))
        if key:
            members.setdefault(key, []).append(number)
            people.setdefault(key, set()).add(number if submission.person is None else submission.person)
            if not submission.archived:
                fresh.add(key)
    return [tuple(numbers) for key, numbers in members.items() if len(people[key]) > 1 and key in fresh]


def clusters(components: Components, pairs: Iterable[tuple[int, int]]) -> tuple[Cluster, ...]:
    """Return the components of more than one submission, the largest first, each with the numbers of its pairs."""
    roots = components.roots().tolist()
    numbers: dict[int, list[int]] = {}
    for number, (left, right) in enumerate(pairs):
        if roots[left] == roots[right]:
            numbers.setdefault(roots[left], []).append(number)
    every = [Cluster(tuple(group), tuple(numbers.get(group[0], ()))) for group in components.members() if group[1:]]
    return tuple(sorted(every, key=lambda cluster: (-len(cluster.members), cluster.members)))


def groups(pairs: Sequence[Pair], submissions: Sequence[Submission]) -> tuple[Group, ...]:
    """Group the pairs of the same two people, best group first.

    A group's score is 1 - Π (1 - score) over the best pair of each assignment, so repeated suspicion adds up.
    """
    members: dict[tuple[str, str], list[int]] = {}
    for number, pair in enumerate(pairs):
        people = sorted(submissions[side].person or "" for side in (pair.left, pair.right))
        if all(people) and people[0] != people[1]:
            members.setdefault((people[0], people[1]), []).append(number)
    grouped = [
        Group(*people, _group_score(pairs, submissions, numbers), tuple(numbers)) for people, numbers in members.items()
    ]
    return tuple(sorted(grouped, key=lambda group: (-group.score, group.left, group.right)))


def _group_score(pairs: Sequence[Pair], submissions: Sequence[Submission], numbers: Sequence[int]) -> float:
    best: dict[tuple[str | None, str | None], float] = {}
    for number in numbers:
        pair = pairs[number]
        assignment = submissions[pair.left].assignment, submissions[pair.right].assignment
        best[assignment] = max(pair.score, best.get(assignment, 0.0))
    return 1 - prod(1 - score for score in best.values())


# Submissions over which rarity is counted. More would cost time and change nothing.
COUNTED = 2000

# Maximum length of a line whose layout is a trace, in characters: longer ones are data.
LONGEST_LINE = 400

_NAME = re.compile(r"[^\W\d]\w*+")
_WORD = re.compile(r"\w++")
_RUN = re.compile(r"\S++")


def tie_breaks(
    submissions: Iterable[SubmissionTexts], pairs: Collection[tuple[int, int]]
) -> dict[tuple[int, int], float]:
    """Return the tie-break of each of these pairs, given by the numbers of submissions in the order of iteration.

    ``submissions`` is the whole class, read once and one at a time; only the traces of those in ``pairs`` are stored.
    """
    wanted = {number for pair in pairs for number in pair}
    rarity = TraceRarity()
    by_submission: dict[int, frozenset[str]] = {}
    for number, texts in enumerate(submissions):
        if number < COUNTED or number in wanted:
            distinct = traces(texts.files)
            rarity.add(distinct)
            if number in wanted:
                by_submission[number] = distinct
    return {(left, right): tie_break(by_submission[left], by_submission[right], rarity) for left, right in pairs}


class TraceRarity:
    """The number of submissions of a class with each trace."""

    def __init__(self) -> None:
        self._holders: Counter[str] = Counter()
        self._submissions = 0

    def add(self, distinct: Iterable[str]) -> None:
        """Count the distinct traces of a submission."""
        self._holders.update(distinct)
        self._submissions += 1

    def weight(self, distinct: Iterable[str]) -> float:
        """Return the sum of the inverse document frequencies of traces; it is positive even for common ones."""
        frequencies = _inverse_frequencies(self._submissions)
        # An exact sum does not depend on the order of a set, which differs from run to run.
        return fsum(map(frequencies.__getitem__, map(self._holders.__getitem__, distinct)))


@lru_cache(1)
def _inverse_frequencies(submissions: int) -> list[float]:
    """Return the inverse document frequency of a trace by the number of its holders among so many submissions."""
    return [log((submissions + 1) / max(1, holders)) for holders in range(submissions + 1)]


def tie_break(left: frozenset[str], right: frozenset[str], rarity: TraceRarity) -> float:
    """Return the weighted Jaccard coefficient of the traces of two submissions."""
    union = rarity.weight(left | right)
    return rarity.weight(left & right) / union if union else 0.0


def traces(files: Sequence[Text]) -> frozenset[str]:
    """Return the unscored traces of files: names, literals, words of comments and the layout of lines; for prose, words
    with their punctuation."""
    return frozenset[str]().union(*(_of_file(file) | _layout(file.text) for file in files))


def _of_file(file: Text) -> set[str]:
    if not is_program(file.format):
        return {f"word {run}" for run in _RUN.findall(file.text)}
    names, words, literals = set[str](), set[str](), set[str]()
    at = 0
    for kind, text, start in lexemes(file.format, file.text):
        names.update(_NAME.findall(file.text, at, start))
        at = start + len(text)
        if kind is LexemeKind.COMMENT:
            words.update(_WORD.findall(text))
        else:
            literals.add(text)
    names.update(_NAME.findall(file.text, at))
    kinds = ("name", names), ("comment", words), ("literal", literals)
    return {f"{kind} {each}" for kind, of_kind in kinds for each in of_kind}


def _layout(text: str) -> set[str]:
    """Return the shape of each line with all its blanks and the number of blank lines before it."""
    shapes: set[str] = set()
    blank_lines = 0
    # No end of a line is a part of a word.
    for line, shape in zip(text.splitlines(), _WORD.sub("n", text).splitlines(), strict=True):
        if not shape or shape.isspace():
            blank_lines += 1
        else:
            if len(line) <= LONGEST_LINE:
                shapes.add(f"line {blank_lines} {shape}")
            blank_lines = 0
    return shapes
