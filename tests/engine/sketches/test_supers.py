"""Super shingles, and how probably they find what they are to find."""

from itertools import product
from math import sqrt

import numpy as np
import pytest

from tests.engine.sketches.universe import by_hand, keys, overlapping, web
from whorl.engine.sketches import sketch_hashes
from whorl.engine.super_shingles import detection_probability, super_shingles
from whorl.errors import InputError


class TestSuperShingles:
    def test_one_for_each_run_of_neighbours(self):
        assert len(super_shingles(by_hand(range(10), "mod", 1), 4)) == 7

    def test_a_shared_one_is_a_shared_run(self):
        first, second = by_hand([1, 2, 3, 4, 9], "mod", 1), by_hand([0, 2, 3, 4, 7], "mod", 1)
        assert np.intersect1d(super_shingles(first, 3), super_shingles(second, 3)).size == 1
        assert np.intersect1d(super_shingles(first, 4), super_shingles(second, 4)).size == 0

    def test_what_stands_between_parts_a_run(self):
        first, second = by_hand([2, 4, 6], "mod", 1), by_hand([2, 3, 4, 5, 6], "mod", 1)
        assert not np.intersect1d(super_shingles(first, 2), super_shingles(second, 2)).size

    def test_short_documents_have_none(self):
        assert not super_shingles(by_hand([1, 2], "mod", 1), 3).size
        assert not super_shingles(by_hand([], "mod", 1), 1).size

    def test_wrong_size(self):
        with pytest.raises(InputError, match="size"):
            super_shingles(by_hand([1], "mod", 1), 0)


class TestDetection:
    @pytest.mark.parametrize("size", [1, 2, 3, 5])
    def test_by_enumeration(self, size):
        resemblance, sample = 0.75, 7  # 2 · 7 / 1.75: eight tosses
        expected = sum(
            resemblance ** sum(tosses) * (1 - resemblance) ** (8 - sum(tosses))
            for tosses in product((0, 1), repeat=8)
            if "1" * size in "".join(map(str, tosses))
        )
        assert detection_probability(resemblance, size, sample) == pytest.approx(expected, abs=1e-12)

    @pytest.mark.parametrize(("kind", "size"), [("mod", 10), ("min", 60)])
    @pytest.mark.parametrize(("common", "only"), [(550, 50), (500, 100), (400, 200)])
    def test_by_simulation(self, kind, size, common, only):
        first, second = overlapping(common, only, only)
        tries, run = 400, 6
        detected = 0
        for key in keys(tries, seed=common):
            a, b = (super_shingles(sketch_hashes(s, kind, size, web(key), key), run) for s in (first, second))
            detected += bool(np.intersect1d(a, b).size)
        probability = detection_probability(common / (common + 2 * only), run, 60)
        # Four standard errors, and a little for what the formula leaves out: how many hashes a sketch has varies.
        assert abs(detected / tries - probability) < 4 * sqrt(probability * (1 - probability) / tries) + 0.01

    def test_the_ends(self):
        assert detection_probability(1, 5, 5) == 1
        assert detection_probability(0, 5, 100) == 0
        assert detection_probability(1, 5, 4) == 0
        assert detection_probability(0.9, 10**9, 5) == 0

    def test_it_rises_with_resemblance_and_length_and_falls_with_size(self):
        steps = [detection_probability(r / 20, 6, 100) for r in range(21)]
        assert steps == sorted(steps)
        assert detection_probability(0.8, 6, 200) > detection_probability(0.8, 6, 50)
        assert detection_probability(0.8, 8, 100) < detection_probability(0.8, 4, 100)

    @pytest.mark.parametrize("wrong", [(1.1, 5, 5), (-0.1, 5, 5), (0.5, 0, 5), (0.5, 5, -1)])
    def test_wrong_input(self, wrong):
        with pytest.raises(InputError):
            detection_probability(*wrong)
