"""Samples of a document's stored bytes, and the search for them in files."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl.errors import StoreIOError

# Bytes of a sample of a stored text: enough that other data has none of them by chance.
LENGTH = 32

# A shorter name may occur in other names and texts, so finding it would prove nothing.
LEAST_NAME = 12
# Take the end of a longer name: beginnings are more often alike.
MOST_NAME = 64

# Bytes before the first sample: the common beginning of compressed texts.
HEADER = 16

# Bytes of a file searched at once.
CHUNK = 1 << 22

# Separates values that are searched together, so that no sample matches across them.
_BETWEEN = b"\xff\xfe" * 4

# First bytes by which samples are looked up before they are compared in full.
_FRONT = 8


def samples_of(name: str, digest: bytes, text: bytes, postings: bytes) -> list[bytes]:
    """Return samples of what is stored of a document: its name, alone and with the digest that follows it in the row,
    and pieces of its text and fresh postings."""
    encoded = name.encode()[-MOST_NAME:]
    samples = [encoded] if len(encoded) >= LEAST_NAME else []
    samples.append(encoded + digest)
    for data in (text[HEADER:], postings):
        places = (0, (len(data) - LENGTH) // 2, len(data) - LENGTH) if len(data) >= LENGTH else ()
        samples += [data[place : place + LENGTH] for place in places]
    return list(dict.fromkeys(samples))


def search_file(path: Path, wanted: Sequence[bytes]) -> tuple[set[bytes], int]:
    """Return the samples that occur in a file, and the bytes searched. A missing file has none."""
    fronts = _Fronts(wanted)
    hits: set[bytes] = set()
    size = 0
    for chunk, fresh in _chunks(path, max(map(len, wanted), default=_FRONT)):
        size += fresh
        hits |= fronts.search(chunk)
    return hits, size


def search_files(paths: Sequence[Path], wanted: Sequence[bytes]) -> list[tuple[Path, set[bytes], int]]:
    """Return for each file the samples that occur in it, and the bytes searched.

    A child process reads: if this one opened and closed a database's file, it would drop SQLite's locks.
    """
    request = {"paths": [os.fsdecode(path) for path in paths], "wanted": [sample.hex() for sample in wanted]}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", __name__], input=json.dumps(request).encode(), capture_output=True, check=False
        )
    except OSError as error:
        raise StoreIOError(paths[0], "search", f"cannot start a process: {error.strerror or error}") from error
    if done.returncode:
        reason = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise StoreIOError(paths[0], "search", reason[-1] if reason else f"its process ended with {done.returncode}")
    answers = json.loads(done.stdout)
    return [
        (path, {bytes.fromhex(sample) for sample in answer["found"]}, int(answer["size"]))
        for path, answer in zip(paths, answers, strict=True)
    ]


def main() -> int:
    """Read paths and samples from standard input, search, and write the result to standard output."""
    request = json.load(sys.stdin)
    wanted = [bytes.fromhex(sample) for sample in request["wanted"]]
    try:
        searched = [search_file(Path(path), wanted) for path in request["paths"]]
    except StoreIOError as error:
        print(error, file=sys.stderr)
        return 1
    json.dump([{"found": sorted(each.hex() for each in hits), "size": size} for hits, size in searched], sys.stdout)
    return 0


def search_values(values: Iterable[bytes], wanted: Sequence[bytes]) -> set[bytes]:
    """Return the samples that occur in any value."""
    fronts = _Fronts(wanted)
    hits: set[bytes] = set()
    buffer = bytearray()
    for value in values:
        buffer += value + _BETWEEN
        if len(buffer) >= CHUNK:
            hits |= fronts.search(bytes(buffer))
            buffer.clear()
    return hits | fronts.search(bytes(buffer))


def _chunks(path: Path, longest: int) -> Iterator[tuple[bytes, int]]:
    """Read a file in chunks that overlap by the longest sample; with each, the number of its new bytes."""
    try:
        with path.open("rb") as file:
            before = b""
            while fresh := file.read(CHUNK):
                yield before + fresh, len(fresh)
                before = (before + fresh)[-longest:]
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreIOError(path, "read", error.strerror or str(error)) from error


class _Fronts:
    """Samples by their first bytes: one pass over the data finds all of them."""

    def __init__(self, wanted: Iterable[bytes]) -> None:
        # Front → length → samples: at each place look up one piece of each length, however many samples begin alike.
        self._by_front: dict[int, dict[int, set[bytes]]] = {}
        self._pairs = np.zeros(1 << 16, np.bool_)
        for sample in wanted:
            alike = self._by_front.setdefault(int.from_bytes(sample[:_FRONT], "little"), {})
            alike.setdefault(len(sample), set()).add(sample)
            self._pairs[int.from_bytes(sample[:2], "little")] = True
        self._fronts = np.array(sorted(self._by_front), np.uint64)

    def search(self, data: bytes) -> set[bytes]:
        """Return the samples that occur in the data."""
        hits = set()
        places, fronts = self._candidates(np.frombuffer(data, np.uint8))
        for place, front in zip(places.tolist(), fronts.tolist(), strict=True):
            for length, samples in self._by_front[front].items():
                if (piece := data[place : place + length]) in samples:
                    hits.add(piece)
        return hits

    def _candidates(self, data: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Return the places where a sample may begin, and its first bytes. Test two bytes first: few places pass."""
        if len(data) < _FRONT:
            return np.empty(0, np.int64), np.empty(0, np.uint64)
        pairs = data[: -_FRONT + 1].astype(np.uint16)
        pairs |= data[1 : len(data) - _FRONT + 2].astype(np.uint16) << np.uint16(8)
        places = np.flatnonzero(self._pairs[pairs]).astype(np.int64)
        fronts = np.zeros(len(places), np.uint64)
        for byte in range(_FRONT):
            fronts |= data[places + byte].astype(np.uint64) << np.uint64(8 * byte)
        matches = np.isin(fronts, self._fronts)
        return places[matches], fronts[matches]


if __name__ == "__main__":
    sys.exit(main())
