"""Planted copies in six programming languages and in prose: every one is ranked above everything independent."""

from itertools import combinations

import pytest

import whorl
from tests.comparison.planting import (
    LANGUAGES,
    borrowed,
    copies,
    disguised,
    edited,
    halves,
    merged,
    recased,
    recommented,
    reformatted,
    renamed,
    reordered,
    samples,
    templated,
    verbatim,
)
from whorl.comparison.settings import THRESHOLD

WHOLE = {
    "verbatim": verbatim,
    "renamed": renamed,
    "reformatted": reformatted,
    "recommented": recommented,
    "reordered": reordered,
    "disguised": disguised,
}
PARTS = {"split over files": halves, "one function": borrowed, "merged": merged}
# What hides nothing: the tokens are the same, in the same order.
HIDES_NOTHING = ("verbatim", "renamed", "reformatted", "recommented")


def scores(folder, **settings):
    """The score of every pair, by name; 0 for pairs that share nothing."""
    found = whorl.compare_all(folder, threshold=0.0, **settings)
    assert found.skipped == ()
    names = [submission.name for submission in found.submissions]
    notes = {note for submission in found.submissions for file in submission.files for note in file.notes}
    assert not notes
    every = {frozenset(pair): 0.0 for pair in combinations(names, 2)}
    return every | {frozenset({names[pair.left], names[pair.right]}): pair.score for pair in found.pairs}


def parted(planted, scored):
    """The lowest score of a planted pair and the highest of an independent one."""
    assert planted <= scored.keys()
    lowest = min((score, sorted(pair)) for pair, score in scored.items() if pair in planted)
    highest = max((score, sorted(pair)) for pair, score in scored.items() if pair not in planted)
    assert lowest > highest, (lowest, highest)
    return lowest[0], highest[0]


@pytest.mark.parametrize("language", [*LANGUAGES, "text"])
def test_there_are_enough_samples_of_different_subjects(language):
    assert len(samples(language)) >= 6
    assert all(len(sample.functions) >= 2 for sample in samples(language))


@pytest.mark.parametrize("disguise", WHOLE)
@pytest.mark.parametrize("language", LANGUAGES)
def test_copies_of_whole_programs(language, disguise, tmp_path):
    planted = copies(language, WHOLE[disguise])
    lowest, highest = parted(planted.planted, scores(planted.write(tmp_path)))
    assert lowest >= (0.999 if disguise in HIDES_NOTHING else 0.6)
    assert highest < 0.1


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_copies_of_parts(language, part, tmp_path):
    planted = PARTS[part](language)
    _, highest = parted(planted.planted, scores(planted.write(tmp_path)))
    assert highest < 0.1


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_edited_template_is_no_evidence(language, tmp_path):
    planted, template = templated(language)
    folder = planted.write(tmp_path / "class")
    base = tmp_path / f"template{samples(language)[0].suffix}"
    base.write_text(template, "utf-8")
    scored, without = scores(folder, base=base), scores(folder)
    lowest, highest = parted(planted.planted, scored)
    assert lowest > 0.6
    assert highest < 0.1
    independent = without.keys() - planted.planted
    assert min(without[pair] for pair in independent) > max(0.05, highest)  # what the base took away


@pytest.mark.parametrize("disguise", [verbatim, recased, reordered, edited])
def test_copies_of_whole_texts(disguise, tmp_path):
    planted = copies("text", disguise)
    lowest, highest = parted(planted.planted, scores(planted.write(tmp_path)))
    assert lowest > {verbatim: 0.999, recased: 0.999, reordered: 0.8, edited: 0.25}[disguise]
    assert highest == 0


@pytest.mark.parametrize("part", PARTS)
def test_copies_of_parts_of_texts(part, tmp_path):
    planted = PARTS[part]("text")
    lowest, highest = parted(planted.planted, scores(planted.write(tmp_path)))
    assert lowest > THRESHOLD
    assert highest == 0


def test_a_quoted_paragraph_is_found_where_it_stands(tmp_path):
    """The passage is the paragraph, on both sides."""
    host, guest = samples("text")[:2]
    paragraph = max(guest.functions, key=len)
    quoting = "\n\n".join([host.functions[0], paragraph, *host.functions[1:]])
    found = whorl.compare(guest.text, quoting, "text")
    (passage,) = found.passages
    assert guest.text[passage.left.start : passage.left.end].strip(".") == paragraph.strip(".")
    assert quoting[passage.right.start : passage.right.end].strip(".") == paragraph.strip(".")
