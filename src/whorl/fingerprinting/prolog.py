"""The beginning of a document, left out: addresses, thanks, what a converter wrote (Heintze 1996, section 6.3)."""

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from whorl.model import Stream


def without_prolog(streams: Iterable[Stream], prolog: int | None) -> Iterator[Stream]:
    """The consecutive streams of a document without the symbols that begin in its first ``prolog`` characters; of a
    short document no more than its first half, so that something is left."""
    if prolog is None:
        yield from streams
        return
    rest = iter(streams)
    held, length = list[Stream](), 0
    for stream in rest:
        held.append(stream)
        length = max(length, _end(stream))
        if length >= 2 * prolog:
            break
    for stream in chain(held, rest):
        yield _from(stream, min(prolog, length // 2))


def _end(stream: Stream) -> int:
    return stream.offset + int(stream.ends[-1]) if len(stream) else 0


def _from(stream: Stream, start: int) -> Stream:
    first = int(np.searchsorted(stream.starts, start - stream.offset))
    if not first:
        return stream
    return Stream(stream.symbols[first:], stream.starts[first:], stream.ends[first:], stream.offset, stream.note)
