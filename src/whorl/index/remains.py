"""Remains: bytes that are a document's alone, and the search for them in files."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl.index.faults import IndexIOError

# Bytes of a sample of a stored text: the chance that other data has them is none.
LENGTH = 32

# A shorter name may stand in other names and texts, so that finding it would say nothing.
LEAST_NAME = 12
# Of a longer one the end is taken: names have more in common where they begin.
MOST_NAME = 64

# Bytes before the first sample: what all compressed texts begin with.
HEADER = 16

# Bytes of a file that are searched at once.
CHUNK = 1 << 22

# Stands between two values that are searched together, so that no sample is found across them.
_BETWEEN = b"\xff\xfe" * 4

# Samples are told apart by so many of their first bytes before they are compared whole.
_FRONT = 8


def samples(name: str, digest: bytes, text: bytes, postings: bytes) -> list[bytes]:
    """A few pieces of what is stored of a document: its name, alone and with the digest that follows it in its row, and
    pieces of text and fresh postings."""
    encoded = name.encode()[-MOST_NAME:]
    found = [encoded] if len(encoded) >= LEAST_NAME else []
    found.append(encoded + digest)
    for data in (text[HEADER:], postings):
        places = (0, (len(data) - LENGTH) // 2, len(data) - LENGTH) if len(data) >= LENGTH else ()
        found += [data[place : place + LENGTH] for place in places]
    return list(dict.fromkeys(found))


def found_in(path: Path, wanted: Sequence[bytes]) -> tuple[set[bytes], int]:
    """Which of the samples stand in a file, and how many bytes were searched. A file that is gone has none."""
    fronts = _Fronts(wanted)
    found: set[bytes] = set()
    size = 0
    for chunk, fresh in _chunks(path, max(map(len, wanted), default=_FRONT)):
        size += fresh
        found |= fronts.found(chunk)
    return found, size


def found_among(values: Iterable[bytes], wanted: Sequence[bytes]) -> set[bytes]:
    """Which of the samples stand in some value."""
    fronts = _Fronts(wanted)
    found: set[bytes] = set()
    held = bytearray()
    for value in values:
        held += value + _BETWEEN
        if len(held) >= CHUNK:
            found |= fronts.found(bytes(held))
            held.clear()
    return found | fronts.found(bytes(held))


def _chunks(path: Path, longest: int) -> Iterator[tuple[bytes, int]]:
    """A file in chunks that overlap by the longest sample, each with how many of its bytes are new."""
    try:
        with path.open("rb") as file:
            before = b""
            while fresh := file.read(CHUNK):
                yield before + fresh, len(fresh)
                before = (before + fresh)[-longest:]
    except FileNotFoundError:
        return
    except OSError as error:
        raise IndexIOError(path, "read", error.strerror or str(error)) from error


class _Fronts:
    """Samples by their first bytes: one pass over the data finds all of them, however many there are."""

    def __init__(self, wanted: Iterable[bytes]) -> None:
        # Front → length → samples: at each place a sample of each length is looked up, however many begin alike.
        self._by_front: dict[int, dict[int, set[bytes]]] = {}
        self._pairs = np.zeros(1 << 16, np.bool_)
        for sample in wanted:
            alike = self._by_front.setdefault(int.from_bytes(sample[:_FRONT], "little"), {})
            alike.setdefault(len(sample), set()).add(sample)
            self._pairs[int.from_bytes(sample[:2], "little")] = True
        self._fronts = np.array(sorted(self._by_front), np.uint64)

    def found(self, data: bytes) -> set[bytes]:
        """Those that stand in the data."""
        found = set()
        places, fronts = self._candidates(np.frombuffer(data, np.uint8))
        for place, front in zip(places.tolist(), fronts.tolist(), strict=True):
            for length, samples in self._by_front[front].items():
                if (piece := data[place : place + length]) in samples:
                    found.add(piece)
        return found

    def _candidates(self, data: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Where the first bytes of a sample stand, and which: two bytes are looked up first, which few places pass."""
        if len(data) < _FRONT:
            return np.empty(0, np.int64), np.empty(0, np.uint64)
        pairs = data[: -_FRONT + 1].astype(np.uint16)
        pairs |= data[1 : len(data) - _FRONT + 2].astype(np.uint16) << np.uint16(8)
        places = np.flatnonzero(self._pairs[pairs]).astype(np.int64)
        fronts = np.zeros(len(places), np.uint64)
        for byte in range(_FRONT):
            fronts |= data[places + byte].astype(np.uint64) << np.uint64(8 * byte)
        kept = np.isin(fronts, self._fronts)
        return places[kept], fronts[kept]
