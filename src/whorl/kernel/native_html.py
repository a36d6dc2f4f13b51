"""HTML to the text between its tags, compiled. Specification: ``tests/kernel/specification/html.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t, uint8_t, uint64_t
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.whorl.kernel.html_layout import (
    BREAKS,
    DIGITS,
    ENDS,
    HIDES,
    LONGEST,
    RAW,
    ROW,
    SLOT_BITS,
    SLOTS,
    UNSEEN,
    VOID,
    Elements,
    Page,
    find,
)

SPREAD = cython.declare(uint64_t, 0x9E3779B97F4A7C15)  # 2 ** 64 by the golden ratio: neighbours land far apart


def visible(page: cython.const[uint8_t][::1], keys: cython.const[uint64_t][::1], roles: cython.const[uint8_t][::1]):
    n: cython.Py_ssize_t = page.shape[0]
    at: cython.Py_ssize_t = 0
    elements = cython.declare(Elements)
    walk = cython.declare(Page)
    text = np.empty(n + 1, np.uint8)
    out: uint8_t[::1] = text
    if keys.shape[0] * 2 > SLOTS:
        raise ValueError(f"{keys.shape[0]} elements are too many: at most {SLOTS // 2}")
    _fill(cython.address(elements), keys, roles)
    walk.n = n
    walk.text = cython.address(out[0])
    walk.length = 0
    walk.count = 0
    room = n // 24 + 64  # pages have a tag every 24 to 43 bytes; where each is three bytes long, the room is doubled
    tags = np.empty((room, ROW), np.int64)
    while True:
        _open(cython.address(walk), tags)
        if n:
            walk.data = cython.address(page[0])
            with cython.nogil:
                at = _walk(cython.address(walk), at, cython.address(elements))
        if at == n:
            return text[: walk.length], tags[: walk.count]
        room *= 2
        tags = np.concatenate([tags, np.empty_like(tags)])


@cython.cfunc
def _open(walk: cython.pointer[Page], tags: int64_t[:, ::1]):
    walk.tags = cython.address(tags[0, 0])
    walk.room = tags.shape[0]


@cython.cfunc
def _fill(elements: cython.pointer[Elements], keys: cython.const[uint64_t][::1], roles: cython.const[uint8_t][::1]):
    i: cython.Py_ssize_t
    slot: cython.Py_ssize_t
    memset(elements, 0, cython.sizeof(Elements))
    for i in range(keys.shape[0]):
        slot = _slot(elements, keys[i])
        elements.keys[slot] = keys[i]
        elements.roles[slot] = roles[i]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _slot(elements: cython.pointer[Elements], key: uint64_t) -> cython.Py_ssize_t:
    """Return the slot of the key, or the empty slot where it would be, which has no role."""
    slot: cython.Py_ssize_t = (key * SPREAD) >> (64 - SLOT_BITS)
    while elements.keys[slot] != key and elements.keys[slot] != 0:
        slot = (slot + 1) & (SLOTS - 1)
    return slot


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walk(page: cython.pointer[Page], at: cython.Py_ssize_t, elements: cython.pointer[Elements]) -> cython.Py_ssize_t:
    """Reads from ``at`` on; gives back ``n``, or where to go on when there is more room for tags."""
    n: cython.Py_ssize_t = page.n
    start: cython.Py_ssize_t = at
    less: cython.Py_ssize_t
    while True:
        less = find(page.data, at, n, b"<")
        if less + 1 >= n:
            break
        at = less + 1
        if not _opens(page.data, at, n):
            continue
        _copy(page, start, less)
        if page.count == page.room:
            return less
        if _is_letter(page.data[at]):
            at = _tag(page, at, elements, 0)
        elif page.data[at] == b"/" and _is_letter(page.data[at + 1]):
            at = _tag(page, at + 1, elements, ENDS)
        else:
            at = _no_tag(page.data, at, n)
        start = at
    _copy(page, start, n)
    return n


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _opens(data: cython.pointer[cython.const[uint8_t]], at: cython.Py_ssize_t, n: cython.Py_ssize_t) -> cython.bint:
    """Return whether a token begins with what follows ``<``."""
    byte: uint8_t = data[at]
    return _is_letter(byte) or byte == b"!" or byte == b"?" or (byte == b"/" and at + 1 < n)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_letter(byte: uint8_t) -> cython.bint:
    return b"a" <= (byte | 0x20) <= b"z"


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_blank(byte: uint8_t) -> cython.bint:
    return byte == 32 or byte == 9 or byte == 10 or byte == 12 or byte == 13


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _copy(page: cython.pointer[Page], start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
    memcpy(page.text + page.length, page.data + start, end - start)
    page.length += end - start


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tag(
    page: cython.pointer[Page], at: cython.Py_ssize_t, elements: cython.pointer[Elements], ends: uint8_t
) -> cython.Py_ssize_t:
    """Reads a tag from its name on, and an element's raw content."""
    data: cython.pointer[cython.const[uint8_t]] = page.data
    name: cython.Py_ssize_t = at
    name_end: cython.Py_ssize_t = _name_end(data, at, page.n)
    role: uint8_t = elements.roles[_slot(elements, _key(data + name, name_end - name))]
    hides: cython.bint = False
    at = _attributes(data, name_end, page.n, cython.address(hides))
    if ends:
        role = ENDS | (role & BREAKS)
    elif hides:
        role |= HIDES
    _record(page, name, name_end, role & ~HIDES if role & VOID else role)
    if role & BREAKS:
        page.text[page.length] = b"\n"
        page.length += 1
    if role & RAW:
        name_end = _raw_end(data, at, page.n, name, name_end)
        if not role & UNSEEN:
            _copy(page, at, name_end)
        at = name_end
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _record(page: cython.pointer[Page], start: cython.Py_ssize_t, end: cython.Py_ssize_t, role: uint8_t) -> cython.void:
    row: cython.pointer[int64_t] = page.tags + page.count * ROW
    row[0] = start
    row[1] = end
    row[2] = role
    row[3] = page.length
    page.count += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _name_end(
    data: cython.pointer[cython.const[uint8_t]], at: cython.Py_ssize_t, n: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    while at < n and not _is_blank(data[at]) and data[at] != b"/" and data[at] != b">":
        at += 1
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _key(name: cython.pointer[cython.const[uint8_t]], length: cython.Py_ssize_t) -> uint64_t:
    key: uint64_t = 0
    i: cython.Py_ssize_t
    if length > LONGEST:
        return 0
    for i in range(length):
        if _is_letter(name[i]):
            key = key << 6 | (name[i] & 31)
        elif 48 <= name[i] <= 57:  # 0 to 9
            key = key << 6 | (name[i] - 48 + DIGITS)
        else:
            return 0
    return key


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _attributes(
    data: cython.pointer[cython.const[uint8_t]],
    at: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    hides: cython.pointer[cython.bint],
) -> cython.Py_ssize_t:
    """Goes past the end of the tag; tells whether an attribute hides the element."""
    name: cython.Py_ssize_t
    name_end: cython.Py_ssize_t
    value: cython.Py_ssize_t
    while True:
        while at < n and (_is_blank(data[at]) or data[at] == b"/"):
            at += 1
        if at >= n:
            return n
        if data[at] == b">":
            return at + 1
        name = at
        while at < n and data[at] != b"=" and not _is_blank(data[at]) and data[at] != b"/" and data[at] != b">":
            at += 1
        name_end = at
        at = _blanks(data, at, n)
        value = at
        if at < n and data[at] == b"=":
            value = _blanks(data, at + 1, n)
            at = _value_end(data, value, n)
        if name_end - name == 6 and _is_word(data + name, b"hidden", 6):
            hides[0] = True
        elif name_end - name == 5 and _is_word(data + name, b"style", 5):
            hides[0] |= _undisplayed(data, value, at)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _blanks(
    data: cython.pointer[cython.const[uint8_t]], at: cython.Py_ssize_t, n: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    while at < n and _is_blank(data[at]):
        at += 1
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _value_end(
    data: cython.pointer[cython.const[uint8_t]], at: cython.Py_ssize_t, n: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Past an attribute's value, in quotes or not."""
    if at < n and (data[at] == b'"' or data[at] == b"'"):
        at = find(data, at + 1, n, data[at])
        return at + 1 if at < n else n
    while at < n and data[at] != b"=" and data[at] != b">" and not _is_blank(data[at]):
        at += 1
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_word(
    data: cython.pointer[cython.const[uint8_t]],
    word: cython.pointer[cython.const[cython.char]],
    length: cython.Py_ssize_t,
) -> cython.bint:
    """Return whether these bytes are the word, which is in lower case, in any case."""
    i: cython.Py_ssize_t
    for i in range(length):
        if not _is_letter(data[i]) or (data[i] | 0x20) != cython.cast(uint8_t, word[i]):
            return False
    return True


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _undisplayed(
    data: cython.pointer[cython.const[uint8_t]], at: cython.Py_ssize_t, end: cython.Py_ssize_t
) -> cython.bint:
    """Return whether a style contains ``display: none``."""
    while at + 12 <= end:  # the length of display:none
        if not _is_word(data + at, b"display", 7):
            at += 1
            continue
        at = _blanks(data, at + 7, end)
        if at < end and data[at] == b":":
            at = _blanks(data, at + 1, end)
            if at + 4 <= end and _is_word(data + at, b"none", 4):
                return True
    return False


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _raw_end(
    data: cython.pointer[cython.const[uint8_t]],
    at: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    name: cython.Py_ssize_t,
    name_end: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Return the position of the end tag of that name, or ``n``. The names of raw elements are letters."""
    length: cython.Py_ssize_t = name_end - name
    i: cython.Py_ssize_t
    while True:
        at = find(data, at, n, b"<")
        if at + length + 2 >= n:
            return n
        if data[at + 1] == b"/":
            i = 0
            while i < length and (data[at + 2 + i] | 0x20) == (data[name + i] | 0x20):
                i += 1
            if i == length and _ends_name(data[at + 2 + length]):
                return at
        at += 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _ends_name(byte: uint8_t) -> cython.bint:
    return _is_blank(byte) or byte == b"/" or byte == b">"


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _no_tag(
    data: cython.pointer[cython.const[uint8_t]], at: cython.Py_ssize_t, n: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Past a comment, or past what only ends with ``>``. ``at`` is behind the ``<``."""
    if not (at + 3 <= n and data[at] == b"!" and data[at + 1] == b"-" and data[at + 2] == b"-"):
        at = find(data, at + 1, n, b">")
        return at + 1 if at < n else n
    at += 3
    if at < n and data[at] == b">":
        return at + 1
    if at + 1 < n and data[at] == b"-" and data[at + 1] == b">":
        return at + 2
    while True:
        at = find(data, at, n, b"-")
        if at + 3 > n:
            return n
        at += 1
        if data[at] == b"-":
            if data[at + 1] == b">":
                return at + 2
            if at + 2 < n and data[at + 1] == b"!" and data[at + 2] == b">":
                return at + 3
