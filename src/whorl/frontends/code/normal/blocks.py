"""Blocks: the statements of a program, one after the other, through which the rewrites of whole functions go."""

from collections.abc import Iterator

from whorl.frontends.code.normal.node import Node

# Kinds in which blocks can stand: expressions have none, save for functions without a name.
EXPRESSIONS = frozenset({"name", "number", "string", "char", "constant", "nothing", "field", "index"})


def tidy(node: Node) -> Node:
    """A block without lists, blocks and nothings directly in it."""
    if not any(child.kind in ("list", "block", "nothing") for child in node.children):
        return node
    inside: list[Node] = []
    waiting = node.children[::-1]
    marks = 0
    while waiting:
        child = waiting.pop()
        if child.kind in ("list", "block"):
            waiting += child.children[::-1]
        elif child.kind == "nothing":
            marks |= child.marks
        else:
            child.marks |= marks
            marks = 0
            inside.append(child)
    node.children = inside
    return node


def blocks(node: Node) -> Iterator[Node]:
    """All blocks of a tree, inner ones after the outer ones."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.kind == "block":
            yield node
        waiting += [child for child in node.children if child.kind not in EXPRESSIONS]
