"""From the neutral tree to symbols: what a program does, in the order in which it does it.

Operands come before their operator and arguments before the call, so no brackets are needed to tell what belongs
together.
"""

from collections.abc import Set
from functools import lru_cache

from whorl.frontends.code.normal.marks import STATEMENT
from whorl.frontends.code.normal.node import Node
from whorl.frontends.code.plan import REMEMBERED, symbol

# Nodes without a symbol of their own: what is inside them says it.
SILENT = frozenset({"list", "nothing", "class", "parameter", "cast"})

# Nodes whose symbol comes before what is inside them, and after which their end is told.
FIRST = frozenset({"function", "lambda", "each", "switch", "case", "try_statement"})

# Between two statements, in what is still to be told.
CUT = ""


def variables(program: Node) -> set[bytes]:
    """The names of a program that stand by themselves anywhere, as every variable does where it is set."""
    found: set[bytes] = set()
    waiting = [program]
    while waiting:
        node = waiting.pop()
        if node.kind == "name":
            found.add(node.text)
        elif node.kind != "field" or node.children[0].kind != "name":
            waiting += node.children
    return found


class Emission:
    """The symbols of a tree, the bytes that each came from, and the rewrites that touched it."""

    def __init__(self, family: str, variables: Set[bytes], *, declares: bool = True) -> None:
        """``variables`` are those of the program, as ``variables`` finds them. ``declares``: declarations are told;
        otherwise they are what ``drop_declarations`` makes of them."""
        self._family, self._variables, self._declares = f"normal:{family}", variables, declares
        self.symbols: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.marks: list[int] = []
        self._is_first = STATEMENT
        # The symbols of kinds, and of operators by their texts, that were met.
        self._known: dict[str | bytes, int] = {}

    def emit(self, program: Node) -> None:
        """A tree. A node that is met for the second time, as a ``str`` before it, only says its symbol."""
        waiting: list[Node | str] = [program]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                if node:
                    self._put(waiting.pop(), node)  # type: ignore[arg-type]
                else:
                    self._is_first = STATEMENT
                continue
            kind, inside = node.kind, node.children
            if not inside:
                self._put_leaf(node, kind)
                continue
            if kind == "declare" and not self._declares:
                if len(inside) == 1:
                    continue
                kind = "assign"
            if kind == "block":
                waiting.append(CUT)
                for statement in reversed(inside):
                    waiting += (statement, CUT)
            elif kind in SILENT:
                waiting += inside[::-1]
            elif kind == "global":
                continue
            elif kind == "if":
                condition, then, other = inside
                waiting += [node, "end"]
                waiting += [other, node, "else"] if other.children else []
                waiting += [then, condition, node, "if"]
            elif kind == "loop":
                self._put(node, kind)
                condition, body = inside
                waiting += [node, "end", *((condition, body) if node.text else (body, condition))]
            elif kind == "call" and self._is_of_a_class(inside[0]):
                waiting += [node, kind, *inside[:0:-1], inside[0], "name"]
            elif kind in FIRST:
                self._put(node, kind)
                waiting += [node, "end", *inside[::-1]]
            else:
                waiting += [node, kind, *inside[::-1]]

    def _is_of_a_class(self, called: Node) -> bool:
        """Whether a function is called by the name of its class, or of its module: that says where it stands."""
        on = called.children[0] if called.kind == "field" and called.children else called
        return on is not called and on.kind == "name" and on.text.split(b"\0")[0] not in self._variables

    def _put_leaf(self, node: Node, kind: str) -> None:
        if kind == "block":
            self._is_first = STATEMENT
        elif kind not in SILENT and kind != "global":
            self._append(node, kind, node.start, node.end)

    def _put(self, node: Node, kind: str) -> None:
        self._append(node, kind, *_place(node, kind))

    def _append(self, node: Node, kind: str, start: int, end: int) -> None:
        key = node.text if kind == "op" else kind
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _symbol(self._family, kind, node.text if kind == "op" else b"")
        if end <= start:  # nothing in the text says it: what stands before it does
            start = max(0, end - 1)
            end = start + 1
        self.symbols.append(known)
        self.starts.append(start)
        self.ends.append(end)
        self.marks.append(node.marks | self._is_first)
        self._is_first = 0


def _place(node: Node, kind: str) -> tuple[int, int]:
    """The text of a node's own symbol: what stands between the first two things inside it, or before the first."""
    inside, start, end = node.children, node.start, node.end
    if kind == "else":
        return _between(inside[1].end, inside[2].start, node)
    if kind == "end":
        return max(start, end - 1), end
    if kind in ("op", "assign") and len(inside) > 1:
        return _between(inside[0].end, inside[1].start, node)
    return _between(start, inside[0].start, node)


def _between(start: int, end: int, node: Node) -> tuple[int, int]:
    """These bytes, if there are any in the node; else the first of it."""
    return (start, end) if node.start <= start < end <= node.end else (node.start, min(node.start + 1, node.end))


@lru_cache(REMEMBERED)
def _symbol(family: str, kind: str, text: bytes) -> int:
    return symbol(family, f"{kind}:{text.decode('utf-8', 'replace')}" if text else kind)
