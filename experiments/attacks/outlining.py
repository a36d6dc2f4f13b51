"""Method outlining: conditions and the values of declarations become small functions of their own."""

import random
from collections.abc import Iterator

from tree_sitter import Node

from experiments.attacks.grammar import INTRICATE, functions, is_static, leaf_count
from experiments.attacks.program import Program
from experiments.attacks.syntax import Edit, Syntax
from experiments.attacks.vocabulary import fresh_names

# Tokens of the smallest expression that is worth a function.
LEAST = 3

HELPERS = {
    "java": "{static}{kind} {name}({typed}) {{\n        return {value};\n    }}\n\n    ",
    "javascript": "function {name}({names}) {{\n  return {value};\n}}\n\n",
    "python": "def {name}({names}):\n    return {value}\n\n\n",
}


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program with expressions moved into functions before the ones that they come from."""
    syntax = Syntax(program.language, program.text)
    taken = syntax.names()
    edits: list[Edit] = []
    for function in functions(syntax):
        if any(child.type == "throws" for child in function.children):
            continue  # a helper would have to declare the same
        kinds = _kinds(syntax, function)
        for node, kind in _expressions(syntax, function):
            names = _arguments(syntax, node, kinds)
            if names is None:
                continue
            name = fresh_names(chance, 1, taken)[0]
            taken.add(name)
            edits += _outlined(syntax, function, node, kind, name, {each: kinds[each] for each in names})
    return program.with_text(syntax.edited(edits))


def _outlined(
    syntax: Syntax, function: Node, node: Node, kind: str, name: str, arguments: dict[str, str]
) -> tuple[Edit, Edit]:
    helper = HELPERS[syntax.language].format(
        static="static " if is_static(syntax, function) else "",
        kind=kind,
        name=name,
        names=", ".join(arguments),
        typed=", ".join(f"{kind_of} {each}" for each, kind_of in arguments.items()),
        value=syntax.text(node),
    )
    at = function.start_byte
    return Edit(at, at, helper), Edit(node.start_byte, node.end_byte, f"{name}({', '.join(arguments)})")


def _expressions(syntax: Syntax, function: Node) -> Iterator[tuple[Node, str]]:
    """Expressions that can stand in a function of their own, and what they give."""
    for node in syntax.nodes("if_statement", "while_statement", "assignment", "variable_declarator", within=function):
        found = node.child_by_field_name("condition")
        kind: Node | None = None
        if found is None:
            found = node.child_by_field_name("right") or node.child_by_field_name("value")
            kind = node.parent.child_by_field_name("type") if node.parent is not None else None
        if found is not None and found.type == "parenthesized_expression":
            found = found.named_children[0]
        if found is not None and _is_movable(syntax, found):
            yield found, "boolean" if kind is None else syntax.text(kind)


def _is_movable(syntax: Syntax, node: Node) -> bool:
    is_large = leaf_count(syntax, node) >= LEAST and node.type != "array_initializer"
    return is_large and next(syntax.nodes(*INTRICATE, within=node), None) is None


def _kinds(syntax: Syntax, function: Node) -> dict[str, str]:
    """The function's own names and what they are declared as; in Java, those that are declared as one thing only."""
    found: dict[str, set[str]] = {}
    for node in syntax.nodes(within=function):
        if node.type == "identifier" and _declares(node):
            owner = node.parent if node.parent is not None else node
            kind = owner.child_by_field_name("type") or (owner.parent and owner.parent.child_by_field_name("type"))
            found.setdefault(syntax.text(node), set()).add(syntax.text(kind) if kind else "")
    return {name: kinds.pop() for name, kinds in found.items() if len(kinds) == 1}


def _declares(node: Node) -> bool:
    owner = node.parent
    while owner is not None and owner.type in ("pattern_list", "tuple_pattern", "array_pattern"):
        owner = owner.parent
    if owner is None:
        return False
    if owner.type in ("parameters", "formal_parameters"):
        return True
    name = owner.child_by_field_name("name") or owner.child_by_field_name("left")
    is_declaration = owner.type in (
        "assignment", "for_statement", "for_in_statement", "variable_declarator", "formal_parameter",
        "enhanced_for_statement",
    )  # fmt: skip
    return is_declaration and name is not None and name.start_byte <= node.start_byte < name.end_byte


def _arguments(syntax: Syntax, node: Node, kinds: dict[str, str]) -> list[str] | None:
    """Return the names that an expression takes from its function; None if it also takes what cannot be handed over."""
    names: dict[str, None] = {}
    for each in syntax.nodes("identifier", within=node):
        name = syntax.text(each)
        if name in kinds and not _is_called(each):
            if syntax.language == "java" and kinds[name] in ("", "var"):
                return None
            names[name] = None
        elif syntax.language == "java" and not _is_called(each) and not name[0].isupper():
            return None
    return list(names)


def _is_called(node: Node) -> bool:
    """Return whether a name is that of a method, an attribute or a field, and not of a value."""
    owner = node.parent
    if owner is None:
        return False
    return any(owner.child_by_field_name(name) == node for name in ("name", "attribute", "field"))
