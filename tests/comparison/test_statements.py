"""Statements as fingerprints: what they are, and that inserting others between them changes none."""

import random

import numpy as np
import pytest
from experiments.attacks import insertion, splitting
from experiments.attacks.program import LANGUAGES, programs

import whorl
from whorl.comparison.normal_form import SHORTEST, statements, trust
from whorl.formats.code.normal.nodes import STATEMENT
from whorl.formats.code.tokens import tokens


def statements_of(*sizes, covered=None):
    symbols, marks = stream(*sizes)
    return statements(symbols, marks, covered)


def stream(*sizes):
    """Statements of these lengths; the first symbol of each tells its length, the others count."""
    symbols = np.concatenate([np.arange(size) + 100 * size for size in sizes]).astype(np.uint32)
    marks = np.concatenate([[STATEMENT, *[0] * (size - 1)] for size in sizes]).astype(np.uint32)
    return symbols, marks


def of_python(code):
    found = tokens("python", code.encode(), normal=True).normal
    assert found is not None
    return set(statements(found.symbols[: found.size], found.marks[: found.size]).hashes.tolist())


def standing(language, code):
    """The statements of a program as they stand."""
    found = tokens(language, code.encode(), normal=True).normal
    assert found is not None
    return set(statements(found.symbols[found.size :], found.marks[found.size :]).hashes.tolist())


def test_short_statements_do_not_count():
    found = statements_of(SHORTEST, SHORTEST - 1, SHORTEST + 3)
    assert found.places.tolist() == [0, 2 * SHORTEST - 1]
    assert len(set(found.hashes.tolist())) == 2


def test_equal_statements_have_equal_hashes_wherever_they_stand():
    found = statements_of(9, 7, 9)
    assert found.hashes[0] == found.hashes[2] != found.hashes[1]


def test_the_order_of_symbols_matters():
    symbols, marks = stream(8)
    assert statements(symbols, marks).hashes != statements(symbols[::-1].copy(), marks).hashes


def test_a_statement_with_a_covered_symbol_is_left_out():
    covered = np.zeros(16, np.bool_)
    covered[10] = True
    assert statements_of(8, 8, covered=covered).places.tolist() == [0]


def test_nothing_has_no_statements():
    none = np.zeros(0, np.uint32)
    assert len(statements(none, none).hashes) == 0


def test_blocks_part_statements():
    inner, last = "store(first, second, third, fourth)", "print(first, second, third, fourth, fifth)"
    whole = of_python(f"while ask(first) < tell(second):\n    {inner}\n{last}\n")
    assert whole > of_python(f"{inner}\n{last}\n") > of_python(f"{inner}\n")
    assert len(whole) == 3


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("source", insertion.SOURCES)
def test_what_is_inserted_between_them_changes_none_as_they_stand(language, source):
    for program in programs(language):
        before = standing(language, program.text)
        assert len(before) > 3
        assert before <= standing(language, insertion.attack(program, random.Random(2), 3.0, source).text)


def test_what_is_inserted_between_them_changes_few_of_the_normal_form():
    for program in (each for each in programs("python") if each.author == "first"):
        before = of_python(program.text)
        after = of_python(insertion.attack(program, random.Random(2), 3.0, "opaque").text)
        assert len(before & after) >= 0.75 * len(before)


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_functions_stand_changes_no_statement(language):
    for program in programs(language):
        copy = splitting.attack(program, random.Random(2))
        whole = set().union(*(standing(language, text) for _, text in copy.files))
        before = standing(language, program.text)
        assert len(before - whole) <= 0.1 * len(before)


def test_declarations_say_nothing_of_statements_as_they_stand():
    declared = "class A { void f() { int total; int sum = first(a, b) + second(c); } }"
    assigned = "class A { void f() { sum = first(a, b) + second(c); } }"
    assert standing("java", declared) == standing("java", assigned) != set()


def test_few_statements_are_trusted_little():
    weights = list(map(trust, [0, 1, 2, 100]))
    assert weights[0] == 0
    assert (np.diff(weights) > 0).all()
    assert weights[3] > 0.9


def test_a_padded_copy_is_shown_statement_by_statement(tmp_path):
    program = next(each for each in programs("python") if each.name == "maze-first")
    padded = insertion.attack(program, random.Random(2), 4.0, "opaque")
    (tmp_path / "original.py").write_text(program.text)
    (tmp_path / "padded.py").write_text(padded.text)
    (pair,) = whorl.compare_all(tmp_path, "code", threshold=0.0).pairs
    plain = whorl.compare_all(tmp_path, "code", threshold=0.0, normal_form=False).pairs
    assert pair.score > 0.1 + max((each.score for each in plain), default=0.0)
    assert pair.left_coverage > 0.4
