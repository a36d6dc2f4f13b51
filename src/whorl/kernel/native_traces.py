"""Traces of programs, compiled; NumPy is not imported here. Specification: ``tests/kernel/specification/traces.py``."""

from array import array

import cython
from cython.cimports.libc.stdint import int32_t, uint8_t, uint32_t
from cython.cimports.libc.string import memcpy, memset
from cython.cimports.whorl.kernel.signs import (
    HALF,
    ROOM,
    SLOTS,
    Program,
    Recent,
    codes_t,
    is_capital,
    is_decimal,
    is_digit,
    is_space,
    is_word,
)

LINE_FEED = cython.declare(uint32_t, 10)
TAB = cython.declare(uint32_t, 9)
RETURN = cython.declare(uint32_t, 13)
BACKSLASH = cython.declare(uint32_t, 92)

# The kinds of lexemes, and the columns of their rows: kind, start, end and letters.
COMMENT = cython.declare(int32_t, 1)
STRING = cython.declare(int32_t, 2)
NUMBER = cython.declare(int32_t, 3)
LEXEME = cython.declare(cython.Py_ssize_t, 4)

SHORTEST_WORD = cython.declare(cython.Py_ssize_t, 5)
LONGEST_WORD = cython.declare(cython.Py_ssize_t, 24)

# Oddities of a line, and the columns of its row: start, end, blanks at the end, and these flags.
TABS_AFTER_SPACES = cython.declare(int32_t, 1)
BEFORE_A_SIGN = cython.declare(int32_t, 2)
BETWEEN_WORDS = cython.declare(int32_t, 4)
LINE = cython.declare(cython.Py_ssize_t, 4)


