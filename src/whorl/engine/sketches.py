"""Sketches: small immutable samples of a document's shingles that are made, merged, saved and compared."""

import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from whorl.engine.fingerprints import check_key
from whorl.engine.hashing import Key
from whorl.engine.sampling import BITS, NONE, RULES, Rule, admit, distinct, permutation, reduce, rule
from whorl.engine.shingles import Readable, identity_runs
from whorl.errors import SketchError, SketchFormatError, SketchMismatchError
from whorl.kernel import native_segments
from whorl.model import Hashes
from whorl.scheme import Scheme, resolve

VERSION = 1

MAGIC = b"WHORLSKT"

# Magic, version, kind, level, zeros, scheme, key, size, shingles, number of hashes.
_HEADER = struct.Struct("<8sIBB2x32s32sQQQ")

LONGEST_ID = 32

CHECKSUM_SIZE = 4

# A kind is stored as its index here; append new kinds at the end.
KINDS = tuple(RULES)


def pack(kind: str, level: int, scheme: str, key: str, size: int, shingles: int, hashes: Hashes) -> bytes:
    """Encode a sketch. Each sketch has exactly one encoding."""
    header = _HEADER.pack(
        MAGIC, VERSION, KINDS.index(kind), level, scheme.encode(), key.encode(), size, shingles, len(hashes)
    )
    packed = header + hashes.astype("<u8").tobytes()
    return packed + _checksum(packed)


def unpack(data: bytes) -> tuple[str, int, str, str, int, int, Hashes]:
    """Decode a sketch: kind, level, scheme, key, size, shingles and hashes."""
    if len(data) < _HEADER.size + CHECKSUM_SIZE or data[: len(MAGIC)] != MAGIC:
        raise SketchFormatError("not a sketch: the first bytes are wrong; give bytes that Sketch.to_bytes returned")
    packed, checksum = data[:-CHECKSUM_SIZE], data[-CHECKSUM_SIZE:]
    if _checksum(packed) != checksum:
        raise SketchFormatError("damaged sketch: the checksum is wrong; make it again from the document")
    _, version, kind, level, scheme, key, size, shingles, count = _HEADER.unpack_from(packed)
    if version > VERSION:
        raise SketchFormatError(
            f"sketch format {version} is newer than this Whorl, which reads up to {VERSION}: update Whorl"
        )
    hashes = np.frombuffer(packed, "<u8", offset=_HEADER.size) if len(packed) == _HEADER.size + 8 * count else None
    if version != VERSION or hashes is None or kind >= len(KINDS) or not (scheme + key).isascii():
        raise _contradiction()
    parts = KINDS[kind], level, _text(scheme), _text(key), size, shingles, hashes.astype(np.uint64)
    if pack(*parts) != data:
        raise _contradiction()
    return parts


def _contradiction() -> SketchFormatError:
    return SketchFormatError("damaged sketch: the header is inconsistent; make it again from the document")


def _text(field: bytes) -> str:
    return field.rstrip(b"\0").decode("ascii")


