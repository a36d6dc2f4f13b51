"""The text front-end's loops in plain Python: the specification that ``native_text`` must equal, bit for bit.

Nothing here knows Unicode: what a code point becomes is read from the tables that the caller hands in (made by
``tools/make_unicode_tables.py``, loaded by ``whorl.formats.tables``). What lives here is the walk over the text:
which code points belong together and how they compose. Which runs of values are words is the matter of ``words``.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.kernel.constants import BREAK, EXPANDS, JOINS, OPENS, SPLITS, SYMBOL, VALUE, YPOGEGRAMMENI, Shapes

IOTA = 0x3B9  # what the mark YPOGEGRAMMENI folds to

# Hangul composes by arithmetic (The Unicode Standard, section 3.12).
L_BASE, V_BASE, T_BASE, S_BASE = 0x1100, 0x1161, 0x11A7, 0xAC00
L_COUNT, V_COUNT, T_COUNT = 19, 21, 28
S_COUNT = L_COUNT * V_COUNT * T_COUNT

LAST_DIGIT = 0x39  # in eight bits there is no room for NUMBER: a value up to "9" is a number as well

Array = NDArray[Any]


def ascii_symbols(data: Array, table: Array) -> tuple[Array, Array]:
    """The bytes that the table does not map to 0, mapped; and where each stood."""
    mapped = table[data]
    starts = np.flatnonzero(mapped)
    return mapped[starts], starts.astype(np.int32)


def symbols(codes: Array, entries: Array, *shapes: Array) -> tuple[Array, Array, Array]:
    """The values of a text, in eight bits if all fit, and the start and end of the segment that each comes from."""
    values, starts, ends = [], [], []
    for start, end in _segments([int(entries[code]) for code in codes.tolist()]):
        for value in _values(codes[start:end].tolist(), entries, Shapes(*shapes)):
            values.append(value)
            starts.append(start)
            ends.append(end)
    kind = np.uint8 if max(values, default=0) < 256 else np.uint32
    return np.array(values, kind), np.array(starts, np.int32), np.array(ends, np.int32)


def compose(codes: list[int], shapes: Shapes) -> list[int]:
    """A segment in canonical form: decomposed, folded, ordered, composed. Marks that nothing absorbs are left out."""
    ordered = _ordered(_decomposed(codes, shapes))
    composed: list[int] = []
    last_class = -1  # of the last mark left over: it blocks marks of its class, and starters
    for part in ordered:
        code, mark = part & SYMBOL, part >> 24
        blocked = not composed or (last_class >= mark if mark else last_class > 0)
        composite = None if blocked else _pair(composed[-1], code, shapes)
        if composite is not None:
            composed[-1] = composite
        elif mark:
            last_class = mark
        else:
            composed.append(code)
            last_class = 0
    return composed


def _segments(entries: list[int]) -> Iterator[tuple[int, int]]:
    """The pieces that canonicalise alone: a code point and those that join it."""
    start = 0
    for at in range(1, len(entries) + 1):
        if at == len(entries) or not entries[at] & JOINS:
            if at > start:
                yield start, at
            start = at


def _values(segment: list[int], entries: Array, shapes: Shapes) -> Iterator[int]:
    first = int(entries[segment[0]])
    is_plain = len(segment) == 1 and first < EXPANDS
    canonical = segment if is_plain else compose(segment, shapes)
    if first & SPLITS:
        yield BREAK
    for code in canonical:
        value = int(entries[code]) & VALUE
        if value:
            yield value


def _decomposed(codes: list[int], shapes: Shapes) -> list[int]:
    parts: list[int] = []
    pending = 0
    for code in codes:
        expansion = _expansion(code, shapes)
        if not expansion or not expansion[0] >> 24 or expansion[0] & OPENS:
            parts += [IOTA] * pending
            pending = 0
        pending += expansion.count(240 << 24 | YPOGEGRAMMENI)
        parts += [part for part in expansion if part & SYMBOL != YPOGEGRAMMENI]
    return parts + [IOTA] * pending


def _expansion(code: int, shapes: Shapes) -> list[int]:
    if S_BASE <= code < S_BASE + S_COUNT:
        syllable = code - S_BASE
        jamo = [L_BASE + syllable // (V_COUNT * T_COUNT), V_BASE + syllable // T_COUNT % V_COUNT]
        return jamo + ([T_BASE + syllable % T_COUNT] if syllable % T_COUNT else [])
    number = int(shapes.expansion[code])
    if not number:
        return [code]
    parts: list[int] = shapes.pool[shapes.offsets[number] : shapes.offsets[number + 1]].tolist()
    return parts


def _ordered(parts: list[int]) -> list[int]:
    """Each run of marks in the order of their classes; marks of one class keep theirs."""
    ordered: list[int] = []
    run: list[int] = []
    for part in parts:
        if part >> 24:
            run.append(part)
        else:
            ordered += [*sorted(run, key=lambda mark: mark >> 24), part]
            run = []
    return ordered + sorted(run, key=lambda mark: mark >> 24)


def _pair(first: int, second: int, shapes: Shapes) -> int | None:
    if L_BASE <= first < L_BASE + L_COUNT and V_BASE <= second < V_BASE + V_COUNT:
        return S_BASE + ((first - L_BASE) * V_COUNT + second - V_BASE) * T_COUNT
    is_open = S_BASE <= first < S_BASE + S_COUNT and (first - S_BASE) % T_COUNT == 0
    if is_open and T_BASE < second < T_BASE + T_COUNT:
        return first + second - T_BASE
    pair = np.uint64(first << 32 | second)
    at = int(np.searchsorted(shapes.pairs, pair))
    return int(shapes.composites[at]) if at < len(shapes.pairs) and shapes.pairs[at] == pair else None
