"""0 mod p and its safe variant against the paper's words."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.selectors import paper
from tests.examples import examples
from whorl.engine.selectors import Mod, SafeMod

hashes = st.lists(st.integers(0, 60), max_size=120)


def test_figure_1():
    values = [77, 72, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 72, 42, 17, 98]
    selected = Mod(4).select(np.array(values, np.uint64))
    assert [values[at] for at in selected] == [72, 8, 88, 72]


@given(hashes, st.integers(1, 30))
def test_mod(values, p):
    assert Mod(p).select(np.array(values, np.uint64)).tolist() == [at for at, v in enumerate(values) if v % p == 0]


@given(hashes, st.integers(1, 30), st.integers(1, 20))
@examples(1000)
def test_good_bad_and_ugly(values, p, w):
    selected = SafeMod(p, w).select(np.array(values, np.uint64)).tolist()
    assert selected == paper.good_bad_ugly(values, p, w)


def test_the_best_p_is_the_papers():
    assert SafeMod.best_p(100) == 22
    best = min(range(1, 500), key=lambda p: SafeMod(p, 1000).density(1))
    assert abs(SafeMod.best_p(1000) - best) <= 1
