"""The loops of clustering: the compiled ones equal their specification."""

from functools import reduce
from operator import add

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.kernel.specification import pairs as specification
from whorl.kernel import native_pairs


@given(st.data(), st.integers(1, 6), st.sampled_from([0.1, 0.4, 1.0]), st.booleans())
def test_hopeful(data, documents, threshold, contained):
    numbers = st.integers(0, documents - 1)
    pairs = data.draw(st.lists(st.tuples(numbers, numbers, st.integers(0, 30))))
    lefts, rights, counts = np.array(pairs, np.uint32).reshape(-1, 3).T
    draw = np.random.default_rng(data.draw(st.integers(0, 99)))
    table = draw.integers(0, 60, (documents, 4)).astype(np.int32)
    arguments = (
        lefts, rights, counts, draw.integers(0, 3, documents, np.int32), table[:, 1:], table[:, :3] // 20,
        draw.integers(1, 99, documents) if contained else None, threshold, 3.3, 8,
    )  # fmt: skip
    assert native_pairs.hopeful(*arguments).tolist() == specification.hopeful(*arguments).tolist()


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.0, 0.5, 1.0]))))
def test_near(rows):
    owners, others, likeness = (
        np.array([row[column] for row in rows], kind) for column, kind in enumerate((np.int32, np.int32, np.float64))
    )
    ties = np.array([3, 1, 1, 2, 2**63, 0], np.uint64)
    native, specified = (kernel.near(6, owners, others, likeness, ties) for kernel in (native_pairs, specification))
    assert [column.tolist() for column in native] == [column.tolist() for column in specified]


@given(st.lists(st.sets(st.integers(0, 20)), min_size=1, max_size=6), st.data())
def test_what_sets_share(sets, data):
    hashes = np.array([value for one in sets for value in sorted(one)], np.uint64)
    bounds = np.cumsum([0, *map(len, sets)])
    numbers = st.lists(st.tuples(st.integers(0, len(sets) - 1), st.integers(0, len(sets) - 1)), max_size=9)
    chosen = np.array(data.draw(numbers), np.int64).reshape(-1, 2)
    needed = np.array([data.draw(st.floats(0, 21)) for _ in chosen])
    columns = hashes, bounds, chosen[:, 0].copy(), chosen[:, 1].copy()
    exact = [len(sets[a] & sets[b]) for a, b in chosen.tolist()]
    for kernel in (native_pairs, specification):
        assert kernel.shared(*columns, np.zeros(len(chosen))).tolist() == exact
    for kernel in (native_pairs, specification):
        for counted, least, count in zip(kernel.shared(*columns, needed), needed, exact, strict=True):
            assert counted == count or max(counted, count) < least


graphs = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30)


@given(
    graphs, graphs, st.permutations(range(9)), st.integers(0, 4), st.sampled_from([0.0, 0.1, 0.34, 1.0]),
    st.lists(st.sampled_from([0.2, 0.5, 1.0]), min_size=81, max_size=81),
)  # fmt: skip
def test_gathering(edges, arrows, order, few, share, alike):
    pairs = {tuple(sorted(edge)) for edge in edges if edge[0] != edge[1]}
    near = [sorted({a + b - one for a, b in pairs if one in (a, b)}) for one in range(9)]
    may = [sorted({b for a, b in arrows if a == one and b in near[one]}) for one in range(9)]
    columns = [
        part
        for rows in (may, near)
        for part in (np.cumsum([0, *map(len, rows)]), np.array([other for row in rows for other in row], np.int32))
    ]
    columns.insert(2, np.array(alike[: len(columns[1])]))
    native, specified = (
        kernel.gather(np.array(order), *columns, few, share).tolist() for kernel in (native_pairs, specification)
    )
    assert native == specified
    for one, head in enumerate(native):
        assert head == one or one in may[head]
        assert native[head] == head


@given(st.sets(st.integers(0, 99), max_size=3), st.sets(st.integers(0, 99), min_size=60), st.floats(0, 4))
def test_what_a_small_and_a_large_set_share(small, large, needed):
    hashes = np.array(sorted(small) + sorted(large), np.uint64)
    bounds = np.array([0, len(small), len(hashes)])
    for one, two in ((0, 1), (1, 0)):
        columns = hashes, bounds, np.array([one]), np.array([two])
        assert native_pairs.shared(*columns, np.zeros(1)).tolist() == [len(small & large)]
        (counted,) = native_pairs.shared(*columns, np.array([needed]))
        assert counted == len(small & large) if len(small & large) >= needed else counted < needed


@given(st.lists(st.sets(st.integers(0, 12)), min_size=1, max_size=8), st.data())
@examples(400)
def test_what_documents_share(documents, data):
    """Also if they have many partners, which are sorted in another way."""
    documents += documents * data.draw(st.sampled_from([0, 0, 20]))
    weights = np.array(data.draw(st.lists(st.floats(0, 9), min_size=13, max_size=13)))
    offsets = np.cumsum([0, *map(len, documents)])
    groups = np.array([group for mine in documents for group in sorted(mine)], np.int32)
    holders = [[number for number, mine in enumerate(documents) if group in mine] for group in range(13)]
    starts = np.cumsum([0, *map(len, holders)])
    members = np.array([number for holder in holders for number in holder], np.int32)
    chosen = np.array(sorted(data.draw(st.sets(st.integers(0, len(documents) - 1)))), np.int64)
    exact = [
        (one, two, reduce(add, (float(weights[group]) for group in sorted(both))), len(both))
        for one in chosen.tolist()
        for two in range(one + 1, len(documents))
        if (both := documents[one] & documents[two])
    ]
    for kernel in (native_pairs, specification):
        columns = kernel.partners(offsets, groups, starts, members, weights, chosen)
        assert list(zip(*(column.tolist() for column in columns), strict=True)) == exact
    reach = native_pairs.reach(offsets, groups, starts, chosen).tolist()
    assert reach == specification.reach(offsets, groups, starts, chosen).tolist()
    assert all(sum(row[0] == one for row in exact) <= most for one, most in zip(chosen.tolist(), reach, strict=True))


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)))))
def test_linked_ones_have_one_root(links):
    size = 12
    lefts, rights = np.array(links, np.int32).reshape(-1, 2).T.copy()
    rows = []
    for kernel in (native_pairs, specification):
        parents = np.arange(size, dtype=np.int32)
        kernel.unite(parents, lefts, rights)
        rows.append(parents.tolist())
    assert rows[0] == rows[1]
    sets = [{one} for one in range(size)]
    for left, right in links:
        both = sets[left] | sets[right]
        for one in both:
            sets[one] = both
    for one in range(size):
        root = one
        while rows[0][root] != root:
            root = rows[0][root]
        assert root == min(sets[one])
