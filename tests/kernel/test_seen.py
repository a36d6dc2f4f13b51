"""Tables of digests: the compiled loops equal their specification."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.kernel.specification import seen as specification
from whorl.kernel import native_seen

# Halves that repeat, and that lie in the same cell of a small table.
halves = st.sampled_from([0, 1, 2, 1 << 32, 1 << 63, 2**64 - 1])


@given(st.lists(st.tuples(halves, halves), max_size=40))
def test_the_first_of_equal_rows(rows):
    digests = np.array(rows, np.uint64).reshape(-1, 2)
    for kernel in (native_seen, specification):
        assert kernel.firsts(digests).tolist() == [rows.index(row) for row in rows]
