"""Documents that are equal to one before are set aside: cheaper to tell than to cluster ("Identical documents").

Equal in three ways: the same bytes; the same words; the same shingles. One of them stays in the next phases, the others
join its cluster at the end.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.records import Records

# How a document is like the one that stands for it, from equal to nearly so.
KINDS = ("unique", "identical", "lexical", "shingle", "near", "contained")
UNIQUE, IDENTICAL, LEXICAL, SHINGLE, NEAR, CONTAINED = range(len(KINDS))

_COLUMNS = ((IDENTICAL, "content"), (LEXICAL, "lexical"), (SHINGLE, "shingle"))


@dataclass(frozen=True, slots=True, eq=False)
class Equals:
    """For each document the number of the one that stands for it, its own unless it is set aside, and how they are
    equal. ``is_there``: it was read."""

    stands: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    is_there: NDArray[np.bool_]

    @property
    def rows(self) -> NDArray[np.bool_]:
        """Which documents go on."""
        mask: NDArray[np.bool_] = self.is_there & (self.stands == np.arange(len(self.stands)))
        return mask


def set_aside(records: Records) -> Equals:
    """Which documents are equal to one before."""
    found = Equals(
        np.arange(len(records), dtype=np.int64), np.zeros(len(records), np.uint8), np.array(records["reason"] < 0)
    )
    for kind, column in _COLUMNS:
        _group(found, kind, np.ascontiguousarray(records[column]))
    return found


def _group(found: Equals, kind: int, digests: NDArray[np.uint64]) -> None:
    """Sets aside those of the documents left that have the digest of one before."""
    left = np.flatnonzero(found.rows & digests.any(axis=1))
    firsts = left[kernel.seen().firsts(digests[left])]
    found.stands[left] = firsts
    found.kinds[left[firsts != left]] = kind
    # Who was set aside for one that is now set aside itself follows it, and is as far from the one that stays.
    moved = found.stands[found.stands] != found.stands
    found.kinds[moved] = kind
    found.stands[moved] = found.stands[found.stands[moved]]
