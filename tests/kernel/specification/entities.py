"""Entities and blank lines of a web page's text: the specification of ``native_entities``."""

import re
from html import unescape

import numpy as np
from numpy.typing import NDArray

# A number that is no character's; Python refuses to read thousands of digits.
_ENDLESS = re.compile(r"&#(?:[xX]0*+[0-9a-fA-F]{7,}+|0*+[0-9]{8,}+|[0-9]{64,}+);?+")
_BLANK_LINES = re.compile(r"\n\s*\n")


def resolve(text: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The text with its entities replaced by what they stand for, then several blank lines by one.

    The text is UTF-8, in which lone surrogates may stand.
    """
    resolved = unescape(_ENDLESS.sub("\ufffd", text.tobytes().decode("utf-8", "surrogatepass")))
    return np.frombuffer(_BLANK_LINES.sub("\n\n", resolved).encode("utf-8", "surrogatepass"), np.uint8)
