"""Koala's settings of a scheme: what they are called, what they may be, and that they are off unless they are given."""

from dataclasses import replace

import pytest

from whorl import Scheme, SchemeError
from whorl.scheme import PRESETS

KOALA = PRESETS["koala"]


def test_the_preset_has_the_papers_numbers():
    numbers = {
        name: getattr(KOALA, name) for name in ("k", "n", "stored", "letters", "prolog", "common", "cap", "bits")
    }
    assert numbers == {
        "k": 20, "n": 1000, "stored": 100, "letters": 5, "prolog": 1000, "common": 4, "cap": 10, "bits": 28,
    }  # fmt: skip
    assert (KOALA.symbols, KOALA.select) == ("consonants", "rarity")


def test_they_are_written_and_read():
    assert Scheme.from_json(KOALA.to_json()) == Scheme.from_toml(KOALA.to_toml()) == KOALA
    assert replace(KOALA, cap=9).id != KOALA.id


def test_schemes_without_them_are_as_they_were():
    assert set(Scheme(k=20, w=20).as_dict()) == {"frontend", "symbols", "k", "select", "w", "key"}


@pytest.mark.parametrize(
    ("settings", "fault"),
    [
        ({"stored": 1001}, "stored: 1001 is more than n"),
        ({"bits": 15}, "bits: 15 is out of range; give a whole number from 16 to 64"),
        ({"bits": 65}, "bits: 65 is out of range"),
        ({"common": 1}, "common: 1 is out of range"),
        ({"common": None}, "cap: nothing is ignored without common"),
        ({"prolog": 0}, "prolog: 0 is out of range"),
        ({"letters": 0}, "letters: 0 is out of range"),
        ({"stored": 2.5}, "stored: 2.5 is not a whole number"),
        ({"select": "minima"}, "letters: the selector 'minima' takes none"),
    ],
)
def test_faults_are_reported(settings, fault):
    with pytest.raises(SchemeError, match=fault):
        Scheme.from_dict({name: value for name, value in {**KOALA.as_dict(), **settings}.items() if value is not None})


def test_another_selector_leaves_out_what_only_the_old_one_took():
    minima = KOALA.selecting("minima", n=500)
    assert (minima.letters, minima.n, minima.stored) == (None, 500, 100)
    assert KOALA.selecting("full").n is None
