"""A small neutral tree of a program, the same for all languages, that the rewrites work on.

What a node's children are follows from its kind:

    name, number, string, char, constant    none; ``text`` is how it is written
    op          operands; ``text`` is the operator. Operators that chain, ``a + b + c``, have all operands in one node
    assign      target, value; as ``augment`` with the operator of ``+=`` in ``text``
    update      target; ``text`` is ``++`` or ``--``
    declare     target, and the value if there is one
    call, new   what is called or made, arguments
    print       what is written, in order
    field       object; ``text`` is the member's name
    conditional condition, value if so, value if not
    block       statements
    if          condition, block, block
    while, do   condition, block; ``loop`` is both of them, and ``until`` says that the condition comes last
    for         block, condition, block of updates, block
    each        target, what is gone through, block
    range       target, first, end, step, block: a counted loop
    switch      subject, cases
    case        block, values; no values: the default. ``text`` is ``rule`` if nothing can fall through
    function    block of parameters, block; ``text`` is its name
    class       block; ``text`` is its name
    return, throw, break, continue          the value, if there is one
    nothing     none: something that may be there is not

Any other kind is the grammar's own name of it, and has what the grammar puts inside.
"""

from collections.abc import Iterator

# How the name of an object's own field begins, as long as it is not known whether the bare name is the same.
OF_THIS = b"this."


class Node:
    """A node: its kind, its text if that matters, what is inside it, ``data[start:end]`` that it came from, and which
    rewrites touched it, as bits (see ``table``)."""

    __slots__ = ("children", "end", "kind", "marks", "start", "text")

    def __init__(
        self, kind: str, children: list["Node"], start: int, end: int, text: bytes = b"", marks: int = 0
    ) -> None:
        self.kind, self.children, self.start, self.end, self.text, self.marks = kind, children, start, end, text, marks

    def at(self, kind: str, children: list["Node"], text: bytes = b"", marks: int = 0) -> "Node":
        """A new node in the place of this one, touched by what touched this one, and by ``marks``."""
        return Node(kind, children, self.start, self.end, text, self.marks | marks)

    def copy(self) -> "Node":
        """The same tree, of other nodes."""
        inside = [child.copy() for child in self.children]
        return Node(self.kind, inside, self.start, self.end, self.text, self.marks)

    def walk(self) -> Iterator["Node"]:
        """This node and all inside it, in no particular order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.children

    def __repr__(self) -> str:
        said = self.kind + (":" + self.text.decode("utf-8", "replace") if self.text else "")
        return f"{said}({', '.join(map(repr, self.children))})" if self.children else said


# Kinds without anything inside, whose text says what they are.
LEAVES = frozenset({"name", "number", "string", "char", "constant"})

# What ends the statements of a block: nothing after it is reached.
JUMPS = frozenset({"return", "throw", "break", "continue"})


def block(statements: list[Node], around: Node) -> Node:
    """A block of statements, in the place of a node."""
    return Node("block", statements, around.start, around.end)


def nothing(around: Node) -> Node:
    """Nothing, at the end of a node."""
    return Node("nothing", [], around.end, around.end)


def equal(left: Node, right: Node) -> bool:
    """Whether two trees say the same, names and literals included."""
    waiting = [(left, right)]
    while waiting:
        one, two = waiting.pop()
        if one.kind != two.kind or one.text != two.text or len(one.children) != len(two.children):
            return False
        waiting += zip(one.children, two.children, strict=True)
    return True
