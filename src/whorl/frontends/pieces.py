"""Cuts a document into pieces whose streams, one after the other, are the stream of the whole.

A piece is an array of code points and its offset in the text. Where a text may be cut is the front-end's knowledge;
this module only asks for it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from whorl import kernel
from whorl.frontends.codes import Codes, of_text, utf8_length
from whorl.frontends.encoding import Encoding, detect
from whorl.frontends.source import Source

# Bytes, or characters of a string, in a piece: about a run of the engine.
PIECE = 1 << 19

# The longest part of a character that the end of a block can cut off.
INCOMPLETE = 3

# How many of the first code points a piece may have: the last place where it can be cut; 0 if it cannot.
Cut: TypeAlias = Callable[[Codes], int]


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """Consecutive code points of a document."""

    offset: int
    codes: Codes


def pieces(content: str | bytes | Path, cut: Cut, size: int | None = None) -> Iterator[Piece]:
    """The pieces of a document, at least one."""
    size = size or PIECE
    if isinstance(content, str):
        yield from _of_text(content, cut, size)
        return
    with Source(content) as source:
        encoding = detect(source.blocks())
        walk = _of_utf8 if encoding.is_plain_utf8 else _of_encoded
        yield from walk(source, encoding, cut, size)


def _of_text(text: str, cut: Cut, size: int) -> Iterator[Piece]:
    at, want = 0, size
    while True:
        codes = of_text(text[at : at + want])
        final = at + want >= len(text)
        length = len(codes) if final else cut(codes)
        if length:
            yield Piece(at, codes[:length])
            at, want = at + length, size
        elif not final:
            want *= 2
        elif at == 0:
            yield Piece(0, codes)
        if final:
            return


def _of_utf8(source: Source, encoding: Encoding, cut: Cut, size: int) -> Iterator[Piece]:
    """Well-formed UTF-8 needs no string in between."""
    at, offset, want = encoding.mark, 0, size + INCOMPLETE
    while True:
        block = source.read(at, want)
        codes, read = _utf8(block)
        final = len(block) < want
        length = len(codes) if final else cut(codes)
        if length or final:
            yield Piece(offset, codes[:length])
            at += read - utf8_length(codes[length:])
            offset, want = offset + length, size + INCOMPLETE
        else:
            want *= 2
        if final:
            return


def _utf8(block: bytes) -> tuple[Codes, int]:
    data = np.frombuffer(block, np.uint8)
    if block.isascii():
        return data, len(block)
    codes, read = kernel.utf8().code_points(data)
    return codes, read


def _of_encoded(source: Source, encoding: Encoding, cut: Cut, size: int) -> Iterator[Piece]:
    """Any other encoding, and damaged UTF-8: decoded by Python, block by block."""
    decoder = encoding.decoder()
    offset, held = 0, ""
    for block in source.blocks(encoding.mark, size):
        held += decoder.decode(block)
        codes = of_text(held)
        if length := cut(codes):
            yield Piece(offset, codes[:length])
            offset, held = offset + length, held[length:]
    yield Piece(offset, of_text(held + decoder.decode(b"", final=True)))
