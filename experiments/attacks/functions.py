"""Function reordering: the functions of a program in another order."""

import random

from experiments.attacks.grammar import functions
from experiments.attacks.program import Program
from experiments.attacks.syntax import Edit, Syntax


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program with its functions shuffled. Those of the examples are all called after the last of them."""
    syntax = Syntax(program.language, program.text)
    found = functions(syntax)
    others = found[:]
    chance.shuffle(others)
    if others == found:
        others = found[1:] + found[:1]
    edits = [Edit(old.start_byte, old.end_byte, syntax.text(new)) for old, new in zip(found, others, strict=True)]
    return program.with_text(syntax.edited(edits))
