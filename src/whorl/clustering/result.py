"""What a clustering finds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.equals import KINDS
from whorl.clustering.measuring import Measured
from whorl.clustering.records import Texts
from whorl.model import Skipped
from whorl.scheme import Scheme


@dataclass(frozen=True, slots=True)
class Member:
    """A document and its cluster. ``representative`` is the document that stands for the cluster, ``similarity`` the
    measure between both, ``kind`` how they are alike: identical, lexical, shingle, near, contained; of a representative
    itself, and of a document that is alone, it is ``unique``. A cluster has the number of its representative."""

    id: str
    cluster: int
    representative: str
    similarity: float
    kind: str


@dataclass(frozen=True, slots=True)
class Phase:
    """What a phase of the work cost: seconds on the clock, seconds of processors, how many things it went through, and
    the bytes that it left on the disk."""

    name: str
    seconds: float
    cpu_seconds: float
    items: int
    bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """A collection in clusters. Columns by the number of a document: its texts, the representative of its cluster, the
    similarity to it, the kind (a place in ``KINDS``), whether it was read. ``pairs`` are those that reached the
    threshold, ``common`` counts the shingles that too many documents have."""

    scheme: Scheme
    ids: Texts
    urls: Texts
    dates: Texts
    cluster: NDArray[np.int64]
    similarity: NDArray[np.float64]
    kind: NDArray[np.uint8]
    is_there: NDArray[np.bool_]
    sizes: NDArray[np.int64]
    pairs: Measured
    common: int
    shingles: int
    skipped: tuple[Skipped, ...]
    phases: tuple[Phase, ...]

    @property
    def members(self) -> "Members":
        """Every document that was read."""
        return Members(self)

    def clusters(self) -> list[list[str]]:
        """The clusters of more than one document, the largest first."""
        found: dict[int, list[str]] = {}
        numbers = np.flatnonzero(self.is_there)
        counts = np.bincount(self.cluster[numbers], minlength=1)
        for number in numbers[counts[self.cluster[numbers]] > 1].tolist():
            found.setdefault(int(self.cluster[number]), []).append(self.ids[number] or "")
        return sorted(found.values(), key=lambda ids: (-len(ids), ids))

    def held(self) -> "Clustering":
        """The same, with nothing left on the disk."""
        return replace(self, ids=self.ids.held(), urls=self.urls.held(), dates=self.dates.held())


class Members(Sequence[Member]):
    """The documents of a clustering, one by one."""

    def __init__(self, found: Clustering) -> None:
        self._found = found
        self._numbers = np.flatnonzero(found.is_there)

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Member: ...
    @overload
    def __getitem__(self, index: slice) -> "list[Member]": ...
    def __getitem__(self, index: int | slice) -> "Member | list[Member]":
        if isinstance(index, slice):
            return [self._member(number) for number in self._numbers[index].tolist()]
        return self._member(int(self._numbers[index]))

    def __iter__(self) -> Iterator[Member]:
        return map(self._member, self._numbers.tolist())

    def _member(self, number: int) -> Member:
        found = self._found
        head = int(found.cluster[number])
        kind = KINDS[found.kind[number]]
        return Member(found.ids[number] or "", head, found.ids[head] or "", float(found.similarity[number]), kind)
