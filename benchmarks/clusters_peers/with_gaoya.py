"""gaoya: its index of strings, which cuts the shingles itself, in Rust. What a query answers is joined."""

import os
from collections.abc import Iterable, Sequence
from importlib import import_module

from benchmarks.clusters_peers import rows

# One thread, as the other peers have: the figure is CPU seconds.
os.environ["RAYON_NUM_THREADS"] = "1"
minhash = import_module("gaoya.minhash")


def found(texts: Sequence[str], threshold: float) -> Iterable[tuple[int, int]]:
    """Insert all, then ask for each, in one call each."""
    index = minhash.MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=threshold,
        num_bands=None,
        band_size=None,
        num_hashes=rows.HASHES,
        analyzer="word",
        lowercase=True,
        ngram_range=(rows.SHINGLE, rows.SHINGLE),
    )
    index.par_bulk_insert_docs(list(range(len(texts))), texts)
    for number, others in enumerate(index.par_bulk_query(texts)):
        for other in others:
            yield number, other


rows.run(found)
