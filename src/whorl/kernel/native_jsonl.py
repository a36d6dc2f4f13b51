"""Lines of JSON, compiled. Specification: ``tests/kernel/specification/jsonl.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int64_t, uint8_t
from cython.cimports.libc.string import memchr
from cython.cimports.whorl.kernel.sheets import WHORL_SLACK, whorl_line, whorl_sheet, whorl_unescape

LINE_FEED = cython.declare(cython.int, 10)


def fields(data: cython.const[uint8_t][::1], names: cython.const[uint8_t][::1], bounds: cython.const[int64_t][::1]):
    columns: int64_t = bounds.shape[0] - 1
    lines: int64_t = _lines(data)
    i: int64_t
    states = np.empty(lines, np.uint8)
    line_ends = np.empty(lines, np.int64)
    kinds = np.empty((lines, columns), np.uint8)
    starts = np.zeros((lines, columns), np.int64)
    ends = np.zeros((lines, columns), np.int64)
    state: uint8_t[::1] = states
    line_end: int64_t[::1] = line_ends
    kind: uint8_t[:, ::1] = kinds
    start: int64_t[:, ::1] = starts
    end: int64_t[:, ::1] = ends
    if lines == 0 or columns == 0:
        return states, line_ends, kinds, starts, ends
    sheet = cython.declare(whorl_sheet)
    sheet.data = cython.address(data[0])
    sheet.names = cython.address(names[0])
    sheet.bounds = cython.address(bounds[0])
    sheet.count = columns
    at: cython.pointer[cython.const[uint8_t]] = sheet.data
    last: cython.pointer[cython.const[uint8_t]] = sheet.data + data.shape[0]
    stop: cython.pointer[cython.const[uint8_t]]
    with cython.nogil:
        for i in range(lines):
            stop = cython.cast(cython.pointer[cython.const[uint8_t]], memchr(at, LINE_FEED, last - at))
            sheet.kinds = cython.address(kind[i, 0])
            sheet.starts = cython.address(start[i, 0])
            sheet.ends = cython.address(end[i, 0])
            state[i] = whorl_line(cython.address(sheet), at, stop)
            line_end[i] = stop - sheet.data
            at = stop + 1
    return states, line_ends, kinds, starts, ends


@cython.cfunc
def _lines(data: cython.const[uint8_t][::1]) -> int64_t:
    """Count the lines: most are long, so that each is skipped quickly."""
    lines: int64_t = 0
    if data.shape[0] == 0:
        return lines
    at: cython.pointer[cython.const[uint8_t]] = cython.address(data[0])
    last: cython.pointer[cython.const[uint8_t]] = at + data.shape[0]
    with cython.nogil:
        while True:
            at = cython.cast(cython.pointer[cython.const[uint8_t]], memchr(at, LINE_FEED, last - at))
            if at == cython.NULL:
                break
            lines += 1
            at += 1
    return lines


def unescaped(data: cython.const[uint8_t][::1], starts: cython.const[int64_t][::1], ends: cython.const[int64_t][::1]):
    n: int64_t = starts.shape[0]
    i: int64_t
    room: int64_t = 0
    for i in range(n):
        room += ends[i] - starts[i]
    text = np.empty(room + WHORL_SLACK, np.uint8)
    bounds = np.zeros(n + 1, np.int64)
    if room == 0:
        return text[:0], bounds
    out: uint8_t[::1] = text
    bound: int64_t[::1] = bounds
    base: cython.pointer[uint8_t] = cython.address(out[0])
    at: cython.pointer[uint8_t] = base
    first: cython.pointer[cython.const[uint8_t]] = cython.address(data[0])
    with cython.nogil:
        for i in range(n):
            at = whorl_unescape(first + starts[i], first + ends[i], at)
            bound[i + 1] = at - base
    return text[: bounds[n]], bounds