def _checksum(data: bytes) -> bytes:
    total = native_segments.checksum(np.frombuffer(data, np.uint8), 0)
    return total.to_bytes(CHECKSUM_SIZE, "little")


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """A sample of the permuted hashes of a document's shingles.

    ``kind`` is ``min`` (``size`` is s), ``mod`` (m) or ``adaptive`` (at most ``size`` hashes of V_``level``).
    ``hashes`` are sorted, each once. ``shingles`` counts those that were read, repeats included. ``scheme`` and ``key``
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
        kept_by = rule(self.kind, self.size)
        if any(not name.isascii() or not 0 < len(name) <= LONGEST_ID for name in (self.scheme, self.key)):
            raise SketchError(f"ids of scheme and key: give 1 to {LONGEST_ID} ASCII characters")
        hashes = np.array(self.hashes, np.uint64)
        is_sorted = hashes.ndim == 1 and bool(np.all(hashes[1:] > hashes[:-1]))
        if not is_sorted or not len(hashes) <= self.shingles < 1 << BITS or not 0 <= self.level <= BITS:
            raise SketchError("hashes must be sorted, each once, and no more than there are shingles")
        level, sample = reduce(kept_by, hashes, self.level)
        if level != self.level or len(sample) != len(hashes):
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
        """Sampling rule of the sketch."""
        return rule(self.kind, self.size)

    @property
    def is_complete(self) -> bool:
        """Whether it has every shingle of the document. Estimates from two complete sketches are exact."""
        return self.shingles == 0 or self.rule.is_everything(self.hashes, self.level)

    def union(self, *others: "Sketch") -> "Sketch":
        """Return the sketch of the union of the documents' shingles. It is exact."""
        merged = self
        for other in others:
            merged = _merged(merged, other)
        return merged

    def to_bytes(self) -> bytes:
        """Encode the sketch as ``docs/formats/sketch.md`` describes."""
        return pack(self.kind, self.level, self.scheme, self.key, self.size, self.shingles, self.hashes)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Decode a sketch. Raise SketchFormatError if the bytes are damaged or not a sketch."""
        kind, level, scheme, key, size, shingles, hashes = unpack(data)
        try:
            return cls(kind, size, level, scheme, key, shingles, hashes)
        except SketchError as error:
            raise SketchFormatError(f"damaged sketch: {error}; make it again from the document") from error


def aligned(first: Sketch, second: Sketch) -> tuple[Rule, int]:
    """Return the rule and the least level that both sketches can be reduced to. Raise if they cannot be compared."""
    for part, read in _MUST_AGREE.items():
        if read(first) != read(second):
            raise SketchMismatchError(
                f"sketches of different {part}s cannot be compared: {read(first)!r} and {read(second)!r}; "
                f"make both under one {part}"
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


# min: 256 hashes are 2 kB, and estimate a resemblance of one half to ±.06 (two standard errors).
# mod, adaptive: the paper's m of 25, and its sets of 50 to 100.
SIZES: Mapping[str, int] = {"min": 256, "mod": 25, "adaptive": 100}

# Hashes collected, at least, before they are merged into the sample: sorting fewer would be mostly calls.
WAITING = 4096

# Hashes filtered together. They stay in the cache between the steps, and the sample of one block already bounds what
# the next may add.
BLOCK = 1 << 15


@dataclass(frozen=True, slots=True)
class Sketcher:
    """Make sketches of one kind under one scheme and key."""

    rule: Rule
    scheme: Scheme
    scheme_id: str
    key: Key
    key_id: str

    def sketch(self, runs: Iterable[Hashes]) -> Sketch:
        """Sketch identities that come in runs."""
        permute, sampler = permutation(self.key), Sampler(self.rule)
        for run in runs:
            for start in range(0, len(run), BLOCK):
                sampler.add(permute(run[start : start + BLOCK]))
        return sampler.close(self.scheme_id, self.key_id)


@lru_cache(maxsize=64)
def sketcher(kind: str, size: int | None, scheme: Scheme | str, key: Key) -> Sketcher:
    """Return the sketcher of these settings. Cached: making one costs more than sketching a short page."""
    scheme = resolve(scheme)
    check_key(scheme, key)
    kept_by = rule(kind, SIZES.get(kind, 1) if size is None else size)
    return Sketcher(kept_by, scheme, scheme.id, key, key.id)


def sketch(
    document: Readable,
    kind: str = "min",
    size: int | None = None,
    scheme: Scheme | str = "pages",
    key: Key = Key.PUBLIC,
) -> Sketch:
    """Sketch a document, read piece by piece.

    ``kind`` and ``size``: ``min`` keeps the ``size`` smallest hashes, ``mod`` those that are 0 mod ``size``,
    ``adaptive`` at most ``size`` that are 0 modulo a power of two. The scheme's front-end, symbols, k and key count;
    its selector does not, because a sketch uses every shingle.
    """
    settings = sketcher(kind, size, scheme, key)
    return settings.sketch(identity_runs(document, settings.scheme, key))


def sketch_hashes(
    hashes: Hashes,
    kind: str = "min",
    size: int | None = None,
    scheme: Scheme | str = "pages",
    key: Key = Key.PUBLIC,
) -> Sketch:
    """Sketch a set of 64-bit identities: of shingles, or of any other features of any object.

    They need not be random, sorted or distinct. Equal features must have equal identities. Give features other than
    shingles a scheme of their own: only the scheme distinguishes their sketches.
    """
    if hashes.ndim != 1 or hashes.dtype != np.uint64:
        raise SketchError(f"hashes: give an array of uint64 in one dimension, not {hashes.dtype}")
    return sketcher(kind, size, scheme, key).sketch([hashes])


class Sampler:
    """Sample hashes that come in blocks, by the rule of a sketch."""

    def __init__(self, kept_by: Rule) -> None:
        self._rule = kept_by
        self._sample, self._level, self._shingles = NONE, 0, 0
        self._waiting: list[Hashes] = []
        self._count = 0

    def add(self, values: Hashes) -> None:
        """Add a block of permuted hashes."""
        self._shingles += len(values)
        admitted = admit(self._rule, values, self._sample, self._level)
        self._waiting.append(admitted)
        self._count += len(admitted)
        # Waiting for as many as the sample has makes the sorting cost n log n in all.
        if self._count >= max(WAITING, len(self._sample)):
            self._merge()

    def _merge(self) -> None:
        hashes = distinct(np.concatenate([self._sample, *self._waiting]))
        self._level, sample = reduce(self._rule, hashes, self._level)
        self._sample = sample.copy()
        self._waiting.clear()
        self._count = 0

    def close(self, scheme: str, key: str) -> Sketch:
        """Return the sketch, once all blocks are added."""
        self._merge()
        return Sketch(self._rule.kind, self._rule.size, self._level, scheme, key, self._shingles, self._sample)
