"""Statement reordering: neighbours that have nothing to do with each other change places."""

import random

from tree_sitter import Node

from experiments.attacks.grammar import INTRICATE, JUMPS, is_run, statements
from experiments.attacks.program import Program
from experiments.attacks.syntax import Edit, Syntax

ASSIGNMENTS = ("assignment", "variable_declarator", "assignment_expression")

# What reads or does something beyond the names in a statement.
REACHES = INTRICATE - {"assignment_expression"} | {
    "call", "call_expression", "method_invocation", "object_creation_expression", "new_expression", "attribute",
    "member_expression", "field_access", "subscript", "subscript_expression", "array_access",
}  # fmt: skip


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program after every such pair was swapped once, if chance will have it."""
    syntax = Syntax(program.language, program.text)
    edits = []
    for block in statements(syntax):
        at = 0
        while at + 1 < len(block):
            one, two = block[at : at + 2]
            if _can_swap(syntax, one, two) and chance.random() < 0.8:
                edits.append(Edit(one.start_byte, one.end_byte, syntax.text(two)))
                edits.append(Edit(two.start_byte, two.end_byte, syntax.text(one)))
                at += 1
            at += 1
    return program.with_text(syntax.edited(edits))


def _can_swap(syntax: Syntax, one: Node, two: Node) -> bool:
    """Whether one of them is a plain assignment, the other does not jump, and neither touches what the other sets."""
    if not is_run(one) or not is_run(two) or {one.type, two.type} & JUMPS:
        return False
    if not _is_plain(syntax, one) and not _is_plain(syntax, two):
        return False
    return not (_set(syntax, one) & syntax.names(two)) and not (_set(syntax, two) & syntax.names(one))


def _is_plain(syntax: Syntax, node: Node) -> bool:
    is_assignment = node.type in ("local_variable_declaration", "lexical_declaration") or (
        node.type == "expression_statement" and node.named_children[0].type in ASSIGNMENTS
    )
    return is_assignment and next(syntax.nodes(*REACHES, within=node), None) is None


def _set(syntax: Syntax, node: Node) -> set[str]:
    """Names that a statement may set: of an assignment those on its left, of anything else all that it has."""
    if node.type != "expression_statement" and "declaration" not in node.type:
        return syntax.names(node)
    found: set[str] = set()
    for each in syntax.nodes(*ASSIGNMENTS, "augmented_assignment", "augmented_assignment_expression", within=node):
        left = each.child_by_field_name("left") or each.child_by_field_name("name")
        found |= syntax.names(left) if left is not None else set()
    return found
