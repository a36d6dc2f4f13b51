"""Boilerplate: text in many documents, and that of ``base``, is no part of resemblance and containment."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.clustering.records import Rows
from whorl.clustering.sketching import FAMILY_SHARE, Boilerplate, frequent
from whorl.errors import InputError

WORDS = [f"w{number}" for number in range(5000)]


def prose(chance: random.Random, count: int) -> list[str]:
    return chance.choices(WORDS, k=count)


def edited(chance: random.Random, words: list[str], share: float) -> list[str]:
    return [chance.choice(WORDS) if chance.random() < share else word for word in words]


def site(pages: int = 150) -> tuple[list[str], str]:
    """Pages about different things with the same licence, which is two thirds of each; and the licence."""
    chance = random.Random(5)
    licence = " ".join(prose(chance, 240))
    return [f"{licence} {' '.join(prose(chance, 120))}" for _ in range(pages)], licence


def test_pages_that_share_a_licence_are_no_duplicates():
    pages, _ = site()
    assert len(whorl.cluster(pages).clusters()) == 0
    assert len(whorl.cluster(pages, boilerplate=0).clusters()[0]) == len(pages)
    assert whorl.cluster(pages).boilerplate == 237


def test_near_duplicates_with_boilerplate_are_found():
    pages, licence = site()
    chance = random.Random(6)
    copies = [" ".join(licence.split() + edited(chance, page.split()[240:], 0.05)) for page in pages]
    clusters = whorl.cluster(pages + copies).clusters()
    assert [sorted(map(int, ids)) for ids in clusters if len(ids) != 2] == []
    assert sum(int(one) % len(pages) == int(two) % len(pages) for one, two in clusters) >= 0.99 * len(pages)


def test_a_family_of_near_duplicates_is_no_boilerplate():
    chance = random.Random(7)
    letter = prose(chance, 200)
    family = [" ".join(edited(chance, letter, 0.02)) for _ in range(150)]
    others = [" ".join(prose(chance, 100)) for _ in range(50)]
    assert [len(ids) for ids in whorl.cluster(family + others).clusters()] == [150]


def test_base_does_not_count():
    pages, licence = site(10)
    assert len(whorl.cluster(pages).clusters()) == 1
    assert whorl.cluster(pages, base=[licence]).clusters() == []
    assert whorl.cluster([*pages, pages[3]], base=[licence]).clusters() == [["3", "10"]]
    part = f"{licence} {' '.join(pages[0].split()[240:270])}"
    pairs = whorl.cluster([pages[0], part], base=[licence], measure="containment").pairs
    assert pairs.right_in_left.tolist() == [1.0]
    # A shingle for each word after the licence.
    assert (pairs.left_size.tolist(), pairs.right_size.tolist()) == ([120], [30])


def test_base_that_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"base: .*missing.txt"):
        whorl.cluster(["a b c d"], base=[tmp_path / "missing.txt"])


sets = st.lists(st.sets(st.integers(0, 30) | st.integers(0, 2**64 - 1), max_size=20), max_size=12)


def rows(documents: list[set[int]]) -> Rows:
    values = [value for each in documents for value in sorted(each)]
    bounds = np.cumsum([0, *map(len, documents)])
    return Rows(np.array(values, np.uint64), bounds.astype(np.int64))


@given(sets, st.integers(1, 5), st.data())
def test_frequent_shingles_are_counted_exactly(documents, most, data):
    chosen = np.array([data.draw(st.booleans()) for _ in documents], np.bool_)
    counts = Counter(value for each, is_chosen in zip(documents, chosen, strict=True) if is_chosen for value in each)
    wanted = sorted(value for value, count in counts.items() if count > most)
    assert frequent(rows(documents), chosen, most).tolist() == wanted


@given(sets)
@examples(20)
def test_counting_in_parts_changes_nothing(documents):
    from whorl.clustering import sketching

    whole = frequent(rows(documents), np.ones(len(documents), np.bool_), 1).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sketching, "STEP", 7)
        patch.setattr(sketching, "CANDIDATES", 5)
        assert frequent(rows(documents), np.ones(len(documents), np.bool_), 1).tolist() == whole


@given(sets, st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)))
def test_the_rest_of_a_document_counts(documents, base, common):
    boilerplate = Boilerplate(*(np.array(sorted(values), np.uint64) for values in (base, common)))
    kept = boilerplate.left_out(rows(documents))
    for number, document in enumerate(documents):
        rest = document - base
        is_family = len(rest & common) > FAMILY_SHARE * len(rest)
        wanted = rest if is_family else rest - common
        assert kept.hashes[kept.bounds[number] : kept.bounds[number + 1]].tolist() == sorted(wanted)
