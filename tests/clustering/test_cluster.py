"""Clusters against a brute-force reading of the paper: all pairs, by their full shinglings."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import whorl
from whorl.clustering.cluster import cluster
from whorl.clustering.counting import Counter
from whorl.clustering.settings import ClusterSettingsError
from whorl.clustering.sorting import sorted_postings
from whorl.clustering.spool import Spool
from whorl.index.postings import Postings

SCHEME = whorl.Scheme(symbols="words", k=2, select="full")
texts = st.lists(st.lists(st.sampled_from("abcd"), max_size=12).map(" ".join), max_size=9)


def alike(left: str, right: str, measure: str) -> float:
    if measure == "resemblance":
        return whorl.resemblance(left, right, SCHEME)
    return max(whorl.containment(left, right, SCHEME), whorl.containment(right, left, SCHEME))


@given(texts, st.sampled_from([0.1, 0.34, 0.5, 0.75, 1.0]), st.sampled_from(["resemblance", "containment"]))
@settings(max_examples=150)
def test_closure_is_the_components_of_all_pairs(documents, threshold, measure):
    found = cluster(documents, SCHEME, threshold=threshold, measure=measure, modulus=1, closure=True)
    sets = [{number} for number in range(len(documents))]
    for a, b in combinations(range(len(documents)), 2):
        words = documents[a].split(), documents[b].split()
        if (all(words) and alike(documents[a], documents[b], measure) >= threshold) or words[0] == words[1]:
            both = sets[a] | sets[b]
            for one in both:
                sets[one] = both
    clusters = [member.cluster for member in found.members]
    for a, b in combinations(range(len(documents)), 2):
        assert (clusters[a] == clusters[b]) == (b in sets[a])


@given(texts, st.sampled_from([0.2, 0.5, 0.8]), st.randoms())
@settings(max_examples=100)
def test_stars_are_as_alike_as_was_asked_in_any_order(documents, threshold, chance):
    found = cluster(documents, SCHEME, threshold=threshold, modulus=1)
    for number, member in enumerate(found.members):
        centre = documents[int(member.representative)]
        if member.kind in ("near", "contained"):
            exact = whorl.resemblance(documents[number], centre, SCHEME)
            assert member.similarity == pytest.approx(exact)
            assert exact >= threshold
        else:
            assert member.similarity == 1
    order = list(range(len(documents)))
    chance.shuffle(order)
    again = cluster([documents[number] for number in order], SCHEME, threshold=threshold, modulus=1)
    groups = {frozenset(documents[int(name)] for name in ids) for ids in found.clusters()}
    moved = {frozenset(documents[order[int(name)]] for name in ids) for ids in again.clusters()}
    assert groups == moved


def test_equal_documents_are_set_aside_and_rejoin():
    song = "the keeper wrote down every evening what the sea had brought him and what it had taken again"
    twice = f"{song} {song}"
    documents = [song, song, song.upper() + "!", twice, f"{twice} {song}", "something else"]
    found = cluster(documents, SCHEME, threshold=1.0)
    assert [member.kind for member in found.members] == [
        "unique", "identical", "lexical", "unique", "shingle", "unique",
    ]  # fmt: skip
    assert [member.cluster for member in found.members] == [0, 0, 0, 3, 3, 5]
    assert len({member.cluster for member in cluster(documents, SCHEME, threshold=0.9).members[:5]}) == 1


def test_shingles_that_too_many_have_are_common():
    documents = [f"all rights reserved by nobody at all {chr(97 + number) * 3} {number}" for number in range(6)]
    assert cluster(documents, SCHEME, common=5, modulus=1, threshold=0.2).clusters() == []
    assert len(cluster(documents, SCHEME, common=6, modulus=1, threshold=0.2).clusters()[0]) == 6


def test_a_part_is_found_by_containment():
    words = [f"word{number}" for number in range(2000)]
    half, other = " ".join(words[:1000]), " ".join(words)
    assert cluster([other, half], "web").clusters() == []
    found = cluster([other, half], "web", measure="containment", threshold=0.9)
    assert found.clusters() == [["0", "1"]]
    assert found.members[1].kind == "contained"


def test_sketches_find_what_resembles(tmp_path):
    chance = np.random.default_rng(5)
    base = [" ".join(f"w{number}" for number in chance.integers(0, 5000, 800)) for _ in range(30)]
    edited = []
    for text in base:
        words = text.split()
        for place in chance.integers(0, len(words), 8):
            words[place] = "edited"
        edited.append(" ".join(words))
    found = cluster(base + edited, "web", folder=tmp_path)
    assert sorted(map(sorted, found.clusters())) == sorted(
        sorted([str(number), str(30 + number)]) for number in range(30)
    )
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_read_is_left_out(tmp_path):
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    found = cluster([tmp_path / "image.png", "a b c d e f"], SCHEME)
    assert [Path(item.name).name for item in found.skipped] == ["image.png"]
    assert len(found.members) == 1


@given(st.lists(st.sets(st.integers(0, 30)), max_size=12), st.integers(1, 400))
@settings(max_examples=60)
def test_any_budget_of_memory_gives_the_same_pairs(tmp_path_factory, sets, memory):
    home = tmp_path_factory.mktemp("work")
    spool = Spool(home)
    for one in sets:
        spool.add(np.array(sorted(one), np.uint64))
    counter = Counter(home, memory, 1000)
    for part in sorted_postings(spool, home, memory):
        assert isinstance(part, Postings)
        counter.add(part)
    found = {
        (left, right): count
        for part in counter.pairs()
        for left, right, count in zip(part.left.tolist(), part.right.tolist(), part.count.tolist(), strict=True)
    }
    spool.close()
    exact = {(a, b): len(sets[a] & sets[b]) for a, b in combinations(range(len(sets)), 2)}
    assert found == {pair: count for pair, count in exact.items() if count}
    assert list(home.iterdir()) == []


def test_all_faults_of_settings_are_told():
    with pytest.raises(ClusterSettingsError) as told:
        cluster([], threshold=0, measure="x", modulus=12, common=1)
    assert len(told.value.faults) == 4
