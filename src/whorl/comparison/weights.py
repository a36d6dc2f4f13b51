"""The inverted index of a class, the weights of its fingerprints, and the parts of a pair's score."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.comparison.normal_form import trust
from whorl.kernel import native_matching
from whorl.matching.score import ScorePart, make_part
from whorl.model import Hashes

# Imaginary documents with other fingerprints: a class of ten says little about rarity, and without them a fingerprint
# in two of three documents would weigh next to nothing. On labelled programs anything from 1 to 100 ranks alike.
PRIOR = 50


@dataclass(frozen=True, slots=True, eq=False)
class ClassPostings:
    """For each submission its groups, ascending; for each group (one hash) its submissions, ascending. Only
    fingerprints of at least two submissions are here. ``totals`` is the weight of all fingerprints of a submission."""

    offsets: NDArray[np.int64]
    groups: NDArray[np.int32]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    weights: NDArray[np.float64]
    totals: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """The weights of the fingerprints that several submissions have; ``hashes`` ascend. ``totals`` is the weight of all
    fingerprints of a submission, by number."""

    hashes: Hashes
    weights: NDArray[np.float64]
    totals: NDArray[np.float64]

    def sum(self, hashes: Hashes) -> float:
        """Return the weight of these fingerprints, ascending and distinct; unknown ones weigh nothing. Add them one
        after the other, as ``totals`` are added: then a copy has exactly the weight of its original."""
        return native_matching.weigh(self.hashes, self.weights, hashes)


def build_postings(hashes: Sequence[Hashes], most: int) -> tuple[ClassPostings, Weights]:
    """Build the inverted index of all submissions, each given by its distinct hashes, ascending.

    Ignore fingerprints in more than ``most`` submissions: their weight is 0.
    """
    sizes = np.array([len(each) for each in hashes], np.int64)
    owners = np.repeat(np.arange(len(hashes), dtype=np.int32), sizes)
    unsorted = np.concatenate([*hashes, np.zeros(0, np.uint64)])
    order = np.argsort(unsorted, kind="stable")
    ordered = unsorted[order]
    is_first = np.diff(ordered, prepend=~ordered[:1]) != 0
    distinct = ordered[is_first]
    del unsorted, ordered
    counts = np.diff(np.append(np.flatnonzero(is_first), len(order)))
    weights = squared_idf(counts, len(hashes))
    weights[counts > most] = 0
    group = np.cumsum(is_first, dtype=np.int32) - 1
    totals = np.bincount(owners[order], weights[group], len(hashes)).astype(np.float64)
    connects = (counts > 1) & (weights > 0)
    postings = _shared(owners, order, group, weights, connects, counts, totals)
    return postings, Weights(distinct[connects], postings.weights, totals)


def squared_idf(counts: NDArray[Any], submissions: int) -> NDArray[np.float64]:
    """Return the weights of fingerprints: their squared inverse document frequency."""
    weights: NDArray[np.float64] = np.log((submissions + PRIOR) / counts) ** 2
    return weights


def _shared(
    owners: NDArray[np.int32],
    order: NDArray[np.int64],
    group: NDArray[np.int32],
    weights: NDArray[np.float64],
    connects: NDArray[np.bool_],
    counts: NDArray[np.int64],
    totals: NDArray[np.float64],
) -> ClassPostings:
    """Return the groups that connect two submissions, renumbered."""
    numbers = np.cumsum(connects, dtype=np.int32) - 1
    is_shared = connects[group]
    order, group = order[is_shared], numbers[group[is_shared]]
    members = owners[order]
    in_order = np.argsort(order, kind="stable")
    return ClassPostings(
        np.concatenate([[0], np.cumsum(np.bincount(members, minlength=len(totals)))]),
        group[in_order],
        np.concatenate([[0], np.cumsum(counts[connects])]),
        members,
        weights[connects],
        totals,
    )


# The names of a program's parts besides its tokens.
NORMAL_FORM, STATEMENTS = "normal form", "statements"


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """For each submission: whether it has a normal form, the number of distinct statements in it, and in the text."""

    has_normal: NDArray[np.bool_]
    statements: NDArray[np.int64]
    standing: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class NormalWeights:
    """The weights of the normal forms of a class: k-grams, statements of the normal form, statements of the text."""

    forms: Forms
    grams: Weights
    statements: Weights
    standing: Weights

    def parts(self, grams: Hashes, statements: Hashes, standing: Hashes, left: int, right: int) -> list[ScorePart]:
        """Return the parts of a pair, given the fingerprints that both sides have inside passages. Use the kind of
        statements with the higher measures, blended with the k-grams where there are few statements."""
        form = _part(NORMAL_FORM, self.grams, grams, left, right)
        kinds = (
            (_part(STATEMENTS, self.statements, statements, left, right), self.forms.statements),
            (_part(STATEMENTS, self.standing, standing, left, right), self.forms.standing),
        )
        shares = [trust(min(int(counts[left]), int(counts[right]))) for _, counts in kinds]
        blended = [
            [gram + share * (value - gram) for value, gram in zip(part[1:], form[1:], strict=True)]
            for share, (part, _) in zip(shares, kinds, strict=True)
        ]
        similarity, containment = (max(values) for values in zip(*blended, strict=True))
        return [form, ScorePart(STATEMENTS, similarity, containment)]


@dataclass(frozen=True, slots=True, eq=False)
class ClassWeights:
    """The weights of all fingerprints of a class; ``normal`` is None if no submission has a normal form."""

    plain: Weights
    normal: NormalWeights | None = None

    def symbols(self, name: str, common: Hashes, left: int, right: int) -> ScorePart:
        """Return the part of the plain stream, given the fingerprints that both sides have inside passages."""
        return _part(name, self.plain, common, left, right)


def _part(name: str, weights: Weights, common: Hashes, left: int, right: int) -> ScorePart:
    return make_part(name, weights.sum(common), float(weights.totals[left]), float(weights.totals[right]))
