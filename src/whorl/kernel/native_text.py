"""The text front-end's compiled loops. Buffers in, buffers out; the interpreter's lock is released in every one.

Cython in pure-Python mode. Specification: ``tests/kernel/specification/text.py``. There is no I/O, and no
knowledge of Unicode but Hangul's arithmetic: the caller brings the tables.
"""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from cython.cimports.libc.string import memset
from cython.cimports.whorl.kernel.text_layout import (
    BREAK,
    CLASSES,
    DEEPEST,
    EXPANDS,
    IOTA,
    JOINS,
    L_BASE,
    L_COUNT,
    OPENS,
    S_BASE,
    S_COUNT,
    SPLITS,
    SYMBOL,
    T_BASE,
    T_COUNT,
    V_BASE,
    V_COUNT,
    VALUE,
    YPOGEGRAMMENI,
    Shapes,
    Sink,
    Starter,
)


def ascii_symbols(data: cython.const[uint8_t][::1], table: cython.const[uint8_t][::1]):
    n: cython.Py_ssize_t = data.shape[0]
    symbols = np.empty(n + 1, np.uint8)
    starts = np.empty(n + 1, np.int32)
    out: uint8_t[::1] = symbols
    at: int32_t[::1] = starts
    count: cython.Py_ssize_t = 0
    if n:
        with cython.nogil:
            count = _pack(
                cython.address(data[0]),
                n,
                cython.address(table[0]),
                cython.address(out[0]),
                cython.address(at[0]),
            )
    return symbols[:count], starts[:count]


def symbols(
    codes: cython.const[uint32_t][::1],
    entries: cython.const[uint32_t][::1],
    expansion: cython.const[uint16_t][::1],
    offsets: cython.const[uint32_t][::1],
    pool: cython.const[uint32_t][::1],
    pairs: cython.const[uint64_t][::1],
    composites: cython.const[uint32_t][::1],
):
    n: cython.Py_ssize_t = codes.shape[0]
    at: cython.Py_ssize_t = 0
    shapes = cython.declare(Shapes)
    shapes.entries = cython.address(entries[0])
    shapes.expansion = cython.address(expansion[0])
    shapes.offsets = cython.address(offsets[0])
    shapes.pool = cython.address(pool[0])
    shapes.pairs = cython.address(pairs[0])
    shapes.composites = cython.address(composites[0])
    shapes.pair_count = pairs.shape[0]
    sink = cython.declare(Sink)
    sink.count = 0
    sink.before = 0
    sink.widest = 0
    room = n + 64  # nearly every code point becomes one value or none; if not, the room is doubled
    values = np.empty(room, np.uint32)
    starts = np.empty(room, np.int32)
    ends = np.empty(room, np.int32)
    while True:
        _open(cython.address(sink), values, starts, ends)
        if n:
            with cython.nogil:
                at = _walk(cython.address(codes[0]), at, n, cython.address(shapes), cython.address(sink))
        if at == n:
            emitted = values[: sink.count].astype(np.uint8) if sink.widest < 256 else values[: sink.count]
            return emitted, starts[: sink.count], ends[: sink.count]
        room *= 2
        values = _grown(values, room)
        starts = _grown(starts, room)
        ends = _grown(ends, room)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pack(
    data: cython.pointer[cython.const[uint8_t]],
    n: cython.Py_ssize_t,
    table: cython.pointer[cython.const[uint8_t]],
    symbols: cython.pointer[uint8_t],
    starts: cython.pointer[int32_t],
) -> cython.Py_ssize_t:
    """Written always, kept if it is not 0: one byte in five is a space or a stop, which no branch predictor learns.

    Eight are looked up before the first is stored: the compiler must assume that a store may change the table.
    """
    count: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t = 0
    j: cython.Py_ssize_t
    batch = cython.declare(uint8_t[8])
    while i + 8 <= n:
        for j in range(8):
            batch[j] = table[data[i + j]]
        for j in range(8):
            symbols[count] = batch[j]
            starts[count] = i + j
            count += batch[j] != 0
        i += 8
    while i < n:
        symbols[count] = table[data[i]]
        starts[count] = i
        count += symbols[count] != 0
        i += 1
    return count


