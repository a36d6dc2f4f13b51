"""The tokens of a program as arrays: what a worker gives, or what the plain lexer sees."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.frontends.code.languages import language
from whorl.frontends.code.leaves import Plain, plain_tokens
from whorl.frontends.code.lexer import lex


class Tokens(NamedTuple):
    """Tokens and their spans, in code points of the text. ``fallback`` says why the plain lexer made them, if so."""

    symbols: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    fallback: str = ""


def tokens(name: str, data: bytes) -> Tokens:
    """The tokens of a program in UTF-8, in a language given by its name, read in this process."""
    return from_plain(name, data, plain_tokens(name, data))


def from_plain(name: str, data: bytes, plain: Plain) -> Tokens:
    """The tokens of a program of which ``leaves`` has made this."""
    symbols, starts, ends, in_bytes, reason = plain
    if reason:
        return lexed(name, data, reason)
    found = Tokens(np.frombuffer(symbols, np.uint32), np.frombuffer(starts, np.int32), np.frombuffer(ends, np.int32))
    return _in_code_points(found, data) if in_bytes and not data.isascii() else found


def lexed(name: str, data: bytes, reason: str) -> Tokens:
    """The tokens that the plain lexer sees, for one who could not have the program read otherwise."""
    return Tokens(*lex(language(name), data.decode("utf-8", "replace")), reason)


def _in_code_points(found: Tokens, data: bytes) -> Tokens:
    """The same tokens, their spans counted in code points and no longer in bytes of UTF-8."""
    is_first = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    counts = np.cumsum(is_first, dtype=np.int32)
    return found._replace(starts=counts[found.starts] - np.int32(1), ends=counts[found.ends - 1])
