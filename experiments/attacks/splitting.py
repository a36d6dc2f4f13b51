"""Splitting over files: about half of the functions move into a file of their own."""

import random
from dataclasses import replace

from tree_sitter import Node

from experiments.attacks.grammar import called, functions, is_main, is_static, name_of
from experiments.attacks.program import Program
from experiments.attacks.syntax import Edit, Syntax

FILES = {"java": "Helpers.java", "javascript": "helpers.js", "python": "helpers.py"}


def attack(program: Program, chance: random.Random) -> Program:
    """Return the program in two files."""
    syntax = Syntax(program.language, program.text)
    moved = _moved(syntax, chance)
    if not moved:
        return program
    names = [name_of(syntax, each) for each in moved]
    edits = [Edit(each.start_byte, each.end_byte, "") for each in moved]
    if program.language == "java":
        edits += _qualified(syntax, names)
        main = syntax.edited(edits)
    else:
        main = _with_import(program.language, syntax.edited(edits), names)
    name, other = FILES[program.language], _other_file(syntax, moved, names)
    return replace(program, files=((program.files[0][0], main), (name, other)))


def _moved(syntax: Syntax, chance: random.Random) -> list[Node]:
    """Functions that need nothing but imports and each other, up to half of all, in their order."""
    every = {name_of(syntax, each): each for each in functions(syntax)}
    globals_of = _globals(syntax)
    chosen: set[str] = set()
    for name in chance.sample(list(every), len(every)):
        needed = _needed(syntax, every, name)
        is_free = all(
            is_static(syntax, every[each]) and not is_main(syntax, every[each])
            and not globals_of & syntax.names(every[each])
            for each in needed
        )  # fmt: skip
        if is_free and len(chosen | needed) <= (len(every) + 1) // 2:
            chosen |= needed
    return [each for name, each in every.items() if name in chosen]


def _globals(syntax: Syntax) -> set[str]:
    """Names that are set outside all functions, imports aside."""
    kinds = ("expression_statement", "lexical_declaration", "field_declaration", "class_definition")
    return {
        name
        for node in syntax.nodes(*kinds)
        if node.parent is not None and node.parent.type in ("module", "program", "class_body")
        for each in syntax.nodes("assignment", "variable_declarator", "class_definition", within=node)
        for part in (each.child_by_field_name("left") or each.child_by_field_name("name"),)
        if part is not None
        for name in syntax.names(part)
    }


def _needed(syntax: Syntax, every: dict[str, Node], name: str) -> set[str]:
    """Return a function and all that it calls, directly or not."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        if (each := waiting.pop()) not in found:
            found.add(each)
            calls = (called(syntax, node) for node in syntax.nodes(within=every[each]))
            waiting += [call for call in calls if call in every]
    return found


def _qualified(syntax: Syntax, names: list[str]) -> list[Edit]:
    calls = [node for node in syntax.nodes("method_invocation") if called(syntax, node) in names]
    return [Edit(call.start_byte, call.start_byte, "Helpers.") for call in calls]


def _with_import(language: str, text: str, names: list[str]) -> str:
    if language == "javascript":
        return f'const {{ {", ".join(names)} }} = require("./helpers");\n{text}'
    syntax = Syntax(language, text)
    last = [node.end_byte for node in syntax.root.children if "import" in node.type]
    at = max(last, default=0)
    return syntax.edited([Edit(at, at, f"\nfrom helpers import {', '.join(names)}\n")])


def _other_file(syntax: Syntax, moved: list[Node], names: list[str]) -> str:
    texts = [syntax.text(each).replace("private ", "") for each in moved]
    imports = "\n".join(syntax.text(node) for node in syntax.root.children if "import" in node.type)
    if syntax.language == "java":
        inner = "\n\n    ".join(texts)
        return f"{imports}\n\nclass Helpers {{\n    {inner}\n}}\n"
    body = "\n\n".join(texts)
    ending = f"\n\nmodule.exports = {{ {', '.join(names)} }};" if syntax.language == "javascript" else ""
    return f"{imports}\n\n{body}{ending}\n"
