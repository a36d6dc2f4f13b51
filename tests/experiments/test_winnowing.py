"""The winnowing paper, in a reduced run: its claims hold, and they would not if the algorithm were wrong."""

import numpy as np
import pytest
from experiments.reproduction.setting import Setting, paper
from experiments.reproduction.webpages import web_pages
from experiments.winnowing import figure2, figure3, figure4, guarantee, minimizers, random_text, robust, safe, threshold
from experiments.winnowing.scheme import EXPECTED, FULL, MOD, ROBUST, WINNOW, P, W

import whorl
from whorl.engine.selectors import Mod
from whorl.engine.winnowing import Robust, Winnow

QUICK = Setting(seed=1, quick=True)


@pytest.fixture(scope="module")
def pages():
    return web_pages(QUICK, figure3.QUICK)


def test_figure_2_line_by_line():
    assert " ".join(figure2.grams()) == figure2.NUMBERS["grams"]
    assert figure2.fingerprints() == figure2.NUMBERS["fingerprints"]
    assert figure2.first_windows() == figure2.NUMBERS["first_windows"]
    assert figure2.divisible() == figure2.FIRST["fingerprints"]


def test_figure_2_fails_if_ties_are_broken_to_the_left(monkeypatch):
    def leftmost(self, values):
        starts = range(len(values) - self.w + 1)
        return np.unique([at + int(np.argmin(values[at : at + self.w])) for at in starts])

    monkeypatch.setattr(Winnow, "select", leftmost)
    assert figure2.first_windows() != figure2.NUMBERS["first_windows"]


def test_densities_on_random_text():
    """Four standard errors of half a million letters are 4%."""
    found = random_text.measure(500_000, 1)
    assert found.winnowing == pytest.approx(EXPECTED, rel=0.04)
    assert found.own_winnowing == pytest.approx(EXPECTED, rel=0.04)
    assert found.mod == pytest.approx(1 / P, rel=0.04)
    assert found.own_mod == pytest.approx(1 / P, rel=0.04)
    assert found.fullest < random_text.UNEVEN


def test_0_mod_p_misses_one_passage_in_seven_and_winnowing_none():
    mod = guarantee.measure(MOD, 500_000, 800, 1)
    assert guarantee.within(mod.windows, guarantee.THEORY, 5_000)
    assert guarantee.within(mod.passages, guarantee.THEORY, 800)
    assert mod.windows == pytest.approx(guarantee.MISSED, abs=0.02)
    for scheme in (WINNOW, ROBUST):
        assert guarantee.measure(scheme, 500_000, 200, 1) == guarantee.Missed(0, 0)


def test_the_guarantee_fails_if_winnowing_is_replaced_by_0_mod_p(monkeypatch):
    monkeypatch.setattr(Winnow, "begin", lambda self, k: Mod(P))
    assert guarantee.measure(WINNOW, 100_000, 200, 1).passages > 0.05


def test_the_guarantee_fails_in_a_window_one_too_wide(monkeypatch):
    begin = Winnow.begin
    monkeypatch.setattr(Winnow, "begin", lambda self, k: begin(Winnow(self.w + 1), k))
    assert guarantee.measure(WINNOW, 500_000, 10, 1).windows > 0


def test_safe_0_mod_p_is_as_dense_as_derived():
    found = safe.measure(safe.QUICK, 600_000, 1)
    assert safe.holds(found)
    assert all(one.safe > 1.6 * one.winnowing for one in found)


def test_figure_3_on_web_pages(pages):
    found = figure3.measure(pages)
    assert found.hashes == found.text_symbols - 49
    assert found.text_symbols / found.total_bytes == pytest.approx(0.27, abs=0.03)
    assert found.winnowing_density == pytest.approx(EXPECTED, rel=0.03)
    assert found.mod_density == pytest.approx(1 / P, rel=0.05)
    assert found.winnowing_run < W
    assert found.mod_run >= figure3.LONG


def test_robust_winnowing_selects_fewer(pages):
    web = robust.measure(figure3.joined(pages))
    assert 0.9 * web.plain < web.robust < web.plain
    zeros = robust.measure(robust.zeros(1))
    assert zeros.plain > 0.99
    assert zeros.robust == pytest.approx(1 / W, rel=0.01)
    assert zeros.mod in (0, 1)
    sensors = robust.measure(robust.sensors(1))
    assert sensors.robust < 0.1 * sensors.plain


def test_robust_winnowing_is_plain_if_it_forgets_what_it_chose(monkeypatch):
    monkeypatch.setattr(Robust, "begin", lambda self, k: Winnow(self.w).begin(k))
    assert robust.measure(robust.zeros(1)).robust > 0.99


def test_figure_4_is_a_power_law(pages):
    every, selected = figure4.measure(pages, FULL), figure4.measure(pages, WINNOW)
    for curve in (every, selected):
        assert curve.slope == pytest.approx(-0.7, abs=0.12)
        assert [curve.share(times) for times in (1, 2, 3)] == pytest.approx([0.82, 0.14, 0.02], abs=0.04)
    assert every.share(1) == pytest.approx(selected.share(1), abs=0.02)
    assert every.all[0] > 500
    assert every.cleaned.sum() < every.all.sum()


def test_the_threshold_in_k_is_sharp():
    text = list(map(threshold.prose(16, 1), (10, 16, 20, 24, 28, 40)))
    code = list(map(threshold.programs, (2, 3, 4, 5, 6, 7, 8, 12)))
    for found in (text, code):
        known = threshold.bounds(found)
        assert known is not None
        many, few = known
        assert few.k <= threshold.SLIGHTLY * many.k
        assert all(one.copies == 1 for one in found)
        assert found[0].coincidences > 0.7
        assert found[-1].coincidences <= threshold.FEW


def test_without_a_fall_there_is_no_threshold():
    assert threshold.bounds([threshold.Shares(k, 0.6, 1.0) for k in (5, 10, 20)]) is None
    assert threshold.bounds([threshold.Shares(k, 0.0, 1.0) for k in (5, 10, 20)]) is None


def test_mod_minimizers_go_below_what_was_conjectured_and_not_below_what_was_proved():
    """Where k is below w they are no better than winnowing; from there on they are."""
    found = {(one.k, one.w): one for one in minimizers.measure([(8, 24), (48, 24), (96, 24), (100, 50)], 400_000, 1)}
    for (k, w), one in found.items():
        winnow, mod, closed = (density * (w + 1) for density in one.densities)
        assert winnow == pytest.approx(2, rel=0.03)
        assert min(one.densities) > 0.98 * minimizers.lower_bound(k, w)
        if k > w:
            assert closed <= 1.02 * mod < 0.8 * winnow
    assert found[48, 24].densities[2] * 25 < 1.5


@pytest.mark.parametrize(("k", "w", "bound"), [(1, 24, 2 / 25), (25, 24, 3 / 49), (4, 24, 2 / 28), (24, 24, 3 / 49)])
def test_the_lower_bound_at_known_points(k, w, bound):
    assert minimizers.lower_bound(k, w) == pytest.approx(bound)


def test_the_papers_numbers_agree_with_each_other():
    result = paper("winnowing")["figure3"]
    assert result["winnowing_fingerprints"] / result["hashes"] == pytest.approx(result["winnowing_density"], abs=1e-6)
    assert result["mod_fingerprints"] / result["hashes"] == pytest.approx(result["mod_density"], abs=1e-6)
    assert whorl.Scheme(k=50, w=100).guarantee == 149
