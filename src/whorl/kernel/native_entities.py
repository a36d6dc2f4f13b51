"""Character references of a web page, compiled. Specification: ``tests/kernel/specification/entities.py``."""

from html import unescape
from html.entities import html5

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, uint8_t, uint32_t
from cython.cimports.libc.string import memcpy, memmove
from cython.cimports.whorl.kernel.html_layout import BEYOND, NO_NUMBER, REPLACEMENT, Entities, find

NAMES = sorted(name.encode() for name in html5)
VALUES = [html5[name.decode()].encode() for name in NAMES]
# The numbers of C1 controls mean what these bytes are in cp1252.
CONTROLS = np.array([ord(unescape(f"&#{number};")) for number in range(0x80, 0xA0)], np.uint32)


def _offsets(parts):
    return np.cumsum([0, *map(len, parts)], dtype=np.int32)


NAME_POOL, NAME_OFFSETS = np.frombuffer(b"".join(NAMES), np.uint8), _offsets(NAMES)
VALUE_POOL, VALUE_OFFSETS = np.frombuffer(b"".join(VALUES), np.uint8), _offsets(VALUES)


def resolve(text: cython.const[uint8_t][::1]):
    n: cython.Py_ssize_t = text.shape[0]
    names: cython.const[uint8_t][::1] = NAME_POOL
    name_offsets: cython.const[int32_t][::1] = NAME_OFFSETS
    values: cython.const[uint8_t][::1] = VALUE_POOL
    value_offsets: cython.const[int32_t][::1] = VALUE_OFFSETS
    controls: cython.const[uint32_t][::1] = CONTROLS
    resolved = np.empty(n + n // 5 + 1, np.uint8)  # two entities grow by a fifth, &nGt; and &nLt;; no other grows
    out: uint8_t[::1] = resolved
    length: cython.Py_ssize_t = 0
    entities = cython.declare(Entities)
    entities.names = cython.address(names[0])
    entities.name_offsets = cython.address(name_offsets[0])
    entities.values = cython.address(values[0])
    entities.value_offsets = cython.address(value_offsets[0])
    entities.count = name_offsets.shape[0] - 1
    if n:
        with cython.nogil:
            length = _resolve(
                cython.address(text[0]),
                n,
                cython.address(entities),
                cython.address(controls[0]),
                cython.address(out[0]),
            )
            length = _collapse(cython.address(out[0]), length)
    return resolved[:length]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _resolve(
    text: cython.pointer[cython.const[uint8_t]],
    n: cython.Py_ssize_t,
    entities: cython.pointer[Entities],
    controls: cython.pointer[cython.const[uint32_t]],
    out: cython.pointer[uint8_t],
) -> cython.Py_ssize_t:
    at: cython.Py_ssize_t = 0
    mark: cython.Py_ssize_t
    length: cython.Py_ssize_t = 0
    while True:
        mark = find(text, at, n, b"&")
        memcpy(out + length, text + at, mark - at)
        length += mark - at
        if mark == n:
            return length
        at = mark + 1
        if at < n and text[at] == b"#":
            at = _number(text, at + 1, n, controls, out, cython.address(length))
        else:
            at = _named(text, at, n, entities, out, cython.address(length))
        if at == mark + 1:
            out[length] = b"&"
            length += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _number(
    text: cython.pointer[cython.const[uint8_t]],
    at: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    controls: cython.pointer[cython.const[uint32_t]],
    out: cython.pointer[uint8_t],
    length: cython.pointer[cython.Py_ssize_t],
) -> cython.Py_ssize_t:
    """Past a numeric entity from its number on, or back behind its ``&`` if it is none."""
    start: cython.Py_ssize_t = at
    base: uint32_t = 10
    digit: uint32_t
    number: uint32_t = 0
    if at < n and (text[at] | 0x20) == b"x":
        base = 16
        start += 1
    at = start
    while at < n:
        digit = _digit(text[at])
        if digit >= base:
            break
        number = number * base + digit if number < BEYOND else BEYOND
        at += 1
    if at == start:
        return start - (2 if base == 16 else 1)
    if base == 10 and at - start >= NO_NUMBER:
        number = BEYOND
    length[0] += _put(_character(number, controls), out + length[0])
    return at + 1 if at < n and text[at] == b";" else at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _digit(byte: uint8_t) -> uint32_t:
    """Return the value of a hexadecimal digit; 16 for any other character."""
    if 48 <= byte <= 57:  # 0 to 9
        return byte - 48
    byte |= 0x20
    if 97 <= byte <= 102:  # a to f
        return byte - 87
    return 16


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _character(number: uint32_t, controls: cython.pointer[cython.const[uint32_t]]) -> uint32_t:
    """Return the code point of a numeric reference (the standard's section 13.2.5.80), BEYOND if there is none."""
    if 0x80 <= number < 0xA0:
        return controls[number - 0x80]
    if number == 0 or number >= BEYOND or 0xD800 <= number < 0xE000:
        return REPLACEMENT
    if number < 0x20 and number != 9 and number != 10 and number != 12 and number != 13:
        return BEYOND
    if number == 0x7F or 0xFDD0 <= number <= 0xFDEF or (number & 0xFFFE) == 0xFFFE:
        return BEYOND
    return number


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _put(code: uint32_t, out: cython.pointer[uint8_t]) -> cython.Py_ssize_t:
    """Writes a code point in UTF-8, nothing if it is BEYOND; how many bytes."""
    length: cython.Py_ssize_t
    i: cython.Py_ssize_t
    if code >= BEYOND:
        return 0
    if code < 0x80:
        out[0] = code
        return 1
    length = 2 if code < 0x800 else 3 if code < 0x10000 else 4
    for i in range(length - 1, 0, -1):
        out[i] = 0x80 | (code & 0x3F)
        code >>= 6
    out[0] = (0xF00 >> length & 0xFF) | code
    return length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _named(
    text: cython.pointer[cython.const[uint8_t]],
    at: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    entities: cython.pointer[Entities],
    out: cython.pointer[uint8_t],
    length: cython.pointer[cython.Py_ssize_t],
) -> cython.Py_ssize_t:
    """Past the longest name of an entity that stands at ``at``, if any."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = entities.count
    depth: cython.Py_ssize_t = 0
    best: cython.Py_ssize_t = -1
    best_length: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t
    while at + depth < n:
        low = _first(entities, low, high, depth, text[at + depth])
        high = _first(entities, low, high, depth, text[at + depth] + 1)
        if low == high:
            break
        depth += 1
        if entities.name_offsets[low + 1] - entities.name_offsets[low] == depth:
            best = low
            best_length = depth
    if best >= 0:
        size = entities.value_offsets[best + 1] - entities.value_offsets[best]
        memcpy(out + length[0], entities.values + entities.value_offsets[best], size)
        length[0] += size
    return at + best_length


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _first(
    entities: cython.pointer[Entities],
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    depth: cython.Py_ssize_t,
    letter: cython.int,
) -> cython.Py_ssize_t:
    """Return the first name from ``low`` on whose letter at that depth is not below this one; the end is below all."""
    middle: cython.Py_ssize_t
    place: cython.Py_ssize_t
    while low < high:
        middle = (low + high) // 2
        place = entities.name_offsets[middle] + depth
        if place == entities.name_offsets[middle + 1] or entities.names[place] < letter:
            low = middle + 1
        else:
            high = middle
    return low


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _collapse(text: cython.pointer[uint8_t], n: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Replaces each stretch of white space from a line's end to a later one by two of them, in place."""
    at: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t = 0
    mark: cython.Py_ssize_t
    last: cython.Py_ssize_t
    end: cython.Py_ssize_t
    size: cython.Py_ssize_t
    while at < n:
        mark = find(text, at, n, b"\n")
        if mark == n:
            break
        last = mark
        end = mark + 1
        size = 1
        while end < n and size:
            if text[end] == b"\n":
                last = end
            size = _space(text + end, n - end)
            end += size
        end = last + 1 if last > mark else end
        _move(text, cython.address(length), at, mark + 1)
        if last > mark:
            text[length] = b"\n"
            length += 1
        else:
            _move(text, cython.address(length), mark + 1, end)
        at = end
    _move(text, cython.address(length), at, n)
    return length


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _move(
    text: cython.pointer[uint8_t],
    length: cython.pointer[cython.Py_ssize_t],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
) -> cython.void:
    """Appends a stretch that stands at or behind the end of what is kept."""
    if start != length[0]:
        memmove(text + length[0], text + start, end - start)
    length[0] += end - start


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _space(at: cython.pointer[cython.const[uint8_t]], left: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the length in bytes of the white space here, by Python's ``str.isspace``; 0 if there is none."""
    if at[0] < 0x80:
        return 9 <= at[0] <= 13 or 28 <= at[0] <= 32
    if at[0] == 0xC2:
        return 2 if left > 1 and (at[1] == 0x85 or at[1] == 0xA0) else 0
    if left < 3:
        return 0
    if at[0] == 0xE2:
        return 3 if _is_general_space(at[1], at[2]) else 0
    if (at[0] == 0xE1 and at[1] == 0x9A and at[2] == 0x80) or (at[0] == 0xE3 and at[1] == 0x80 and at[2] == 0x80):
        return 3
    return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_general_space(second: uint8_t, third: uint8_t) -> cython.bint:
    """Of the block from U+2000 on: the spaces of a given width, the separators, and U+205F."""
    if second == 0x80:
        return third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF
    return second == 0x81 and third == 0x9F
