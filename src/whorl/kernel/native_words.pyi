"""Hash the words of a text. Defined by ``tests/kernel/specification/words.py``."""

import numpy as np
from numpy.typing import NDArray

def words(
    items: NDArray[np.uint8] | NDArray[np.uint32],
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int32]]:
    """Return the hash of each word, and the indices of its first item and of the one after its last.

    Items are entries of a table of words: letters, digits, separators, apostrophes.
    """

def place(
    firsts: NDArray[np.int32], ends: NDArray[np.int32], item_starts: NDArray[np.int32], item_ends: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the start and end of each word in the text, from the spans of its first and last item."""

def spelled(
    data: NDArray[np.uint8], bounds: NDArray[np.int64], entries: NDArray[np.uint32]
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the word hashes of several texts in UTF-8, the bounds of each text's, and the parts that were left out.

    Texts are divided at ``bounds``; reading stops at one that is not well-formed. A part needs the general walk: its
    row has the number of words before it, and its start and end in ``data``.
    """

def program_words(data: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return the hash of each word of a program in UTF-8: letters, digits, underscores, and all that is not ASCII."""

def repetitions(words: NDArray[np.uint64], reach: int) -> NDArray[np.uint64]:
    """Return for each few words in a row which of the ``reach`` words before it each of them repeats.

    A word has a bit for each of those, the lowest for the nearest. Rows have as many words as fit into 64 bits, the
    first of them highest. ``reach`` is 1 to 32.
    """
