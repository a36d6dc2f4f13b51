"""What a statement reads, changes and does: all that the rewrites know about dependence.

When in doubt it is told too much: a call may change any field and any element, and read and write the outside world.
"""

from collections.abc import Set
from dataclasses import dataclass, field

from whorl.frontends.code.normal.node import JUMPS, Node

# Changes what it names first.
WRITES = frozenset({"assign", "augment", "update", "declare", "each"})

# Calls that only reckon, in any language: by the name that is called, or by the object that it is called on.
PURE_CALLS = frozenset(
    b"abs sqrt pow min max floor ceil round len length size charAt equals toString valueOf parseInt parseDouble "
    b"parseFloat int float str bool Number String parse ToString Parse ToInt32 toFixed isEmpty indexOf substring sin "
    b"cos tan log exp sum sorted range".split()
)
# Types that can be made without anybody noticing.
PURE_NEW = frozenset(
    b"Scanner java.util.Scanner BufferedReader InputStreamReader ArrayList LinkedList HashMap HashSet StringBuilder "
    b"StringBuffer Random Date int double Array Map Set List Dictionary".split()
)


@dataclass(slots=True)
class Effects:
    """What a statement does.

    Names that are read and changed; whether something is done that the names do not tell (``acts``: a call), whether
    something is written out (``tells``), whether memory behind names is read (``looks``) or changed (``stores``), and
    whether the statement may leave the block (``jumps``). Of what only the grammar knows nothing is ``known``.
    """

    reads: set[bytes] = field(default_factory=set)
    writes: set[bytes] = field(default_factory=set)
    acts: bool = False
    tells: bool = False
    looks: bool = False
    stores: bool = False
    jumps: bool = False
    known: bool = True

    @property
    def is_pure(self) -> bool:
        """Whether nothing comes of it but its value."""
        return self.known and not (self.writes or self.acts or self.tells or self.stores or self.jumps)

    def is_free_of(self, other: "Effects", own: Set[bytes]) -> bool:
        """Whether this may change places with another. Names that are not the function's ``own`` anybody may read and
        change who is called or writes to memory."""
        if self.jumps or other.jumps or not (self.known and other.known):
            return False
        if (self.acts or self.tells) and (other.acts or other.tells):
            return False
        if self._reaches(other, own) or other._reaches(self, own):
            return False
        return not (self.writes & (other.reads | other.writes) or self.reads & other.writes)

    def _reaches(self, other: "Effects", own: Set[bytes]) -> bool:
        """Whether this may change what another reads or changes, without naming it."""
        return (self.acts or self.stores) and other.is_exposed(own)

    def is_exposed(self, own: Set[bytes]) -> bool:
        """Whether others may change what this reads, or read what it changes."""
        return self.looks or self.stores or not (self.reads <= own and self.writes <= own)


def effects(node: Node) -> Effects:
    """The effects of a tree."""
    found = Effects()
    waiting = [node]
    while waiting:
        node = waiting.pop()
        visit = _VISITS.get(node.kind)
        if visit is None:
            found.known = False
            waiting += node.children
        else:
            visit(node, found, waiting)
    return found


def _name(node: Node, found: Effects, waiting: list[Node]) -> None:
    found.reads.add(node.text)


def _written(node: Node, found: Effects, waiting: list[Node]) -> None:
    target = node.children[0] if node.children else node
    if target.kind == "name":
        found.writes.add(target.text)
        if node.kind in ("augment", "update"):
            found.reads.add(target.text)
    else:
        found.stores = True
        waiting.append(target)
        found.writes.update(each.text for each in target.walk() if each.kind == "name")
    waiting += node.children[1:]


def _operated(node: Node, found: Effects, waiting: list[Node]) -> None:
    """``&a`` lets others change ``a``, ``*a`` looks behind it."""
    if len(node.children) == 1 and node.text in (b"&", b"*"):
        found.looks = True
        if node.text == b"&":
            found.writes.update(each.text for each in node.children[0].walk() if each.kind == "name")
    waiting += node.children


def _read_in(node: Node, found: Effects, waiting: list[Node]) -> None:
    """Input: it changes all that it names."""
    found.acts = found.stores = True
    found.writes.update(each.text for each in node.walk() if each.kind == "name")
    waiting += node.children


def _looked(node: Node, found: Effects, waiting: list[Node]) -> None:
    found.looks = True
    waiting += node.children


def _called(node: Node, found: Effects, waiting: list[Node]) -> None:
    called = node.children[0] if node.children else node
    if called.text not in PURE_CALLS:
        found.acts = True
        if called.kind == "field" and called.children:  # the object may change by what is called on it
            found.writes.update(each.text for each in called.children[0].walk() if each.kind == "name")
    waiting += called.children if called.kind in ("field", "name") else [called]
    waiting += node.children[1:]


def _made(node: Node, found: Effects, waiting: list[Node]) -> None:
    found.acts |= bool(node.text) and node.text not in PURE_NEW
    waiting += node.children


def _told(node: Node, found: Effects, waiting: list[Node]) -> None:
    found.tells = True
    waiting += node.children


def _jumped(node: Node, found: Effects, waiting: list[Node]) -> None:
    found.jumps = True
    waiting += node.children


def _neutral(node: Node, found: Effects, waiting: list[Node]) -> None:
    waiting += node.children


_VISITS = {
    "name": _name,
    **dict.fromkeys(WRITES, _written),
    "field": _looked,
    "index": _looked,
    "call": _called,
    "new": _made,
    "op": _operated,
    "print": _told,
    "read": _read_in,
    **dict.fromkeys(JUMPS, _jumped),
    **dict.fromkeys(
        ("number", "string", "char", "constant", "conditional", "block", "list", "if", "loop", "nothing", "cast",
         "parameter", "array", "tuple"), _neutral,
    ),
}  # fmt: skip

# Kinds that are understood: what only the grammar knows may do anything, and more than once.
KNOWN = frozenset(_VISITS)
