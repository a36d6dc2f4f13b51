"""UTF-8 to code points: the specification of ``native_utf8``."""

import numpy as np
from numpy.typing import NDArray


def code_points(data: NDArray[np.uint8]) -> tuple[NDArray[np.uint32], int]:
    """The code points of the longest well-formed beginning, and how many bytes it has."""
    encoded = data.tobytes()
    try:
        text, valid = encoded.decode("utf-8"), len(encoded)
    except UnicodeDecodeError as error:
        valid = error.start
        text = encoded[:valid].decode("utf-8")
    return np.array([ord(character) for character in text], np.uint32), valid


def well_formed(data: NDArray[np.uint8]) -> tuple[int, int]:
    """How many bytes the longest well-formed beginning has, and how many code points."""
    codes, valid = code_points(data)
    return valid, len(codes)
