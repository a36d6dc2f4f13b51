"""The normal form is sound: programs that an attack rewrote without changing what they do have nearly the same, and
programs that do something else do not."""

import random
from difflib import SequenceMatcher
from statistics import mean

import pytest
from experiments.attacks.catalogue import PROGRAMS
from experiments.attacks.grammar import statements
from experiments.attacks.program import programs
from experiments.attacks.running import behaves
from experiments.attacks.syntax import Edit, Syntax

from whorl.formats.code.tokens import tokens

# Attacks that the rewrites undo, and how alike the forms of any program before and after are at least, and in the mean.
# What is moved is counted as lost here: functions that are not inlined stay where they are.
UNDONE = {
    "renaming": (1.0, 1.0),
    "reformatting": (1.0, 1.0),
    "comments": (1.0, 1.0),
    "functions reordered": (0.55, 0.9),
    "statements reordered": (0.95, 0.98),
    "loops rewritten": (0.95, 0.98),
    "conditions rewritten": (0.95, 0.98),
    "methods inlined": (0.85, 0.95),
    "methods outlined": (0.85, 0.95),
    "insertion, pool": (0.95, 0.98),
    "insertion, own": (0.8, 0.95),
}

# Operators, and others that make another program of one.
OTHERS = {"<": ">=", ">": "<=", "<=": "<", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "and": "or", "*": "+"}


def form(text):
    found = tokens("python", text.encode(), normal=True).normal
    assert found is not None
    return found.symbols[: found.size].tolist()


def likeness(one, two):
    return SequenceMatcher(None, form(one.text), form(two.text), autojunk=False).ratio()


@pytest.mark.parametrize("name", UNDONE)
def test_what_does_the_same_has_nearly_the_same_form(name):
    least, usual = UNDONE[name]
    made = [(each, PROGRAMS[name](each, random.Random(seed))) for each in programs("python") for seed in (3, 4)]
    found = [likeness(before, after) for before, after in made if before != after]
    assert len(found) >= 6
    assert min(found) >= least
    assert mean(found) >= usual


def test_programs_for_other_tasks_have_other_forms():
    every = programs("python")
    assert max(likeness(one, two) for one in every for two in every if one.task != two.task) < 0.6


def mutants(program):
    """The program with one operator changed, or one statement gone."""
    syntax = Syntax("python", program.text)
    for leaf in syntax.leaves():
        if other := OTHERS.get(syntax.text(leaf)):
            yield program.with_text(syntax.edited([Edit(leaf.start_byte, leaf.end_byte, other)]))
    for block in statements(syntax):
        for each in block:
            if each.type in ("expression_statement", "return_statement"):
                yield program.with_text(syntax.edited([Edit(each.start_byte, each.end_byte, "pass")]))


@pytest.mark.parametrize("task", ["bookings", pytest.param("ledger", marks=pytest.mark.slow), "maze"])
def test_what_does_something_else_has_another_form(task):
    program = next(each for each in programs("python") if each.name == f"{task}-second")
    chosen = random.Random(task).sample(list(mutants(program)), 12)
    others = [mutant for mutant in chosen if not behaves(mutant)]
    assert len(others) >= 6
    assert all(form(mutant.text) != form(program.text) for mutant in others)
