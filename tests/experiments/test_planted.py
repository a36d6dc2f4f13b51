"""Planting copies, and telling what clusters are worth."""

import json
from random import Random

import pytest
from benchmarks.clusters_peers import rows as peers_rows
from experiments.planted.edits import EDITED, FIFTH, HALF, KINDS, SHARES, copies, edited, embedded
from experiments.planted.planting import Copy, lonely, plant
from experiments.planted.scores import paired, purity, recall
from experiments.planted.shinglings import Relatives, by_id, hashes, measure
from experiments.planted.tools import whorl
from hypothesis import given
from hypothesis import strategies as st

FOREIGN = "foreign"


def page(chance, words=300):
    return " ".join(f"w{chance.randrange(10**6)}" for _ in range(words))


@pytest.fixture(scope="module")
def corpus():
    chance = Random(5)
    return [{"id": f"page-{number}", "text": page(chance), "url": ""} for number in range(40)]


@given(st.integers(1, 400), st.sampled_from(SHARES), st.integers())
def test_as_many_words_are_edited_as_are_asked_for(count, share, seed):
    words = [str(number) for number in range(count)]
    made = edited(words, share, [FOREIGN], Random(seed))
    kept = [word for word in made if word != FOREIGN]
    assert kept == sorted(kept, key=int)
    # A word that is replaced is lost and brings one in; one that is deleted is lost; an insertion brings one in.
    lost, brought = count - len(kept), made.count(FOREIGN)
    asked = max(1, round(share * count))
    assert max(lost, brought) <= asked <= lost + brought


@given(st.integers(5, 200), st.integers(0, 50), st.integers())
def test_a_fifth_is_embedded_in_one_piece(count, others, seed):
    words, host = [str(number) for number in range(count)], [f"h{number}" for number in range(others)]
    made = embedded(words, host, Random(seed))
    piece = [word for word in made if not word.startswith("h")]
    assert [word for word in made if word.startswith("h")] == host
    assert piece == words[int(piece[0]) :][: count // 5]
    assert made.index(piece[-1]) - made.index(piece[0]) == len(piece) - 1


def test_each_kind_has_a_copy_and_a_seed_repeats_them():
    words, host = [str(number) for number in range(500)], [f"h{number}" for number in range(200)]
    made = copies(words, host, Random(3))
    assert tuple(made) == KINDS
    assert made[HALF] == words[:250]
    assert made == copies(words, host, Random(3)) != copies(words, host, Random(4))
    lost = [len(set(words) - set(made[kind])) for kind in EDITED]
    assert lost == sorted(lost)


def test_the_nearest_relative_is_the_one_that_holds_most(corpus):
    texts = [row["text"] for row in corpus[:6]]
    texts.append(" ".join(texts[0].split()[:100]) + " " + " ".join(texts[1].split()[:30]))
    shinglings = hashes(texts, 5)
    found = Relatives.of(shinglings)
    for number, own in enumerate(shinglings):
        shared = [len(set(own.tolist()) & set(other.tolist())) for other in shinglings]
        shared[number] = 0
        assert found.nearest(number) == max(shared) / len(own)
    assert found.nearest(0) == 96 / 296


def test_pages_with_a_relative_and_short_ones_are_not_chosen(corpus):
    short = {"id": "short", "text": "a few words of a page", "url": ""}
    version = {"id": "version", "text": corpus[3]["text"] + " and more", "url": ""}
    found = {([*corpus, short, version])[number]["id"] for number in lonely([*corpus, short, version], 99, Random(1))}
    assert found == {row["id"] for row in corpus} - {"page-3"}


def test_hosts_leave_the_corpus_and_every_copy_has_its_original(corpus):
    planted = plant(corpus, 10, 7)
    ids = [row["id"] for row in planted.rows]
    assert len(ids) == len(set(ids)) == 40 - 10 + 10 * len(KINDS)
    assert len(planted.hosts) == 10
    assert not planted.hosts & set(ids)
    assert {copy.original for copy in planted.copies} <= set(ids)
    assert {copy.id for copy in planted.copies} <= set(ids)
    assert plant(corpus, 10, 7) == planted


def test_too_small_a_corpus_is_refused(corpus):
    with pytest.raises(SystemExit, match="only 40 pages"):
        plant(corpus, 21, 1)


def test_recall_counts_the_cluster_of_the_original():
    planted = [Copy("a1", "a", HALF), Copy("b1", "b", HALF), Copy("c1", "c", FIFTH), Copy("d1", "d", FIFTH)]
    assert recall(planted, [["a", "a1", "c"], ["b1", "c1"]]) == {HALF: 0.5, FIFTH: 0.0}
    assert paired(planted, [("b1", "b"), ("d", "d1"), ("a", "b1")]) == {HALF: 0.5, FIFTH: 0.5}


def test_purity_is_the_share_of_pairs_that_are_too_little_alike(corpus):
    one, two = corpus[0]["text"], corpus[1]["text"]
    texts = {"one": one, "copy": one, "half": " ".join(one.split()[:150]), "two": two}
    known = by_id(texts, texts.values(), 5)
    assert measure(known["one"], known["half"], "resemblance") == pytest.approx(0.5, abs=0.02)
    assert measure(known["one"], known["half"], "containment") == 1.0
    found = purity([["one", "copy", "half", "two"]], known, "containment", 0.9)
    assert (found.pairs, found.under) == (6, 0.5)
    assert purity([["one", "copy"]], known, "resemblance", 0.9).under == 0.0
    assert purity([], known, "resemblance", 0.5).pairs == 0


def test_purity_of_many_pairs_is_drawn(corpus, monkeypatch):
    monkeypatch.setattr("experiments.planted.scores.MOST", 400)
    known = by_id([row["id"] for row in corpus], [corpus[0]["text"]] * 20 + [corpus[1]["text"]] * 20, 5)
    found = purity([[row["id"] for row in corpus]], known, "resemblance", 0.5)
    assert found.pairs == 780
    assert found.under == pytest.approx(400 / 780, abs=0.1)


def test_pairs_are_joined_to_clusters_of_two_or_more():
    roots = peers_rows.joined(6, [(4, 1), (1, 1), (5, 4), (3, 2)])
    assert roots == [0, 1, 2, 2, 1, 1]
    assert peers_rows.clusters("abcdef", roots) == [["b", "e", "f"], ["c", "d"]]
    assert peers_rows.shingles("A b c d e f") == {"a b c d e", "b c d e f"}
    assert peers_rows.shingles("A b") == {"a b"}


def test_settings_are_read_from_the_command_line():
    tool = whorl("--k 5 --measure containment --threshold 0.1")
    assert (tool.measure, tool.threshold) == ("containment", 0.1)
    assert tool.options == ("--k", "5", "--measure", "containment", "--threshold", "0.1")
    assert (whorl("").threshold, whorl("--measure containment").threshold) == (0.4, 0.5)


def test_light_edits_are_found_by_resemblance_and_halves_by_containment(corpus, tmp_path):
    planted = plant(corpus, 15, 2)
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps(row) + "\n" for row in planted.rows))
    ids = {copy.id for copy in planted.copies}
    found = recall(planted.copies, whorl("").ask(texts, ids).clusters)
    assert found["1% edited"] == 1.0
    assert found[FIFTH] == 0.0
    answer = whorl("--measure containment").ask(texts, ids)
    assert answer.pairs is not None
    assert all(ids & set(pair) for pair in answer.pairs)
    assert paired(planted.copies, answer.pairs)[HALF] == 1.0
    assert recall(planted.copies, answer.clusters)[HALF] == 1.0
