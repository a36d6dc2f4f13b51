"""Passages of books with synthetic edits: what the experiment draws, and that it is found."""

import random

import pytest
from experiments.attacks.passages import EDGE, PASSAGE, case, edited, excerpt, f1, main, unrelated, words_of

from tests.matching.deep.prose import MODEL


@pytest.fixture(scope="module")
def books():
    return [" ".join(MODEL.text(seed, 4000)).split() for seed in (41, 42)]


def test_a_case_knows_where_its_passage_stands(books):
    drawn = case(books, 0.0, random.Random(1))
    left, right = (text[start:end] for text, (start, end) in zip(drawn.texts, drawn.spans, strict=True))
    assert left == right
    assert len(left.split()) == PASSAGE


def test_as_much_is_edited_as_asked(books):
    passage = excerpt(books[0], 1000, random.Random(1))
    assert edited(passage, 0.0, books[1], random.Random(1)) == passage
    kept = len(set(passage) & set(edited(passage, 1.0, books[1], random.Random(1))))
    assert kept < len(set(passage))


@pytest.mark.parametrize(("share", "least"), [(0.0, 0.95), (0.1, 0.85), (0.3, 0.6)])
def test_what_was_edited_is_found(books, share, least):
    chance = random.Random(5)
    assert f1([case(books, share, chance) for _ in range(5)], deep=True) >= least


def test_unrelated_excerpts_have_no_passage(books):
    assert unrelated(books, 10, random.Random(3), deep=True) == 0


def test_a_book_is_read_without_its_edges(tmp_path, capsys):
    paths = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for seed, path in enumerate(paths):
        path.write_text("\n".join(MODEL.text(seed, 2 * EDGE + 1500)))
    assert words_of(paths[0])[0] == paths[0].read_text().split()[EDGE]
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--pairs" in capsys.readouterr().out
