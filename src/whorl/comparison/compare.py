"""``whorl.compare``: two documents in, what they have in common out."""

from pathlib import Path

import numpy as np

from whorl.errors import InputError
from whorl.fingerprinting.whole import read_whole
from whorl.hashing.key import Key
from whorl.matching.deep.likeness import Prose, check_prose, deep_likeness
from whorl.matching.deep.words import words
from whorl.matching.evidence import evidence, sift
from whorl.matching.likeness import Likeness, likeness
from whorl.matching.lines import Lines
from whorl.matching.passages import Readable
from whorl.model import Document
from whorl.scheme import Scheme, resolve


def compare(
    left: str | Path | bytes | Document,
    right: str | Path | bytes | Document,
    scheme: Scheme | str = "text",
    *,
    deep: bool = False,
    summaries: bool = False,
) -> Likeness:
    """Compare two documents: strings are texts, paths are files, bytes are decoded.

    With only two documents at hand nothing is known to be rare, so every fingerprint weighs the same. ``deep`` finds
    the passages of prose whose words were changed as well; ``summaries``, with it, those that were drawn together from
    a long text.
    """
    scheme = resolve(scheme)
    if summaries and not deep:
        raise InputError("summaries: the deep pass finds them; give deep too")
    if deep:
        check_prose(scheme)
    sides = _read(left, scheme), _read(right, scheme)
    one, two = (np.unique(readable.evidence.hashes) for readable, _ in sides)
    shared = len(np.intersect1d(one, two, assume_unique=True))
    smaller, together = min(len(one), len(two)), len(one) + len(two) - shared
    measures = shared / max(1, together), shared / max(1, smaller), shared
    if not deep:
        return likeness(sides[0][0], sides[1][0], scheme, *measures)
    prose = [Prose(readable, words([text], [readable.evidence])) for readable, text in sides]
    return deep_likeness(prose[0], prose[1], scheme, *measures, summarised=summaries)


def _read(document: str | Path | bytes | Document, scheme: Scheme) -> tuple[Readable, str]:
    """What can be matched of a document, and its text."""
    if not isinstance(document, Document):
        document = Document(str(document) if isinstance(document, Path) else "", document)
    whole = read_whole(document, scheme.with_key(Key.PUBLIC.id), Key.PUBLIC)
    own = evidence(sift(whole.stream, whole.fingerprints, None))
    return Readable(own, [document.name], [Lines(whole.text)]), whole.text
