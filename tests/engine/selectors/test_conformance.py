"""Every selector, through the suite that all inherit."""

import numpy as np
import pytest

from tests.conformance.selector import SelectorConformance
from whorl.catalog import SELECTORS


class TestFull(SelectorConformance):
    name, parameters = "full", {}


class TestMod(SelectorConformance):
    name, parameters, promises = "mod", {"p": 5}, False


class TestSafeMod(SelectorConformance):
    name, parameters = "safe-mod", {"p": 5, "w": 12}


class TestWinnow(SelectorConformance):
    name, parameters = "winnow", {"w": 8}


class TestRobust(SelectorConformance):
    name, parameters = "robust", {"w": 8}


class TestWideRobust(SelectorConformance):
    name, parameters = "robust", {"w": 33}


class TestMinima(SelectorConformance):
    name, parameters, promises = "minima", {"n": 9}, False


class TestRarity(SelectorConformance):
    name, parameters, promises = "rarity", {"n": 9, "letters": 2}, False


class TestRandom(SelectorConformance):
    name, parameters, promises = "random", {"n": 9}, False


class TestModMinimizer(SelectorConformance):
    name, parameters = "mod-minimizer", {"w": 7, "r": 2}


class TestOpenClosedModMinimizer(SelectorConformance):
    name, parameters = "open-closed-mod-minimizer", {"w": 7, "r": 2}


def test_every_declared_selector_is_here():
    suites = [
        value for value in globals().values() if isinstance(value, type) and issubclass(value, SelectorConformance)
    ]
    assert {suite.name for suite in suites if suite is not SelectorConformance} == set(SELECTORS.declared)


@pytest.mark.parametrize("name", SELECTORS.declared)
def test_no_hashes_no_selection(name):
    row = SELECTORS.row(name)
    selector = row.load()(**dict.fromkeys(row.takes, 3))
    assert selector.select(np.empty(0, np.uint64)).tolist() == []
