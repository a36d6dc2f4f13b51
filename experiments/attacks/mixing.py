"""Mixing two sources: the functions of a program for another task stand among those of this one, never called."""

import random

from experiments.attacks import renaming
from experiments.attacks.grammar import functions, is_main, is_static
from experiments.attacks.program import Program, programs
from experiments.attacks.syntax import Edit, Syntax

# Whose programs the functions are taken from: theirs need nothing from outside them.
AUTHOR = "first"


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program with another's functions in it."""
    others = [each for each in programs(program.language) if each.author == AUTHOR and each.task != program.task]
    other = Syntax(program.language, renaming.attack(chance.choice(others), chance).text)
    syntax = Syntax(program.language, program.text)
    own = functions(syntax)
    foreign = [each for each in functions(other) if is_static(other, each) and not is_main(other, each)]
    if not own:
        return program
    edits = []
    for number, function in enumerate(foreign):
        at = own[number % len(own)].start_byte
        indent = " " * function.start_point.column
        edits.append(Edit(at, at, f"{other.text(function)}\n\n{indent}"))
    imports = _imports(other) - _imports(syntax)
    at = next((node.start_byte for node in syntax.root.children if "import" in node.type), 0)
    edits.append(Edit(at, at, "".join(f"{line}\n" for line in sorted(imports))))
    return program.with_text(syntax.edited(edits))


def _imports(syntax: Syntax) -> set[str]:
    return {syntax.text(node) for node in syntax.root.children if "import" in node.type}
