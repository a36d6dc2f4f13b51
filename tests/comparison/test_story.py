"""The example class: what ``examples/STORY.md`` tells is what a comparison finds."""

import csv
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

import whorl

EXAMPLES = Path(__file__).parents[2] / "examples"
# Who shares copied work, as the story tells it.
PLANTED = {
    ("amara.py", "bruno.py"),
    ("amara.py", "elif.py"),
    ("bruno.py", "elif.py"),
    ("celine.py", "dario.py"),
    ("farid", "gwen.py"),
    ("ivan.java", "kaia.java"),
    ("jomo.java", "kaia.java"),
    ("nils.java", "oona.java"),
}
# What was given to everybody, by the first and the last words of it.
GIVEN = {
    ".py": ("def read_orders", "print_result(*simulate(orders))"),
    ".java": ("interface Ledger", 'System.out.println("refused: " + '),
}


@cache
def the_class():
    return whorl.compare_all(
        EXAMPLES / "class", base=EXAMPLES / "template", roster=EXAMPLES / "class.csv", threshold=0.0
    )


def names(pair):
    found = the_class()
    return found.submissions[pair.left].name, found.submissions[pair.right].name


def pair_of(left, right):
    return next(pair for pair in the_class().pairs if names(pair) == (left, right))


def test_the_story_names_every_submission():
    story = (EXAMPLES / "STORY.md").read_text("utf-8")
    handed_in = {path.name for path in (EXAMPLES / "class").iterdir()}
    assert handed_in == {submission.name for submission in the_class().submissions}
    assert all(f"`{name}" in story for name in handed_in)
    assert the_class().skipped == ()


def test_every_planted_pair_is_above_every_independent_one():
    scores = {names(pair): pair.score for pair in the_class().pairs}
    everybody = [submission.name for submission in the_class().submissions]
    independent = [scores.get(pair, 0.0) for pair in combinations(everybody, 2) if pair not in PLANTED]
    assert min(scores[pair] for pair in PLANTED) > 0.2
    assert max(independent) < 0.1
    assert {names(pair) for pair in the_class().pairs[: len(PLANTED)]} == PLANTED


def test_the_default_threshold_parts_them():
    found = whorl.compare_all(EXAMPLES / "class", base=EXAMPLES / "template")
    assert {names(pair) for pair in found.pairs} == PLANTED


@pytest.mark.parametrize(("left", "right"), [("amara.py", "bruno.py"), ("nils.java", "oona.java")])
def test_other_names_and_another_layout_hide_nothing(left, right):
    pair = pair_of(left, right)
    assert pair.score == 1
    assert (pair.left_coverage, pair.right_coverage) == (1, 1)


def test_another_order_hides_little():
    pair = pair_of("celine.py", "dario.py")
    assert pair.score > 0.8
    assert min(pair.left_coverage, pair.right_coverage) > 0.95


def test_a_copy_in_two_files_is_found_in_both():
    pair = pair_of("farid", "gwen.py")
    assert {passage.left.file for passage in pair.passages} == {"rules.py", "simulation.py"}
    assert min(pair.left_coverage, pair.right_coverage) > 0.95


def test_the_copied_function_is_the_longest_match():
    pair = pair_of("amara.py", "elif.py")
    longest = max(pair.passages[0].matches, key=lambda match: match.symbols)
    for submission, span in ((pair.left, longest.left), (pair.right, longest.right)):
        text = the_class().text(submission, 0)
        first = text.index("def merge_orders")
        last = text.index("return totals", first) + len("return totals")
        # Around it some tokens are the same by chance, on the lines beyond two empty ones and a comment.
        assert abs(text.count("\n", 0, span.start) - text.count("\n", 0, first)) <= 4
        assert abs(text.count("\n", 0, span.end) - text.count("\n", 0, last)) <= 4
    # The function is a third of one and less than a half of the other; what else is covered are common idioms.
    assert pair.longest / the_class().submissions[pair.left].symbols == pytest.approx(1 / 3, abs=0.05)
    assert 0.3 < pair.left_coverage < 0.55
    assert 0.35 < pair.right_coverage < 0.65


def test_one_of_two_sources_is_not_the_other():
    """What was merged shares much with each source, and the sources nothing with each other."""
    first, second = pair_of("ivan.java", "kaia.java"), pair_of("jomo.java", "kaia.java")
    assert min(first.right_coverage, second.right_coverage) > 0.4
    assert pair_of("ivan.java", "jomo.java").score < 0.1


def test_nothing_of_the_template_is_evidence():
    for pair in the_class().pairs:
        for submission, side in ((pair.left, "left"), (pair.right, "right")):
            given = {file.name: given_span(submission, i, file) for i, file in enumerate(files(submission))}
            for passage in pair.passages:
                begin, end = given[getattr(passage, side).file]
                for match in passage.matches:
                    span = getattr(match, side)
                    assert span.end <= begin or span.start >= end, (names(pair), span)


def files(submission):
    return the_class().submissions[submission].files


def given_span(submission, number, file):
    text = the_class().text(submission, number)
    first, last = GIVEN[Path(file.name).suffix]
    return (text.index(first), text.index(last) + len(last)) if first in text else (0, 0)


def test_without_its_base_the_template_looks_like_a_copy():
    found = whorl.compare_all(EXAMPLES / "class", threshold=0.0)
    score = {names(pair): pair.score for pair in found.pairs}
    based = {names(pair): pair.score for pair in the_class().pairs}
    assert score["lena.java", "nils.java"] > 0.2 > 3 * based.get(("lena.java", "nils.java"), 0.0)


def test_what_the_roster_says_comes_through():
    with (EXAMPLES / "class.csv").open(encoding="utf-8") as file:
        rows = {row["submission"]: row for row in csv.DictReader(file)}
    for submission in the_class().submissions:
        row = rows.pop(submission.name)
        result = (submission.person, submission.assignment, submission.label, submission.date)
        assert result == (row["person"], row["assignment"], row["label"], row["date"])
    assert not rows


def test_clusters_are_the_copies_of_whole_programs():
    everybody = [submission.name for submission in the_class().submissions]
    clusters = {tuple(everybody[member] for member in cluster.members) for cluster in the_class().clusters}
    whole = {pair for pair in PLANTED if not {"elif.py", "kaia.java"} & {*pair}}
    assert clusters == whole
