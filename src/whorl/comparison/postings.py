"""All fingerprints of a class, sorted: who has which, and how much each is worth as evidence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.model import Hashes

# Documents that are thought to be there beside those at hand, with other fingerprints: a class of ten says little about
# what is rare, and without them what two of three have in common would weigh next to nothing. On labelled programs
# anything from 1 to 100 ranks alike.
PRIOR = 50


@dataclass(frozen=True, slots=True, eq=False)
class Postings:
    """For each submission its groups, ascending, and for each group, one hash, its submissions, ascending. Only what
    more than one has is here; ``totals`` is the weight of all that a submission has."""

    offsets: NDArray[np.int64]
    groups: NDArray[np.int32]
    starts: NDArray[np.int64]
    members: NDArray[np.int32]
    weights: NDArray[np.float64]
    totals: NDArray[np.float64]


def sort(hashes: Sequence[Hashes], most: int) -> Postings:
    """Sort the fingerprints of all submissions, each given as its distinct hashes, ascending.

    What more than ``most`` submissions have is common, not copied: it is no evidence and weighs nothing.
    """
    sizes = np.array([len(own) for own in hashes], np.int64)
    owners = np.repeat(np.arange(len(hashes), dtype=np.int32), sizes)
    everything = np.concatenate([*hashes, np.zeros(0, np.uint64)])
    order = np.argsort(everything, kind="stable")
    is_first = np.diff(everything[order], prepend=~everything[order[:1]]) != 0
    del everything
    counts = np.diff(np.append(np.flatnonzero(is_first), len(order)))
    worth = weights(counts, len(hashes))
    worth[counts > most] = 0
    group = np.cumsum(is_first, dtype=np.int32) - 1
    totals = np.bincount(owners[order], worth[group], len(hashes)).astype(np.float64)
    return _shared(owners, order, group, worth, counts, totals)


def weights(counts: NDArray[Any], submissions: int) -> NDArray[np.float64]:
    """Rare fingerprints weigh more: inverse document frequency, squared."""
    found: NDArray[np.float64] = np.log((submissions + PRIOR) / counts) ** 2
    return found


def _shared(
    owners: NDArray[np.int32],
    order: NDArray[np.int64],
    group: NDArray[np.int32],
    worth: NDArray[np.float64],
    counts: NDArray[np.int64],
    totals: NDArray[np.float64],
) -> Postings:
    """Only the groups that can connect two submissions, numbered anew."""
    connects = (counts > 1) & (worth > 0)
    numbers = np.cumsum(connects, dtype=np.int32) - 1
    kept = connects[group]
    order, group = order[kept], numbers[group[kept]]
    members = owners[order]
    in_order = np.argsort(order, kind="stable")
    return Postings(
        np.concatenate([[0], np.cumsum(np.bincount(members, minlength=len(totals)))]),
        group[in_order],
        np.concatenate([[0], np.cumsum(counts[connects])]),
        members,
        worth[connects],
        totals,
    )
