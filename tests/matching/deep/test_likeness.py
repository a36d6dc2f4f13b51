"""The deep pass as a whole: edited copies are found, unrelated texts are not, and hostile ones cost no more."""

import random
from itertools import combinations, islice
from time import process_time

import pytest

import whorl
from tests.matching.deep.prose import MODEL, Case, case, edited, embedded, f1
from whorl.matching.deep.likeness import check_prose


def joined(seed: int, words: int) -> str:
    return " ".join(MODEL.text(seed, words))


@pytest.mark.parametrize(("share", "least"), [(0.0, 0.95), (0.1, 0.95), (0.3, 0.9), (0.5, 0.85)])
def test_passages_are_found_however_much_is_edited(share, least):
    cases = [case(seed, share) for seed in range(6)]
    found = [(each, whorl.compare(each.left, each.right, deep=True).passages) for each in cases]
    assert f1(found) >= least
    assert all(len(passages) == 1 for _, passages in found)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3])
def test_short_passages_too(share):
    cases = [case(seed, share, words=60) for seed in range(6)]
    assert f1([(each, whorl.compare(each.left, each.right, deep=True).passages) for each in cases]) >= 0.9


def test_words_in_another_order_are_found():
    sentences = MODEL.text(3, 300)
    shuffled = sentences[:]
    random.Random(3).shuffle(shuffled)
    found = whorl.compare(" ".join(sentences), f"{joined(4, 300)} {' '.join(shuffled)}", deep=True)
    assert found.left_coverage > 0.95
    assert found.right_coverage == pytest.approx(0.5, abs=0.05)


def unrelated(count: int, words: int) -> int:
    texts = [joined(10_000 + number, words) for number in range(46)]
    pairs = islice(combinations(texts, 2), count)
    return sum(bool(whorl.compare(*pair, deep=True, summaries=True).passages) for pair in pairs)


def test_unrelated_texts_have_no_passage():
    assert unrelated(100, 600) == 0


@pytest.mark.slow
def test_a_thousand_pairs_of_unrelated_texts_have_no_passage():
    assert unrelated(1000, 800) == 0


def test_long_unrelated_texts_have_no_passage():
    assert not whorl.compare(joined(1, 30_000), joined(2, 30_000), deep=True, summaries=True).passages


def test_exact_matches_are_marked_inside():
    each = case(5, 0.2)
    (passage,) = whorl.compare(each.left, each.right, deep=True).passages
    assert len(passage.matches) > 5
    for match in passage.matches:
        texts = each.left[slice(*match.left)], each.right[slice(*match.right)]
        letters = ["".join(filter(str.isalnum, text.lower())) for text in texts]
        assert letters[0] == letters[1]
        assert len(letters[0]) == match.symbols
        assert passage.left.start <= match.left.start < match.left.end <= passage.left.end
        assert passage.right.start <= match.right.start < match.right.end <= passage.right.end
    assert passage.symbols <= sum(match.symbols for match in passage.matches)


def test_sides_can_be_exchanged():
    each = case(6, 0.3)
    one, two = (whorl.compare(*sides, deep=True) for sides in ((each.left, each.right), (each.right, each.left)))
    assert one == two.mirrored()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3])
def test_what_was_pasted_twice_is_found_twice(share):
    sentences = MODEL.text(8, 250)
    left = f"{joined(9, 300)} {' '.join(sentences)}"
    copy = " ".join(edited(sentences, share, 8))
    right = f"{copy} {joined(11, 300)} {copy}"
    found = whorl.compare(left, right, deep=True).passages
    assert len(found) == 2
    assert sorted(round(passage.right.start / len(right), 1) for passage in found) in ([0.0, 0.6], [0.0, 0.7])
    assert all(passage.left.end - passage.left.start > 0.9 * len(" ".join(sentences)) for passage in found)


def test_a_short_document_that_repeats_itself_is_found():
    found = whorl.compare("one and the same " * 6, "one and the same " * 6, deep=True)
    assert found.left_coverage == found.right_coverage == 1


