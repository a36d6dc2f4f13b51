"""The shingling S(D, w) of a document: the set of its shingles, and how often each occurs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.fingerprinting.fingerprint import check_key
from whorl.hashing.key import Key
from whorl.model import Hashes
from whorl.scheme import Scheme, resolve
from whorl.sketches.faults import SketchMismatchError
from whorl.sketches.rules import first_of_each
from whorl.sketches.shingles import Readable, identity_runs


@dataclass(frozen=True, slots=True, eq=False)
class Shingling:
    """Every shingle of a document once, as sorted identities, with the number of its occurrences.

    Two different shingles have the same identity with a probability below 2^-60.
    """

    scheme: str
    hashes: Hashes
    counts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hashes)

    def size(self, counted: bool = False) -> int:
        """How many shingles; ``counted``: the second and later occurrences of a shingle count as others."""
        return int(self.counts.sum()) if counted else len(self)

    def shared(self, other: "Shingling", counted: bool = False) -> int:
        """How many shingles both have."""
        if self.scheme != other.scheme:
            raise SketchMismatchError(
                f"shinglings of different schemes cannot be compared: {self.scheme!r} and {other.scheme!r}"
            )
        small, large = (self, other) if len(self) <= len(other) else (other, self)
        if not len(small):
            return 0
        places = np.minimum(np.searchsorted(large.hashes, small.hashes), len(large) - 1)
        found = large.hashes[places] == small.hashes
        return int(np.minimum(small.counts, large.counts[places])[found].sum()) if counted else int(found.sum())

    def resemblance(self, other: "Shingling", counted: bool = False) -> float:
        """|A ∩ B| / |A ∪ B|; 1 for two documents without shingles."""
        shared = self.shared(other, counted)
        union = self.size(counted) + other.size(counted) - shared
        return shared / union if union else 1.0

    def containment(self, other: "Shingling", counted: bool = False) -> float:
        """|A ∩ B| / |A|, of this document in the other; 1 if this one has no shingles."""
        size = self.size(counted)
        return self.shared(other, counted) / size if size else 1.0


def shingling(document: Readable, scheme: Scheme | str = "web", key: Key = Key.PUBLIC) -> Shingling:
    """The full shingling of a document."""
    scheme = resolve(scheme)
    check_key(scheme, key)
    hashes = np.sort(np.concatenate([np.empty(0, np.uint64), *identity_runs(document, scheme, key)]))
    first = np.flatnonzero(first_of_each(hashes))
    return Shingling(scheme.id, hashes[first], np.diff(first, append=len(hashes)))
