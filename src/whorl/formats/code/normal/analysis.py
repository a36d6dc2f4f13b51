"""Scopes and effects: the local names of functions, and what each statement reads and changes."""

from collections.abc import Iterator, Set
from typing import Final

from whorl.formats.code.normal.nodes import JUMPS, OF_ANY, OF_THIS, PLACE, PRIVATE, TreeNode, root

# Nodes that run at another time than the statements around them, and have their own names.
LATER: Final = frozenset({"function", "lambda"})
SCOPES: Final = LATER | {"class"}

# Nodes that name something shared, which other code can change.
SHARED: Final = frozenset({"global", "read", "reference"})

WRITING: Final = frozenset({"assign", "declare", "augment", "update", "parameter", "each"})

# Patterns: several names in the place of one that is set.
PATTERNS: Final = frozenset({"tuple", "array", "array_pattern", "object_pattern", "list_pattern"})

# Kinds that only a grammar knows and that set the names in their first part.
BINDING: Final = frozenset({
    "as_pattern_target", "assignment_pattern", "case_pattern", "catch_clause", "default_parameter", "for_in_clause",
    "list_splat_pattern", "named_expression", "rest_pattern", "typed_default_parameter",
})  # fmt: skip


class Tally:
    """How often each name occurs: 0 if it does not. ``Counter`` asks the interpreter for each new name."""

    __slots__ = ("times",)

    def __init__(self) -> None:
        self.times: dict[bytes, int] = {}

    def __getitem__(self, name: bytes) -> int:
        return self.times.get(name, 0)

    def add(self, name: bytes, times: int = 1) -> None:
        """Count a name so many times more."""
        self.times[name] = self.times.get(name, 0) + times

    def update(self, other: "Tally") -> None:
        """Add all that another tally counts."""
        mine = self.times
        for name, times in other.times.items():
            mine[name] = mine.get(name, 0) + times


class FunctionScope:
    """The names and blocks of a function, without the functions inside it.

    ``declared`` are the names that it declares, ``captured`` those that others may read or change, such as an inner
    function, ``private`` those known only in the file, ``local_names`` those that nobody else can read or change.
    ``inner`` are the assignments inside expressions.
    """

    __slots__ = (
        "around", "blocks", "captured", "declared", "function", "inner", "local_names", "private", "reads", "writes",
    )  # fmt: skip

    def __init__(self, function: TreeNode, around: "FunctionScope | None" = None) -> None:
        self.function, self.around = function, around
        self.reads, self.writes = Tally(), Tally()
        self.declared: set[bytes] = set()
        self.captured: set[bytes] = set()
        self.private: set[bytes] = set()
        self.local_names: set[bytes] = set()
        self.inner: list[TreeNode] = []
        self.blocks: list[TreeNode] = []

    def names(self) -> set[bytes]:
        """Return the names that are read or changed."""
        return {*self.reads.times, *self.writes.times}


def scopes(program: TreeNode, *, implicit: bool) -> list[FunctionScope]:
    """Return the scopes of a program and of all its functions, outer ones first. ``implicit``: an assignment declares
    its name. ``local_names`` is filled in by ``settle``."""
    program_scopes = [FunctionScope(program)]
    waiting = [(program, program, program_scopes[0])]
    while waiting:
        parent, node, names = waiting.pop()
        kind, inside = node.kind, node.children
        if kind in ("name", "field"):
            names.reads.add(node.text)
        elif kind == "block":
            names.blocks.append(node)
        elif kind in SCOPES:
            names = FunctionScope(node, names)
            program_scopes.append(names)
        elif not inside:
            continue
        elif kind in WRITING:
            if kind == "assign" and parent.kind != "block":
                names.inner.append(node)
            if inside[0].kind == "name":
                _write(node, names, implicit)
                inside = inside[1:]
            elif inside[0].kind in PATTERNS:
                _write_within(inside[0], names)
            elif inside[0].kind == "field":
                names.writes.add(OF_ANY + inside[0].text)
        elif kind == "call" and inside[0].kind == "name":
            names.reads.add(called(inside[0].text))
            inside = inside[1:]
        elif kind in SHARED or (kind == "op" and node.text == b"&" and len(inside) == 1):
            names.captured.update(child.text for child in inside)
        elif kind == "cast" and node.text == PLACE:
            names.captured.add(root(node))
        elif kind in BINDING:
            _write_within(inside[0], names)
        for child in reversed(inside):
            if child.kind == "name":  # most nodes are; they need not wait
                names.reads.add(child.text)
            else:
                waiting.append((node, child, names))
    return program_scopes


