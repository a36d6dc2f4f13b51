"""Conditions that are known to hold left out: what a loop or a branch has just asked is not asked again."""

from whorl.frontends.code.normal.marks import ASKED
from whorl.frontends.code.normal.node import LEAVES, Node, block, equal

# What gives the same when it is asked again at once, and does nothing.
STEADY = LEAVES | {"op", "field", "index", "cast"}


def ask_once(node: Node) -> Node:
    """``while (c) { if (c) a else b; d }`` as ``while (c) { a; d }``, and ``if`` alike. The condition of a loop that
    asks at its end does not hold when its body is run for the first time."""
    condition, body = node.children[:2]
    if not body.children or body.children[0].kind != "if" or node.text:
        return node
    first = body.children[0]
    if not equal(condition, first.children[0]) or not all(each.kind in STEADY for each in condition.walk()):
        return node
    for each in first.children[1].children[:1]:
        each.marks |= ASKED
    inside = block([*first.children[1].children, *body.children[1:]], body)
    return node.at(node.kind, [condition, inside, *node.children[2:]], node.text, ASKED)
