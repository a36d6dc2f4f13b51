"""Lines of JSON in plain Python: the specification of ``native_jsonl``.

Where the values of some names stand, for a caller who reads on from there; nothing else is made of an object. A line
that is no JSON object is refused, and so is one that is sound but rare: with an escaped name, half a surrogate pair, a
number of very many digits or brackets deep within each other. A reader that is slower and tells more has those.
"""

import json
import re
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whorl.kernel.constants import BLANK, ELSE, EMPTY, ESCAPED, INTEGER, NULL, READ, REFUSED, STRING

# Digits of a number, and brackets within each other, beyond which a line is refused.
LONGEST = 1000
DEEPEST = 32

_SPACE = re.compile(rb"[ \t\r]*")
_NUMBER = re.compile(rb"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_STRING = re.compile(
    rb"\"((?:[^\"\\\x00-\x1f]|\\[\"\\/bfnrt]"
    rb"|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4}"
    rb"|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*)\""
)
_VISIBLE = re.compile("[!-~\xa1-\u167f\u3001-\U0010ffff]")
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)")

Bytes = NDArray[np.uint8]
Numbers = NDArray[np.int64]


class _RefusedError(Exception):
    """The line is not one that is read here."""


def fields(data: Bytes, names: Bytes, bounds: Numbers) -> tuple[Bytes, Numbers, Bytes, Numbers, Numbers]:
    """Of each line, which ends with a line feed, what it is and where it ends; and of each name there, the kind of its
    value, its start and its end in ``data``, of a string without the quotation marks. The names lie one after the
    other, divided at ``bounds``. Of a line that is not read, kinds and places mean nothing."""
    wanted = {names[start:end].tobytes(): number for number, (start, end) in enumerate(pairwise(bounds.tolist()))}
    lines = data.tobytes().split(b"\n")[:-1]
    states = np.full(len(lines), REFUSED, np.uint8)
    ends_of_lines = np.cumsum([len(line) + 1 for line in lines], dtype=np.int64) - 1
    kinds = np.zeros((len(lines), len(wanted)), np.uint8)
    starts, ends = np.zeros(kinds.shape, np.int64), np.zeros(kinds.shape, np.int64)
    for row, line in enumerate(lines):
        offset = int(ends_of_lines[row]) - len(line)
        try:
            values = _object(line)
        except _RefusedError:
            continue
        states[row] = EMPTY if values is None else READ
        for name, (kind, start, end) in (values or {}).items():
            if name in wanted:
                place = row, wanted[name]
                kinds[place], starts[place], ends[place] = kind, offset + start, offset + end
    return states, ends_of_lines, kinds, starts, ends


def unescaped(data: Bytes, starts: Numbers, ends: Numbers) -> tuple[Bytes, Numbers]:
    """What strings that ``fields`` found say, in UTF-8, one after the other, and their bounds."""
    texts = [
        json.loads(b'"' + data[start:end].tobytes() + b'"').encode()
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    return np.frombuffer(b"".join(texts), np.uint8), np.cumsum([0, *map(len, texts)], dtype=np.int64)


def _object(line: bytes) -> dict[bytes, tuple[int, int, int]] | None:
    """The values of a line, by name; None if there is nothing in it."""
    at = _blank(line, 0)
    if at == len(line):
        return None
    values: dict[bytes, tuple[int, int, int]] = {}
    at = _members(line, _after(line, at, b"{"), DEEPEST + 1, b"}", values)
    if _blank(line, at) != len(line):
        raise _RefusedError
    return values


def _members(line: bytes, at: int, depth: int, closing: bytes, values: dict[bytes, tuple[int, int, int]]) -> int:
    """Past the members of an object or an array."""
    at = _blank(line, at)
    if line[at : at + 1] == closing:
        return at + 1
    while depth:
        name = b""
        if closing == b"}":
            kind, start, end = _string(line, at)
            name = line[start:end]
            if depth > DEEPEST and b"\\" in name:
                raise _RefusedError
            at = _after(line, _blank(line, end + 1), b":")
        kind, start, end = _value(line, _blank(line, at), depth - 1)
        values[name] = kind, start, end
        at = _blank(line, end + (kind in (STRING, ESCAPED, BLANK)))
        if line[at : at + 1] == closing:
            return at + 1
        at = _blank(line, _after(line, at, b","))
    raise _RefusedError


def _value(line: bytes, at: int, depth: int) -> tuple[int, int, int]:
    """Kind, start and end of the value here."""
    first = line[at : at + 1]
    if first == b'"':
        return _string(line, at)
    if first in (b"{", b"["):
        return ELSE, at, _members(line, at + 1, depth, b"}" if first == b"{" else b"]", {})
    for word, kind in ((b"null", NULL), (b"true", ELSE), (b"false", ELSE)):
        if line.startswith(word, at):
            return kind, at, at + len(word)
    number: Any = _NUMBER.match(line, at)
    if number is None or len(number[1]) > LONGEST:
        raise _RefusedError
    return INTEGER if number[2] is None and number[3] is None else ELSE, at, number.end()


def _string(line: bytes, at: int) -> tuple[int, int, int]:
    matched = _STRING.match(line, at)
    if matched is None:
        raise _RefusedError
    try:
        text = matched[1].decode()
    except UnicodeDecodeError as error:
        raise _RefusedError from error
    is_blank = _VISIBLE.search(_ESCAPE.sub("", text)) is None
    kind = BLANK if is_blank else ESCAPED if b"\\" in matched[1] else STRING
    return kind, *matched.span(1)


def _blank(line: bytes, at: int) -> int:
    matched = _SPACE.match(line, at)
    assert matched is not None  # it matches nothing, too
    return matched.end()


def _after(line: bytes, at: int, sign: bytes) -> int:
    if line[at : at + 1] != sign:
        raise _RefusedError
    return at + 1
