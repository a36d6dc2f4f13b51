"""Reformatting: other indentation, other blanks, other blank lines, braces on lines of their own."""

import random
import re
from itertools import pairwise

from experiments.attacks.grammar import GRAMMARS
from experiments.attacks.program import Program
from experiments.attacks.syntax import Edit, Syntax

STEPS = ("\t", "  ", "   ", " " * 6, " " * 8)

# Blocks whose brace may go to the next line; not the braces of objects, before which a line end can be a statement's.
BRACED = frozenset({"block", "statement_block", "class_body"})

# The share of lines that a blank line is put before.
SPREAD = 0.15


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program in another layout."""
    text = _spaced(program.language, program.text, is_airy=chance.random() < 0.5)
    step = chance.choice([step for step in STEPS if step != GRAMMARS[program.language].indent])
    lines = [_indented(line, GRAMMARS[program.language].indent, step) for line in text.split("\n")]
    spread = [f"\n{line}" if line.strip() and chance.random() < SPREAD else line for line in lines]
    return program.with_text("\n".join(spread))


def _indented(line: str, old: str, new: str) -> str:
    depth = len(line) - len(line.lstrip(" "))
    return new * (depth // len(old)) + " " * (depth % len(old)) + line.lstrip(" ")


def _spaced(language: str, text: str, *, is_airy: bool) -> str:
    syntax = Syntax(language, text)
    leaves = list(syntax.leaves())
    edits = []
    for before, after in pairwise(leaves):
        gap = syntax.data[before.end_byte : after.start_byte].decode()
        if after.type == "{" and after.parent is not None and after.parent.type in BRACED and "\n" not in gap:
            edits.append(Edit(before.end_byte, after.start_byte, "\n" + _column(syntax, after.parent.start_byte)))
        elif re.fullmatch(" ?", gap) and (before.type == "(" or after.type == ")" or before.type == ","):
            edits.append(Edit(before.end_byte, after.start_byte, " " if is_airy else ""))
    return syntax.edited(edits)


def _column(syntax: Syntax, at: int) -> str:
    """Return the indentation of the line that a byte is in."""
    line = syntax.data[syntax.data.rfind(b"\n", 0, at) + 1 :]
    return line[: len(line) - len(line.lstrip(b" "))].decode()
