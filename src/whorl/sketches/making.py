"""From a document, or from hashes at hand, to its sketch. What is held is a piece of the document and the sketch."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from whorl.fingerprinting.fingerprint import check_key
from whorl.hashing.key import Key
from whorl.model import Hashes
from whorl.scheme import Scheme, resolve
from whorl.sketches.faults import SketchError
from whorl.sketches.permutation import permutation
from whorl.sketches.rules import NONE, Rule, admit, distinct, reduce, rule
from whorl.sketches.shingles import Readable, identity_runs
from whorl.sketches.sketch import Sketch

# min: 256 hashes are 2 kB, and a resemblance of one half is told to ±.06 (two standard errors).
# mod, adaptive: the paper's m of 25, and its sets of 50 to 100.
SIZES: Mapping[str, int] = {"min": 256, "mod": 25, "adaptive": 100}

# Hashes that wait, at the least, before they are sorted into what is kept: sorting fewer would be mostly calls.
WAITING = 4096

# Hashes that are looked at together. They stay in the cache between the steps, and what is kept of one block already
# bounds what the next may add.
BLOCK = 1 << 15


@dataclass(frozen=True, slots=True)
class Recipe:
    """What all sketches of one kind, under one scheme and key, have in common."""

    rule: Rule
    scheme: Scheme
    scheme_id: str
    key: Key
    key_id: str

    def sketch(self, runs: Iterable[Hashes]) -> Sketch:
        """The sketch of identities that come in runs."""
        permute, gathering = permutation(self.key), Gathering(self.rule)
        for run in runs:
            for start in range(0, len(run), BLOCK):
                gathering.add(permute(run[start : start + BLOCK]))
        return gathering.close(self.scheme_id, self.key_id)


@lru_cache(maxsize=64)
def recipe(kind: str, size: int | None, scheme: Scheme | str, key: Key) -> Recipe:
    """Drawing up a recipe costs more than sketching a short page by it."""
    scheme = resolve(scheme)
    check_key(scheme, key)
    made = rule(kind, SIZES.get(kind, 1) if size is None else size)
    return Recipe(made, scheme, scheme.id, key, key.id)


def sketch(
    document: Readable,
    kind: str = "min",
    size: int | None = None,
    scheme: Scheme | str = "web",
    key: Key = Key.PUBLIC,
) -> Sketch:
    """The sketch of a document, which is read piece by piece.

    ``kind`` and ``size``: ``min`` keeps the ``size`` smallest hashes, ``mod`` those that are 0 mod ``size``,
    ``adaptive`` at most ``size`` that are 0 modulo a power of two. Of a scheme, the front-end, the symbols, k and the
    key count; its selector does not, for a sketch looks at every shingle.
    """
    made = recipe(kind, size, scheme, key)
    return made.sketch(identity_runs(document, made.scheme, key))


def sketch_hashes(
    hashes: Hashes,
    kind: str = "min",
    size: int | None = None,
    scheme: Scheme | str = "web",
    key: Key = Key.PUBLIC,
) -> Sketch:
    """The sketch of a set of 64-bit identities: of shingles, or of any other features of any object.

    They need not be random, sorted or distinct. Equal features must have equal identities. Sketches of other features
    than a document's shingles are told apart by their scheme alone: give them one of their own.
    """
    if hashes.ndim != 1 or hashes.dtype != np.uint64:
        raise SketchError(f"hashes: an array of uint64 in one dimension is wanted, not {hashes.dtype}")
    return recipe(kind, size, scheme, key).sketch([hashes])


class Gathering:
    """What a rule keeps of hashes that come in blocks."""

    def __init__(self, kept_by: Rule) -> None:
        self._rule = kept_by
        self._kept, self._level, self._shingles = NONE, 0, 0
        self._waiting: list[Hashes] = []
        self._count = 0

    def add(self, values: Hashes) -> None:
        """Look at a block of permuted hashes."""
        self._shingles += len(values)
        admitted = admit(self._rule, values, self._kept, self._level)
        self._waiting.append(admitted)
        self._count += len(admitted)
        # Waiting for as many as are kept makes the sorting cost n log n in all.
        if self._count >= max(WAITING, len(self._kept)):
            self._sort_in()

    def _sort_in(self) -> None:
        together = distinct(np.concatenate([self._kept, *self._waiting]))
        self._level, kept = reduce(self._rule, together, self._level)
        self._kept = kept.copy()
        self._waiting.clear()
        self._count = 0

    def close(self, scheme: str, key: str) -> Sketch:
        """The sketch, once all blocks are in."""
        self._sort_in()
        return Sketch(self._rule.kind, self._rule.size, self._level, scheme, key, self._shingles, self._kept)
