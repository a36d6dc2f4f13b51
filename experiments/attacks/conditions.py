"""Condition rewriting: conditions negated with their branches swapped, and comparisons read from the other side."""

import random
from collections.abc import Callable

from tree_sitter import Node

from experiments.attacks.grammar import GRAMMARS, column
from experiments.attacks.program import Program
from experiments.attacks.syntax import Syntax, field

MIRRORED = {
    "<": ">", ">": "<", "<=": ">=", ">=": "<=", "==": "==", "!=": "!=", "===": "===", "!==": "!==",
}  # fmt: skip

Write = Callable[[Node], str]


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program with every condition written in another way that means the same."""
    syntax = Syntax(program.language, program.text)
    return program.with_text(syntax.rewritten(lambda node, write: _other(syntax, node, write)))


def _other(syntax: Syntax, node: Node, write: Write) -> str | None:
    if node.type in ("comparison_operator", "binary_expression"):
        return _mirrored(syntax, node, write)
    if node.type == "if_statement":
        return _swapped_python(syntax, node, write) if syntax.language == "python" else _swapped(syntax, node, write)
    if node.type == "conditional_expression":
        yes, condition, no = (write(child) for child in node.named_children)
        return f"{no} if not ({condition}) else {yes}"
    if node.type == "ternary_expression":
        yes, no = write(field(node, "consequence")), write(field(node, "alternative"))
        return f"!({write(field(node, 'condition'))}) ? {no} : {yes}"
    return None


def _mirrored(syntax: Syntax, node: Node, write: Write) -> str | None:
    if len(node.children) != 3 or (sign := syntax.text(node.children[1])) not in MIRRORED:
        return None
    return f"{write(node.children[2])} {MIRRORED[sign]} {write(node.children[0])}"


def _swapped(syntax: Syntax, node: Node, write: Write) -> str | None:
    no = node.child_by_field_name("alternative")
    if no is not None and no.type == "else_clause":
        no = no.named_children[0]
    if no is None or no.type == "if_statement":
        return None
    negated = GRAMMARS[syntax.language].negation.format(write(field(node, "condition").named_children[0]))
    return f"if ({negated}) {write(no)} else {write(field(node, 'consequence'))}"


def _swapped_python(syntax: Syntax, node: Node, write: Write) -> str | None:
    no = node.children_by_field_name("alternative")
    if len(no) != 1 or no[0].type != "else_clause":
        return None
    inner = f"\n{column(node)}{GRAMMARS['python'].indent}"
    yes, other = write(field(node, "consequence")), write(field(no[0], "body"))
    return f"if not ({write(field(node, 'condition'))}):{inner}{other}\n{column(node)}else:{inner}{yes}"
