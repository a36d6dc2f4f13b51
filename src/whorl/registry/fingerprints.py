"""Read the search fingerprint of a document, and draw the part of it that is stored (Heintze 1996, section 3.3)."""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from whorl.engine.fingerprints import select_streams, without_prolog
from whorl.engine.hashing import Key
from whorl.engine.sampling import distinct
from whorl.formats.reading import choose
from whorl.model import Document
from whorl.scheme import Scheme
from whorl.threads import Prefetch


def draw(hashes: NDArray[np.uint64], scheme: Scheme, key: Key, number: int) -> NDArray[np.uint64]:
    """Return the stored fingerprint of a document, sorted: a part of its search fingerprint, or all of a short one."""
    if scheme.stored is None or len(hashes) <= scheme.stored:
        return hashes
    ranks = key.words(f"stored/{number}", len(hashes))
    return np.sort(hashes[np.argpartition(ranks, scheme.stored)[: scheme.stored]])


# Bytes of the digest of a fingerprint: two of a million documents collide in one of 10^7 registries.
DIGEST = 8


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A document that was read: the sorted distinct hashes of its search fingerprint, truncated to the scheme's bits;
    its length in symbols without the prolog; and notes about anything unusual."""

    document: Document
    hashes: NDArray[np.uint64]
    symbols: int
    notes: tuple[str, ...]

    @property
    def digest(self) -> bytes:
        """The digest of the fingerprint."""
        return blake2b(self.hashes.astype("<u8").tobytes(), digest_size=DIGEST, person=b"whorl registry").digest()


def read(document: Document, scheme: Scheme, key: Key) -> Reading:
    """Read a document of any format. Raises ``DocumentError`` if it cannot be read."""
    frontend = choose(scheme, document).frontend
    streams = without_prolog(map(frontend.read, frontend.pieces(document)), scheme.prolog)
    with Prefetch(1) as ahead:
        fingerprints = select_streams(streams, scheme, key, ahead)
    return Reading(document, distinct(truncate(fingerprints.hashes, scheme)), fingerprints.symbols, fingerprints.notes)


def truncate(hashes: NDArray[np.uint64], scheme: Scheme) -> NDArray[np.uint64]:
    """Return the upper bits of hashes, as many as the scheme stores."""
    return hashes >> np.uint64(64 - width(scheme))


def width(scheme: Scheme) -> int:
    """Return the number of bits of a stored hash."""
    return 64 if scheme.bits is None else scheme.bits
