"""Precision, recall, granularity and plagdet of detected passages (Potthast, Stein, Barrón-Cedeño, Rosso 2010).

A passage is the set of its characters in both documents. A detection *detects* a case if they share characters in both.
Only then what they share counts. All means are over passages, not over characters: a short case counts as a long one.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import NamedTuple


class Passage(NamedTuple):
    """Characters ``start`` to ``end`` of a suspicious document and of a source, in the pair of this name."""

    pair: str
    start: int
    end: int
    source_start: int
    source_end: int

    @property
    def size(self) -> int:
        """The characters of both sides."""
        return self.end - self.start + self.source_end - self.source_start


@dataclass(frozen=True)
class Quality:
    """How well cases were detected; ``plagdet`` is all three in one number."""

    precision: float
    recall: float
    granularity: float

    @property
    def plagdet(self) -> float:
        """The harmonic mean of precision and recall, less the more often a case is reported in pieces."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total / log2(1 + self.granularity) if total else 0.0


def quality(cases: Sequence[Passage], detections: Sequence[Passage]) -> Quality:
    """Return the measures of some detections. Where there is no case and no detection, all was found."""
    by_case, by_detection = _by_pair(cases), _by_pair(detections)
    pieces = [sum(_detects(case, other) for other in by_detection.get(case.pair, ())) for case in cases]
    found = [count for count in pieces if count]
    return Quality(
        _share(detections, by_case, cases),
        _share(cases, by_detection, detections),
        sum(found) / len(found) if found else 1.0,
    )


def _share(passages: Sequence[Passage], others: Mapping[str, list[Passage]], all_others: Sequence[Passage]) -> float:
    """Return the mean share of the passages' characters that the others cover."""
    if not passages:
        return 0.0 if all_others else 1.0
    return sum(_covered(passage, others.get(passage.pair, ())) / passage.size for passage in passages) / len(passages)


def _covered(passage: Passage, others: Iterable[Passage]) -> int:
    """Return how many characters of a passage are in others that share characters of both documents with it."""
    near = [other for other in others if _detects(passage, other)]
    there = [(max(passage.start, other.start), min(passage.end, other.end)) for other in near]
    source = [
        (max(passage.source_start, other.source_start), min(passage.source_end, other.source_end)) for other in near
    ]
    return sum(_lengths(there)) + sum(_lengths(source))


def _lengths(spans: Iterable[tuple[int, int]]) -> Iterator[int]:
    """Yield the lengths of a union of spans, piece by piece."""
    reached = 0
    for start, end in sorted(spans):
        yield max(0, end - max(start, reached))
        reached = max(reached, end)


def _detects(one: Passage, two: Passage) -> bool:
    return (
        min(one.end, two.end) > max(one.start, two.start)
        and min(one.source_end, two.source_end) > max(one.source_start, two.source_start)
    )  # fmt: skip


def _by_pair(passages: Iterable[Passage]) -> dict[str, list[Passage]]:
    found: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        found[passage.pair].append(passage)
    return found
