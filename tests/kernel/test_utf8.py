"""The decoder of UTF-8 equals its specification on every input."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.kernel.specification import utf8 as specification
from whorl.kernel import native_utf8

# Bytes near every bound of the table of well-formed sequences, in any order.
BOUNDS = bytes.fromhex("00 41 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 e1 ec ed ee ef f0 f1 f3 f4 f5 ff")

inputs = st.one_of(
    st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(st.sampled_from(BOUNDS), max_size=12).map(bytes),
    st.tuples(st.text(max_size=30), st.lists(st.sampled_from(BOUNDS), max_size=5), st.text(max_size=30)).map(
        lambda parts: parts[0].encode("utf-8", "ignore") + bytes(parts[1]) + parts[2].encode("utf-8", "ignore")
    ),
)


@given(inputs)
@examples(3000)
@example("aaaaaaaaaaaaaaaé😀".encode())
@example(b"")
def test_code_points(data):
    array = np.frombuffer(data, np.uint8)
    (codes, read), (expected, expected_read) = native_utf8.code_points(array), specification.code_points(array)
    assert codes.tolist() == expected.tolist()
    assert read == expected_read
    assert native_utf8.well_formed(array) == specification.well_formed(array) == (read, len(codes))