def test_a_copy_in_long_documents_is_found():
    sentences = MODEL.text(21, 200)
    left, right = embedded(sentences, 22, 9_000), embedded(edited(sentences, 0.3, 1), 24, 9_000)
    each = Case(left[0], right[0], (left[1], right[1]))
    (passage,) = whorl.compare(each.left, each.right, deep=True).passages
    assert f1([(each, [passage])]) >= 0.8


def test_a_summary_is_found_when_asked_for():
    source = MODEL.text(31, 900)
    drawn = [" ".join(sentence.split()[:8]).rstrip(".") + "." for sentence in source[::6]]
    right = f"{joined(32, 300)} {' '.join(drawn)} {joined(33, 300)}"
    found = whorl.compare(" ".join(source), right, deep=True, summaries=True).passages
    assert len(found) == 1
    assert found[0].left.end - found[0].left.start > 3 * (found[0].right.end - found[0].right.start)
    assert right.index(drawn[0]) - 300 < found[0].right.start <= right.index(drawn[0])
    assert right.index(drawn[-1]) < found[0].right.end < right.index(drawn[-1]) + 400


def test_an_edited_copy_is_no_summary():
    each = case(7, 0.3)
    plain, summarised = (whorl.compare(each.left, each.right, deep=True, summaries=on) for on in (False, True))
    assert plain == summarised


@pytest.mark.parametrize("symbols", ["characters", "words", "consonants"])
def test_any_scheme_for_text_will_do(symbols):
    each = case(8, 0.1)
    scheme = whorl.Scheme(symbols=symbols, k=4 if symbols == "words" else 20, w=8)
    assert f1([(each, whorl.compare(each.left, each.right, scheme, deep=True).passages)]) >= 0.9


def test_programs_are_refused():
    with pytest.raises(whorl.InputError, match="reads prose"):
        whorl.compare("a", "b", "code", deep=True)
    with pytest.raises(whorl.InputError, match="add deep"):
        whorl.compare("a", "b", summaries=True)
    check_prose(whorl.PRESETS["web"])


@pytest.mark.parametrize(("left", "right"), [("", ""), ("a", ""), ("a", "b c"), ("\ud800\0", "\ud800\0"), ("...", "?")])
def test_next_to_nothing_has_no_passage(left, right):
    assert not whorl.compare(left, right, deep=True, summaries=True).passages


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("word " * 100_000, "word " * 90_000),
        ("one two " * 50_000, "two one one " * 30_000),
        (joined(41, 250) * 120, joined(41, 250) * 100),
        (". " * 200_000, "." * 300_000 + ")" * 200_000),
        ("\n" * 300_000 + "a", "\n \n" * 100_000),
    ],
    ids=["equal words", "two words", "pasted a hundred times", "full stops", "empty lines"],
)
def test_hostile_texts_take_bounded_time(left, right):
    began = process_time()
    whorl.compare(left, right, deep=True, summaries=True)
    assert process_time() - began < 20


def test_pieces_of_one_summary_are_one_passage():
    source = MODEL.text(51, 1500)
    drawn = [" ".join(source[at : at + 2]) for at in range(5, len(source) - 2, len(source) // 4)]
    right = f"{joined(52, 300)} {' '.join(drawn)} {joined(53, 300)}"
    (passage,) = whorl.compare(" ".join(source), right, deep=True).passages
    assert passage.left.end - passage.left.start > 3 * (passage.right.end - passage.right.start)
    assert len(passage.matches) >= len(drawn)


def test_long_copies_that_follow_each_other_are_no_summary():
    source = MODEL.text(54, 1500)
    places = (5, len(source) // 2, len(source) - 14)
    drawn = [" ".join(source[at : at + 12]) for at in places]
    right = f"{joined(55, 300)} {' '.join(drawn)} {joined(56, 300)}"
    found = whorl.compare(" ".join(source), right, deep=True, summaries=True).passages
    assert len(found) == len(drawn)
