"""The tokens of a program as arrays: what a worker gives, or what the plain lexer sees."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.frontends.code.languages import language
from whorl.frontends.code.leaves import Plain, PlainNormal, plain_tokens
from whorl.frontends.code.lexer import lex


class Normal(NamedTuple):
    """The normal form of a program: symbols, their spans in code points, which may go back and forth, and the rewrites
    that touched each, as bits. After the first ``size`` of them come those of its statements as they stand. ``missing``
    says why there is none, if so; ``seconds`` is what it cost."""

    symbols: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    marks: NDArray[np.uint32]
    size: int
    missing: str = ""
    seconds: float = 0.0


class Tokens(NamedTuple):
    """Tokens and their spans, in code points of the text. ``fallback`` says why the plain lexer made them, if so.
    ``normal`` is there if it was asked for and the language has one."""

    symbols: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    fallback: str = ""
    normal: Normal | None = None


def tokens(name: str, data: bytes, normal: bool = False) -> Tokens:
    """The tokens of a program in UTF-8, in a language given by its name, read in this process."""
    return from_plain(name, data, plain_tokens(name, data, normal))


def from_plain(name: str, data: bytes, plain: Plain) -> Tokens:
    """The tokens of a program of which ``leaves`` has made this."""
    symbols, starts, ends, in_bytes, reason, second = plain
    if reason:
        return lexed(name, data, reason)
    found = Tokens(np.frombuffer(symbols, np.uint32), np.frombuffer(starts, np.int32), np.frombuffer(ends, np.int32))
    if second is not None:
        found = found._replace(normal=_normal(second))
    return _in_code_points(found, data) if in_bytes and not data.isascii() else found


def _normal(second: PlainNormal) -> Normal:
    symbols, starts, ends, marks, size, missing, seconds = second
    offsets = np.frombuffer(starts, np.int32), np.frombuffer(ends, np.int32)
    return Normal(np.frombuffer(symbols, np.uint32), *offsets, np.frombuffer(marks, np.uint32), size, missing, seconds)


def lexed(name: str, data: bytes, reason: str) -> Tokens:
    """The tokens that the plain lexer sees, for one who could not have the program read otherwise."""
    return Tokens(*lex(language(name), data.decode("utf-8", "replace")), reason)


def _in_code_points(found: Tokens, data: bytes) -> Tokens:
    """The same tokens, their spans counted in code points and no longer in bytes of UTF-8."""
    is_first = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    counts = np.cumsum(is_first, dtype=np.int32)
    starts, ends = _counted(counts, found.starts, found.ends)
    found = found._replace(starts=starts, ends=ends)
    if found.normal is None:
        return found
    starts, ends = _counted(counts, found.normal.starts, found.normal.ends)
    return found._replace(normal=found.normal._replace(starts=starts, ends=ends))


def _counted(
    counts: NDArray[np.int32], starts: NDArray[np.int32], ends: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return counts[starts] - np.int32(1), counts[ends - 1]
