"""Renaming: every name that the program declares itself, and that nothing outside could know, gets another."""

import random
from collections.abc import Iterator

from tree_sitter import Node

from experiments.attacks.program import Program
from experiments.attacks.syntax import Edit, Syntax
from experiments.attacks.vocabulary import fresh_names

# Where names are declared: the kind of a node, and the field of the name or of a pattern that has names. Without a
# field, all parts of the node are.
DECLARED = {
    "java": (
        ("variable_declarator", "name"), ("formal_parameter", "name"), ("method_declaration", "name"),
        ("enhanced_for_statement", "name"), ("catch_formal_parameter", "name"), ("inferred_parameters", ""),
        ("lambda_expression", "parameters"),
    ),
    "javascript": (
        ("variable_declarator", "name"), ("function_declaration", "name"), ("formal_parameters", ""),
        ("for_in_statement", "left"), ("generator_function_declaration", "name"),
    ),
    "python": (
        ("function_definition", "name"), ("parameters", ""), ("lambda_parameters", ""), ("assignment", "left"),
        ("for_statement", "left"), ("for_in_clause", "left"),
    ),
}  # fmt: skip

# Where a name is one that others know: an attribute, a keyword, a method of something else.
FOREIGN = {
    "attribute": "attribute",
    "keyword_argument": "name",
    "field_access": "field",
    "dotted_name": "",
    "shorthand_property_identifier": "",
    "shorthand_property_identifier_pattern": "",
}

# Kinds that hold several names.
PATTERNS = frozenset({"pattern_list", "tuple_pattern", "array_pattern", "inferred_parameters", "formal_parameters"})

KEPT = frozenset({"main", "self"})


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program with other names."""
    syntax = Syntax(program.language, program.text)
    declared = {name for node in _declared(syntax) for name in _in_pattern(syntax, node)}
    wanted = sorted(declared - _foreign(syntax) - KEPT)
    others = dict(zip(wanted, fresh_names(chance, len(wanted), syntax.names()), strict=True))
    edits = [
        Edit(node.start_byte, node.end_byte, others[syntax.text(node)])
        for node in syntax.nodes("identifier")
        if syntax.text(node) in others
    ]
    return program.with_text(syntax.edited(edits))


def _declared(syntax: Syntax) -> Iterator[Node]:
    places: dict[str, str] = dict(DECLARED[syntax.language])
    for node in syntax.nodes(*places):
        name = places[node.type]
        found = node.child_by_field_name(name) if name else node
        if found is not None:
            yield found


def _in_pattern(syntax: Syntax, node: Node) -> Iterator[str]:
    if node.type == "identifier":
        yield syntax.text(node)
    elif node.type in PATTERNS or node.type in ("parameters", "lambda_parameters"):
        for child in node.named_children:
            yield from _in_pattern(syntax, child)


def _foreign(syntax: Syntax) -> set[str]:
    """Names that cannot be changed without changing what they stand for."""
    found = {name for name in syntax.names() if name.startswith("__")}
    for node in syntax.nodes(*FOREIGN, "method_invocation"):
        if node.type == "method_invocation":
            part = node.child_by_field_name("name") if node.child_by_field_name("object") else None
        else:
            part = node.child_by_field_name(FOREIGN[node.type]) if FOREIGN[node.type] else node
        if part is not None:
            found |= {syntax.text(part), *syntax.names(part)}
    return found
