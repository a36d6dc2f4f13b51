"""Comment changes: the comments go, and others come."""

import random

from experiments.attacks.grammar import GRAMMARS, column, is_run, statements
from experiments.attacks.program import Program
from experiments.attacks.syntax import Edit, Syntax
from experiments.attacks.vocabulary import sentence

COMMENTS = ("comment", "line_comment", "block_comment")

# The share of statements that get a comment.
COMMENTED = 0.3


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program with other comments."""
    syntax = Syntax(program.language, program.text)
    bare = syntax.edited(Edit(node.start_byte, node.end_byte, "") for node in syntax.nodes(*COMMENTS))
    syntax = Syntax(program.language, bare)
    comment = GRAMMARS[program.language].comment
    edits = [
        Edit(node.start_byte, node.start_byte, f"{comment.format(sentence(chance))}\n{column(node)}")
        for block in statements(syntax)
        for node in block
        if is_run(node) and _begins_line(syntax, node.start_byte) and chance.random() < COMMENTED
    ]
    return program.with_text(syntax.edited(edits))


def _begins_line(syntax: Syntax, at: int) -> bool:
    return not syntax.data[syntax.data.rfind(b"\n", 0, at) + 1 : at].strip()
