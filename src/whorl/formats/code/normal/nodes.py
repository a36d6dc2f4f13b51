"""The neutral tree that the rewrites work on, its blocks, and a bit for each rewrite."""

from collections.abc import Iterator
from typing import Final

LOOPS: Final = 1 << 0
COMPOUND: Final = 1 << 1
BRANCHES: Final = 1 << 2
CHAINED: Final = 1 << 3
OUTPUT: Final = 1 << 4
DECLARATIONS: Final = 1 << 5
TEMPORARIES: Final = 1 << 6
CONSTANTS: Final = 1 << 7
NEGATION: Final = 1 << 8
OPERANDS: Final = 1 << 9
INLINED: Final = 1 << 10
IDLE: Final = 1 << 11
ORDER: Final = 1 << 12
ASKED: Final = 1 << 13
TAILS: Final = 1 << 14
COUNTERS: Final = 1 << 15
POWERS: Final = 1 << 16
ELEMENTS: Final = 1 << 17
SPLIT: Final = 1 << 18
TRUTH: Final = 1 << 19

ALL: Final = (1 << 20) - 1

# No rewrite: the first symbol of a statement, or of what follows the last one of a block.
STATEMENT: Final = 1 << 31


# How the name of an object's own field begins, as long as it is not known whether the bare name is the same.
OF_THIS: Final = b"this."

# How the name under which the fields of all objects are counted begins.
OF_ANY: Final = b"."

# The texts of declarations: the name is known in the file only, or it is never set again.
PRIVATE: Final = b"private"
FIXED: Final = b"final"

# The texts of what Go's lowering knows and the rewrites cannot see. Of a declaration, an assignment or a parameter: the
# value may be copied from another place, so that what is stored in the copy does not change the original.
COPIED: Final = b"copied"
# Of a parameter: its value is no copy, but something that refers to another place.
HANDLE: Final = b"handle"
# Of an assignment of several values: all its names are new, or some are older, which a call or memory may reach.
NEW: Final = b"new"
SEEN: Final = b"seen"
# Of a cast: other code may keep the address of what is inside.
PLACE: Final = b"place"
# Of a call: it is no call of a logger, whatever it is given.
WORK: Final = b"work"

# Jumps to a label that is not that of the innermost loop, which is their text.
LABELLED: Final = frozenset({"break_to", "continue_to"})


class TreeNode:
    """A node: its kind, text and children, the span ``data[start:end]``, and the bits of the rewrites that touched it
    (see ``table``)."""

    __slots__ = ("children", "end", "kind", "marks", "start", "text")

    def __init__(
        self, kind: str, children: list["TreeNode"], start: int, end: int, text: bytes = b"", marks: int = 0
    ) -> None:
        self.kind, self.children, self.start, self.end, self.text, self.marks = kind, children, start, end, text, marks

    def at(self, kind: str, children: list["TreeNode"], text: bytes = b"", marks: int = 0) -> "TreeNode":
        """Return a new node in the place of this one, with its marks and ``marks``."""
        return TreeNode(kind, children, self.start, self.end, text, self.marks | marks)

    def copy(self) -> "TreeNode":
        """Return a deep copy."""
        inside = [child.copy() for child in self.children]
        return TreeNode(self.kind, inside, self.start, self.end, self.text, self.marks)

    def walk(self) -> Iterator["TreeNode"]:
        """Yield this node and all below it, in no particular order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.children

    def __repr__(self) -> str:
        label = self.kind + (":" + self.text.decode("utf-8", "replace") if self.text else "")
        return f"{label}({', '.join(map(repr, self.children))})" if self.children else label


# Kinds without anything inside, whose text says what they are.
LEAVES: Final = frozenset({"name", "number", "string", "char", "constant"})
LITERALS: Final = LEAVES - {"name"}

# Statements that end a block: nothing after them is reached.
JUMPS: Final = frozenset({"return", "throw", "break", "continue"})


def block(statements: list[TreeNode], around: TreeNode) -> TreeNode:
    """Return a block of statements, in the place of a node."""
    return TreeNode("block", statements, around.start, around.end)


def nothing(around: TreeNode) -> TreeNode:
    """Return an empty node at the end of a node."""
    return TreeNode("nothing", [], around.end, around.end)


def equal(left: TreeNode, right: TreeNode) -> bool:
    """Return whether two trees are equal, names and literals included."""
    waiting = [(left, right)]
    while waiting:
        one, two = waiting.pop()
        if one.kind != two.kind or one.text != two.text or len(one.children) != len(two.children):
            return False
        waiting += zip(one.children, two.children, strict=True)
    return True


# Kinds in which blocks can stand: expressions have none, save for functions without a name.
EXPRESSIONS: Final = frozenset({"name", "number", "string", "char", "constant", "nothing", "field", "index"})


def root(node: TreeNode) -> bytes:
    """Return the name of the variable that a place is in: ``a`` of ``a.b[i].c``; empty if it is in none."""
    while node.kind in ("field", "index", "cast") and node.children:
        node = node.children[0]
    return node.text if node.kind == "name" else b""


def become(node: TreeNode, other: TreeNode) -> None:
    """Turn a node into another one in place."""
    node.kind, node.children, node.text = other.kind, other.children, other.text
    node.start, node.end, node.marks = other.start, other.end, other.marks


def tidy(node: TreeNode) -> TreeNode:
    """Return a block without lists, blocks and nothings directly in it."""
    if not any(child.kind in ("list", "block", "nothing") for child in node.children):
        return node
    inside: list[TreeNode] = []
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


def blocks(node: TreeNode) -> Iterator[TreeNode]:
    """Yield all blocks of a tree, inner ones after the outer ones."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.kind == "block":
            yield node
        waiting += [child for child in node.children if child.kind not in EXPRESSIONS]
