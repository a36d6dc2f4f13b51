"""The attacks by name, those on programs and those on prose."""

import random
from collections.abc import Callable, Mapping

from experiments.attacks import (
    comments,
    conditions,
    formatting,
    functions,
    inlining,
    insertion,
    loops,
    mixing,
    outlining,
    renaming,
    splitting,
    statements,
)
from experiments.attacks.program import Program
from experiments.attacks.prose import deletion, homoglyphs, shuffling, synonyms, zero_width
from experiments.attacks.prose import insertion as word_insertion
from experiments.attacks.prose.text import Prose

Attack = Callable[[Program, random.Random], Program]
ProseAttack = Callable[[Prose, random.Random], str]


def _inserting(source: str) -> Attack:
    return lambda program, chance: insertion.attack(program, chance, source=source)


def _all(program: Program, chance: random.Random) -> Program:
    """Return what somebody does who knows a little: all that changes no statement's place, one after the other."""
    for attack in (comments.attack, conditions.attack, loops.attack, functions.attack, renaming.attack):
        program = attack(program, chance)
    return program


PROGRAMS: Mapping[str, Attack] = {
    "renaming": renaming.attack,
    "reformatting": formatting.attack,
    "comments": comments.attack,
    "functions reordered": functions.attack,
    "statements reordered": statements.attack,
    "loops rewritten": loops.attack,
    "conditions rewritten": conditions.attack,
    "methods inlined": inlining.attack,
    "methods outlined": outlining.attack,
    "split over files": splitting.attack,
    "mixed with another": mixing.attack,
    **{f"insertion, {source}": _inserting(source) for source in insertion.SOURCES},
    "several of these": _all,
}

PROSE: Mapping[str, ProseAttack] = {
    "words replaced": synonyms.attack,
    "words inserted": word_insertion.attack,
    "words deleted": deletion.attack,
    "sentences shuffled": shuffling.attack,
    "homoglyphs": homoglyphs.attack,
    "zero-width characters": zero_width.attack,
}
