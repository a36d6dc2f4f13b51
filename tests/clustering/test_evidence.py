"""Why documents are a pair: shared words and passages against plain search, and the pairs next to the threshold."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.clustering import ClusterSettings
from whorl.clustering.evidence import MOST_WORDS, ClusterEvidence, read_shown, shared_words
from whorl.clustering.joining import Measured, closest_first
from whorl.scheme import resolve

PAGES = resolve("pages")
WORDS = st.lists(st.sampled_from(["one", "two", "three", "four", "five"]), max_size=25)


def shown(text: str):
    return read_shown(whorl.Document("", text, format="text"), PAGES)


def grams(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + PAGES.k]) for at in range(len(words) - PAGES.k + 1)}


@given(WORDS, WORDS)
@examples(300)
def test_shared_words_are_those_of_shared_shingles(left, right):
    found = shared_words(shown(" ".join(left)), shown(" ".join(right)), PAGES)
    if min(len(left), len(right)) < PAGES.k:
        assert found.left.tolist() == [left == right] * len(left)
        return
    both = grams(left) & grams(right)
    for words, mask in ((left, found.left), (right, found.right)):
        covered = [False] * len(words)
        for at in range(len(words)):
            if tuple(words[at : at + PAGES.k]) in both:
                covered[at : at + PAGES.k] = [True] * PAGES.k
        assert mask.tolist() == covered


@given(WORDS, WORDS)
@examples(300)
def test_the_passage_is_in_both_and_cannot_be_extended(left, right):
    found = shared_words(shown(" ".join(left)), shown(" ".join(right)), PAGES)
    one, two, length = found.left_start, found.right_start, found.length
    assert left[one : one + length] == right[two : two + length]
    if min(len(left), len(right)) >= PAGES.k:
        assert (length >= PAGES.k) == bool(grams(left) & grams(right))
    if length:
        assert one == 0 or two == 0 or left[one - 1] != right[two - 1]
        assert left[one + length : one + length + 1] != right[two + length : two + length + 1] or (
            one + length == len(left) and two + length == len(right)
        )


def test_letters_of_a_script_without_spaces_are_marked_as_long_as_a_shingle():
    text = "ประเทศไทยมีประชากรมากกว่าหกสิบล้านคน"
    left, right = shown(f"แมวนอน {text}"), shown(f"{text} หมาวิ่ง")
    found = shared_words(left, right, PAGES)
    start, end = left.starts[found.left_start], left.ends[found.left_start + found.length - 1]
    assert left.text[start:end] in text
    assert end - start >= 10
    # Fewer letters than a shingle has are nothing in common.
    assert not shared_words(shown(f"{text[:6]}แมวนอนบ้านทุกวัน"), shown(f"{text[:6]}หมาวิ่งไปไกลมาก"), PAGES).left.any()


def test_only_the_beginning_of_a_long_text_is_kept():
    text = " ".join(f"w{number}" for number in range(MOST_WORDS + 50))
    kept = shown(text)
    assert len(kept) == MOST_WORDS
    assert kept.text.endswith(f"w{MOST_WORDS - 1}")


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(10, 19), st.integers(0, 8)), max_size=40), st.integers(1, 9))
@examples(200)
def test_the_closest_are_those_of_sorting(rows, most):
    left, right, shared = (
        (np.array(column, np.int64) for column in zip(*rows, strict=True)) if rows else [np.empty(0)] * 3
    )
    size = np.full(len(rows), 8)
    pairs = Measured(left.astype(np.int32), right.astype(np.int32), shared.astype(np.float64), size, size)
    chosen = closest_first(pairs, "resemblance", most)
    expected = sorted(rows, key=lambda row: (-row[2], row[0], row[1]))[:most]
    assert list(zip(chosen.left.tolist(), chosen.right.tolist(), chosen.shared.tolist(), strict=True)) == expected


def versions() -> list[str]:
    """Texts that share from all to none of their words."""
    words = [f"word{number}" for number in range(200)]
    return [" ".join(words[: 200 - 10 * at] + [f"new{at}x{each}" for each in range(10 * at)]) for at in range(20)]


@pytest.mark.parametrize("measure", ["resemblance", "containment"])
@pytest.mark.parametrize("workers", [1, 2])
def test_the_pairs_next_to_the_threshold(measure, workers):
    texts = versions()
    threshold = 0.5
    result = whorl.cluster(texts, measure=measure, threshold=threshold, workers=workers, boilerplate=0)
    settings = ClusterSettings(measure=measure, threshold=threshold)
    evidence = ClusterEvidence(result, settings, None)

    def measured(left: str, right: str) -> float:
        if measure == "resemblance":
            return whorl.resemblance(left, right, "pages")
        return max(whorl.containment(left, right, "pages"), whorl.containment(right, left, "pages"))

    every = sorted(measured(one, two) for one, two in combinations(texts, 2))
    below, above = [value for value in every if value < threshold], [value for value in every if value >= threshold]
    assert evidence.above().measure(measure).tolist() == pytest.approx(above[:5])
    assert evidence.below().measure(measure).tolist() == pytest.approx(below[::-1][:5])


@pytest.mark.parametrize("setting", ["super_shingles", "estimate"])
def test_super_shingles_and_estimates_have_pairs_below_too(setting):
    chosen: dict[str, Any] = {setting: True}
    measures = whorl.cluster(versions(), threshold=0.5, boilerplate=0, **chosen).below.resemblance
    assert len(measures)
    assert (measures < 0.5).all()
