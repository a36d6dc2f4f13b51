"""Syntax trees of the programs that are attacked: looking at them, and writing them anew with some parts replaced."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import tree_sitter
from tree_sitter import Node

from whorl.formats.code.plan import plan

# What a rule gives for a node: its new text, or None to leave it as it is. It is handed a function that writes the
# parts of the node, which have been rewritten by then.
Rule = Callable[[Node, Callable[[Node], str]], str | None]


@dataclass(frozen=True, slots=True)
class Edit:
    """What stands between two bytes gives way to a text."""

    start: int
    end: int
    text: str


class Syntax:
    """A program's text and its tree."""

    def __init__(self, language: str, text: str) -> None:
        self.language, self.data = language, text.encode()
        self.root = tree_sitter.Parser(plan(language).grammar).parse(self.data).root_node

    def text(self, node: Node) -> str:
        """Return what a node spans."""
        return self.data[node.start_byte : node.end_byte].decode()

    def nodes(self, *kinds: str, within: Node | None = None) -> Iterator[Node]:
        """Yield the nodes of some kinds, of any kind if none is named, in order."""
        waiting = [within or self.root]
        while waiting:
            node = waiting.pop()
            if not kinds or node.type in kinds:
                yield node
            waiting += reversed(node.children)

    def leaves(self, within: Node | None = None) -> Iterator[Node]:
        """Return the nodes without parts that have an extent, in order."""
        return (node for node in self.nodes(within=within) if not node.children and node.start_byte < node.end_byte)

    def names(self, within: Node | None = None) -> set[str]:
        """Return the identifiers in a tree."""
        return {self.text(node) for node in self.nodes("identifier", within=within)}

    def edited(self, edits: Iterable[Edit]) -> str:
        """Return the text after some edits. Of two that overlap, the first is done."""
        parts: list[bytes] = []
        done = 0
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            if edit.start >= done:
                parts += (self.data[done : edit.start], edit.text.encode())
                done = edit.end
        return b"".join((*parts, self.data[done:])).decode()

    def rewritten(self, rule: Rule) -> str:
        """Return the text after a rule was asked about every node, inner ones first."""

        def write(node: Node) -> str:
            given = rule(node, write)
            return given if given is not None else self._in_parts(node, write)

        return self._in_parts(self.root, write, 0, len(self.data))

    def _in_parts(self, node: Node, write: Callable[[Node], str], start: int = -1, end: int = -1) -> str:
        """Return the text of a node, its parts written, and what stands between them as it was."""
        at = node.start_byte if start < 0 else start
        parts: list[str] = []
        for child in node.children:
            parts += (self.data[at : child.start_byte].decode(), write(child))
            at = child.end_byte
        last = node.end_byte if end < 0 else end
        return "".join((*parts, self.data[at:last].decode()))


def parses(language: str, text: str) -> bool:
    """Return whether the grammar finds no fault."""
    return not Syntax(language, text).root.has_error


def size(language: str, text: str) -> int:
    """Return how many tokens a program has, comments not counted: what its growth is measured in."""
    return sum(1 for leaf in Syntax(language, text).leaves() if "comment" not in leaf.type)


def field(node: Node, name: str) -> Node:
    """Return a part of a node that must be there."""
    found = node.child_by_field_name(name)
    if found is None:
        raise ValueError(f"{node.type} has no {name}")
    return found
