"""A document's search fingerprint: what is looked up, and what its stored fingerprint is drawn from."""

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from whorl.fingerprinting.ahead import Ahead
from whorl.fingerprinting.engine import select_streams
from whorl.fingerprinting.prolog import without_prolog
from whorl.frontends.reading import choose
from whorl.hashing.key import Key
from whorl.model import Document
from whorl.scheme import Scheme

# Bytes of the digest of a fingerprint: two of a million have the same one by accident once in 10^7 registries.
DIGEST = 8


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A document that was read: the hashes of its search fingerprint, ascending, each once, in the bits that the scheme
    keeps of them; its length in symbols, its prolog left out; and what was not as usual."""

    document: Document
    hashes: NDArray[np.uint64]
    symbols: int
    notes: tuple[str, ...]

    @property
    def digest(self) -> bytes:
        """Two readings with the same digest have the same fingerprint."""
        return blake2b(self.hashes.astype("<u8").tobytes(), digest_size=DIGEST, person=b"whorl registry").digest()


def read(document: Document, scheme: Scheme, key: Key) -> Reading:
    """Read a document of any format. Raises ``DocumentError`` if it cannot be read."""
    frontend = choose(scheme, document).frontend
    streams = without_prolog(map(frontend.read, frontend.pieces(document)), scheme.prolog)
    with Ahead(1) as ahead:
        found = select_streams(streams, scheme, key, ahead)
    return Reading(document, np.unique(narrowed(found.hashes, scheme)), found.symbols, found.notes)


def narrowed(hashes: NDArray[np.uint64], scheme: Scheme) -> NDArray[np.uint64]:
    """The upper bits of hashes, as many as the scheme keeps."""
    return hashes >> np.uint64(64 - width(scheme))


def width(scheme: Scheme) -> int:
    """How many bits of a hash are kept."""
    return 64 if scheme.bits is None else scheme.bits
