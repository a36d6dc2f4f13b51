"""datasketch: MinHash and MinHashLSH as its documentation shows them. What a query answers is joined."""

from collections.abc import Iterable, Sequence
from importlib import import_module

from benchmarks.clusters_peers import rows

datasketch = import_module("datasketch")


def found(texts: Sequence[str], threshold: float) -> Iterable[tuple[int, int]]:
    """Insert all, then ask for each."""
    index = datasketch.MinHashLSH(threshold=threshold, num_perm=rows.HASHES)
    sketches = []
    for number, text in enumerate(texts):
        sketch = datasketch.MinHash(num_perm=rows.HASHES)
        sketch.update_batch([shingle.encode() for shingle in rows.shingles(text)])
        index.insert(number, sketch)
        sketches.append(sketch)
    for number, sketch in enumerate(sketches):
        for other in index.query(sketch):
            yield number, other


rows.run(found)
