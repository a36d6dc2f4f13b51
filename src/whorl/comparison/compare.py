"""``whorl.compare``: two documents in, what they have in common out."""

from pathlib import Path

import numpy as np

from whorl.fingerprinting.whole import read_whole
from whorl.hashing.key import Key
from whorl.matching.evidence import evidence, sift
from whorl.matching.likeness import Likeness, likeness
from whorl.matching.lines import Lines
from whorl.matching.passages import Readable
from whorl.model import Document
from whorl.scheme import Scheme, resolve


def compare(
    left: str | Path | bytes | Document, right: str | Path | bytes | Document, scheme: Scheme | str = "text"
) -> Likeness:
    """Compare two documents: strings are texts, paths are files, bytes are decoded.

    With only two documents at hand nothing is known to be rare, so every fingerprint weighs the same.
    """
    scheme = resolve(scheme)
    sides = _readable(left, scheme), _readable(right, scheme)
    one, two = np.unique(sides[0].evidence.hashes), np.unique(sides[1].evidence.hashes)
    shared = len(np.intersect1d(one, two, assume_unique=True))
    smaller, together = min(len(one), len(two)), len(one) + len(two) - shared
    return likeness(*sides, scheme, shared / max(1, together), shared / max(1, smaller), shared)


def _readable(document: str | Path | bytes | Document, scheme: Scheme) -> Readable:
    if not isinstance(document, Document):
        document = Document(str(document) if isinstance(document, Path) else "", document)
    whole = read_whole(document, scheme.with_key(Key.PUBLIC.id), Key.PUBLIC)
    own = evidence(sift(whole.stream, whole.fingerprints, None))
    return Readable(own, [document.name], [Lines(whole.text)])
