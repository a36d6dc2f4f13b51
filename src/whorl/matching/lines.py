"""The lines of a text."""

from bisect import bisect_left

import numpy as np


class Lines:
    """Finds the line of a place in a text, counted from 1."""

    def __init__(self, text: str) -> None:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        self._breaks: list[int] = np.flatnonzero(codes == ord("\n")).tolist()

    def line(self, place: int) -> int:
        """The line that ``text[place]`` is in."""
        return bisect_left(self._breaks, place) + 1
