"""Every value comes back as it was, and no bytes make anything but plain values."""

import json
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.examples import examples
from whorl.sandbox import Sandbox, wire

DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32", "float64"]
ANY_ARRAY = st.sampled_from(DTYPES).flatmap(
    lambda dtype: arrays.arrays(dtype, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=7))
)
VIEWS = st.sampled_from(
    [lambda a: a, lambda a: a.T, lambda a: a[::2] if a.ndim else a, lambda a: a[..., ::-1] if a.ndim else a]
)
ARRAYS = st.builds(lambda array, view: view(array), ANY_ARRAY, VIEWS)
TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates too
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.binary() | ARRAYS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.lists(inner, max_size=4).map(tuple), max_leaves=12
)


def same(left, right):
    if isinstance(left, np.ndarray):
        assert right.dtype == left.dtype
        assert right.shape == left.shape
        np.testing.assert_array_equal(left, right)
    elif isinstance(left, list | tuple):
        assert type(left) is type(right)
        assert len(left) == len(right)
        for one, other in zip(left, right, strict=True):
            same(one, other)
    else:
        assert type(left) is type(right)
        assert left == right or (left != left and right != right)


def body(value):
    header, buffers = wire.encode_value(value)
    padded = [bytes(buffer) + bytes(wire.padding(len(buffer))) for buffer in buffers]
    return bytearray(header + b"".join(padded)), len(header)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(workers=1) as made:
        yield made


@given(VALUES)
def test_a_value_is_decoded_as_it_was(value):
    same(value, wire.decode_value(*body(value)))


@examples(200)
@given(st.lists(VALUES, max_size=4))
def test_arguments_and_results_cross_as_they_were(sandbox, arguments):
    same(tuple(arguments), sandbox.call("tests.sandbox.targets:echo", *arguments))


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 1 << 20, 5_000_001])
def test_any_size_crosses(sandbox, size):
    data = bytes(range(256)) * (size // 256 + 1)
    value = (data[:size], np.frombuffer(data, np.uint8)[:size], "ü" * size)
    same(value, sandbox.call("tests.sandbox.targets:echo", *value))


def test_views_of_memory_arrive_as_bytes(sandbox):
    given_values = (bytearray(b"ab"), memoryview(b"abcd")[1:3], memoryview(b"abcd")[::2], memoryview(b""))
    assert sandbox.call("tests.sandbox.targets:echo", *given_values) == (b"ab", b"bc", b"ac", b"")


def test_arrays_arrive_aligned_and_in_native_order(sandbox):
    swapped = np.arange(5, dtype=np.dtype(np.uint32).newbyteorder())
    _, array = sandbox.call("tests.sandbox.targets:echo", b"x", swapped)
    assert array.dtype == np.uint32
    assert array.flags.aligned
    assert list(array) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "value",
    [{}, {1}, object(), np.int64(1), np.array(["a"]), np.array([None]), np.zeros(1, "u1,u2"), 1j, range(3)],
    ids=lambda value: type(value).__name__,
)
def test_nothing_else_can_be_sent(sandbox, value):
    with pytest.raises(TypeError, match="cannot be sent"):
        sandbox.call("tests.sandbox.targets:echo", value)


def test_endless_nesting_cannot_be_sent():
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(TypeError, match="nested"):
        wire.encode_value(endless)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from([*wire.DTYPES, "O", "V8", "x"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("tsbax"), inner, max_size=2),
)
CLAIMS = st.fixed_dictionaries({"a": st.tuples(st.sampled_from(["u1", "u8", "b1"]), st.lists(st.integers(-1, 2**70)))})


@given(JSON | CLAIMS, st.binary(max_size=64))
def test_any_header_gives_plain_values_or_is_refused(described, rest):
    header = json.dumps(described).encode()
    with suppress(wire.DamagedError):
        plain(wire.decode_value(bytearray(header + rest), len(header)))


@given(st.binary(max_size=64), st.integers(0, 70))
def test_any_bytes_give_plain_values_or_are_refused(data, header):
    with suppress(wire.DamagedError):
        plain(wire.decode_value(bytearray(data), header))


def plain(value):
    assert type(value) in (type(None), bool, int, float, str, bytes, list, tuple, np.ndarray)
    if isinstance(value, list | tuple):
        for item in value:
            plain(item)
    if isinstance(value, np.ndarray):
        assert value.dtype.kind in "buif"
