"""Synthetic postings as collections have them: most hashes once, a few in thousands of documents."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl.storage.postings import Postings

DOCUMENTS, PLACES = 10_000, 1 << 17

# Of all hashes: once, twice, three times; the rest follows a power law from four on.
SHARES = (0.82, 0.14, 0.02)

# With this exponent the rest has about 19 postings a hash, and a few hashes have tens of thousands.
EXPONENT, LONGEST = 2.2, 100_000

# Distinct hashes that are made at a time.
SLICE = 500_000

ROW = np.dtype([("hash", "<u8"), ("document", "<u4"), ("place", "<u4")])


def counts(size: int, draw: np.random.Generator) -> NDArray[np.int64]:
    """Return how often each of ``size`` hashes occurs."""
    kind = draw.choice(4, size, p=[*SHARES, 1 - sum(SHARES)])
    tail = np.minimum(4 * (1 - draw.random(size)) ** (-1 / (EXPONENT - 1)), LONGEST).astype(np.int64)
    return np.where(kind < 3, kind + 1, tail)


def slices(postings: int, seed: int = 1) -> Iterator[Postings]:
    """About ``postings`` of them, in order, in parts."""
    draw = np.random.default_rng(seed)
    mean = float(counts(SLICE, draw).mean())
    parts = max(1, round(postings / mean / SLICE))
    size = round(postings / mean / parts)
    width = 2**64 // parts
    for part in range(parts):
        own = np.sort(draw.integers(part * width, (part + 1) * width - 1, size, dtype=np.uint64))
        hashes = np.repeat(own, counts(size, draw))
        documents = draw.integers(0, DOCUMENTS, len(hashes), dtype=np.uint32)
        places = draw.integers(0, PLACES, len(hashes), dtype=np.uint32)
        yield Postings(hashes, documents, places).in_order()


def write_runs(folder: Path, postings: int, runs: int) -> list[Path]:
    """Plain files, each with the postings of a part of the documents in order: what an indexer has sorted so far."""
    paths = [folder / f"run-{number}" for number in range(runs)]
    opened = [path.open("wb") for path in paths]
    for part in slices(postings):
        owner = part.documents // -(-DOCUMENTS // runs)
        for number, file in enumerate(opened):
            mine = part[owner == number]
            rows = np.empty(len(mine), ROW)
            rows["hash"], rows["document"], rows["place"] = mine.hashes, mine.documents, mine.places
            rows.tofile(file)
    for file in opened:
        file.close()
    return paths


def read_run(path: Path, step: int = 65_536) -> Iterator[Postings]:
    """Yield the postings of a plain file, in parts."""
    with path.open("rb") as file:
        while len(rows := np.fromfile(file, ROW, step)):
            yield Postings(rows["hash"].copy(), rows["document"].copy(), rows["place"].copy())


def questions(
    known: NDArray[np.uint64], rounds: int, size: int = 2000, share: float = 0.01
) -> list[NDArray[np.uint64]]:
    """Rounds of hashes to look up, in order: ``share`` of each are known ones."""
    draw = np.random.default_rng(7)
    asked = []
    for _ in range(rounds):
        hashes = draw.integers(0, 2**64, size, dtype=np.uint64)
        hashes[: int(size * share)] = draw.choice(known, int(size * share))
        asked.append(np.sort(hashes))
    return asked
