"""Trivial temporaries gone: ``t = e; return t`` says ``return e``."""

from itertools import islice
from typing import TypeAlias

from whorl.frontends.code.normal.effects import KNOWN, effects
from whorl.frontends.code.normal.marks import TEMPORARIES
from whorl.frontends.code.normal.node import Node
from whorl.frontends.code.normal.scope import Scope, within

Path: TypeAlias = list[tuple[Node, int]]

# Statements all of which is evaluated once, and at once.
SIMPLE = frozenset({"assign", "declare", "return", "throw", "print", "call"})


# Operators that may leave their right side alone.
SHORT = frozenset({b"&&", b"||", b"and", b"or", b"??"})

# Nodes of a value that is not moved: an expression of several lines.
LONG = 100

# As many statements back a value may have been reckoned.
BACK = 6


def spread_literals(names: Scope) -> None:
    """In a function: a name of its own that is given a number once, and never anything else, is that number."""
    values: dict[bytes, Node] = {}
    outermost = [names.function, *names.function.children]
    for each in names.blocks:
        is_outermost = any(each is one for one in outermost)
        for child in each.children:
            if _is_literal(child) and (is_outermost or child.kind == "declare"):
                name = child.children[0].text
                if name in names.declared and name in names.own and names.writes[name] == 1:
                    values[name] = child.children[1]
    if not values:
        return
    for node in within(names.function):
        if node.kind == "block":
            node.children = [child for child in node.children if not _gives(child, values)]
        for number, child in enumerate(node.children):
            if child.kind == "name" and child.text in values:
                value = values[child.text]
                node.children[number] = child.at(value.kind, [], value.text, TEMPORARIES)


def _is_literal(statement: Node) -> bool:
    inside = statement.children
    is_given = statement.kind in ("assign", "declare") and len(inside) == 2 and inside[0].kind == "name"
    return is_given and inside[1].kind in ("number", "char", "constant")


def _gives(statement: Node, values: dict[bytes, Node]) -> bool:
    inside = statement.children
    return statement.kind in ("assign", "declare") and inside[0].kind == "name" and inside[0].text in values


def drop_temporaries(node: Node, names: Scope) -> Node:
    """In a block: the value of a name of the function's own that is set once and read once, a little later, stands
    where it is read, if nothing between could change it. Values that are only reckoned go first: with a call in it a
    value has to stay where it is more often, and so would all that it was moved into."""
    found = [each for each in node.children if _is_temporary(each, names)]
    if found:
        reckoned = [each for each in found if effects(each.children[1]).is_pure]
        _move(node, names, reckoned)
        if len(reckoned) < len(found):
            _move(node, names, found)
    return node


def _move(node: Node, names: Scope, temporaries: list[Node]) -> None:
    """Move the values of these statements."""
    wanted = set(map(id, temporaries))
    kept: list[Node] = []
    for statement in node.children:
        number = len(kept) - 1
        while number >= max(0, len(kept) - BACK):
            if id(kept[number]) in wanted and _is_moved(kept[number], kept[number + 1 :], statement, names.own):
                del kept[number]
            number -= 1
        kept.append(statement)
    if len(kept) < len(node.children):
        node.children = kept


def _is_temporary(statement: Node, names: Scope) -> bool:
    inside = statement.children
    if statement.kind not in ("assign", "declare") or len(inside) != 2 or inside[0].kind != "name":
        return False
    name = inside[0].text
    return name in names.own and names.writes[name] == 1 and names.reads[name] == 1


def _is_moved(before: Node, between: list[Node], statement: Node, own: set[bytes]) -> bool:
    """Whether the value that a statement gives to a name was put where a later one reads it."""
    value = before.children[1]
    path = _path(statement, before.children[0].text)
    if not path or not _is_short(value):
        return False
    done = effects(value)
    if (not done.is_pure or done.is_exposed(own)) and _acts_beside(path):
        return False
    if between and not all(done.is_free_of(effects(each), own) for each in between):
        return False
    holder, number = path[-1]
    value.marks |= TEMPORARIES | before.marks
    holder.children[number] = value
    return True


def _is_short(value: Node) -> bool:
    """Whether a value is short enough to be moved again and again: a chain of them must not grow for ever."""
    return sum(1 for _ in islice(value.walk(), LONG)) < LONG


def _acts_beside(path: Path) -> bool:
    """Whether a statement does anything that is not done after its place was evaluated."""
    return any(
        effects(child).acts or effects(child).writes
        for holder, number in path
        for at, child in enumerate(holder.children)
        if at != number and holder.kind != "if" and not (at == 0 and holder.kind in ("call", "assign", "declare"))
    )


def _path(statement: Node, name: bytes) -> Path:
    """The way to where the next statement reads a name: nodes, and the numbers of their children; empty if it does not,
    or not for certain."""
    if statement.kind not in SIMPLE and statement.kind != "if":
        return []
    parents: dict[int, tuple[Node, int]] = {}
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.kind not in KNOWN or node.kind == "conditional" or (node.kind == "op" and node.text in SHORT):
            continue
        skipped = 1 if node.kind in ("assign", "declare") and node.children[0].kind == "name" else 0
        inside = node.children[:1] if node is statement and node.kind == "if" else node.children
        for number, child in enumerate(inside[skipped:], skipped):
            parents[id(child)] = node, number
            if child.kind == "name" and child.text == name:
                return _up(child, parents)
            waiting.append(child)
    return []


def _up(node: Node, parents: dict[int, tuple[Node, int]]) -> Path:
    path: Path = []
    while id(node) in parents:
        path.append(parents[id(node)])
        node = path[-1][0]
    return path[::-1]
