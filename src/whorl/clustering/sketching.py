"""Sketches of all documents, drawn from their shingles: the paper's V_i.

One shingle in 2^i, for the largest i, up to the modulus, that leaves enough of them. Those of a larger i are among
those of a smaller one, so long documents and short ones can be compared.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.clustering.records import Rows
from whorl.clustering.settings import ClusterSettings
from whorl.clustering.store import mapped
from whorl.fingerprinting.ahead import Ahead
from whorl.model import Hashes

# Shingles that are looked at together.
STEP = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Sketches:
    """What is kept of each document's shingles, one in how many that is, and how many a coarser sketch would keep:
    ``kept[i, j]`` are 0 modulo 2^j."""

    rows: Rows
    moduli: NDArray[np.int32]
    kept: NDArray[np.int32]


def draw(shingles: Rows, folder: Path, settings: ClusterSettings) -> None:
    """Write the sketches of all documents."""
    values, columns = _paths(folder, settings)

    def sample(span: tuple[int, int]) -> tuple[Hashes, NDArray[np.int32]]:
        part = shingles.part(*span)
        kept, ends, moduli = kernel.shingles().sample(part.hashes, part.bounds, settings.modulus, settings.least)
        levels = kernel.shingles().levels(kept, ends, settings.modulus.bit_length())
        return kept, np.column_stack([moduli, levels])

    with values.open("wb") as values_file, columns.open("wb") as columns_file, Ahead(settings.threads) as ahead:
        for kept, counts in ahead.map(sample, shingles.spans(STEP)):
            values_file.write(kept.data)
            columns_file.write(counts.data)


def drawn(folder: Path, count: int, settings: ClusterSettings) -> Sketches:
    """The sketches that were written."""
    values, columns = _paths(folder, settings)
    table = np.fromfile(columns, np.int32).reshape(count, 1 + settings.modulus.bit_length())
    bounds = np.zeros(count + 1, np.int64)
    np.cumsum(table[:, 1], out=bounds[1:])
    rows = Rows(mapped(values, np.dtype("<u8"), int(bounds[-1])), bounds, values)
    return Sketches(rows, table[:, 0], table[:, 1:])


def common_among(sketches: Sketches, common: Hashes) -> NDArray[np.int32]:
    """How many of each document's values, as ``Sketches.kept`` has them, are common ones. Those come in order."""
    count = sketches.kept.shape[1]
    found = np.zeros((len(sketches.kept), count), np.int32)
    for first, last in sketches.rows.spans(STEP) if len(common) else ():
        part = sketches.rows.part(first, last)
        those = kernel.shingles().among(part.hashes, common)
        bounds = np.searchsorted(those, part.bounds)
        found[first:last] = kernel.shingles().levels(part.hashes[those], bounds, count)
    return found


def sampling(settings: ClusterSettings) -> str:
    """What tells the sketches of one run from those of another."""
    return f"{settings.modulus}-{settings.least}"


def _paths(folder: Path, settings: ClusterSettings) -> tuple[Path, Path]:
    name = sampling(settings)
    return folder / f"sketches-{name}", folder / f"moduli-{name}"
