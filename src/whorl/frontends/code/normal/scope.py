"""The names of functions: which are their own, and how often each is read and changed. All of it in one walk."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from whorl.frontends.code.normal.node import OF_THIS, Node

# What runs at another time than the statements around it, and has names of its own.
LATER = frozenset({"function", "lambda"})
SCOPES = LATER | {"class"}

# What names something that others can change too.
SHARED = frozenset({"global", "read", "reference"})

WRITING = frozenset({"assign", "declare", "augment", "update", "parameter", "each"})


@dataclass(slots=True, eq=False)
class Scope:
    """The names and the blocks of a function, what is in functions inside it aside.

    ``declared`` are the names that it declares, ``captured`` those that somebody else may read or change, such as a
    function inside it, ``private`` those that the file alone knows, ``own`` those that nobody else can read or change.
    ``inner`` are the assignments inside expressions.
    """

    function: Node
    around: "Scope | None" = None
    reads: Counter[bytes] = field(default_factory=Counter)
    writes: Counter[bytes] = field(default_factory=Counter)
    declared: set[bytes] = field(default_factory=set)
    captured: set[bytes] = field(default_factory=set)
    private: set[bytes] = field(default_factory=set)
    own: set[bytes] = field(default_factory=set)
    inner: list[Node] = field(default_factory=list)
    blocks: list[Node] = field(default_factory=list)


def scopes(program: Node, *, implicit: bool) -> list[Scope]:
    """The scopes of a program and of all functions in it, outer ones first. ``implicit``: whoever assigns a name
    declares it. ``own`` is not filled in yet."""
    found = [Scope(program)]
    waiting = [(program, program, found[0])]
    while waiting:
        parent, node, names = waiting.pop()
        kind, inside = node.kind, node.children
        if kind == "name" or kind == "field":
            names.reads[node.text] += 1
        elif kind == "block":
            names.blocks.append(node)
        elif kind in SCOPES:
            names = Scope(node, names)
            found.append(names)
        elif kind in WRITING and inside:
            if kind == "assign" and parent.kind != "block":
                names.inner.append(node)
            if inside[0].kind == "name":
                _write(node, names, implicit)
                inside = inside[1:]
        elif kind == "call" and inside and inside[0].kind == "name":
            names.reads[called(inside[0].text)] += 1
            inside = inside[1:]
        elif kind in SHARED or (kind == "op" and node.text == b"&" and len(inside) == 1):
            names.captured.update(child.text for child in inside)
        waiting += [(node, child, names) for child in reversed(inside)]
    return found


def settle(found: list[Scope], *, script: bool) -> Counter[bytes]:
    """Find out which names are their functions' own; how often each name is read in the whole program. ``script``: the
    statements outside all functions are a function too; in other languages nobody knows who reads what they declare.
    Nor does anybody of what a class declares, unless it is private and one function alone uses it."""
    reads: Counter[bytes] = Counter()
    writes: Counter[bytes] = Counter()
    private: set[bytes] = set()
    for names in reversed(found):  # inner ones first
        reads.update(names.reads)
        writes.update(names.writes)
        private |= names.private
        if names.around is not None:
            names.around.captured |= names.captured | ({*names.reads, *names.writes} - names.declared)
    private = {name for name in private if not reads[OF_THIS + name] and not writes[OF_THIS + name]}
    for names in found:
        if names.function.kind in LATER or (names.around is None and script):
            alone = {
                name
                for name in private & names.writes.keys()
                if (names.reads[name], names.writes[name]) == (reads[name], writes[name])
            }
            names.own = (names.declared | alone) - names.captured
    return reads


def settle_fields(found: list[Scope]) -> None:
    """Name the field ``this.b`` as ``b``, unless a function declares a ``b`` of its own there."""
    hidden: dict[int, set[bytes]] = {}
    for names in found:  # outer ones first
        outer = set() if names.around is None else hidden[id(names.around)]
        # A class sees no names of the function around it by ``this``, and what it declares are the fields themselves.
        hidden[id(names)] = outer | names.declared if names.function.kind in LATER else set()
        for node in within(names.function):
            bare = node.text.removeprefix(OF_THIS)
            if node.kind == "name" and bare not in hidden[id(names)]:
                node.text = bare


def _write(node: Node, names: Scope, implicit: bool) -> None:
    name = node.children[0].text
    names.writes[name] += node.kind != "declare" or len(node.children) > 1
    if node.kind in ("augment", "update"):
        names.reads[name] += 1
    if implicit or node.kind in ("declare", "parameter"):
        names.declared.add(name)
    if node.text == b"private":
        names.private.add(name)


def within(function: Node) -> Iterator[Node]:
    """A function and all nodes in it, what is in functions and classes inside it aside."""
    waiting = [function]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in node.children if child.kind not in SCOPES]


def called(name: bytes) -> bytes:
    """How the call of a function is counted: a variable may have the same name."""
    return name + b"()"
