"""What pairs share: counted in crowds or side by side, it is the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.clustering import counting
from whorl.clustering.counting import SHINGLE_BYTES, PairsToVerify, crowded, shared
from whorl.clustering.records import Rows
from whorl.threads import Prefetch

sets = st.lists(st.sets(st.integers(0, 30).map(lambda number: number << 58 | number), max_size=20), min_size=1)


def stored(sets, path):
    """In memory, or in a file."""
    hashes = np.array([value for one in sets for value in sorted(one)], np.uint64)
    if path is not None:
        hashes.tofile(path)
    return Rows(hashes, np.cumsum([0, *map(len, sets)]), path)


@given(
    sets, st.data(), st.sampled_from([0, 2, 4]), st.sampled_from([0, 50]), st.sampled_from([0, 40, 1 << 20]),
    st.integers(0, 200), st.integers(1, 2), st.floats(0, 20), st.booleans(),
)  # fmt: skip
def test_every_way_of_counting(tmp_path_factory, sets, data, again, least, large, room, threads, needed, is_on_disk):
    every = [(one, two) for one in range(len(sets)) for two in range(one + 1, len(sets))]
    pairs = sorted(data.draw(st.sets(st.sampled_from(every)))) if every else []
    left, right = np.array(pairs, np.int32).reshape(-1, 2).T.copy()
    rows = stored(sets, tmp_path_factory.mktemp("rows") / "hashes" if is_on_disk else None)
    result: list[int] = []
    with pytest.MonkeyPatch.context() as patch, Prefetch(threads) as ahead:
        patch.setattr(counting, "LOOKUPS_PER_SHINGLE", again)
        patch.setattr(counting, "LEAST_LOOKUPS", least)
        patch.setattr(counting, "LARGE_CROWD", large)
        patch.setattr(counting, "PAIRS_STEP", 3)
        asked = PairsToVerify(left, right, lambda one, two: np.full(len(one), needed))
        found = shared(rows, asked, room * SHINGLE_BYTES, ahead, result.append)
    for count, (one, two) in zip(found.tolist(), pairs, strict=True):
        exact = len(sets[one] & sets[two])
        assert count == exact or max(count, exact) < needed
    assert sum(result) == len(pairs)


def test_a_crowd_is_taken_for_one():
    """Pages that are all pairs of each other are counted together; the pair beside them is not."""
    draw = np.random.default_rng(1)
    common = draw.integers(0, 2**64, 500, np.uint64)
    pages = [np.unique(np.concatenate([common, draw.integers(0, 2**64, 9, np.uint64)])) for _ in range(40)]
    others = [np.sort(draw.integers(0, 2**64, 9, np.uint64))] * 2
    rows = Rows(np.concatenate([*pages, *others]), np.cumsum([0, *map(len, pages), 9, 9]))
    pairs = [(one, two) for one in range(40) for two in range(one + 1, 40)] + [(40, 41)]
    left, right = np.array(pairs, np.int32).T.copy()
    asked = PairsToVerify(left, right, lambda one, two: np.zeros(len(one)))
    assert [members.tolist() for members in crowded(rows, asked)] == [list(range(40))]
    with Prefetch(1) as ahead:
        assert shared(rows, asked, 1 << 20, ahead).tolist() == [500] * 780 + [9]


@given(sets, st.booleans(), st.data())
def test_documents_are_gathered(tmp_path_factory, sets, is_on_disk, data):
    """One after the other, in any order, whether they are in memory or on the disk."""
    rows = stored(sets, tmp_path_factory.mktemp("rows") / "hashes" if is_on_disk else None)
    chosen = data.draw(st.lists(st.integers(0, len(sets) - 1)))
    found = rows.gathered(np.array(chosen, np.int64))
    assert found.sizes.tolist() == [len(sets[number]) for number in chosen]
    assert found.hashes.tolist() == [value for number in chosen for value in sorted(sets[number])]