def lexemes(codes: cython.const[uint32_t][::1], marks: cython.const[uint8_t][::1]):
    if codes.shape[0] == 0:
        return array("i")
    program = cython.declare(Program)
    program.codes = cython.address(codes[0])
    program.n = codes.shape[0]
    program.marks = cython.address(marks[0])
    program.mark_count = marks.shape[0] // ROOM
    count: cython.Py_ssize_t
    with cython.nogil:
        _note_beginnings(cython.address(program))
        count = _lexemes(cython.address(program), cython.NULL)
    rows = array("i", bytes(4 * LEXEME * count))
    if count:
        out: int32_t[::1] = rows
        with cython.nogil:
            _lexemes(cython.address(program), cython.address(out[0]))
    return rows


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _note_beginnings(program: cython.pointer[Program]) -> cython.void:
    i: cython.Py_ssize_t
    code: cython.int
    memset(cython.address(program.begins[0]), 0, 128)
    for code in range(48, 58):
        program.begins[code] = 1
    program.begins[34] = program.begins[39] = program.begins[46] = program.begins[96] = 1  # quotes and the point
    program.has_star = False
    for i in range(program.mark_count):
        if program.marks[ROOM * i] == b"*":
            program.has_star = True
        else:
            program.begins[program.marks[ROOM * i]] = 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _lexemes(program: cython.pointer[Program], out: cython.pointer[int32_t]) -> cython.Py_ssize_t:
    """Counts the lexemes, and writes their rows if there is somewhere to write them to."""
    at: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    kind: int32_t = 0
    while at < program.n:
        end = _lexeme(program, at, cython.address(kind))
        if end == at:
            at += 1
            continue
        if out != cython.NULL:
            _row(program.codes, kind, at, end, out + LEXEME * count)
        count += 1
        at = end
    return count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _lexeme(
    program: cython.pointer[Program], at: cython.Py_ssize_t, kind: cython.pointer[int32_t]
) -> cython.Py_ssize_t:
    """Return the end of the lexeme that begins here; the place itself if none does."""
    end: cython.Py_ssize_t = at
    code: uint32_t = program.codes[at]
    if program.has_star and (at == 0 or program.codes[at - 1] == LINE_FEED):
        end = _starred(program, at)
        kind[0] = COMMENT
    if end > at or code >= 128 or not program.begins[code]:
        return end
    kind[0] = COMMENT
    end = _comment(program, at)
    if end == at and (code == b'"' or code == b"'" or code == b"`"):
        kind[0] = STRING
        end = _string(program, at)
    if end == at:
        kind[0] = NUMBER
        end = _number(program, at)
    return end


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _row(
    codes: codes_t, kind: int32_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t, out: cython.pointer[int32_t]
) -> cython.void:
    letters: int32_t = 0
    at: cython.Py_ssize_t
    for at in range(start, end):
        letters += is_word(codes[at])
    out[0], out[1], out[2], out[3] = kind, start, end, letters


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _line_end(program: cython.pointer[Program], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    while at < program.n and program.codes[at] != LINE_FEED:
        at += 1
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _starred(program: cython.pointer[Program], start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the end of a line whose first sign is a star, else its start."""
    at: cython.Py_ssize_t = start
    while at < program.n and program.codes[at] != LINE_FEED and is_space(program.codes[at]):
        at += 1
    return _line_end(program, at) if at < program.n and program.codes[at] == b"*" else start


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _marked(
    program: cython.pointer[Program], at: cython.Py_ssize_t, mark: cython.pointer[cython.const[uint8_t]]
) -> cython.Py_ssize_t:
    """Return the length of a mark if it stands here, else 0."""
    length: cython.Py_ssize_t = 0
    while length < HALF and mark[length]:
        if at + length == program.n or program.codes[at + length] != mark[length]:
            return 0
        length += 1
    return length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _comment(program: cython.pointer[Program], at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    i: cython.Py_ssize_t
    length: cython.Py_ssize_t
    mark: cython.pointer[cython.const[uint8_t]]
    for i in range(program.mark_count):
        mark = program.marks + ROOM * i
        length = _marked(program, at, mark)
        if length and mark[0] != b"*":
            return _closed(program, at + length, mark + HALF) if mark[HALF] else _line_end(program, at)
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _closed(
    program: cython.pointer[Program], at: cython.Py_ssize_t, mark: cython.pointer[cython.const[uint8_t]]
) -> cython.Py_ssize_t:
    """Return the end of the next such mark, or of the program."""
    length: cython.Py_ssize_t
    while at < program.n:
        length = _marked(program, at, mark)
        if length:
            return at + length
        at += 1
    return program.n


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _string(program: cython.pointer[Program], start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    quote: uint32_t = program.codes[start]
    at: cython.Py_ssize_t = start + 1
    if quote != b"`" and _is_triple(program, start):
        return _tripled(program, start)
    while at < program.n and program.codes[at] != LINE_FEED:
        if program.codes[at] == quote:
            return at + 1
        if program.codes[at] == BACKSLASH:
            if at + 1 == program.n:
                return at
            at += 1
        at += 1
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_triple(program: cython.pointer[Program], at: cython.Py_ssize_t) -> cython.bint:
    quote: uint32_t = program.codes[at]
    return at + 2 < program.n and program.codes[at + 1] == quote and program.codes[at + 2] == quote


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _tripled(program: cython.pointer[Program], start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the end of a string in triple quotes; of its line if it is never closed, which happens once a kind."""
    at: cython.Py_ssize_t
    for at in range(start + 3, program.n - 2):
        if program.codes[at] == program.codes[start] and _is_triple(program, at):
            return at + 3
    return _line_end(program, start)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _number(program: cython.pointer[Program], start: cython.Py_ssize_t) -> cython.Py_ssize_t:
    at: cython.Py_ssize_t = start + (program.codes[start] == b".")
    code: uint32_t
    if at == program.n or not is_digit(program.codes[at]) or (start > 0 and is_word(program.codes[start - 1])):
        return start
    while at < program.n:
        code = program.codes[at]
        if not is_word(code) and code != b".":
            break
        at += 1
        code |= 0x20
        if (code == b"e" or code == b"p") and at < program.n and _is_plus_or_minus(program.codes[at]):
            at += 1
    return at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_plus_or_minus(code: uint32_t) -> cython.bint:
    return code == b"+" or code == b"-"


def bare(codes: cython.const[uint32_t][::1], lexemes: cython.const[int32_t][::1]):
    n: cython.Py_ssize_t = codes.shape[0]
    rows: cython.Py_ssize_t = lexemes.shape[0] // LEXEME
    i: cython.Py_ssize_t
    row: cython.pointer[cython.const[int32_t]]
    at: cython.Py_ssize_t = 0
    length: cython.Py_ssize_t = 0
    if n == 0:
        return array("I")
    # A string that is filled is written twice, with a sign before each of the two.
    text = array("I", bytes(4 * (2 * n + 2 * rows)))
    room: uint32_t[::1] = text
    out: cython.pointer[uint32_t] = cython.address(room[0])
    with cython.nogil:
        for i in range(rows):
            row = cython.address(lexemes[LEXEME * i])
            if row[0] != NUMBER:
                length = _copy(cython.address(codes[0]), at, row[1], out, length)
                at = row[2]
                if row[0] == STRING:
                    length = _bared(cython.address(codes[0]), row[1], at, out, length)
                else:
                    out[length] = b" "
                    length += 1
        length = _copy(cython.address(codes[0]), at, n, out, length)
    return text[:length]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _copy(
    codes: codes_t,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    out: cython.pointer[uint32_t],
    length: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    memcpy(out + length, codes + start, 4 * (end - start))
    return length + end - start


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _bared(
    codes: codes_t,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    out: cython.pointer[uint32_t],
    length: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    at: cython.Py_ssize_t
    is_filled: cython.bint = False
    for at in range(start, end):
        is_filled = is_filled or codes[at] == b"{" or codes[at] == b"$"
    out[length] = b"0"
    length = _runs(codes, start, end, b"_", out, length + 1)
    if is_filled:
        out[length] = b" "
        length = _runs(codes, start, end, b" ", out, length + 1)
    return length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _runs(
    codes: codes_t,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    sign: uint32_t,
    out: cython.pointer[uint32_t],
    length: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Writes a string with one such sign for all that stands between its words, and before and after them."""
    at: cython.Py_ssize_t
    is_between: cython.bint = False
    for at in range(start, end):
        if is_word(codes[at]):
            out[length] = codes[at]
            length += 1
            is_between = False
        elif not is_between:
            out[length] = sign
            length += 1
            is_between = True
    return length


def statements(codes: cython.const[uint32_t][::1], begin: cython.Py_ssize_t, braces_hold: cython.bint):
    n: cython.Py_ssize_t = codes.shape[0]
    at: cython.Py_ssize_t
    start: cython.Py_ssize_t = begin
    depth: cython.Py_ssize_t = 0
    count: cython.Py_ssize_t = 0
    code: uint32_t
    if n <= begin:
        return array("i")
    spans = array("i", bytes(4 * (n - begin + 2)))  # a statement has a sign at least, and another after it
    out: int32_t[::1] = spans
    with cython.nogil:
        for at in range(begin, n):
            code = codes[at]
            if code == b"(" or code == b"[" or (braces_hold and code == b"{"):
                depth += 1
            elif code == b")" or code == b"]" or (braces_hold and code == b"}"):
                depth = depth - 1 if depth else 0
            elif code == b"{" or code == b"}" or (not depth and (code == b";" or code == LINE_FEED)):
                count += _strip(cython.address(codes[0]), start, at, cython.address(out[2 * count]))
                start = at + 1
        count += _strip(cython.address(codes[0]), start, n, cython.address(out[2 * count]))
    return spans[: 2 * count]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _strip(
    codes: codes_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t, out: cython.pointer[int32_t]
) -> cython.Py_ssize_t:
    """Writes a span without blanks around it. Return 0, and write nothing, if it has nothing else."""
    while start < end and is_space(codes[start]):
        start += 1
    while start < end and is_space(codes[end - 1]):
        end -= 1
    if start < end:
        out[0], out[1] = start, end
    return start < end


def shapes(codes: cython.const[uint32_t][::1], spans: cython.const[int32_t][::1], shortest: cython.Py_ssize_t):
    n: cython.Py_ssize_t = spans.shape[0]
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t = 0
    if n == 0:
        return array("I")
    text = array("I", bytes(4 * (spans[n - 1] - spans[0] + n)))
    out: uint32_t[::1] = text
    with cython.nogil:
        for i in range(0, n, 2):
            start = length
            for at in range(spans[i], spans[i + 1]):
                out[length] = codes[at]
                length += not is_space(codes[at])
            if length - start >= shortest:
                out[length] = LINE_FEED
                length += 1
            else:
                length = start
    return text[:length]


def assignments(codes: cython.const[uint32_t][::1], spans: cython.const[int32_t][::1], longest: cython.Py_ssize_t):
    n: cython.Py_ssize_t = codes.shape[0]
    i: cython.Py_ssize_t
    name: cython.Py_ssize_t
    name_end: cython.Py_ssize_t = 0
    value: cython.Py_ssize_t = 0
    read_length: cython.Py_ssize_t = 0
    set_length: cython.Py_ssize_t = 0
    if n == 0:
        return array("I"), array("I")
    # A name and a sign after it, and a line feed after each statement.
    names_read, names_set = (array("I", bytes(4 * (n + spans.shape[0] + 1))) for _ in range(2))
    recent = cython.declare(Recent)
    read: uint32_t[::1] = names_read
    out: uint32_t[::1] = names_set
    text: codes_t = cython.address(codes[0])
    reading: cython.pointer[uint32_t] = cython.address(read[0])
    setting: cython.pointer[uint32_t] = cython.address(out[0])
    with cython.nogil:
        memset(cython.address(recent), 0xFF, cython.sizeof(Recent))
        for i in range(0, spans.shape[0], 2):
            name = -1
            if spans[i + 1] - spans[i] <= longest:
                name = _assigned(text, spans[i], spans[i + 1], cython.address(name_end), cython.address(value))
            if name < 0:
                read_length = _names(text, spans[i], spans[i + 1], reading, read_length, cython.address(recent))
            else:
                set_length = _names(text, name, name_end, setting, set_length, cython.NULL)
                set_length = _names(text, value, spans[i + 1], setting, set_length, cython.NULL)
                setting[set_length - 1] = LINE_FEED
    return names_read[:read_length], names_set[:set_length]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _names(
    codes: codes_t,
    at: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    out: cython.pointer[uint32_t],
    length: cython.Py_ssize_t,
    recent: cython.pointer[Recent],
) -> cython.Py_ssize_t:
    """Writes the names in code, each with a blank after it."""
    start: cython.Py_ssize_t
    while at < end:
        while at < end and (not is_word(codes[at]) or is_decimal(codes[at])):
            at += 1
        start = at
        while at < end and is_word(codes[at]):
            at += 1
        if at > start:
            length = _write(codes, start, at, out, length, recent)
    return length


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _write(
    codes: codes_t,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    out: cython.pointer[uint32_t],
    length: cython.Py_ssize_t,
    recent: cython.pointer[Recent],
) -> cython.Py_ssize_t:
    """Writes a word and a blank, unless the last word of its slot was the same: most words of a program repeat."""
    slot: uint32_t = 0
    at: cython.Py_ssize_t
    last: cython.Py_ssize_t
    if recent != cython.NULL:
        for at in range(start, end):
            slot = 31 * slot + codes[at]
        slot %= SLOTS
        last = recent.starts[slot]
        if last >= 0 and _is_same(codes, start, end, out + last):
            return length
        recent.starts[slot] = length
    length = _copy(codes, start, end, out, length)
    out[length] = b" "
    return length + 1


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_same(codes: codes_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t, written: codes_t) -> cython.bint:
    """Return whether this word was written there. A blank ends what was written, and no word has one."""
    at: cython.Py_ssize_t = 0
    while start + at < end and codes[start + at] == written[at]:
        at += 1
    return start + at == end and written[at] == b" "


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _assigned(
    codes: codes_t,
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    name_end: cython.pointer[cython.Py_ssize_t],
    value: cython.pointer[cython.Py_ssize_t],
) -> cython.Py_ssize_t:
    """Return the start of the name that a plain assignment sets, the last one that may be it; -1 if there is none."""
    at: cython.Py_ssize_t = start
    while at < end and _is_of_a_type(codes[at]):
        at += 1
    at = at + 1 if at < end else end
    while at > start and not (_ends_a_type(codes[at - 1]) and _is_set(codes, at, end, name_end, value)):
        at -= 1
    if at == start and not _is_set(codes, at, end, name_end, value):
        return -1
    return -1 if _has_call(codes, value[0], end) else at


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_of_a_type(code: uint32_t) -> cython.bint:
    if is_word(code) or code == b" " or code == TAB or code == b"<" or code == b">" or code == b"[" or code == b"]":
        return True
    return code == b"?" or code == b"&" or code == b"*" or code == b":" or code == b"$"


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _ends_a_type(code: uint32_t) -> cython.bint:
    return code == b"]" or code == b">" or code == b"*" or code == b"&" or is_space(code)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_set(
    codes: codes_t,
    at: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    name_end: cython.pointer[cython.Py_ssize_t],
    value: cython.pointer[cython.Py_ssize_t],
) -> cython.bint:
    """Return whether a name begins here, a type may follow it, and a sign that sets it."""
    if at == end or not is_word(codes[at]) or is_decimal(codes[at]):
        return False
    while at < end and is_word(codes[at]):
        at += 1
    name_end[0] = at
    while at < end and is_space(codes[at]):
        at += 1
    if at < end and codes[at] == b":":
        at += 1
        while at < end and codes[at] != b"=" and codes[at] != b"(" and codes[at] != b")":
            at += 1
    if at < end and _is_operator(codes[at]):
        at += 1
    value[0] = at + 1
    is_equal: cython.bint = at < end and codes[at] == b"="
    return is_equal and (at + 1 == end or (codes[at + 1] != b"=" and codes[at + 1] != b">"))


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_operator(code: uint32_t) -> cython.bint:
    if code == b"-" or code == b"+" or code == b"*" or code == b"/":
        return True
    return code == b"%" or code == b"&" or code == b"|" or code == b"^"


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _has_call(codes: codes_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    at: cython.Py_ssize_t
    is_after_word: cython.bint = False
    for at in range(start, end):
        if codes[at] == b"(" and is_after_word:
            return True
        if not is_space(codes[at]):
            is_after_word = is_word(codes[at])
    return False


def words(codes: cython.const[uint32_t][::1]):
    n: cython.Py_ssize_t = codes.shape[0]
    at: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    length: cython.Py_ssize_t = 0
    if n == 0:
        return array("I")
    text = array("I", bytes(4 * (n + n // SHORTEST_WORD + 1)))  # one word may follow the other
    out: uint32_t[::1] = text
    recent = cython.declare(Recent)
    with cython.nogil:
        memset(cython.address(recent), 0xFF, cython.sizeof(Recent))
        while at < n:
            start = at
            while at < n and is_capital(codes[at]):
                at += 1
            if at < n and _is_small(codes[at]):
                start = at - 1 if at > start else at  # one capital belongs to the word
                while at < n and _is_small(codes[at]):
                    at += 1
            if SHORTEST_WORD <= at - start <= LONGEST_WORD:
                length = _write(
                    cython.address(codes[0]), start, at, cython.address(out[0]), length, cython.address(recent)
                )
            at += at == start
    return text[:length]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_small(code: uint32_t) -> cython.bint:
    """Return whether this is a letter, and no capital of ASCII."""
    if code < 128:
        return b"a" <= code <= b"z"
    return is_word(code) and not is_decimal(code)


def odd_lines(codes: cython.const[uint32_t][::1], shortest: cython.Py_ssize_t, longest: cython.Py_ssize_t):
    n: cython.Py_ssize_t = codes.shape[0]
    start: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    if n == 0:
        return array("i")
    # A line that is odd has ``shortest`` signs and a blank at least.
    rows = array("i", bytes(4 * LINE * (n // (shortest + 1) + 1)))
    out: int32_t[::1] = rows
    with cython.nogil:
        while start < n:
            end = start
            while end < n and codes[end] != LINE_FEED:
                end += 1
            if shortest < end - start <= longest and _is_odd(
                cython.address(codes[0]), start, end, cython.address(out[LINE * count])
            ):
                count += _signs(cython.address(codes[0]), start, end) >= shortest
            start = end + 1
    return rows[: LINE * count]


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _signs(codes: codes_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
    at: cython.Py_ssize_t
    count: cython.Py_ssize_t = 0
    for at in range(start, end):
        count += not is_space(codes[at])
    return count


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_odd(
    codes: codes_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t, out: cython.pointer[int32_t]
) -> cython.bint:
    """Writes the row of a line if it has a sign. Return whether anything in it is odd."""
    out[0], out[1], out[2], out[3] = start, end, 0, 0
    while end > start and codes[end - 1] == RETURN:
        end -= 1
    while end > start and _is_blank(codes[end - 1]):
        end -= 1
        out[2] += 1
    if end == start:
        return False
    while _is_blank(codes[start]):
        if codes[start] == b" " and codes[start + 1] == TAB:
            out[3] = TABS_AFTER_SPACES
        start += 1
    out[3] |= _inner_oddities(codes, start, end)
    return out[2] > 0 or out[3] > 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _is_blank(code: uint32_t) -> cython.bint:
    return code == b" " or code == TAB


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _inner_oddities(codes: codes_t, at: cython.Py_ssize_t, end: cython.Py_ssize_t) -> int32_t:
    """Return the flags of the blanks between the first sign and the last."""
    flags: int32_t = 0
    before: uint32_t
    start: cython.Py_ssize_t
    while at < end:
        if codes[at] != b" ":
            at += 1
            continue
        start = at
        before = codes[at - 1]
        while codes[at] == b" ":
            at += 1
        if is_space(before):
            continue
        if codes[at] == b"," or codes[at] == b";" or codes[at] == b")":
            flags |= BEFORE_A_SIGN
        if at - start >= 2 and _parts(before) and _parts(codes[at]) and codes[at] != b"*" and codes[at] != b"-":
            flags |= BETWEEN_WORDS
    return flags


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _parts(code: uint32_t) -> cython.bint:
    """Return whether blanks beside this are between words: a comment may be aligned."""
    return code != b"/" and code != b"#" and not is_space(code)
