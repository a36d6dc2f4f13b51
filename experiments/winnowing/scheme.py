"""The scheme of the paper's experiments: k-grams of 50 characters, windows of 100, 0 mod 50."""

import numpy as np
from numpy.typing import NDArray

import whorl
from experiments.reproduction.setting import paper

K: int = paper("winnowing")["random_text"]["k"]
W: int = paper("winnowing")["random_text"]["w"]
P: int = paper("winnowing")["random_text"]["p"]

WINNOW = whorl.Scheme(k=K, w=W, select="winnow")
ROBUST = whorl.Scheme(k=K, w=W, select="robust")
MOD = whorl.Scheme(k=K, p=P, select="mod")
FULL = whorl.Scheme(k=K, select="full")

# What theory says of winnowing (section 3.1).
EXPECTED = 2 / (W + 1)

LETTERS = 26


def random_text(count: int, seed: int) -> NDArray[np.uint8]:
    """So many random letters, as symbols."""
    return np.random.default_rng(seed).integers(LETTERS, size=count, dtype=np.uint8)


def longest_run(found: whorl.Fingerprints) -> int:
    """Return the most hashes in a row of which none was selected, before the first and after the last included."""
    edges = np.concatenate([[-1], found.positions, [found.grams]])
    return int(np.diff(edges).max()) - 1
