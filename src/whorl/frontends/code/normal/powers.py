"""Small powers multiplied out: ``Math.pow(a, 2)`` and ``a ** 2`` say ``a * a``."""

from itertools import islice

from whorl.frontends.code.normal.marks import POWERS
from whorl.frontends.code.normal.node import LEAVES, Node

# What calls the power of a number, by the name that is called. A program that declares another function of this name
# and calls it with the number 2 gets the product of a number that it does not reckon: nobody was seen to.
CALLED = frozenset({b"pow", b"Pow"})

# On what the power is called, if on anything.
HOLDERS = frozenset({b"Math", b"math", b"std"})

# The powers that people write as products.
TIMES = {b"2": 2, b"2.0": 2, b"3": 3, b"3.0": 3}

# Nodes of what is multiplied: longer things nobody writes twice.
LONG = 24


def multiply_call(node: Node) -> Node:
    """``Math.pow(a, 2)`` as ``a * a``."""
    if len(node.children) != 3 or node.children[0].text not in CALLED:
        return node
    called, base, exponent = node.children
    held = called.children[0].text if called.children else b""
    return _product(node, base, exponent) if not called.children or held in HOLDERS else node


def multiply_operator(node: Node) -> Node:
    """``a ** 2`` as ``a * a``."""
    if node.text != b"**" or len(node.children) != 2:
        return node
    return _product(node, *node.children)


def _product(node: Node, base: Node, exponent: Node) -> Node:
    """A product of what can be written several times without doing anything."""
    times = TIMES.get(exponent.text, 0) if exponent.kind == "number" else 0
    nodes = list(islice(base.walk(), LONG + 1))
    is_simple = len(nodes) <= LONG and all(
        each.kind in LEAVES or each.kind in ("op", "field", "index", "cast") for each in nodes
    )
    if not times or not is_simple:
        return node
    return node.at("op", [base, *(base.copy() for _ in range(times - 1))], b"*", POWERS)