def settle(program_scopes: list[FunctionScope], *, script: bool) -> Tally:
    """Find the local names of each function; return how often each name is read in the whole program. ``script``: the
    statements outside all functions form a function too; in other languages their readers are unknown. So are those of
    a class's names, unless a name is private and only one function uses it."""
    reads, writes = Tally(), Tally()
    private: set[bytes] = set()
    for names in reversed(program_scopes):  # inner ones first
        reads.update(names.reads)
        writes.update(names.writes)
        private |= names.private
        if names.around is not None:
            captured, declared = names.around.captured, names.declared
            captured |= names.captured
            for tally in (names.reads, names.writes):
                for name in tally.times:
                    if name not in declared:
                        captured.add(name)
    private = {
        name for name in private if not (reads[OF_THIS + name] or writes[OF_THIS + name] or writes[OF_ANY + name])
    }
    for names in program_scopes:
        if names.function.kind in LATER or (names.around is None and script):
            alone = {
                name
                for name in private & names.writes.times.keys()
                if (names.reads[name], names.writes[name]) == (reads[name], writes[name])
            }
            names.local_names = (names.declared | alone) - names.captured
    return reads


def settle_fields(program_scopes: list[FunctionScope]) -> bool:
    """Rename the field ``this.b`` to ``b``, unless a function declares its own ``b`` there. Return whether there was
    any."""
    count = 0
    hidden: dict[int, set[bytes]] = {}
    for names in program_scopes:  # outer ones first
        outer = set() if names.around is None else hidden[id(names.around)]
        # A class sees no names of the function around it by ``this``, and what it declares are the fields themselves.
        hidden[id(names)] = outer | names.declared if names.function.kind in LATER else set()
        for node in within(names.function):
            if node.kind == "name" and node.text.startswith(OF_THIS):
                bare = node.text.removeprefix(OF_THIS)
                if bare not in hidden[id(names)]:
                    node.text = bare
                    count += 1
    return count > 0


def _write(node: TreeNode, names: FunctionScope, implicit: bool) -> None:
    name = node.children[0].text
    names.writes.add(name, int(node.kind != "declare" or len(node.children) > 1))
    if node.kind in ("augment", "update"):
        names.reads.add(name)
    # A field of Python's ``self`` has a dot in its name: it outlives the method.
    if (implicit or node.kind in ("declare", "parameter")) and b"." not in name:
        names.declared.add(name)
    if node.text == PRIVATE:
        names.private.add(name)


def _write_within(pattern: TreeNode, names: FunctionScope) -> None:
    """Count the names in a pattern as set: they are not the number that they were set to before."""
    for node in pattern.walk():
        if node.kind == "name":
            names.writes.add(node.text)


def within(function: TreeNode) -> Iterator[TreeNode]:
    """Yield a function and all nodes in it, without the functions and classes inside it."""
    waiting = [function]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in node.children if child.kind not in SCOPES]


def called(name: bytes) -> bytes:
    """Return the key that counts the calls of a function: a variable may have the same name."""
    return name + b"()"


# Changes what it names first.
WRITES: Final = frozenset({"assign", "augment", "update", "declare", "each"})

# Statements all of whose expressions are evaluated once, before anything else that they do.
SIMPLE: Final = frozenset({"assign", "declare", "return", "throw", "print", "call"})

# Operators that may leave their right side unevaluated.
SHORT_CIRCUIT: Final = frozenset({b"&&", b"||", b"??"})

# Calls that only reckon, in any language: by the name that is called, or by the object that it is called on.
PURE_CALLS: Final = frozenset(
    b"abs sqrt pow min max floor ceil round len length size charAt equals toString valueOf parseInt parseDouble "
    b"parseFloat int float str bool Number String parse ToString Parse ToInt32 toFixed isEmpty indexOf substring sin "
    b"cos tan log exp sum sorted range "
    b"math.Abs math.Cbrt math.Ceil math.Cos math.Exp math.Floor math.Hypot math.Inf math.IsNaN math.Log math.Log10 "
    b"math.Log2 math.Max math.Min math.Mod math.Pow math.Round math.Sin math.Sqrt math.Tan math.Trunc strconv.Itoa "
    b"strings.Contains strings.Count strings.HasPrefix strings.HasSuffix strings.Index strings.Repeat "
    b"strings.Replace strings.ReplaceAll strings.ToLower strings.ToUpper strings.Trim strings.TrimSpace "
    b"unicode.IsDigit unicode.IsLetter unicode.IsLower unicode.IsPunct unicode.IsSpace unicode.IsUpper "
    b"unicode.ToLower unicode.ToUpper".split()
)
# Types that can be made without anybody noticing.
PURE_NEW: Final = frozenset(
    b"Scanner java.util.Scanner BufferedReader InputStreamReader ArrayList LinkedList HashMap HashSet StringBuilder "
    b"StringBuffer Object Random Date int double Array Map Set List Dictionary".split()
)


