"""From a syntax tree to the neutral tree: what a language's table says of each kind of syntax node is done here.

A table maps the grammar's kinds to *lowerings*, such as those in ``shapes``. A kind that it does not name keeps its own
name and has what the grammar puts inside. Parentheses leave nothing behind: the tree says what belongs together.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from whorl.frontends.code.normal.blocks import tidy
from whorl.frontends.code.normal.node import Node

if TYPE_CHECKING:
    import tree_sitter

# As deep as a tree may be: several times what people nest. Every level costs the rewrites up to four Python calls.
DEEPEST = 100

# As many nodes as a tree may have: about 250 kB of code. If all of them stand in the innermost of a hundred blocks, the
# rewrites take three seconds: a worker is given ten.
LARGEST = 1 << 16

# Operators that chain: (a + b) + c has one node with three operands.
CHAINING = frozenset({b"+", b"*", b"&&", b"||", b"and", b"or", b"&", b"|", b"^", b"<<", b">>", b"??"})

Syntax: TypeAlias = "tree_sitter.Node"
Lowering: TypeAlias = Callable[["Lowerer", Syntax], Node | None]
Rule: TypeAlias = Callable[[Node], Node]


class UnfitError(Exception):
    """A program has no normal form; the message says why."""


@dataclass(frozen=True)
class Table:
    """How a language's syntax becomes the neutral tree: a lowering for each kind of syntax node that has one of its
    own, those that leave nothing, and those that leave what is inside them."""

    lowerings: Mapping[str, Lowering]
    drops: frozenset[str]
    opens: frozenset[str]


class Lowerer:
    """Lowers one program. ``lowerings`` are by the grammar's numbers, ``rules`` by the kind of a finished node."""

    def __init__(self, data: bytes, lowerings: Mapping[int, Lowering], rules: Mapping[str, tuple[Rule, ...]]) -> None:
        self.data, self._lowerings, self._rules = data, lowerings, rules
        self._depth = self._count = 0

    def lower(self, syntax: Syntax) -> Node | None:
        """The neutral tree of a syntax node, with the rules for its kind applied; None if nothing comes of it."""
        self._count += 1
        self._depth += 1
        if self._depth > DEEPEST or self._count > LARGEST:
            raise UnfitError(f"nested deeper than {DEEPEST}" if self._depth > DEEPEST else "too large")
        lowering = self._lowerings.get(syntax.kind_id, composite)
        node = lowering(self, syntax)
        self._depth -= 1
        return None if node is None else self.finish(node)

    def finish(self, node: Node) -> Node:
        """A node with the rules for its kind applied, and then those for the kind that it became."""
        if node.kind == "block":
            return tidy(node)
        while node.kind in self._rules:
            before = node
            for rule in self._rules[node.kind]:
                node = rule(node)
                if node.kind != before.kind:
                    break
            if node.kind == before.kind:
                break
            if before.kind in ("augment", "update"):  # what was spelled out is a new operation
                node.children[1] = self.finish(node.children[1])
        return node

    def field(self, syntax: Syntax, name: str) -> Node:
        """What stands in a field; nothing if it is empty."""
        inside = syntax.child_by_field_name(name)
        node = None if inside is None else self.lower(inside)
        return Node("nothing", [], syntax.end_byte, syntax.end_byte) if node is None else node

    def body(self, syntax: Syntax, name: str) -> Node:
        """A field as a block: one statement without braces is a block too."""
        return as_block(self.field(syntax, name))

    def many(self, inside: list[Syntax]) -> list[Node]:
        """Some syntax nodes; what is a list is taken apart."""
        found: list[Node] = []
        for each in inside:
            if each.is_named and (node := self.lower(each)) is not None:
                if node.kind == "list":
                    found += node.children
                else:
                    found.append(node)
        return found

    def text(self, syntax: Syntax) -> bytes:
        """How it is written."""
        return self.data[syntax.start_byte : syntax.end_byte]


def as_block(node: Node) -> Node:
    """A node as a block."""
    if node.kind == "block":
        return node
    return tidy(Node("block", [node], node.start, node.end))


def composite(lowerer: Lowerer, syntax: Syntax) -> Node:
    """What no table names: its kind is the grammar's."""
    start, end = syntax.start_byte, syntax.end_byte
    return Node(syntax.type, lowerer.many(syntax.children), start, end)
