"""Sentences, as far as an edge needs them: where they begin, and whether one begins near a place."""

import re

import numpy as np
from numpy.typing import NDArray

# A full stop, a question or exclamation mark, quotes and brackets that close, and space; an East Asian full stop, which
# no space follows; or an empty line, which ends headings and verses.
_END = re.compile(r"[.!?…][\"')\]»”’]*\s+|[。！？]|\n\s*\n")


def beginnings(text: str, starts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which words, given by where they start, begin a sentence. The first one does."""
    found = np.zeros(len(starts) + 1, np.bool_)
    ends = [0, *(match.end() for match in _END.finditer(text))]
    found[np.searchsorted(starts, ends)] = True
    return found[:-1]


def snap(start: int, end: int, opens: NDArray[np.bool_], most: int) -> tuple[int, int]:
    """Words ``start`` to ``end`` moved out to where a sentence begins and one ends, if that is at most ``most`` words
    away on each side."""
    before = np.flatnonzero(opens[max(0, start - most) : start + 1])
    after = np.flatnonzero(opens[end : end + most + 1])
    first = max(0, start - most) + int(before[-1]) if len(before) else start
    if len(after):
        return first, end + int(after[0])
    return first, len(opens) if len(opens) - end <= most else end
