"""The words of a document: what the deep pass looks at. Files lie in one row, as their evidence does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whorl.frontends.text import TextFrontend
from whorl.matching.deep.sentences import beginnings
from whorl.matching.evidence import Evidence
from whorl.model import Hashes

Places = NDArray[np.int64]
Flags = NDArray[np.bool_]

# Letters of a longer word. Shorter ones are mostly articles, pronouns and prepositions, which an editor changes without
# noticing and which stand everywhere.
LONG = 5


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Each word's hash, file and symbols: word i has ``symbols[firsts[i] : lasts[i]]`` of the evidence.

    ``own`` tells which have any: those of sanctioned material have none, and are no evidence. ``is_long`` tells the
    longer words, ``opens`` those that begin a sentence.
    """

    hashes: Hashes
    firsts: Places
    lasts: Places
    files: Places
    own: Flags
    is_long: Flags
    opens: Flags

    def __len__(self) -> int:
        return len(self.hashes)

    def at(self, symbols: Places) -> Places:
        """The words that some symbols are in."""
        return np.searchsorted(self.firsts, symbols, "right") - 1


def words(texts: Sequence[str], files: Sequence[Evidence]) -> Words:
    """The words of a document's files, given by their texts and their evidence."""
    shifts = np.cumsum([0, *map(len, files)]).tolist()
    rows = [
        _words(text, own, number, shift)
        for number, (text, own, shift) in enumerate(zip(texts, files, shifts, strict=False))
    ]
    if len(rows) == 1:
        return rows[0]
    columns = ("hashes", "firsts", "lasts", "files", "own", "is_long", "opens")
    return Words(*(np.concatenate([getattr(row, name) for row in (*rows, _NONE)]) for name in columns))


def _words(text: str, own: Evidence, number: int, shift: int) -> Words:
    stream = TextFrontend("words").stream(text)
    starts, ends = stream.starts.astype(np.int64), stream.ends.astype(np.int64)
    firsts, lasts = np.searchsorted(own.starts, starts), np.searchsorted(own.starts, ends)
    return Words(
        stream.symbols.astype(np.uint64),
        firsts + shift,
        lasts + shift,
        np.full(len(starts), number, np.int64),
        firsts < lasts,
        ends - starts >= LONG,
        beginnings(text, starts),
    )


_NO_PLACES, _NO_FLAGS = np.zeros(0, np.int64), np.zeros(0, np.bool_)
_NONE = Words(np.zeros(0, np.uint64), _NO_PLACES, _NO_PLACES, _NO_PLACES, _NO_FLAGS, _NO_FLAGS, _NO_FLAGS)
