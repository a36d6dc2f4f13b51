"""Loop rewriting: counted loops become conditional ones, and conditional ones become endless ones that are left."""

import random
from collections.abc import Callable

from tree_sitter import Node

from experiments.attacks.grammar import GRAMMARS, column
from experiments.attacks.program import Program
from experiments.attacks.syntax import Syntax, field

Write = Callable[[Node], str]


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program with every loop written in another way that does the same."""
    syntax = Syntax(program.language, program.text)
    write_loop = _python if program.language == "python" else _braced
    return program.with_text(syntax.rewritten(lambda node, write: write_loop(syntax, node, write)))


def _python(syntax: Syntax, node: Node, write: Write) -> str | None:
    column_of, step = column(node), GRAMMARS["python"].indent
    if node.type == "while_statement" and node.child_by_field_name("alternative") is None:
        condition, body = write(field(node, "condition")), write(field(node, "body"))
        inner = f"\n{column_of}{step}"
        return f"while True:{inner}if not ({condition}):{inner}{step}break{inner}{body}"
    bounds = _range(syntax, node)
    if bounds is None:
        return None
    name, body = syntax.text(field(node, "left")), write(field(node, "body"))
    inner = f"\n{column_of}{step}"
    return f"{name} = {bounds[0]}\n{column_of}while {name} < {bounds[1]}:{inner}{body}{inner}{name} += 1"


def _range(syntax: Syntax, node: Node) -> tuple[str, str] | None:
    """First and last of a loop over a plain range whose step is always reached."""
    if node.type != "for_statement" or field(node, "left").type != "identifier":
        return None
    call = field(node, "right")
    if call.type != "call" or syntax.text(field(call, "function")) != "range" or _continues(syntax, node):
        return None
    bounds = [syntax.text(bound) for bound in field(call, "arguments").named_children]
    return ("0", bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1]) if len(bounds) == 2 else None


def _braced(syntax: Syntax, node: Node, write: Write) -> str | None:
    if node.type == "while_statement":
        return f"for (; {write(field(node, 'condition').named_children[0])};) {write(field(node, 'body'))}"
    if node.type != "for_statement" or _continues(syntax, node):
        return None
    is_java = syntax.language == "java"
    first = write(field(node, "init" if is_java else "initializer")).rstrip(";")
    step = write(field(node, "update" if is_java else "increment"))
    body = write(field(node, "body")).removeprefix("{").removesuffix("}").rstrip()
    return f"{{ {first}; while ({write(field(node, 'condition'))}) {{{body}\n{column(node)}{step}; }} }}"


def _continues(syntax: Syntax, node: Node) -> bool:
    return next(syntax.nodes("continue_statement", within=node), None) is not None
