"""The words of a document for the deep pass, and the boundaries of its sentences."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.formats.text import TextFrontend
from whorl.matching.evidence import Evidence
from whorl.model import Hashes

# A full stop, a question or exclamation mark, quotes and brackets that close, and space; an East Asian full stop, which
# no space follows; or an empty line, which ends headings and verses.
_END = re.compile(r"[.!?…][\"')\]»”’]*\s+|[。！？]|\n\s*\n")


def beginnings(text: str, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which words, given by their starts, begin a sentence. The first one does."""
    begins = np.zeros(len(starts) + 1, np.bool_)
    ends = [0, *(match.end() for match in _END.finditer(text))]
    begins[np.searchsorted(starts, ends)] = True
    return begins[:-1]


def snap(start: int, end: int, opens: NDArray[np.bool_], most: int) -> tuple[int, int]:
    """Extend the words ``start`` to ``end`` to sentence boundaries at most ``most`` words away on each side."""
    before = np.flatnonzero(opens[max(0, start - most) : start + 1])
    after = np.flatnonzero(opens[end : end + most + 1])
    first = max(0, start - most) + int(before[-1]) if len(before) else start
    if len(after):
        return first, end + int(after[0])
    return first, len(opens) if len(opens) - end <= most else end


Places = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Minimum length of a longer word in letters. Shorter ones are mostly articles, pronouns and prepositions: stop words.
LONG_WORD = 5


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Each word's hash, file and symbols: word i has ``symbols[firsts[i] : lasts[i]]`` of the evidence.

    ``is_evidence`` is false for words of starter texts, which have no symbols. ``is_long`` marks the longer words,
    ``opens`` those that begin a sentence.
    """

    hashes: Hashes
    firsts: Places
    lasts: Places
    files: Places
    is_evidence: Flags
    is_long: Flags
    opens: Flags

    def __len__(self) -> int:
        return len(self.hashes)

    def at(self, symbols: Places) -> Places:
        """Return the words that contain these symbols."""
        return np.searchsorted(self.firsts, symbols, "right") - 1


def words(texts: Sequence[str], files: Sequence[Evidence]) -> Words:
    """Return the words of a document's files, given by their texts and their evidence."""
    shifts = np.cumsum([0, *map(len, files)]).tolist()
    rows = [
        _words(text, evidence, number, shift)
        for number, (text, evidence, shift) in enumerate(zip(texts, files, shifts, strict=False))
    ]
    if len(rows) == 1:
        return rows[0]
    columns = ("hashes", "firsts", "lasts", "files", "is_evidence", "is_long", "opens")
    return Words(*(np.concatenate([getattr(row, name) for row in (*rows, _NONE)]) for name in columns))


def _words(text: str, evidence: Evidence, number: int, shift: int) -> Words:
    stream = TextFrontend("words").stream(text)
    starts, ends = stream.starts.astype(np.int64), stream.ends.astype(np.int64)
    firsts, lasts = np.searchsorted(evidence.starts, starts), np.searchsorted(evidence.starts, ends)
    return Words(
        stream.symbols.astype(np.uint64),
        firsts + shift,
        lasts + shift,
        np.full(len(starts), number, np.int64),
        firsts < lasts,
        ends - starts >= LONG_WORD,
        beginnings(text, starts),
    )


_NO_PLACES, _NO_FLAGS = np.zeros(0, np.int64), np.zeros(0, np.bool_)
_NONE = Words(np.zeros(0, np.uint64), _NO_PLACES, _NO_PLACES, _NO_PLACES, _NO_FLAGS, _NO_FLAGS, _NO_FLAGS)
