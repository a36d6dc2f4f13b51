"""The sketch of a document: a small immutable value that is compared, merged and saved without the document."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from whorl.model import Hashes
from whorl.sketches import layout
from whorl.sketches.faults import SketchError, SketchFormatError, SketchMismatchError
from whorl.sketches.rules import BITS, Rule, distinct, reduce, rule

# Ids are short names in ASCII; a longer one would be cut in a file.
LONGEST_ID = layout.LONGEST_ID


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """What a rule keeps of the permuted hashes of a document's shingles.

    ``kind`` is ``min`` (``size`` is s), ``mod`` (m) or ``adaptive`` (at most ``size`` hashes of V_``level``).
    ``hashes`` is sorted, each once. ``shingles`` counts those that were read, repeats included. ``scheme`` and ``key``
    are ids: sketches that differ in them are never compared.
    """

    kind: str
    size: int
    level: int
    scheme: str
    key: str
    shingles: int
    hashes: Hashes

    def __post_init__(self) -> None:
        made = rule(self.kind, self.size)
        if any(not name.isascii() or not 0 < len(name) <= LONGEST_ID for name in (self.scheme, self.key)):
            raise SketchError(f"ids of scheme and key: 1 to {LONGEST_ID} ASCII characters are wanted")
        hashes = np.array(self.hashes, np.uint64)
        is_sorted = hashes.ndim == 1 and bool(np.all(hashes[1:] > hashes[:-1]))
        if not is_sorted or not len(hashes) <= self.shingles < 1 << BITS or not 0 <= self.level <= BITS:
            raise SketchError("hashes must be sorted, each once, and no more than there are shingles")
        level, kept = reduce(made, hashes, self.level)
        if level != self.level or len(kept) != len(hashes):
            raise SketchError(f"hashes: the rule {self.kind} {self.size} would not keep all of them")
        hashes.flags.writeable = False
        object.__setattr__(self, "hashes", hashes)

    def __len__(self) -> int:
        return len(self.hashes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sketch) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash((self.kind, self.size, self.level, self.scheme, self.key, self.shingles, self.hashes.tobytes()))

    @property
    def rule(self) -> Rule:
        """What decided on the hashes."""
        return rule(self.kind, self.size)

    @property
    def is_complete(self) -> bool:
        """Whether it has every shingle of the document: then estimates from two such sketches are exact."""
        return self.shingles == 0 or self.rule.is_everything(self.hashes, self.level)

    def union(self, *others: "Sketch") -> "Sketch":
        """The sketch of all the documents taken together: exactly what sketching the union of their shingles gives."""
        merged = self
        for other in others:
            merged = _merged(merged, other)
        return merged

    def to_bytes(self) -> bytes:
        """The sketch as ``docs/formats/sketch.md`` describes it."""
        return layout.pack(self.kind, self.level, self.scheme, self.key, self.size, self.shingles, self.hashes)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The inverse of ``to_bytes``. Raises ``SketchFormatError`` if the bytes are damaged or not a sketch."""
        kind, level, scheme, key, size, shingles, hashes = layout.unpack(data)
        try:
            return cls(kind, size, level, scheme, key, shingles, hashes)
        except SketchError as error:
            raise SketchFormatError(f"damaged sketch: {error}; make it again from the document") from error


def aligned(first: Sketch, second: Sketch) -> tuple[Rule, int]:
    """The rule and the least level that both sketches can be brought to. Raises if they say nothing of each other."""
    for what, read in _MUST_AGREE.items():
        if read(first) != read(second):
            raise SketchMismatchError(
                f"sketches of different {what}s cannot be compared: {read(first)!r} and {read(second)!r}; "
                f"make both under one {what}"
            )
    return first.rule.common(second.rule), max(first.level, second.level)


_MUST_AGREE: dict[str, Callable[[Sketch], str]] = {
    "scheme": lambda sketch: sketch.scheme,
    "key": lambda sketch: sketch.key,
    "kind": lambda sketch: sketch.kind,
}


def _merged(first: Sketch, second: Sketch) -> Sketch:
    common, level = aligned(first, second)
    level, hashes = reduce(common, distinct(np.concatenate([first.hashes, second.hashes])), level)
    shingles = first.shingles + second.shingles
    return Sketch(first.kind, common.size, level, first.scheme, first.key, shingles, hashes)
