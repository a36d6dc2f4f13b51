"""The key: 128 bits from which every constant of the hashes is drawn, the same on every machine.

A public polynomial hash can be broken in under a second: colliding k-grams are found by lattice reduction. With a key
that the adversary does not know, the bounds of ``docs/decisions/0003-keyed-hashing.md`` hold.
"""

from dataclasses import dataclass, field
from hashlib import blake2b, shake_128
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.scheme import PUBLIC_KEY

SIZE = 16


@dataclass(frozen=True, slots=True)
class Key:
    """A key of 128 bits. Its secret is never shown; its id may be."""

    secret: bytes = field(repr=False)

    PUBLIC: ClassVar["Key"]

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or len(self.secret) != SIZE:
            raise InputError(f"key: {SIZE} bytes are wanted")

    @classmethod
    def random(cls) -> Self:
        """A fresh key from the system's random source."""
        from secrets import token_bytes  # most runs draw no key, and it takes long to import

        return cls(token_bytes(SIZE))

    @classmethod
    def from_hex(cls, text: str) -> Self:
        """The key written as 32 hexadecimal digits."""
        try:
            secret = bytes.fromhex(text)
        except ValueError:
            secret = b""
        if len(secret) != SIZE:
            raise InputError(f"key: {2 * SIZE} hexadecimal digits are wanted")
        return cls(secret)

    @property
    def id(self) -> str:
        """What a scheme names a key by; says nothing of the secret."""
        if self.secret == Key.PUBLIC.secret:
            return PUBLIC_KEY
        return blake2b(self.secret, digest_size=6, person=b"whorl key id").hexdigest()

    def words(self, purpose: str, count: int) -> NDArray[np.uint64]:
        """``count`` 64-bit words for one purpose; more of them begin with the same ones."""
        return np.frombuffer(self._drawn(purpose, 8 * count), "<u8").astype(np.uint64)

    def half_words(self, purpose: str, count: int) -> NDArray[np.uint32]:
        """The same in words of 32 bits."""
        return np.frombuffer(self._drawn(purpose, 4 * count), "<u4").astype(np.uint32)

    def _drawn(self, purpose: str, size: int) -> bytes:
        return shake_128(b"whorl/" + purpose.encode() + b"/" + self.secret).digest(size)


Key.PUBLIC = Key(b"whorl public key")
