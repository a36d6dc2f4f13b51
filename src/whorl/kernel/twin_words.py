"""Words in plain Python: the specification that ``native_words`` must equal.

Items are the values that a table for words gives, see ``twin_text``: letters, digits, separators, apostrophes.
"""

from collections.abc import Iterator

import numpy as np

from whorl.kernel.twin_text import APOSTROPHE, BREAK, LAST_DIGIT, NUMBER, SOLO, SYMBOL, Array

# The word hash. Three states take the letters in turn (one would make each letter wait for the multiplication of the
# one before); a letter costs an xor, a multiplication and a shift that brings the high half down, and at the end the
# states are mixed into one. A step is bijective in the state, so words that differ stay apart until 64 bits of luck
# bring them together: among a hundred million different words, one chance in 3,700 that any two collide. The constants
# are odd or without structure (the digits of pi, the golden ratio, the multiplier of a published mixer), and public:
# who wants two words to collide can make such words. That only makes his own text look like another.
SEEDS = (0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0)
MIX, CLOSE = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
MASK = (1 << 64) - 1


def words(items: Array) -> tuple[Array, Array, Array]:
    """The hash of each word, the index of its first item, and that of its last plus one."""
    found = list(_words(items.tolist()))
    hashes = [
        word_hash([item & SYMBOL for item in items[first:end].tolist() if item != APOSTROPHE]) for first, end in found
    ]
    return (
        np.array(hashes, np.uint64),
        np.array([first for first, _ in found], np.int32),
        np.array([end for _, end in found], np.int32),
    )


def place(firsts: Array, ends: Array, item_starts: Array, item_ends: Array) -> tuple[Array, Array]:
    """Where each word starts and ends in the text, from the spans of its first and last item."""
    return item_starts[firsts], item_ends[ends - 1]


def word_hash(letters: list[int]) -> int:
    """The 64-bit symbol of a word."""
    a, b, c = SEEDS
    for letter in letters:
        a, b, c = b, c, _mixed(a, letter)
    state = _mixed(_mixed(a, b), c) * CLOSE & MASK
    return state ^ state >> 29


def _mixed(state: int, value: int) -> int:
    state = (state ^ value) * MIX & MASK
    return state ^ state >> 32


def _words(items: list[int]) -> Iterator[tuple[int, int]]:
    """First item and end of each word. An apostrophe with a letter on either side is inside its word."""
    first, end = 0, 0  # the open word; none if they are equal
    for at, item in enumerate(items):
        if item == APOSTROPHE and end == at > first and _is_letter(items[at - 1]):
            continue
        is_inside = item not in (BREAK, APOSTROPHE) and not item & SOLO
        touches = end == at or (end == at - 1 and _is_letter(item))
        if first < end and not (is_inside and touches):
            yield first, end
            first = end = at
        if item & SOLO:
            yield at, at + 1
            first = end = at + 1
        elif is_inside:
            first, end = (first if first < end else at), at + 1
    if first < end:
        yield first, end


def _is_letter(item: int) -> bool:
    return item > LAST_DIGIT and not item & NUMBER
