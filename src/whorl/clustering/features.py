"""Any objects: what is no text clusters by features that someone else took from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

from whorl.errors import InputError
from whorl.model import Hashes

Feature = int | str


@dataclass(frozen=True, slots=True)
class Features:
    """An object and its features: integers or strings, in any order. It is the set of them."""

    name: str
    features: Sequence[Feature]
    url: str | None = None
    date: str | None = None


def identities(features: Sequence[Feature]) -> Hashes:
    """A number of 64 bits for each feature. Integers that fit are their own; 5 and "5" differ."""
    if set(map(type, features)) == {int}:
        try:
            return np.array(features, np.int64).view(np.uint64)
        except OverflowError:
            pass  # some need all 64 bits, or more: one at a time
    return np.array([_identity(feature) for feature in features], np.uint64)


def _identity(feature: Feature) -> int:
    if isinstance(feature, str):
        return _hashed(b"s" + feature.encode("utf-8", "surrogatepass"))
    if isinstance(feature, bool) or not isinstance(feature, int | np.integer):
        raise InputError(f"features are integers or strings, not {type(feature).__name__}")
    number = int(feature)
    # Negative ones as the machine has them; what does not fit is hashed like a string.
    return number % (1 << 64) if -(1 << 63) <= number < 1 << 64 else _hashed(b"i%d" % number)


def _hashed(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")