@cython.cfunc
def _open(sink: cython.pointer[Sink], values: uint32_t[::1], starts: int32_t[::1], ends: int32_t[::1]):
    sink.values = cython.address(values[0])
    sink.starts = cython.address(starts[0])
    sink.ends = cython.address(ends[0])
    sink.room = values.shape[0]


def _grown(array, room):
    grown = np.empty(room, array.dtype)
    grown[: len(array)] = array
    return grown


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _walk(
    codes: cython.pointer[cython.const[uint32_t]],
    at: cython.Py_ssize_t,
    n: cython.Py_ssize_t,
    shapes: cython.pointer[Shapes],
    sink: cython.pointer[Sink],
) -> cython.Py_ssize_t:
    """Emits the values from ``at`` on; gives back ``n``, or where to go on when the sink has more room."""
    entries: cython.pointer[cython.const[uint32_t]] = shapes.entries
    values: cython.pointer[uint32_t] = sink.values
    starts: cython.pointer[int32_t] = sink.starts
    ends: cython.pointer[int32_t] = sink.ends
    room: cython.Py_ssize_t = sink.room
    count: cython.Py_ssize_t = sink.count
    before: cython.Py_ssize_t = sink.before  # the count before the last code point, to take it back
    end: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    j: cython.Py_ssize_t
    entry: uint32_t
    widest: uint32_t = 0
    batch = cython.declare(uint32_t[8])
    while at < n and count < room:
        stop = min(at + 8, n)
        if at + 8 <= n and count + 8 <= room:  # eight at once if all are plain, as in ``_pack``
            entry = 0
            for j in range(8):
                batch[j] = entries[codes[at + j]]
                entry |= batch[j]
            if entry < EXPANDS:
                widest |= entry
                for j in range(8):
                    values[count] = batch[j] & VALUE
                    starts[count] = at + j
                    ends[count] = at + j + 1
                    before = count
                    count += (batch[j] & VALUE) != 0
                at = stop
                continue
        while at < stop and count < room:
            entry = entries[codes[at]]
            if entry < EXPANDS:
                widest |= entry
                before = count
                values[count] = entry & VALUE
                starts[count] = at
                at += 1
                ends[count] = at
                count += (entry & VALUE) != 0
                continue
            if entry & JOINS != 0 and at > 0:  # the code point before was taken for a segment of its own: take it back
                at -= 1
                count = before
            end = at + 1
            while end < n and entries[codes[end]] & JOINS != 0:
                end += 1
            sink.count = count
            _segment(codes, at, end, shapes, sink)
            if sink.count > room:
                sink.count = count
                sink.before = before
                sink.widest |= widest & VALUE
                return at
            before = count
            count = sink.count
            at = end
    sink.count = count
    sink.before = before
    sink.widest |= widest & VALUE
    return at


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _segment(
    codes: cython.pointer[cython.const[uint32_t]],
    start: cython.Py_ssize_t,
    end: cython.Py_ssize_t,
    shapes: cython.pointer[Shapes],
    sink: cython.pointer[Sink],
) -> cython.void:
    """Decomposes, folds, orders and composes one segment, part by part as it comes: no buffer, linear time."""
    first: cython.Py_ssize_t = sink.count
    at: cython.Py_ssize_t
    pending: cython.Py_ssize_t = 0  # ypogegrammenis seen since the last starter
    part: uint32_t
    i: uint32_t
    code: uint32_t
    number: uint32_t
    starter = cython.declare(Starter)
    starter.exists = False
    _clear(cython.address(starter))
    if shapes.entries[codes[start]] & SPLITS != 0:
        _put(BREAK, sink)
    for at in range(start, end):
        code = codes[at]
        number = shapes.expansion[code]
        part = 0
        if number != 0 and shapes.offsets[number] < shapes.offsets[number + 1]:
            part = shapes.pool[shapes.offsets[number]]
        if part >> 24 == 0 or part & OPENS != 0:
            while pending > 0:
                _take(IOTA, cython.address(starter), shapes, sink)
                pending -= 1
        if S_BASE <= code < S_BASE + S_COUNT:
            code -= S_BASE
            _take(L_BASE + code // (V_COUNT * T_COUNT), cython.address(starter), shapes, sink)
            _take(V_BASE + code // T_COUNT % V_COUNT, cython.address(starter), shapes, sink)
            if code % T_COUNT != 0:
                _take(T_BASE + code % T_COUNT, cython.address(starter), shapes, sink)
        elif number == 0:
            _take(code, cython.address(starter), shapes, sink)
        else:
            for i in range(shapes.offsets[number], shapes.offsets[number + 1]):
                part = shapes.pool[i]
                if part & SYMBOL == YPOGEGRAMMENI:
                    pending += 1
                else:
                    _take(part, cython.address(starter), shapes, sink)
    while pending > 0:
        _take(IOTA, cython.address(starter), shapes, sink)
        pending -= 1
    _settle(cython.address(starter), shapes)
    _emit(cython.address(starter), shapes, sink)
    for at in range(first, min(sink.count, sink.room)):
        sink.starts[at] = start
        sink.ends[at] = end


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _clear(starter: cython.pointer[Starter]) -> cython.void:
    starter.waiting = 0
    starter.blocked = False
    memset(starter.counts, 0, CLASSES)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _take(
    part: uint32_t,
    starter: cython.pointer[Starter],
    shapes: cython.pointer[Shapes],
    sink: cython.pointer[Sink],
) -> cython.void:
    """Keep a mark for later; compose a starter with the one before, or replace it."""
    mark: uint32_t = part >> 24
    code: uint32_t = part & SYMBOL
    composite: uint32_t
    if mark != 0:
        if starter.counts[mark] < DEEPEST:
            starter.marks[starter.waiting] = part
            starter.waiting += 1
            starter.counts[mark] += 1
        return
    _settle(starter, shapes)
    if starter.exists and not starter.blocked:
        composite = _pair(starter.code, code, shapes)
        if composite != 0:
            starter.code = composite
            return
    _emit(starter, shapes, sink)
    starter.code = code
    starter.exists = True
    _clear(starter)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _settle(starter: cython.pointer[Starter], shapes: cython.pointer[Shapes]) -> cython.void:
    """Composes the waiting marks in the order of their classes; within one, the first that fails blocks the rest."""
    last: uint32_t = 0
    mark: uint32_t
    lowest: uint32_t
    composite: uint32_t
    i: cython.Py_ssize_t
    absorbed: cython.Py_ssize_t = 0
    while starter.exists:
        lowest = CLASSES
        for i in range(starter.waiting):
            mark = starter.marks[i] >> 24
            if last < mark < lowest:
                lowest = mark
        if lowest == CLASSES:
            break
        for i in range(starter.waiting):
            if starter.marks[i] >> 24 == lowest:
                composite = _pair(starter.code, starter.marks[i] & SYMBOL, shapes)
                if composite == 0:
                    break
                starter.code = composite
                absorbed += 1
        last = lowest
    starter.blocked = absorbed < starter.waiting
    if not starter.blocked:
        _clear(starter)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _pair(first: uint32_t, second: uint32_t, shapes: cython.pointer[Shapes]) -> uint32_t:
    """Return the composition of two code points, 0 if there is none."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = shapes.pair_count
    middle: cython.Py_ssize_t
    pair: uint64_t = first
    if L_BASE <= first < L_BASE + L_COUNT and V_BASE <= second < V_BASE + V_COUNT:
        return S_BASE + ((first - L_BASE) * V_COUNT + second - V_BASE) * T_COUNT
    if S_BASE <= first < S_BASE + S_COUNT and T_BASE < second < T_BASE + T_COUNT:
        return first + second - T_BASE if (first - S_BASE) % T_COUNT == 0 else 0
    pair = pair << 32 | second
    while low < high:
        middle = (low + high) >> 1
        if shapes.pairs[middle] < pair:
            low = middle + 1
        else:
            high = middle
    if low < shapes.pair_count and shapes.pairs[low] == pair:
        return shapes.composites[low]
    return 0


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _emit(starter: cython.pointer[Starter], shapes: cython.pointer[Shapes], sink: cython.pointer[Sink]) -> cython.void:
    value: uint32_t
    if starter.exists:
        value = shapes.entries[starter.code] & VALUE
        if value != 0:
            _put(value, sink)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _put(value: uint32_t, sink: cython.pointer[Sink]) -> cython.void:
    if sink.count < sink.room:
        sink.values[sink.count] = value
    sink.count += 1
    sink.widest |= value
