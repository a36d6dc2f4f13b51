"""Compound assignments and increments spelled out: ``i++`` and ``i += 1`` say ``i = i + 1``."""

from whorl.frontends.code.normal.marks import COMPOUND
from whorl.frontends.code.normal.node import LEAVES, Node


def spell_out_compound(node: Node) -> Node:
    """``a += b`` as ``a = a + b``. What is changed is written twice, so only names, and elements and fields of them,
    are: of anything else the copy would do its work twice."""
    target, value = node.children
    if not _is_simple(target):
        return node
    result = node.at("op", [target.copy(), value], node.text, COMPOUND)
    return node.at("assign", [target, result], marks=COMPOUND)


def spell_out_update(node: Node) -> Node:
    """``a++`` as ``a = a + 1``."""
    if len(node.children) != 1 or not _is_simple(node.children[0]):
        return node
    one = node.at("number", [], b"1", COMPOUND)
    result = node.at("op", [node.children[0].copy(), one], node.text[:1], COMPOUND)
    return node.at("assign", [node.children[0], result], marks=COMPOUND)


def _is_simple(target: Node) -> bool:
    return all(node.kind in LEAVES or node.kind in ("field", "index", "op") for node in target.walk())
