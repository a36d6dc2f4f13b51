"""The lines of a file, one at a time, however long the file or a line is."""

from collections.abc import Iterator
from typing import NamedTuple

from whorl.corpus.chunks import Chunks


class Line(NamedTuple):
    """A line without its end, counted from 1; None if it is longer than allowed."""

    number: int
    content: bytes | None


def lines(source: Chunks, most: int) -> Iterator[Line]:
    """Every line. One that is longer than ``most`` bytes is passed without being held."""
    number, held, size = 1, list[bytes](), 0
    while chunk := source.chunk():
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            size += len(piece)
            yield Line(number, b"".join((*held, piece)) if size <= most else None)
            number, held, size = number + 1, [], 0
        size += len(rest)
        if size <= most:
            held.append(rest)
        else:
            held.clear()
    if size:
        yield Line(number, b"".join(held) if size <= most else None)
