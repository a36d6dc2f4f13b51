"""The scheme: one value that checks itself, tells all its faults and has a stable name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.catalog import FRONTENDS, SELECTORS
from whorl.errors import SchemeError, UnknownNameError
from whorl.formats import tables
from whorl.scheme import PRESETS, Scheme, preset, resolve

FROZEN = {
    "code": "7b038327753f",
    "text": "88779e8e6cd8",
    "web": "2814e6704af7",
    "pages": "fcf9fe901c08",
    "koala": "78158a457535",
}


@st.composite
def schemes(draw):
    select = draw(st.sampled_from(sorted(SELECTORS.declared)))
    numbers = {name: draw(st.integers(1, 500)) for name in SELECTORS.row(select).takes}
    key = draw(st.sampled_from(["public", "5a1f00c0ffee"]))
    return Scheme(
        k=draw(st.integers(1, 100)), select=select, symbols=draw(st.sampled_from(tables.KINDS)), key=key, **numbers
    )


def faults(**settings):
    with pytest.raises(SchemeError) as caught:
        Scheme(**settings)
    return caught.value.faults


@given(schemes())
def test_round_trips(scheme):
    assert Scheme.from_json(scheme.to_json()) == scheme
    assert Scheme.from_toml(scheme.to_toml()) == scheme
    assert Scheme.from_json(scheme.to_json()).id == scheme.id


@given(schemes(), schemes())
def test_equal_schemes_have_equal_ids(left, right):
    assert (left.id == right.id) == (left == right)


def test_ids_are_frozen():
    """They are stored in every index and report. Whoever changes one must mean it, and raise a REVISION."""
    assert {name: scheme.id for name, scheme in PRESETS.items()} == FROZEN


def test_guarantee_instead_of_window():
    assert Scheme(k=50, t=149) == Scheme(k=50, w=100)
    assert Scheme(k=50, w=100).guarantee == 149
    assert Scheme(k=50, select="mod", p=5).guarantee is None
    assert Scheme(k=50, select="full").guarantee == 50


def test_what_a_symbol_can_be_is_the_front_ends_matter():
    assert FRONTENDS.row("text").kinds == tables.KINDS
    assert Scheme(k=5, w=4) == Scheme(k=5, w=4, symbols="characters")


def test_all_faults_at_once():
    reported = faults(k=0, w=0, symbols="runes", key="")
    assert [fault.partition(":")[0] for fault in reported] == ["symbols", "key", "k", "w"]
    reported = faults(k=0, t="x", select="best", frontend="scroll")
    assert [fault.partition(":")[0] for fault in reported] == ["t", "frontend", "select", "k"]


@pytest.mark.parametrize(
    ("settings", "reported"),
    [
        ({"k": 0, "w": 5}, "k: 0 is out of range"),
        ({"k": 5, "w": 0}, "w: 0 is out of range"),
        ({"k": 5, "w": -3}, "w: -3 is out of range"),
        ({"k": 5}, "w: missing; the selector 'robust' needs it"),
        ({"k": 5, "t": 4}, "t: 4 is less than k (5)"),
        ({"k": 5, "t": "9"}, "t: '9' is not a whole number"),
        ({"k": 5, "t": 9, "select": "mod", "p": 2}, "t: the selector 'mod' takes no window"),
        ({"k": 5, "w": 4, "select": ["x"]}, "select: unknown selector ['x']"),
        ({"k": 5, "w": 4, "frontend": 3}, "frontend: unknown front-end 3"),
        ({"k": 5, "t": 9, "w": 5}, "t: given together with w"),
        ({"k": 5, "select": "mod"}, "p: missing"),
        ({"k": 5, "select": "mod", "p": 3, "w": 4}, "w: the selector 'mod' takes none; leave it out"),
        ({"k": 5, "select": "best", "w": 1}, "select: unknown selector 'best': choose one of"),
        ({"k": "5", "w": 5}, "k: '5' is not a whole number"),
        ({"k": True, "w": 5}, "k: True is not a whole number"),
        ({"k": 5, "w": 5, "key": ""}, "key: give the id of a key"),
    ],
)
def test_each_fault_names_the_setting_and_the_remedy(settings, reported):
    assert any(fault.startswith(reported) for fault in faults(**settings))


@pytest.mark.parametrize("text", ["{", "[]", "3"])
def test_what_is_no_scheme(text):
    with pytest.raises(SchemeError):
        Scheme.from_json(text)
    with pytest.raises(SchemeError):
        Scheme.from_toml("k = = 3")


def test_unknown_settings_are_faults():
    with pytest.raises(SchemeError) as caught:
        Scheme.from_dict({"window": 4})
    assert len(caught.value.faults) == 2


def test_presets():
    assert (PRESETS["code"].symbols, PRESETS["code"].k, PRESETS["code"].w) == ("tokens", 8, 4)
    assert (PRESETS["web"].symbols, PRESETS["web"].k, PRESETS["web"].p) == ("words", 10, 25)
    assert (PRESETS["koala"].symbols, PRESETS["koala"].k, PRESETS["koala"].n) == ("consonants", 20, 1000)
    assert (PRESETS["pages"].symbols, PRESETS["pages"].k) == ("words", 4)
    assert PRESETS["text"].guarantee == 39
    assert resolve("web") is preset("web") is resolve(PRESETS["web"])
    with pytest.raises(UnknownNameError, match="unknown preset 'prose': choose one of code, koala, pages, text, web"):
        preset("prose")
