"""The lines of a file, one at a time or many, however long the file or a line is."""

from collections.abc import Iterator
from typing import NamedTuple

from whorl.corpus.chunks import Chunks


class Line(NamedTuple):
    """A line without its end, counted from 1; None if it is longer than allowed."""

    number: int
    content: bytes | None


def blocks(source: Chunks, most: int) -> Iterator[bytes | None]:
    """Every line, with its end, as many at a time as come. One that is longer than ``most`` bytes is passed without
    being held, if it is longer than what comes at a time: None stands for it. A shorter one may stand in a block."""
    held, size = list[bytes](), 0
    while chunk := source.chunk():
        if size > most and b"\n" in chunk:  # the line in hand ends here
            yield None
            held, size = [], 0
            chunk = chunk[chunk.index(b"\n") + 1 :]
        ended = chunk.rfind(b"\n") + 1
        if ended:
            yield b"".join((*held, chunk[:ended]))
            held, size = [], 0
        size += len(chunk) - ended
        if size <= most:
            held.append(chunk[ended:])
        else:
            held.clear()
    if size:
        yield b"".join((*held, b"\n")) if size <= most else None


def lines(source: Chunks, most: int) -> Iterator[Line]:
    """Every line. One that is longer than ``most`` bytes is told, and not held."""
    contents = (
        content for block in blocks(source, most) for content in ((None,) if block is None else block[:-1].split(b"\n"))
    )
    for number, content in enumerate(contents, 1):
        yield Line(number, content if content is not None and len(content) <= most else None)