class Effects:
    """The effects of a statement.

    ``reads`` and ``writes`` are names. ``acts``: it has other effects (a call). ``prints``: it writes output. ``looks``
    and ``stores``: it reads or changes memory behind names. ``jumps``: it may leave the block. ``known`` is False for a
    kind of node that only the grammar knows.
    """

    __slots__ = ("acts", "jumps", "known", "looks", "prints", "reads", "stores", "writes")

    def __init__(self) -> None:
        self.reads: set[bytes] = set()
        self.writes: set[bytes] = set()
        self.acts = self.prints = self.looks = self.stores = self.jumps = False
        self.known = True

    @property
    def is_pure(self) -> bool:
        """Whether it has no effect besides its value."""
        return self.known and not (self.writes or self.acts or self.prints or self.stores or self.jumps)

    def is_free_of(self, other: "Effects", local_names: Set[bytes]) -> bool:
        """Return whether this may change places with another. Calls and memory writes may read and change any name
        outside ``local_names``."""
        if self.jumps or other.jumps or not (self.known and other.known):
            return False
        if (self.acts or self.prints) and (other.acts or other.prints):
            return False
        if self._reaches(other, local_names) or other._reaches(self, local_names):
            return False
        return not (self.writes & (other.reads | other.writes) or self.reads & other.writes)

    def _reaches(self, other: "Effects", local_names: Set[bytes]) -> bool:
        """Return whether this may change what another reads or changes, without naming it."""
        return (self.acts or self.stores) and other.is_exposed(local_names)

    def is_exposed(self, local_names: Set[bytes]) -> bool:
        """Return whether others may change what this reads, or read what it changes."""
        return self.looks or self.stores or not (self.reads <= local_names and self.writes <= local_names)


def effects(node: TreeNode) -> Effects:
    """Return the effects of a tree."""
    total = Effects()
    waiting = [node]
    while waiting:
        node = waiting.pop()
        visit = _VISITS.get(node.kind)
        if visit is None:
            total.known = False
            waiting += node.children
        else:
            visit(node, total, waiting)
    return total


def _visit_name(node: TreeNode, total: Effects, waiting: list[TreeNode]) -> None:
    total.reads.add(node.text)


def _visit_write(node: TreeNode, total: Effects, waiting: list[TreeNode]) -> None:
    target = node.children[0] if node.children else node
    if target.kind == "name":
        total.writes.add(target.text)
        if node.kind in ("augment", "update"):
            total.reads.add(target.text)
    else:
        total.stores = True
        waiting.append(target)
        total.writes.update(each.text for each in target.walk() if each.kind == "name")
    waiting += node.children[1:]


def _visit_operator(node: TreeNode, total: Effects, waiting: list[TreeNode]) -> None:
    """``&a`` lets others change ``a``, ``*a`` reads memory behind it."""
    if len(node.children) == 1 and node.text in (b"&", b"*"):
        total.looks = True
        if node.text == b"&":
            total.writes.update(each.text for each in node.children[0].walk() if each.kind == "name")
    waiting += node.children


def _visit_input(node: TreeNode, total: Effects, waiting: list[TreeNode]) -> None:
    """Input changes all that it names."""
    total.acts = total.stores = True
    total.writes.update(each.text for each in node.walk() if each.kind == "name")
    waiting += node.children


def _visit_memory(node: TreeNode, total: Effects, waiting: list[TreeNode]) -> None:
    total.looks = True
    waiting += node.children


def _visit_call(node: TreeNode, total: Effects, waiting: list[TreeNode]) -> None:
    called = node.children[0] if node.children else node
    if called.text not in PURE_CALLS:
        total.acts = True
        if called.kind == "field" and called.children:  # the object may change by what is called on it
            total.writes.update(each.text for each in called.children[0].walk() if each.kind == "name")
    waiting += called.children if called.kind in ("field", "name") else [called]
    waiting += node.children[1:]


def _visit_new(node: TreeNode, total: Effects, waiting: list[TreeNode]) -> None:
    total.acts |= bool(node.text) and node.text not in PURE_NEW
    waiting += node.children


def _visit_print(node: TreeNode, total: Effects, waiting: list[TreeNode]) -> None:
    total.prints = True
    waiting += node.children


def _visit_jump(node: TreeNode, total: Effects, waiting: list[TreeNode]) -> None:
    total.jumps = True
    waiting += node.children


def _visit_children(node: TreeNode, total: Effects, waiting: list[TreeNode]) -> None:
    waiting += node.children


_VISITS: Final = {
    "name": _visit_name,
    **dict.fromkeys(WRITES, _visit_write),
    "field": _visit_memory,
    "index": _visit_memory,
    "call": _visit_call,
    "new": _visit_new,
    "op": _visit_operator,
    "print": _visit_print,
    "read": _visit_input,
    **dict.fromkeys(JUMPS, _visit_jump),
    **dict.fromkeys(
        ("number", "string", "char", "constant", "conditional", "block", "list", "if", "loop", "nothing", "cast",
         "parameter", "array", "tuple"), _visit_children,
    ),
}  # fmt: skip

# Kinds that are understood: what only the grammar knows may do anything, and more than once.
KNOWN: Final = frozenset(_VISITS)
