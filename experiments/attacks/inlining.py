"""Method inlining: small functions that only return a value give way to that value, wherever they are called."""

import random
from collections.abc import Callable

from tree_sitter import Node

from experiments.attacks.grammar import called, functions, name_of, parameters
from experiments.attacks.program import Program
from experiments.attacks.syntax import Edit, Syntax, field

# Functions that call each other are inlined from the outside in, a level at a time.
LEVELS = 4

# Arguments that may be computed as often as one likes.
PLAIN = frozenset({"identifier", "string", "string_literal", "integer", "number", "decimal_integer_literal"})


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program without its small functions."""
    text = program.text
    for _ in range(LEVELS):
        text = _without_uncalled(program.language, _inlined(program.language, text))
    return program.with_text(text)


def _inlined(language: str, text: str) -> str:
    syntax = Syntax(language, text)
    small = {name_of(syntax, each): each for each in functions(syntax) if _value(each) is not None}

    def rule(node: Node, write: Callable[[Node], str]) -> str | None:
        name = called(syntax, node)
        function = small.get(name) if name is not None else None
        return None if function is None else _value_of_call(syntax, node, function, write)

    return syntax.rewritten(rule)


def _value(function: Node) -> Node | None:
    """Return what a function returns, if it does nothing else."""
    body = [node for node in field(function, "body").named_children if "comment" not in node.type]
    if len(body) != 1 or body[0].type != "return_statement" or not body[0].named_children:
        return None
    return body[0].named_children[0]


def _value_of_call(syntax: Syntax, call: Node, function: Node, write: Callable[[Node], str]) -> str | None:
    value = _value(function)
    given, names = field(call, "arguments").named_children, parameters(syntax, function)
    if value is None or len(given) != len(names) or name_of(syntax, function) in syntax.names(value):
        return None
    arguments = dict(zip(names, given, strict=True))
    used = [node for node in syntax.nodes("identifier", within=value) if syntax.text(node) in arguments]
    for name, argument in arguments.items():
        if argument.type not in PLAIN and sum(syntax.text(node) == name for node in used) > 1:
            return None
    inner = Syntax(syntax.language, syntax.text(value))
    return f"({inner.edited(_filled(inner, arguments, write))})"


def _filled(inner: Syntax, arguments: dict[str, Node], write: Callable[[Node], str]) -> list[Edit]:
    """Return the arguments in the places of the parameters."""
    edits = []
    for node in inner.nodes("identifier"):
        argument = arguments.get(inner.text(node))
        if argument is not None:
            written = write(argument)
            edits.append(Edit(node.start_byte, node.end_byte, written if argument.type in PLAIN else f"({written})"))
    return edits


def _without_uncalled(language: str, text: str) -> str:
    """Without the small functions that nothing names any more."""
    syntax = Syntax(language, text)
    named = [syntax.text(node) for node in syntax.nodes("identifier")]
    gone = [each for each in functions(syntax) if _value(each) is not None and named.count(name_of(syntax, each)) == 1]
    return syntax.edited(Edit(each.start_byte, each.end_byte, "") for each in gone)
