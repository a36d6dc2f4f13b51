"""Candidate pairs: estimates of many submissions together are those of each alone."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.comparison import candidates
from whorl.comparison.candidates import BestPairs, CandidatePairs, Estimates, estimates
from whorl.comparison.settings import Settings
from whorl.comparison.weights import Forms, build_postings
from whorl.engine.sampling import distinct
from whorl.scheme import resolve

SUBMISSIONS = 60


def streams(seed=1):
    """Four streams of a class, of which the second half of the submissions has no normal form."""
    random = np.random.default_rng(seed)
    has_normal = np.arange(SUBMISSIONS) < SUBMISSIONS // 2
    kinds: list[list[np.ndarray]] = []
    for values in (400, 300, 200, 100):
        hashes = [distinct(random.integers(0, values, 40).astype(np.uint64)) for _ in range(SUBMISSIONS)]
        if kinds:
            hashes = [each if has else each[:0] for each, has in zip(hashes, has_normal, strict=True)]
        kinds.append(hashes)
    counts = [np.array([len(each) for each in kind], np.int64) for kind in kinds]
    return [build_postings(kind, SUBMISSIONS)[0] for kind in kinds], Forms(has_normal, counts[2], counts[3])


def estimated(size, *streams):
    """Return the estimates in batches of a size, and how many submissions each batch has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates, "BATCH", size)
        made = list(estimates(*streams))
    return [each for _, each in made], [count for count, _ in made]


def rows(parts):
    """Return all estimates as tuples, in order."""
    return [row for part in parts for row in zip(*(column.tolist() for column in part.columns()), strict=True)]


@pytest.mark.parametrize("size", [0, 1000, 1 << 20])
@pytest.mark.parametrize("numbers", [range(SUBMISSIONS), [3, 4, 9, 58, 59], []])
def test_a_batch_has_the_estimates_of_its_submissions(size, numbers):
    postings, forms = streams()
    fused, counts = estimated(size, postings, numbers, forms)
    assert sum(counts) == len(numbers)
    assert len(counts) == (len(numbers) if size == 0 else min(1, len(numbers))) or size == 1000
    alone = [estimated(0, postings, [number], forms)[0][0] for number in numbers]
    assert rows(fused) == rows(alone)


@pytest.mark.parametrize("most_strong", [0, 3, 40, 1 << 16])
def test_candidates_do_not_depend_on_batches(monkeypatch, most_strong):
    monkeypatch.setattr(candidates, "MAX_STRONG", most_strong)
    postings, forms = streams()
    results = []
    for size in (0, 2000, 1 << 20):
        pairs = CandidatePairs(Settings(cluster=0.1, limit=20), resolve("code"), [None] * SUBMISSIONS, [])
        for part in estimated(size, postings, range(SUBMISSIONS), forms)[0]:
            pairs.add(part)
        ranked, if_long = pairs.ranked()
        waiting = len(candidates.joined(pairs._strong))
        linked = pairs.links([]).roots().tolist()
        results.append((rows([ranked]), if_long.tolist(), pairs.histogram.tolist(), pairs.reached, waiting, linked))
    assert results[0] == results[1] == results[2]


def test_one_stream_has_its_own_estimates():
    (plain, *_), _ = streams()
    (made,), _ = estimated(1 << 20, [plain], range(SUBMISSIONS), None)
    weights = plain.weights
    groups = [set(plain.groups[start:end].tolist()) for start, end in pairwise(plain.offsets.tolist())]
    assert len(made) > 100
    for left, right, similarity, containment, shared, _ in rows([made])[::50]:
        both = sum(weights[group] for group in sorted(groups[left] & groups[right]))
        mine, theirs = plain.totals[left], plain.totals[right]
        assert shared == len(groups[left] & groups[right])
        assert similarity == pytest.approx(both / (mine + theirs - both))
        assert containment == pytest.approx(both / min(mine, theirs))


def test_a_class_without_shared_fingerprints_has_no_estimates():
    hashes = [np.array([number], np.uint64) for number in range(3)]
    fused, counts = estimated(1, [build_postings(hashes, 3)[0]], range(3), None)
    assert rows(fused) == []
    assert counts == [3]


@given(data=st.data())
def test_the_best_pairs_are_the_first_of_all_in_order(data):
    shares = st.sampled_from([0.1, 0.2, 0.25, 0.5, 0.75])
    pairs = [
        (number, number + 1, data.draw(shares), data.draw(shares), data.draw(st.integers(1, 3)), 1)
        for number in range(data.draw(st.integers(0, 30)))
    ]
    limit, threshold = data.draw(st.integers(1, 5)), data.draw(st.sampled_from([0.0, 0.3]))
    best = BestPairs(threshold, "similarity", limit, resolve("code"))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(pairs)), max_size=6)))
    for first, last in pairwise([0, *cuts, len(pairs)]):
        part = made(pairs[first:last])
        best.add(part, part.measure("similarity", resolve("code")), np.ones(len(part), np.bool_))
    enough = [pair for pair in pairs if pair[2] >= threshold]
    whole = BestPairs(threshold, "similarity", len(pairs) + 1, resolve("code"))
    whole.add(made(enough), made(enough).similarity, np.ones(len(enough), np.bool_))
    assert rows([best.ranked()]) == rows([whole.ranked()])[:limit]
    assert [row[2] for row in rows([best.ranked()])] == sorted((pair[2] for pair in enough), reverse=True)[:limit]
    assert best.reached == len(enough)


def made(pairs):
    """Return pairs as estimates."""
    columns = list(zip(*pairs, strict=True)) or [()] * 6
    kinds = (np.int32, np.int32, np.float64, np.float64, np.int32, np.int32)
    return Estimates(*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)))
