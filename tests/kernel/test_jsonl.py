"""Lines of JSON: the compiled reader equals its specification, and both agree with Python's own."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.specification import jsonl as specification
from whorl.kernel import native_jsonl
from whorl.kernel.constants import BLANK, ELSE, ESCAPED, INTEGER, MISSING, NULL, READ, REFUSED, STRING

NAMES = ("id", "text", "ü")
PIECES = (
    '{"id"', '"text"', '"ü"', '"i\\u0064"', ':', ' : ', ',', '{', '}', '[', ']', '}', '"', '"a"', '" "',
    '"\\n"', '"\\\\"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\udE00"', '"\\u00e9é漢"', '"\u3000"', '"\x01"',
    '"\\x"', '1', '-0', '01', '1.5', '1e-3', '1.', 'null', 'true', 'false', 'nul', 'NaN', '\r', '\t', '\x0c',
    '\n', '\ufeff',
)  # fmt: skip

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(st.sampled_from([*NAMES, "other"]), values)


def fields(kernel, data):
    names = [name.encode() for name in NAMES]
    bounds = np.cumsum([0, *map(len, names)], dtype=np.int64)
    return kernel.fields(np.frombuffer(data, np.uint8), np.frombuffer(b"".join(names), np.uint8), bounds)


def same(data):
    states, ends, *columns = fields(native_jsonl, data)
    specified_states, specified_ends, *specified_columns = fields(specification, data)
    assert states.tolist() == specified_states.tolist()
    assert ends.tolist() == specified_ends.tolist()
    there = (states == READ)[:, None] & (columns[0] != MISSING)
    assert columns[0][states == READ].tolist() == specified_columns[0][states == READ].tolist()
    for one, two in zip(columns, specified_columns, strict=True):
        assert one[there].tolist() == two[there].tolist()
    return states, columns


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text(), st.booleans())
def test_any_lines(text, damaged):
    data = text.encode() + (b"\xff" if damaged else b"") + b"\n" + text.encode()
    states, _ = same(data)
    for state, line in zip(states.tolist(), data.split(b"\n"), strict=False):
        if state == READ:
            assert isinstance(json.loads(line), dict)


@given(st.lists(objects), st.booleans(), st.sampled_from([None, (" , ", " : ")]))
def test_objects(rows, ascii_only, separators):
    lines = [json.dumps(row, ensure_ascii=ascii_only, separators=separators).encode() for row in rows]
    data = b"".join(line + b"\n" for line in lines)
    states, (kinds, starts, ends) = same(data)
    for number, row in enumerate(rows):
        if states[number] != READ:
            assert b"\\" in lines[number]
            continue
        for column, name in enumerate(NAMES):
            place = number, column
            check(row, name, kinds[place], data[starts[place] : ends[place]])


def check(row, name, kind, content):
    expected = {str: (STRING, ESCAPED, BLANK), int: (INTEGER,), type(None): (NULL,)}
    assert kind in ((MISSING,) if name not in row else expected.get(type(row[name]), (ELSE,)))
    if kind in (STRING, ESCAPED, BLANK):
        assert decoded(native_jsonl, content) == decoded(specification, content) == row[name]
        assert kind == BLANK or row[name].strip()
        assert (kind == STRING) <= (b"\\" not in content)
    elif kind == INTEGER:
        assert int(content) == row[name]


def decoded(kernel, content):
    data = np.frombuffer(b"..." + content + b"...", np.uint8)
    text, bounds = kernel.unescaped(data, np.array([3, 3]), np.array([3, 3 + len(content)]))
    assert bounds.tolist() == [0, 0, len(text)]
    return text.tobytes().decode()


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ('{"id": ' + "[" * 32 + "]" * 32 + "}", READ),
        ('{"id": ' + "[" * 33 + "1" + "]" * 33 + "}", REFUSED),
        ('{"id": ' + "[" * 100_000, REFUSED),
        ('{"id": ' + "9" * 1000 + "}", READ),
        ('{"id": ' + "9" * 1001 + "}", REFUSED),
        ('{"id": "' + "x" * 100_000 + '"}', READ),
        ('{"id": "x"}{', REFUSED),
    ],
)
def test_limits(line, state):
    assert same(line.encode() + b"\n")[0].tolist() == [state]


def test_nothing():
    assert same(b"")[0].tolist() == []
    assert same(b'{"id": 1}')[0].tolist() == []  # a line that has no end
