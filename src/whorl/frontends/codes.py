"""Texts as arrays of code points: what the text front-end walks over. Eight bits a code point if all are ASCII."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Codes: TypeAlias = NDArray[np.uint8] | NDArray[np.uint32]


def of_text(text: str) -> Codes:
    """The code points of a string, lone surrogates included."""
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), np.uint8)
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))


def utf8_length(codes: Codes) -> int:
    """How many bytes these code points take in UTF-8."""
    return len(codes) + sum(int(np.count_nonzero(codes > last)) for last in (0x7F, 0x7FF, 0xFFFF))
