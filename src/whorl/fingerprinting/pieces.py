"""Cuts a text into pieces whose streams, one after the other, are the stream of the whole."""

from collections.abc import Iterable, Iterator
from typing import Protocol

import numpy as np

from whorl.model import Stream

# From here on an offset does not fit into 32 bits.
WIDE = 2**31


class Frontend(Protocol):
    """What the engine asks of a front-end: the stream of a text, and where the text may be cut."""

    def stream(self, text: str) -> Stream:
        """The canonical form of a text."""

    def cut(self, text: str, at: int) -> int:
        """The last place at or before ``at`` where cutting changes no symbol; 0 if there is none."""


def pieces(chunks: Iterable[str], frontend: Frontend, size: int) -> Iterator[tuple[int, str]]:
    """Pieces of about ``size`` code points, each with its offset, of a text that comes in chunks of any size."""
    offset, pending = 0, ""
    for chunk in chunks:
        text = pending + chunk
        done = 0
        while len(text) - done > size:
            length = _cut(text, done, frontend, size)
            if length == 0:
                break
            yield offset + done, text[done : done + length]
            done += length
        offset, pending = offset + done, text[done:]
    yield offset, pending


def _cut(text: str, start: int, frontend: Frontend, size: int) -> int:
    """How long a piece from ``start`` on may be; as near to ``size`` as the front-end allows, 0 if nowhere."""
    rest = len(text) - start
    while size < rest:
        # One code point beyond the cut is enough for a front-end to tell whether it belongs to what is before it.
        length = frontend.cut(text[start : start + size + 1], size)
        if length:
            return length
        size *= 2
    return 0


def shifted(stream: Stream, offset: int) -> Stream:
    """The same stream, with spans that count from ``offset`` symbols of text earlier."""
    if offset == 0:
        return stream
    last = offset + (int(stream.ends[-1]) if len(stream) else 0)
    kind = np.dtype(np.int64 if last >= WIDE else np.int32)
    return Stream(
        stream.symbols,
        np.add(stream.starts, offset, dtype=kind, casting="unsafe"),
        np.add(stream.ends, offset, dtype=kind, casting="unsafe"),
    )
