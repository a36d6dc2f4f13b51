"""Words, compiled. Specification: ``tests/kernel/specification/words.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.whorl.kernel.spelling import (
    whorl_begin_hashing,
    whorl_begin_spelling,
    whorl_end_hashing,
    whorl_hashing,
    whorl_spell,
    whorl_spelling,
    whorl_take,
    whorl_take_byte,
)
from cython.cimports.whorl.kernel.text_layout import APOSTROPHE, LAST_DIGIT, NUMBER, SOLO, SYMBOL, Words, item_t


def words(items: cython.const[item_t][::1]):
    n: cython.Py_ssize_t = items.shape[0]
    at: cython.Py_ssize_t = 0
    spans = cython.declare(Words)
    spans.count = 0
    room = n // 4 + 64  # prose has a word in six letters; where each letter is one, the room is doubled twice
    hashes = np.empty(room, np.uint64)
    firsts = np.empty(room, np.int32)
    ends = np.empty(room, np.int32)
    while True:
        _open_words(cython.address(spans), hashes, firsts, ends)
        if n:
            with cython.nogil:
                at = _hash_words(cython.address(items[0]), at, n, cython.address(spans))
        if at == n:
            return hashes[: spans.count], firsts[: spans.count], ends[: spans.count]
        room *= 2
        hashes = _grown(hashes, room)
        firsts = _grown(firsts, room)
        ends = _grown(ends, room)


def place(
    firsts: cython.const[int32_t][::1],
    ends: cython.const[int32_t][::1],
    item_starts: cython.const[int32_t][::1],
    item_ends: cython.const[int32_t][::1],
):
    n: cython.Py_ssize_t = firsts.shape[0]
    i: cython.Py_ssize_t
    word_starts = np.empty(n, np.int32)
    word_ends = np.empty(n, np.int32)
    start: int32_t[::1] = word_starts
    end: int32_t[::1] = word_ends
    with cython.nogil:
        for i in range(n):
            start[i] = item_starts[firsts[i]]
            end[i] = item_ends[ends[i] - 1]
    return word_starts, word_ends


def spelled(data: cython.const[uint8_t][::1], bounds: cython.const[int64_t][::1], entries: cython.const[uint32_t][::1]):
    texts: int64_t = bounds.shape[0] - 1
    n: int64_t = data.shape[0]
    i: int64_t = 0
    part: int64_t = 0
    # A word has a byte at least, and another parts it from the next of its text; a part that is left has two at least.
    hashes = np.empty(n // 2 + texts + 1, np.uint64)
    firsts = np.empty(n // 2 + texts + 1, np.int32)
    parts = np.empty((n // 2 + 1, 3), np.int64)
    ends = np.zeros(texts + 1, np.int64)
    hash_room: uint64_t[::1] = hashes
    first_room: int32_t[::1] = firsts
    part_room: int64_t[:, ::1] = parts
    end: int64_t[::1] = ends
    spelling = cython.declare(whorl_spelling)
    spelling.entries = cython.address(entries[0])
    spelling.hashes = cython.address(hash_room[0])
    spelling.firsts = cython.address(first_room[0])
    spelling.parts = cython.address(part_room[0, 0])
    spelling.count = 0
    spelling.left = 0
    if n:
        with cython.nogil:
            whorl_begin_spelling(cython.address(spelling))
            while i < texts and whorl_spell(
                cython.address(spelling), cython.address(data[0]) + bounds[i], bounds[i + 1] - bounds[i]
            ):
                while part < spelling.left:
                    part_room[part, 1] += bounds[i]
                    part_room[part, 2] += bounds[i]
                    part += 1
                i += 1
                end[i] = spelling.count
    else:
        i = texts
    return hashes[: end[i]], ends[: i + 1], parts[:part]


def program_words(data: cython.const[uint8_t][::1]):
    n: cython.Py_ssize_t = data.shape[0]
    i: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    is_inside: cython.bint = False
    hashes = np.empty((n + 1) // 2, np.uint64)
    out: uint64_t[::1] = hashes
    hashing: whorl_hashing
    with cython.nogil:
        for i in range(n):
            if _is_of_word(data[i]):
                if not is_inside:
                    hashing = whorl_begin_hashing()
                    is_inside = True
                whorl_take_byte(cython.address(hashing), data[i])
            elif is_inside:
                out[count] = whorl_end_hashing(cython.address(hashing))
                count += 1
                is_inside = False
        if is_inside:
            out[count] = whorl_end_hashing(cython.address(hashing))
            count += 1
    return hashes[:count].copy()


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_of_word(byte: uint8_t) -> cython.bint:
    """Return whether a byte is one of a letter, a digit or an underscore; of all that is not ASCII, each is."""
    return 97 <= byte <= 122 or 65 <= byte <= 90 or 48 <= byte <= 57 or byte == 95 or byte >= 128


def repetitions(words: cython.const[uint64_t][::1], reach: cython.int):
    n: cython.Py_ssize_t = words.shape[0]
    length: cython.Py_ssize_t = 64 // reach
    i: cython.Py_ssize_t
    distance: cython.Py_ssize_t
    repeated: uint64_t
    row: uint64_t = 0
    unused: cython.int = 64 - reach * length
    rows = np.empty(max(0, n - length + 1), np.uint64)
    out: uint64_t[::1] = rows
    with cython.nogil:
        for i in range(n):
            repeated = 0
            for distance in range(1, min(cython.cast(cython.Py_ssize_t, reach), i) + 1):
                repeated |= cython.cast(uint64_t, words[i] == words[i - distance]) << (distance - 1)
            row = row << reach | repeated
            if i >= length - 1:
                out[i - length + 1] = row << unused >> unused
    return rows


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _hash_words(
    items: cython.pointer[cython.const[item_t]],
    at: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    spans: cython.pointer[Words],
) -> cython.Py_ssize_t:
    """Finds the words from ``at`` on; gives back ``n``, or where to go on when there is more room."""
    hashing: whorl_hashing
    while at < n and spans.count < spans.room:
        if items[at] <= APOSTROPHE:
            at += 1
            continue
        spans.firsts[spans.count] = at
        hashing = whorl_begin_hashing()
        whorl_take(cython.address(hashing), items[at] & SYMBOL)
        at += 1
        if items[at - 1] < SOLO:
            while at < n:
                if APOSTROPHE < items[at] < SOLO:
                    whorl_take(cython.address(hashing), items[at] & SYMBOL)
                elif not _inside(items, at, n):
                    break
                at += 1
        spans.hashes[spans.count] = whorl_end_hashing(cython.address(hashing))
        spans.ends[spans.count] = at
        spans.count += 1
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _inside(items: cython.pointer[cython.const[item_t]], at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.bint:
    """Return whether the item is an apostrophe between two letters; there is one before it."""
    return items[at] == APOSTROPHE and at + 1 < n and _letter(items[at - 1]) and _letter(items[at + 1])


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _letter(item: uint32_t) -> cython.bint:
    return LAST_DIGIT < item < NUMBER


@cython.cfunc
def _open_words(spans: cython.pointer[Words], hashes: uint64_t[::1], firsts: int32_t[::1], ends: int32_t[::1]):
    spans.hashes = cython.address(hashes[0])
    spans.firsts = cython.address(firsts[0])
    spans.ends = cython.address(ends[0])
    spans.room = hashes.shape[0]


def _grown(array, room):
    grown = np.empty(room, array.dtype)
    grown[: len(array)] = array
    return grown
