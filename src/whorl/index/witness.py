"""The passages of a hit: verified on the texts if the index keeps them, else what the shared fingerprints cover."""

import numpy as np
from numpy.typing import NDArray

from whorl import kernel
from whorl.catalog import FRONTENDS
from whorl.fingerprinting.whole import Whole, read_whole
from whorl.frontends.code.languages import LANGUAGES
from whorl.hashing.key import Key
from whorl.index.entry import Entry
from whorl.index.prepare import decompress
from whorl.matching.evidence import evidence, sift
from whorl.matching.likeness import likeness
from whorl.matching.lines import Lines
from whorl.matching.passage import Match, Passage, Side
from whorl.matching.passages import Readable
from whorl.model import Document, Span
from whorl.scheme import Scheme

# Added to a diagonal so that it is not negative: see ``twin_matching``.
ORIGIN = 1 << 31


def readable(name: str, whole: Whole) -> Readable:
    """A document that was read, ready to be matched."""
    return Readable(evidence(sift(whole.stream, whole.fingerprints, None)), [name], [Lines(whole.text)])


def revived(entry: Entry, data: bytes, scheme: Scheme) -> Document:
    """A stored document as one that can be read again: a program in its language, what was taken out of any other
    format as plain text."""
    text = decompress(data).decode("utf-8", "surrogatepass")
    is_program = entry.format in LANGUAGES and entry.format not in FRONTENDS.declared
    kind = entry.format if is_program or scheme.frontend == "code" else "text"
    return Document(entry.name, text, entry.url, entry.date, entry.contact, entry.owner, entry.labels, format=kind)


def stored(entry: Entry, data: bytes, scheme: Scheme, key: Key) -> tuple[Readable, str]:
    """A stored document, read again under the index's scheme, and its text."""
    whole = read_whole(revived(entry, data, scheme), scheme, key)
    return readable(entry.name, whole), whole.text


def verified(query: Readable, other: Readable, scheme: Scheme) -> tuple[Passage, ...]:
    """The passages that a query and a stored document share, verified on both."""
    return likeness(query, other, scheme, 0.0, 0.0, 0).passages


def unverified(
    query: Readable, name: str, data: bytes, hashes: NDArray[np.uint64], places: NDArray[np.uint32], k: int
) -> tuple[Passage, ...]:
    """What a query shares with a document of which only the spans of its fingerprints are kept, by the postings of the
    hashes that both have. Fingerprints on one diagonal that touch are one passage; lines are unknown, and 0."""
    order = np.lexsort((places, hashes))
    own = query.evidence
    keys = kernel.matching().seeds(own.hashes, own.places, hashes[order], places[order].astype(np.int32))
    lefts = (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
    rights = lefts - ((keys >> np.uint64(32)).astype(np.int64) - ORIGIN)
    begins = (np.diff(lefts - rights, prepend=ORIGIN * 4) != 0) | (np.diff(lefts, prepend=0) > k)
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts[1:], len(keys)) - 1
    kept, starts, ends = np.frombuffer(decompress(data), "<u4").reshape(3, -1)
    found = []
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        left = query.side(int(own.files[0]), int(lefts[first]), int(lefts[last]) + k)
        places_of = np.searchsorted(kept, [rights[first], rights[last]])
        right = Span(int(starts[places_of[0]]), int(ends[places_of[1]]))
        count = int(lefts[last] - lefts[first]) + k
        match = Match(Span(left.start, left.end), right, count)
        found.append(Passage(left, Side(name, *right, 0, 0), count, (match,)))
    return tuple(sorted(found, key=lambda passage: -passage.symbols))
