"""Declarations dropped: one without a value says nothing, one with a value is an assignment."""

from whorl.frontends.code.normal.effects import effects
from whorl.frontends.code.normal.marks import DECLARATIONS
from whorl.frontends.code.normal.node import Node
from whorl.frontends.code.normal.scope import LATER, Scope, called


def drop_declarations(node: Node, names: Scope) -> Node:
    """In a block: ``int x;`` leaves nothing, ``int x = 1;`` leaves ``x = 1``."""
    if not any(child.kind == "declare" for child in node.children):
        return node
    kept: list[Node] = []
    marks = 0
    for child in node.children:
        if child.kind == "declare":
            if len(child.children) == 1:
                marks = DECLARATIONS
                continue
            child.kind, child.marks = "assign", child.marks | DECLARATIONS
        child.marks, marks = child.marks | marks, 0
        kept.append(child)
    node.children = kept
    return node


def move_fields(found: list[Scope]) -> bool:
    """A private field with a first value that one function alone uses, and that function is called by nobody in the
    file, such as ``main``: its value is given where the function begins. Whether there was any."""
    if not any(names.private for names in found):
        return False
    count = 0
    users: dict[bytes, list[Scope]] = {}
    for names in found:
        for name in {*names.reads, *names.writes} if names.function.kind in LATER else ():
            users.setdefault(name, []).append(names)
    for names in found:
        for each in names.blocks if names.private else ():
            moved = [child for child in each.children if _is_movable(child, users)]
            if moved:
                gone = set(map(id, moved))
                each.children = [child for child in each.children if id(child) not in gone]
            count += len(moved)
            for child in reversed(moved):
                body = users[child.children[0].text][0].function.children[1]
                body.children = [child, *body.children]
    return count > 0


def _is_movable(field: Node, users: dict[bytes, list[Scope]]) -> bool:
    if field.kind != "declare" or field.text != b"private":
        return False
    using = users.get(field.children[0].text, [])
    function = using[0].function if len(using) == 1 else field
    is_entry = function.kind == "function" and bool(function.text) and called(function.text) not in users
    return is_entry and effects(field.children[-1]).is_pure
