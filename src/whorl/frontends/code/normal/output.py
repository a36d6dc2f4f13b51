"""Prints merged: what neighbouring prints write is written by one, piece by piece."""

from whorl.frontends.code.normal.marks import OUTPUT
from whorl.frontends.code.normal.node import Node
from whorl.frontends.code.normal.scope import Scope


def merge_prints(node: Node, names: Scope) -> Node:
    """One print of each run of them in a block."""
    merged: list[Node] = []
    for child in node.children:
        if child.kind == "print" and merged and merged[-1].kind == "print":
            before = merged[-1]
            merged[-1] = Node("print", before.children + child.children, before.start, child.end, b"",
                              before.marks | child.marks | OUTPUT)  # fmt: skip
        else:
            merged.append(child)
    if len(merged) < len(node.children):
        node.children = merged
    return node


def take_apart(node: Node) -> Node:
    """``print("a" + b)`` writes the same as ``print("a"); print(b)``: a sum with a string in it is its pieces. The
    end of a line is a string too."""
    pieces: list[Node] = []
    for child in node.children:
        is_sum = child.kind == "op" and child.text == b"+" and any(each.kind == "string" for each in child.children)
        pieces += child.children if is_sum else [child]
    node.children = pieces or [node.at("string", [])]
    return node
