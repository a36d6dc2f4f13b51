"""Words in plain Python: the specification that ``native_words`` must equal.

Items are the values that a table for words gives, see ``text``: letters, digits, separators, apostrophes.
"""

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise

import numpy as np

from tests.kernel.specification.text import LAST_DIGIT, Array
from whorl.kernel.constants import APOSTROPHE, BINDS, BREAK, EXPANDS, NUMBER, SOLO, SYMBOL, VALUE

# The word hash takes a word's letters in UTF-8, eight bytes at a time, two times at the least: nearly every word is
# done then. No letter has a zero byte, so zeros fill up what is short. Eight bytes cost an xor, a multiplication and a
# shift that brings the high half down. A step is bijective in the state and in the eight bytes, so words of up to eight
# bytes never collide with each other, and others that differ stay apart until 64 bits of luck bring them together:
# among a hundred million different words, one chance in 3,700 that any two collide. The constants are odd or without
# structure (the digits of pi, the golden ratio, the multiplier of a published mixer), and public: who wants two words
# to collide can make such words. That only makes his own text look like another.
SEED, MIX, CLOSE = 0x243F6A8885A308D3, 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
BLOCK, BLOCKS = 8, 2
MASK = (1 << 64) - 1


def words(items: Array) -> tuple[Array, Array, Array]:
    """The hash of each word, the index of its first item, and that of its last plus one."""
    spans = list(_words(items.tolist()))
    hashes = [
        word_hash([item & SYMBOL for item in items[first:end].tolist() if item != APOSTROPHE]) for first, end in spans
    ]
    return (
        np.array(hashes, np.uint64),
        np.array([first for first, _ in spans], np.int32),
        np.array([end for _, end in spans], np.int32),
    )


def place(firsts: Array, ends: Array, item_starts: Array, item_ends: Array) -> tuple[Array, Array]:
    """Where each word starts and ends in the text, from the spans of its first and last item."""
    return item_starts[firsts], item_ends[ends - 1]


def spelled(data: Array, bounds: Array, entries: Array) -> tuple[Array, Array, Array]:
    """The words of several texts in UTF-8, one after the other, and where those of each text end. The texts follow each
    other in ``data``, divided at ``bounds``. Reading stops at one that is not well-formed.

    What only the general walk can read is left out: around each code point that is more than a value of its own, all
    that a text must not be divided in. Of each such part: how many words stand before it, and its bytes in ``data``.
    """
    hashes: list[int] = []
    ends, parts = [0], list[tuple[int, int, int]]()
    for start, end in pairwise(bounds.tolist()):
        try:
            text = data[start:end].tobytes().decode()
        except UnicodeDecodeError:
            break
        places = list(accumulate((len(character.encode()) for character in text), initial=start))
        values = entries[[ord(character) for character in text]].tolist()
        at = 0
        for first, last in _hard(values):
            hashes += _plain(values[at:first])
            parts.append((len(hashes), places[first], places[last]))
            at = last
        hashes += _plain(values[at:])
        ends.append(len(hashes))
    return np.array(hashes, np.uint64), np.array(ends, np.int64), np.array(parts, np.int64).reshape(-1, 3)


def _plain(entries: list[int]) -> list[int]:
    """The words of code points that are a value each, or none."""
    hashes: list[int] = words(np.array([entry & VALUE for entry in entries if entry & VALUE], np.uint32))[0].tolist()
    return hashes


def _hard(entries: list[int]) -> Iterator[tuple[int, int]]:
    """First and last plus one of each part that is left to the general walk."""
    end = 0
    for at, entry in enumerate(entries):
        if entry >= EXPANDS and at >= end:
            start, end = at, at + 1
            while start > 0 and entries[start] & BINDS:
                start -= 1
            while end < len(entries) and entries[end] & BINDS:
                end += 1
            yield start, end


def program_words(data: Array) -> Array:
    """The hash of each word of a program in UTF-8: letters, digits and underscores, and all that is not ASCII."""
    return np.array([_hashed(word) for word in re.findall(rb"[\w\x80-\xff]+", data.tobytes())], np.uint64)


def repetitions(words: Array, reach: int) -> Array:
    """For each few words in a row, which of the ``reach`` words before it each of them repeats: a bit for each, the
    lowest for the nearest. Rows have as many words as fit into 64 bits, the first of them highest."""
    repeated = [
        sum(1 << distance - 1 for distance in range(1, min(reach, at) + 1) if words[at - distance] == word)
        for at, word in enumerate(words)
    ]
    length = 64 // reach
    rows = [
        sum(repeated[at + place] << reach * (length - 1 - place) for place in range(length))
        for at in range(len(words) - length + 1)
    ]
    return np.array(rows, np.uint64)


def word_hash(letters: list[int]) -> int:
    """The 64-bit symbol of a word."""
    return _hashed("".join(map(chr, letters)).encode())


def _hashed(data: bytes) -> int:
    state = SEED
    for start in range(0, max(len(data), BLOCK * BLOCKS), BLOCK):
        state = _mixed(state, int.from_bytes(data[start : start + BLOCK], "little"))
    state = state * CLOSE & MASK
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
