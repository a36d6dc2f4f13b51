"""Keys and the hashes of k-grams: an order hash, an identity, and the winnowing paper's rolling hashes."""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from hashlib import blake2b, shake_128
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.kernel import native
from whorl.model import Symbols
from whorl.scheme import PUBLIC_KEY

SIZE = 16


@dataclass(frozen=True, slots=True)
class Key:
    """A key of 128 bits. Its secret is never shown; its id may be.

    A public polynomial hash can be broken in under a second: lattice reduction finds colliding k-grams. With a secret
    key, the bounds of ``docs/decisions/0003-keyed-hashing.md`` hold.
    """

    secret: bytes = field(repr=False)

    PUBLIC: ClassVar["Key"]

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or len(self.secret) != SIZE:
            raise InputError(f"key: give {SIZE} bytes")

    @classmethod
    def random(cls) -> Self:
        """Return a new key from the system's random source."""
        from secrets import token_bytes  # slow to import, and most runs draw no key

        return cls(token_bytes(SIZE))

    @classmethod
    def from_hex(cls, text: str) -> Self:
        """Return the key written as 32 hexadecimal digits."""
        try:
            secret = bytes.fromhex(text)
        except ValueError:
            secret = b""
        if len(secret) != SIZE:
            raise InputError(f"key: give {2 * SIZE} hexadecimal digits")
        return cls(secret)

    @property
    def id(self) -> str:
        """Name of the key in a scheme; reveals nothing about the secret."""
        if self.secret == Key.PUBLIC.secret:
            return PUBLIC_KEY
        return blake2b(self.secret, digest_size=6, person=b"whorl key id").hexdigest()

    def words(self, purpose: str, count: int) -> NDArray[np.uint64]:
        """Return ``count`` 64-bit words for one purpose. A larger count begins with the same words."""
        return np.frombuffer(self._bytes(purpose, 8 * count), "<u8").astype(np.uint64)

    def half_words(self, purpose: str, count: int) -> NDArray[np.uint32]:
        """Return ``count`` 32-bit words for one purpose."""
        return np.frombuffer(self._bytes(purpose, 4 * count), "<u4").astype(np.uint32)

    def _bytes(self, purpose: str, size: int) -> bytes:
        return shake_128(b"whorl/" + purpose.encode() + b"/" + self.secret).digest(size)


Key.PUBLIC = Key(b"whorl public key")


# A k-gram is hashed as bytes, 32-bit words or 64-bit words; each of the three has its own closing constants.
WIDTHS = 3


class Hasher:
    """Hash k-grams under one key.

    The order hash is cheap, has 32 bits and decides only which k-grams are selected. The identity has 64 bits, costs
    more, and is computed for the selected k-grams alone. Two different k-grams have the same identity with a
    probability of at most 9 / 2^64 over the choice of the key.
    """

    __slots__ = ("_closing", "_fold", "_keys", "k", "key", "rolling")

    def __init__(self, key: Key, k: int) -> None:
        self.key = key
        self.k = k
        base, offset, fold = key.words("order", 3).tolist()
        self.rolling = base & 0xFFFFFFFF | 1, offset & 0xFFFFFFFF
        self._fold = fold | 1
        # 64-bit symbols make two words of 32 bits each, and the second NH sum starts two words later.
        self._keys = key.half_words("identity", 2 * k + 4)
        self._closing = _closing(key)

    @property
    def constants(self) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
        """Keys and closing constants of the identity, for the kernel."""
        return self._keys, self._closing

    def fold(self, symbols: Symbols) -> NDArray[np.uint8]:
        """Return one byte a symbol, for the order hash; a byte is itself."""
        if symbols.dtype == np.uint8:
            return symbols
        return native.fold(symbols, self._fold)

    def order(self, folded: NDArray[np.uint8], length: int) -> NDArray[np.uint32]:
        """Return the order value of every gram of this length."""
        return native.order(folded, length, *self.rolling)

    def identity(self, symbols: Symbols, positions: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the identity of the k-gram at each position."""
        return native.identity(symbols, positions, self.k, self._keys, self._closing)


@lru_cache(maxsize=64)
def hasher(key: Key, k: int) -> Hasher:
    """Return the hasher of a key and a length. Cached: making its constants costs as much as hashing a page of text."""
    return Hasher(key, k)


def _closing(key: Key) -> NDArray[Any]:
    """Return for each width two odd multipliers, the same for all, and two summands of its own."""
    words = key.words("closing", 2 + 2 * WIDTHS)
    multipliers = words[:2] | np.uint64(1)
    return np.concatenate([np.concatenate([multipliers, words[2 + 2 * i : 4 + 2 * i]]) for i in range(WIDTHS)])


class Grams:
    """The consecutive k-grams of ``symbols``, hashed on demand. The first is number ``start`` of its document."""

    def __init__(self, symbols: Symbols, hasher: Hasher, start: int = 0) -> None:
        self.symbols = symbols
        self.hasher = hasher
        self.start = start

    def __len__(self) -> int:
        return max(0, len(self.symbols) - self.hasher.k + 1)

    @property
    def k(self) -> int:
        return self.hasher.k

    @cached_property
    def folded(self) -> NDArray[np.uint8]:
        """Symbols as bytes, for the order hash."""
        return self.hasher.fold(self.symbols)

    @cached_property
    def order(self) -> NDArray[np.uint32]:
        """Order value of each k-gram."""
        return self.hasher.order(self.folded, self.k)

    def shorter_order(self, length: int) -> NDArray[np.uint32]:
        """Return the order value of each gram of another length."""
        return self.hasher.order(self.folded, length)

    def identity(self, positions: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the identities of the k-grams at ``positions``, counted from the start of this run."""
        return self.hasher.identity(self.symbols, positions)

    @property
    def raw(self) -> NDArray[np.uint8]:
        """Memory of the symbols, ``stride`` bytes each: two k-grams are equal if their bytes are."""
        return self.symbols.view(np.uint8)

    @property
    def stride(self) -> int:
        return self.symbols.itemsize


# The winnowing paper's hashes (section 2.2), for experiments and benchmarks: Karp and Rabin's H and the improved H′,
# modulo 2^64. They are public functions and can be broken; production uses ``Hasher``.
# An odd base of 64 bits (2^64 divided by the golden ratio): a small one would leave the high bits of H empty.
BASE = 0x9E3779B97F4A7C15


def karp_rabin(symbols: Symbols, k: int, base: int = BASE) -> NDArray[np.uint64]:
    """Return H(c₁…c_k) = c₁·b^(k-1) + … + c_k, rolled from one k-gram to the next."""
    return native.karp_rabin(symbols, k, base)


def karp_rabin_improved(symbols: Symbols, k: int, base: int = BASE) -> NDArray[np.uint64]:
    """Return H′ = H·b: adding before multiplying lets the last symbol reach every bit above its own."""
    return native.karp_rabin_improved(symbols, k, base)


def karp_rabin_from_scratch(symbols: Symbols, k: int, base: int = BASE) -> NDArray[np.uint64]:
    """Return H computed anew for every k-gram: the baseline for rolling."""
    return native.karp_rabin_from_scratch(symbols, k, base)
