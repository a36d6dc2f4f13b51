"""rensa: RMinHash over all shingles (not its sampling variant, which finds less) and its deduplicator with LSH.

The deduplicator is asked for the duplicates of each text before the text is added: it checks candidates against the
threshold.
"""

from collections.abc import Iterable, Sequence
from importlib import import_module

from benchmarks.clusters_peers import rows

rensa = import_module("rensa")
SEED = 42


def found(texts: Sequence[str], threshold: float) -> Iterable[tuple[int, int]]:
    """Ask, then add. What is a duplicate is not added by rensa, so its first one stands for it."""
    index = rensa.RMinHashDeduplicator(threshold=threshold, num_perm=rows.HASHES, use_lsh=True, seed=SEED)
    for number, text in enumerate(texts):
        sketch = rensa.RMinHash(num_perm=rows.HASHES, seed=SEED)
        sketch.update(list(rows.shingles(text)))
        for other in index.get_duplicates(sketch):
            yield number, int(other)
        index.add(str(number), sketch)


rows.run(found)
