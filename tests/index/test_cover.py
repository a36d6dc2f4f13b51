"""The order of shared fingerprints, words of programs and how they repeat: fast ways give what the plain ones give."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.index.corpus import prose
from whorl import Document, MemoryIndex, Scheme
from whorl.index import cover
from whorl.index.check import check_manuscript
from whorl.index.cover import _in_order, _most_paired, _shared_places, _turns, likeliest_copied, repetitions, words_of


@pytest.mark.parametrize("most", [1, 7, 1 << 12, 1 << 31])  # the last does not fit into one key
def test_shared_fingerprints_are_in_the_order_of_row_distance_and_number(most):
    chance = np.random.default_rng(most)
    rows, numbers = (chance.integers(0, most, 500) for _ in range(2))
    distances = chance.integers(-most, most, 500)
    ordered = np.lexsort((numbers, distances, rows))
    expected = rows[ordered], numbers[ordered], distances[ordered]
    for column, right in zip(_in_order(rows, numbers, distances), expected, strict=True):
        assert column.tolist() == right.tolist()


def test_nothing_shared_is_in_order():
    nothing = np.zeros(0, np.int64)
    assert [len(column) for column in _in_order(nothing, nothing, nothing)] == [0, 0, 0]


@given(st.lists(st.integers(1, 50), min_size=1), st.integers(1, 400))
def test_the_pairs_stay_few(counts, few):
    counts = np.array(counts)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cover, "PAIRS", few)
        most = _most_paired(counts)
    assert (most is None) == (counts.sum() <= few)
    if most is not None:
        assert most < counts.max()
        assert np.where(counts > most, 1, counts).sum() <= max(few, len(counts))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 9)), unique=True))
def test_places_with_one_fingerprint_take_turns(places):
    rows, which, at = np.array(places, np.int64).reshape(-1, 3).T
    before = [sum(other[:2] == each[:2] and other[2] < each[2] for other in places) for each in places]
    assert _turns(rows, which, at).tolist() == before


REPEATED = ["The quick brown fox jumps over the lazy dog. " * 30, "a" * 900, prose(1) * 3, prose(2)]


@pytest.mark.parametrize("text", [*REPEATED, prose(9) + REPEATED[0] + prose(8) + REPEATED[2], "".join(REPEATED)])
def test_a_text_that_repeats_itself_has_the_same_sources_if_not_all_pairs_are_formed(text, monkeypatch):
    def found():
        with MemoryIndex.create(Scheme(k=12, w=6)) as index:
            for number, stored in enumerate([*REPEATED, prose(7)]):
                index.add(Document(f"{number}", stored))
            check = check_manuscript(index, Document("draft", text))
            return check.raw.similarity, {source.document.name for source in check.sources}

    sizes = []

    def counted(*arguments):
        pairs = _shared_places(*arguments)
        sizes.append(len(pairs[0]))
        return pairs

    monkeypatch.setattr(cover, "_shared_places", counted)
    everything, all_pairs = found(), max(sizes)
    monkeypatch.setattr(cover, "PAIRS", 300)
    sizes.clear()
    assert found() == everything
    assert max(sizes) < all_pairs or all_pairs <= 300


TEXTS = ["", "a_1 = b2+C", "\0a\x1fb\x7f", "naïve = é_x - a", "x" * 100, "a\ud800b", "".join(map(chr, range(128)))]


@pytest.mark.parametrize("text", TEXTS)
def test_words_are_names_and_numbers_and_all_that_is_not_ascii(text):
    numbers = {word: number for number, word in enumerate(dict.fromkeys(re.findall(r"[\w\x80-\U0010ffff]+", text)))}
    hashes = words_of(text).tolist()
    assert len(hashes) == len(re.findall(r"[\w\x80-\U0010ffff]+", text))
    assert len(set(hashes)) == len(numbers)
    assert words_of(" (".join(numbers)).tolist() == list(dict.fromkeys(hashes))


NAMES = st.lists(st.sampled_from("abcdef"), max_size=60)


@given(NAMES, st.permutations("uvwxyz"))
def test_repetitions_do_not_change_with_the_names(words, others):
    renamed = [others["abcdef".index(word)] for word in words]
    assert repetitions(words_of(" ".join(words))).tolist() == repetitions(words_of(" ".join(renamed))).tolist()


def test_the_text_with_rare_names_comes_first_and_then_the_one_with_the_same_repetitions():
    text = "total = first + second; total = total * first"
    renamed = "a = b + c; a = a * b"
    others = ["total = 1", renamed, text.replace("*", "-") + "; more = 2", "nothing of it", "total = 2 + 3"]
    order = list(likeliest_copied(text, others))
    assert order[0] == 2
    assert order.index(1) < order.index(0)
    assert sorted(order) == sorted([*range(5), *range(5)])


def test_of_equals_the_text_with_fewer_words_comes_first():
    assert next(likeliest_copied("a = b", ["a = b + c + d", "a = b"])) == 1


@pytest.mark.parametrize("text", ["", "a = b"])
def test_texts_without_words_are_likely_of_nothing(text):
    assert list(likeliest_copied(text, [])) == []
    assert sorted(likeliest_copied(text, ["", "+"])) == [0, 0, 1, 1]
