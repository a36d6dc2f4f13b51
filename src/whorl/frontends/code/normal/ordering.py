"""Independent neighbouring statements in one order: assignments that could change places stand by what they say."""

from whorl.frontends.code.normal.effects import Effects, effects
from whorl.frontends.code.normal.marks import ORDER
from whorl.frontends.code.normal.node import Node
from whorl.frontends.code.normal.scope import Scope

# Statements that are looked at together: each is compared with all others of them.
TOGETHER = 12

MOVABLE = frozenset({"assign", "call", "print"})


def order_statements(node: Node, names: Scope) -> Node:
    """In a block: each run of simple statements, in the order of their shapes as far as their dependences let them."""
    statements = node.children
    start = 0
    while start < len(statements):
        end = start
        while end < len(statements) and end - start < TOGETHER and statements[end].kind in MOVABLE:
            end += 1
        if end - start > 1:
            statements[start:end] = _ordered(statements[start:end], names)
        start = max(end, start + 1)
    return node


def _ordered(run: list[Node], names: Scope) -> list[Node]:
    found = [effects(each) for each in run]
    before = _before(found, names.own)
    if sum(map(len, before)) == len(run) * (len(run) - 1) // 2:
        return run
    keys = [_key(each) for each in run]
    placed: list[int] = []
    waiting = list(range(len(run)))
    while waiting:
        ready = [number for number in waiting if not (before[number] - set(placed))]
        number = min(ready, key=lambda each: (keys[each], each))
        placed.append(number)
        waiting.remove(number)
    for number, place in enumerate(placed):
        if number != place:
            run[place].marks |= ORDER
    return [run[number] for number in placed]


def _before(found: list[Effects], own: set[bytes]) -> list[set[int]]:
    """For each statement those before it that must stay before it."""
    return [
        {early for early in range(late) if not found[early].is_free_of(found[late], own)} for late in range(len(found))
    ]


def _key(statement: Node) -> str:
    """What a statement says, names and values apart."""
    said: list[str] = []
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        said.append(node.kind + node.text.decode("utf-8", "replace") if node.kind == "op" else node.kind)
        waiting += node.children
    return " ".join(said)
