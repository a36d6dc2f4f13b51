"""Negated conditions with swapped branches in one order, and comparisons in one direction."""

from whorl.frontends.code.normal.marks import NEGATION, OPERANDS
from whorl.frontends.code.normal.node import Node

# What ``!`` makes of a comparison. For numbers that are none (NaN) ``!(a < b)`` is not ``b <= a``; no copy hides there.
OPPOSITE = {
    b"==": b"!=", b"!=": b"==", b"===": b"!==", b"!==": b"===", b"<": b">=", b">=": b"<", b">": b"<=", b"<=": b">",
}  # fmt: skip

# Comparisons that are written the other way round.
MIRRORED = {b">": b"<", b">=": b"<="}

NOT = frozenset({b"!", b"not"})

# Of two opposite conditions the branches follow the first.
SECOND = frozenset({b"!=", b"!==", b"<="})


def negate(node: Node) -> Node:
    """``!(a < b)`` as ``b <= a``, and ``!!a`` as ``a``."""
    if node.text not in NOT or len(node.children) != 1:
        return node
    inside = node.children[0]
    if inside.kind == "op" and len(inside.children) == 2 and inside.text in OPPOSITE:
        return inside.at("op", inside.children, OPPOSITE[inside.text], NEGATION)
    if inside.kind == "op" and len(inside.children) == 1 and inside.text in NOT:
        inside.children[0].marks |= NEGATION
        return inside.children[0]
    return node


def mirror(node: Node) -> Node:
    """``a > b`` as ``b < a``."""
    if node.text in MIRRORED and len(node.children) == 2:
        node = node.at("op", node.children[::-1], MIRRORED[node.text], OPERANDS)
    return node


def swap_branches(node: Node) -> Node:
    """Of ``if (!c) a else b`` and ``if (c) b else a``, the second; with nothing to do first, the branches change places
    and the condition is negated."""
    condition, then, other = node.children
    if other.kind != "block":
        return node
    if not then.children and other.children:
        return node.at("if", [negated(condition), other, then], marks=NEGATION)
    if other.children and _is_second(condition):
        return node.at("if", [negated(condition), other, then], marks=NEGATION)
    return node


def _is_second(condition: Node) -> bool:
    if condition.kind != "op":
        return False
    is_not = condition.text in NOT and len(condition.children) == 1
    return is_not or (condition.text in SECOND and len(condition.children) == 2)


def negated(condition: Node) -> Node:
    """What holds if a condition does not."""
    if condition.kind == "op" and condition.text in NOT and len(condition.children) == 1:
        condition.children[0].marks |= NEGATION
        return condition.children[0]
    return mirror(negate(condition.at("op", [condition], b"!", NEGATION)))
