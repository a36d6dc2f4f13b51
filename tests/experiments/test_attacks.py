"""The attacks on programs and prose: they change much, break nothing, and are the same for the same seed."""

import random
from functools import cache

import pytest
from experiments.attacks import insertion
from experiments.attacks.__main__ import main
from experiments.attacks.catalogue import PROGRAMS, PROSE
from experiments.attacks.cost import Bill, Cost, is_flagged
from experiments.attacks.measuring import BrokenAttackError, Outcome, attacked, on_programs, on_prose
from experiments.attacks.program import LANGUAGES, programs
from experiments.attacks.prose.text import prose
from experiments.attacks.running import behaves
from experiments.attacks.syntax import parses, size

SEED = 3


@cache
def copies(name, language):
    """The programs that an attack changes, and what it makes of them."""
    made = [(each, PROGRAMS[name](each, random.Random(SEED))) for each in programs(language)]
    return [(each, copy) for each, copy in made if copy != each]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_task_has_independent_solutions(language):
    tasks = {each.task for each in programs(language)}
    assert len(tasks) >= 3
    assert all(sum(each.task == task for each in programs(language)) >= 2 for task in tasks)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_attacked_program_still_parses(name, language):
    found = copies(name, language)
    assert len(found) >= 3
    assert all(parses(language, text) for _, copy in found for _, text in copy.files)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_attacked_python_program_still_does_the_same(name):
    # One program a task: each of them is run on all cases.
    chosen = {each.task: copy for each, copy in copies(name, "python")}
    assert len(chosen) == 3
    assert all(map(behaves, chosen.values()))


def test_a_program_that_does_something_else_is_noticed():
    first = programs("python")[0]
    assert behaves(first)
    assert not behaves(first.with_text(first.text.replace("<=", "<")))
    assert not behaves(first.with_text("raise ValueError"))
    with pytest.raises(BrokenAttackError, match="does not do the same"):
        attacked(first, lambda program, chance: program.with_text("print(1)\n"), SEED)
    with pytest.raises(BrokenAttackError, match="does not parse"):
        attacked(first, lambda program, chance: program.with_text("def (:\n"), SEED)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_seed_gives_the_same_program(name):
    for language in LANGUAGES:
        first = programs(language)[0]
        assert PROGRAMS[name](first, random.Random(5)) == PROGRAMS[name](first, random.Random(5))


@pytest.mark.parametrize("name", PROSE)
def test_the_same_seed_gives_the_same_text(name):
    text = prose(1, 2)
    once, again = (PROSE[name](text, random.Random(5)) for _ in range(2))
    assert once == again != text.text
    assert PROSE[name](text, random.Random(6)) != once


def test_what_single_attacks_do():
    first = next(each for each in programs("python") if each.name == "ledger-first")
    assert "balances" not in PROGRAMS["renaming"](first, random.Random(1)).text
    assert "# Below zero" not in PROGRAMS["comments"](first, random.Random(1)).text
    assert "def is_entry" not in PROGRAMS["methods inlined"](first, random.Random(1)).text
    assert PROGRAMS["methods outlined"](first, random.Random(1)).text.count("def ") > first.text.count("def ")
    assert [name for name, _ in PROGRAMS["split over files"](first, random.Random(1)).files] == [
        "first.py",
        "helpers.py",
    ]
    maze = next(each for each in programs("python") if each.name == "maze-first")
    assert "in range(" not in PROGRAMS["loops rewritten"](maze, random.Random(1)).text


@pytest.mark.parametrize("source", insertion.SOURCES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_insertion_grows_a_program_as_asked(language, source):
    first = next(each for each in programs(language) if each.author == "first")
    before = size(language, first.text)
    for growth in (1.5, 4.0):
        after = size(language, insertion.attack(first, random.Random(2), growth, source).text)
        assert growth <= after / before < growth + 0.3


@pytest.mark.parametrize("source", insertion.SOURCES)
def test_a_padded_program_is_flagged(source):
    first = next(each for each in programs("java") if each.name == "maze-first")
    assert not is_flagged(first)
    assert is_flagged(insertion.attack(first, random.Random(2), 3.0, source))


def test_copies_score_above_independent_programs():
    (renamed,) = on_programs("python", SEED, ["renaming"])
    assert min(renamed.copies) > 0.8  # of programs with fewer than 110 tokens a copy has less than 1
    assert renamed.gap > 0.9
    assert len(renamed.independents) == 9


def test_prose_that_looks_the_same_scores_the_same():
    for outcome in on_prose(SEED, ["homoglyphs", "zero-width characters"]):
        assert min(outcome.copies) >= 0.99
        assert max(outcome.independents) < 0.05


def test_bills_count_who_got_away():
    costs = (Cost("a", 2.0, True), Cost("b", 3.0, False), Cost("c", None, False))
    bill = Bill("java", "pool", costs)
    assert (bill.growth, bill.escaped) == (3.0, 1)
    assert bill.flagged == pytest.approx(1 / 3)
    assert Bill("java", "pool", costs[2:]).growth is None
    assert Outcome("a", "b", (0.5, 0.7), (0.1,)).gap == pytest.approx(0.5)


def test_the_bench_explains_itself(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--no-normal-form" in capsys.readouterr().out
