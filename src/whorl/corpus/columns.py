"""A column of a table's texts, as they lie: nobody makes objects of Python's of them who only passes them on."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray


class Column(Sequence[str | None]):
    """Texts in UTF-8, one after the other in ``data``, divided at ``bounds``; what is not there has no bytes."""

    def __init__(self, data: NDArray[np.uint8], bounds: NDArray[np.int64], is_there: NDArray[np.bool_]) -> None:
        self._data, self._bounds, self._is_there = data, bounds, is_there

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> Self:
        """A column of these."""
        encoded = [None if text is None else text.encode() for text in texts]
        bounds = np.cumsum([0, *(len(part or b"") for part in encoded)], dtype=np.int64)
        data = np.frombuffer(b"".join(filter(None, encoded)), np.uint8)
        return cls(data, bounds, np.array([part is not None for part in encoded], np.bool_))

    @classmethod
    def empty(cls, count: int) -> Self:
        """A column without any."""
        return cls(np.empty(0, np.uint8), np.zeros(count + 1, np.int64), np.zeros(count, np.bool_))

    def __len__(self) -> int:
        return len(self._is_there)

    @overload
    def __getitem__(self, index: int) -> str | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[str | None]: ...
    def __getitem__(self, index: int | slice) -> str | list[str | None] | None:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        number = range(len(self))[index]
        if not self._is_there[number]:
            return None
        return self._data[self._bounds[number] : self._bounds[number + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str | None]:
        there = self._is_there.tolist()
        return (part.decode() if is_there else None for part, is_there in zip(self.encoded(), there, strict=True))

    @property
    def is_whole(self) -> bool:
        """Whether every text is there, and none is empty."""
        return bool((np.diff(self._bounds) > 0).all())

    def encoded(self) -> Iterator[bytes]:
        """Each text in UTF-8; nothing if it is not there."""
        data = self._data[: self._bounds[-1]].tobytes()
        return (data[start:end] for start, end in pairwise(self._bounds.tolist()))

    def packed(self) -> tuple[NDArray[np.int64], bytes]:
        """The lengths of all texts in bytes, -1 for what is not there, and the bytes."""
        lengths = np.where(self._is_there, np.diff(self._bounds), -1)
        return lengths, self._data[: self._bounds[-1]].tobytes()

    def chosen(self, those: NDArray[np.bool_]) -> "Column":
        """Some of the texts."""
        return Column.of([self[number] for number in np.flatnonzero(those).tolist()])
