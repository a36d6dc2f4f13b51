"""Constants folded: sums and products of whole numbers, joined strings, and operands that change nothing."""

from collections.abc import Callable
from operator import is_

from whorl.frontends.code.normal.lowering import CHAINING
from whorl.frontends.code.normal.marks import CONSTANTS, OPERANDS
from whorl.frontends.code.normal.node import LEAVES, Node

# Digits that a number may have and be reckoned with: what is longer is data, and its product would be longer still.
DIGITS = 9

RECKONED: dict[bytes, Callable[[int, int], int]] = {
    b"+": lambda a, b: a + b,
    b"-": lambda a, b: a - b,
    b"*": lambda a, b: a * b,
}

COMMUTING = frozenset({b"*", b"&&", b"||", b"and", b"or", b"==", b"!=", b"===", b"!==", b"&", b"|", b"^"})


def fold(node: Node) -> Node:
    """``2 * 3`` as ``6``, ``"a" + "b"`` as one string, ``-1`` as a number."""
    kinds = {child.kind for child in node.children}
    if kinds == {"string"} and node.text == b"+":
        return node.at("string", [], marks=CONSTANTS)
    if kinds != {"number"} or node.text not in RECKONED:
        return node
    if len(node.children) == 1:
        return node.at("number", [], node.text + node.children[0].text) if node.text == b"-" else node.children[0]
    numbers = [_number(child) for child in node.children]
    total = numbers[0]
    for number in numbers[1:]:
        if total is None or number is None:
            return node
        total = RECKONED[node.text](total, number)
    return node.at("number", [], str(total).encode(), CONSTANTS)


def _number(node: Node) -> int | None:
    text = node.text.removeprefix(b"-")
    return int(node.text) if text.isdigit() and len(text) <= DIGITS else None


def order_operands(node: Node) -> Node:
    """Operands that may change places: names before what is larger, literals last; ``a * (b * c)`` is ``a * b * c``.
    What has a call in it stays where it is."""
    operator = node.text
    if operator not in COMMUTING or len(node.children) < 2:
        return node
    inside: list[Node] = []
    for child in node.children:
        is_same = child.kind == "op" and child.text == operator and operator in CHAINING and len(child.children) > 1
        inside += child.children if is_same else [child]
    keys = [_key(child) for child in inside]
    ordered = sorted(inside, key=_key) if all(keys) else inside
    if len(ordered) == len(node.children) and all(map(is_, ordered, node.children)):
        return node
    return node.at("op", ordered, operator, OPERANDS)


def _key(operand: Node) -> str:
    """What orders operands: the kinds of all that is in them; empty if they do more than reckon."""
    said: list[str] = []
    waiting = [operand]
    while waiting:
        node = waiting.pop()
        if node.kind not in LEAVES and node.kind not in ("op", "field", "index", "cast"):
            return ""
        said.append("a" if node.kind == "name" else f"b{node.kind}" if node.children else f"c{node.kind}")
        waiting += node.children
    return " ".join(said)
