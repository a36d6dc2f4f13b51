"""Candidate pairs: estimates of many submissions together are those of each alone."""

import numpy as np
import pytest

from whorl.comparison import candidates
from whorl.comparison.candidates import CandidatePairs, Estimates, batches, estimate, fuse
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


def alone(postings, forms):
    """Return the estimates of each submission, fused one after the other."""
    each = zip(*(estimate(kind, range(SUBMISSIONS)) for kind in postings), strict=True)
    return [fuse(tokens, grams, whole, standing, forms) for tokens, grams, whole, standing in each]


def together(postings, forms):
    """Return the same in batches, and how many submissions each batch has."""
    made = list(batches([estimate(kind, range(SUBMISSIONS)) for kind in postings]))
    fused = [fuse(tokens, grams, whole, standing, forms) for _, (tokens, grams, whole, standing) in made]
    return fused, [count for count, _ in made]


def rows(parts):
    """Return all estimates as tuples, in order."""
    return [row for part in parts for row in zip(*(column.tolist() for column in part.columns()), strict=True)]


@pytest.mark.parametrize("size", [1, 50, 1 << 20])
def test_a_batch_has_the_estimates_of_its_submissions(monkeypatch, size):
    monkeypatch.setattr(candidates, "BATCH", size)
    postings, forms = streams()
    fused, counts = together(postings, forms)
    assert sum(counts) == SUBMISSIONS
    assert len(counts) == 1 if size > 1 << 16 else len(counts) > 10
    assert rows(fused) == rows(alone(postings, forms))


@pytest.mark.parametrize("most_strong", [0, 3, 40, 1 << 16])
def test_candidates_do_not_depend_on_batches(monkeypatch, most_strong):
    monkeypatch.setattr(candidates, "MAX_STRONG", most_strong)
    postings, forms = streams()
    results = []
    for parts in (alone(postings, forms), together(postings, forms)[0]):
        pairs = CandidatePairs(Settings(cluster=0.1, limit=20), resolve("code"), [None] * SUBMISSIONS, [])
        for part in parts:
            pairs.add(part)
        ranked, if_long = pairs.ranked()
        waiting = len(candidates.joined(pairs._strong))
        linked = pairs.links([]).roots().tolist()
        results.append((rows([ranked]), if_long.tolist(), pairs.histogram.tolist(), pairs.reached, waiting, linked))
    assert results[0] == results[1]


def test_a_class_without_shared_fingerprints_has_no_estimates():
    none = np.zeros(0, np.int32)
    empty = Estimates(none, none, np.zeros(0), np.zeros(0), none, none)
    fused = [estimates for _, estimates in batches([iter([empty] * 3)])]
    assert [len(each) for estimates in fused for each in estimates] == [0]
