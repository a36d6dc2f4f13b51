"""Measures of a ranking: how well scores put copies before independent work.

Every measure takes the same two arrays, one entry a pair: whether it is a copy, and its score.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Quality:
    """Means of the average precision and the area over one or more rankings, and the sums of copies among the first n,
    where n is the number of labelled copies of each."""

    precision: float
    area: float
    copies_first: float
    copies: int


def average_precision(is_copy: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return the mean, over the copies, of the precision at the copy's score: pairs that tie count as one step."""
    return float(np.mean([is_copy[scores >= score].mean() for score in scores[is_copy]]))


def area(is_copy: NDArray[np.bool_], scores: NDArray[np.float64]) -> float:
    """Return the area under the ROC curve: the chance that a copy scores higher than an independent pair, half of it
    if they tie."""
    copies, others = scores[is_copy][:, None], scores[~is_copy]
    return float(((copies > others) + 0.5 * (copies == others)).mean())


def copies_first(is_copy: NDArray[np.bool_], scores: NDArray[np.float64], first: int) -> float:
    """Return how many of the ``first`` pairs are copies. Pairs that tie for the last places count by their share of
    copies: the mean over all orders of the tie."""
    if first >= len(scores):
        return float(is_copy.sum())
    last = np.sort(scores)[::-1][first - 1]
    above, tied = scores > last, scores == last
    return float(is_copy[above].sum() + (first - above.sum()) * is_copy[tied].mean())


def quality(rankings: Iterable[tuple[NDArray[np.bool_], NDArray[np.float64]]]) -> Quality:
    """Return the measures of one or more rankings together."""
    rankings = list(rankings)
    return Quality(
        precision=float(np.mean([average_precision(*ranking) for ranking in rankings])),
        area=float(np.mean([area(*ranking) for ranking in rankings])),
        copies_first=sum(copies_first(is_copy, scores, int(is_copy.sum())) for is_copy, scores in rankings),
        copies=sum(int(is_copy.sum()) for is_copy, _ in rankings),
    )
