"""Small local functions inlined: a call of a function of the same file becomes what the function does."""

from collections import Counter
from collections.abc import Iterator

from whorl.frontends.code.normal.blocks import blocks
from whorl.frontends.code.normal.effects import KNOWN, effects
from whorl.frontends.code.normal.marks import INLINED
from whorl.frontends.code.normal.node import LEAVES, Node
from whorl.frontends.code.normal.scope import LATER, Scope, called, scopes, settle
from whorl.frontends.code.normal.sharing import share_calls

# Nodes of a function that is put in place of its calls: some twenty lines. One that is called once may be longer.
SMALL, ONCE = 120, 600

# How many calls inside each other are followed.
DEPTH = 4

# Nodes that a program may grow by: as many as it has, and for small ones this many.
GROWTH = 500

# Statements all of whose expressions are evaluated once, before anything else that they do.
SIMPLE = frozenset({"assign", "declare", "return", "throw", "print", "call"})

# The part of other statements that is evaluated first.
EVALUATED = {"if": 0, "loop": 0, "each": 1}

# Operators that may leave their right side alone.
SHORT = frozenset({b"&&", b"||", b"and", b"or", b"??"})


def inline_functions(program: Node, found: list[Scope], *, implicit: bool, script: bool) -> list[Scope]:
    """Put small functions in the place of their calls, and leave out those that nobody calls any more; the scopes of
    what came out. ``found`` are those of the program. See ``scope`` for ``implicit`` and ``script``."""
    times = Counter(names.function.text for names in found[1:])
    reads = settle(found, script=script)
    # Of a name that is given twice nobody knows which is called.
    local = {
        names.function.text: names
        for names in found[1:]
        if names.function.kind == "function" and times[names.function.text] == 1
    }
    if any(reads[called(name)] for name in local) and _Inliner(program, found, local, reads, implicit).run():
        found = scopes(program, implicit=implicit)
        settle(found, script=script)
    return found


class _Inliner:
    def __init__(
        self, program: Node, found: list[Scope], local: dict[bytes, Scope], reads: Counter[bytes], implicit: bool
    ) -> None:
        self._program, self._found, self._local, self._implicit = program, found, local, implicit
        self._calls = reads
        self._room = max(GROWTH, _size(program))
        self._sizes: dict[bytes, int] = {}
        self._used: set[bytes] = set()
        self._number = 0

    def run(self) -> bool:
        """Inline all that can be; whether there was anything."""
        for name in self._local:
            self._visit(name, ())
        for names in self._found:
            if self._local.get(names.function.text) is not names:
                self._fill(names, ())
        if self._used:
            self._forget()
        return bool(self._used)

    def _visit(self, name: bytes, callers: tuple[bytes, ...]) -> None:
        """Inline into a function before it is inlined itself. What is on its own way is recursive: it stays."""
        if name in self._sizes or len(callers) >= DEPTH:
            return
        self._sizes[name] = -1
        names = self._local[name]
        function = names.function
        if self._fill(names, (*callers, name)):
            inside = scopes(function, implicit=self._implicit)
            names = self._local[name] = Scope(function, None, inside[1].reads, inside[1].writes, inside[1].declared)
        if _is_straight(function) and not _calls_any(function, (*callers, name)):
            self._sizes[name] = _size(function)

    def _fill(self, names: Scope, callers: tuple[bytes, ...]) -> bool:
        """Inline into a function; whether there was anything to inline."""
        if not any(name.endswith(b"()") and name[:-2] in self._local for name in names.reads):
            return False
        before = self._number
        share_calls(names, self._local)
        for each in names.blocks:
            filled: list[Node] = []
            for statement in each.children:
                if statement.kind in SIMPLE or statement.kind in EVALUATED:
                    filled += self._before(statement, names, callers)
                if statement.kind != "nothing":
                    filled.append(statement)
            each.children = filled
        return self._number > before

    def _before(self, statement: Node, names: Scope, callers: tuple[bytes, ...]) -> list[Node]:
        """Replace the calls in a statement, in the order in which they are made; what is done before it."""
        done: list[Node] = []
        stuck: set[int] = set()  # calls that stay, and are made before those that follow
        may_hoist = statement.kind in SIMPLE or statement.kind == "if"
        part = statement if statement.kind in SIMPLE else statement.children[EVALUATED[statement.kind]]
        for call in list(_calls(part)):
            function = self._called(call, callers)
            is_first = may_hoist and (not stuck or stuck <= {id(node) for node in call.walk()})
            hoisted = None if function is None else self._replaced(call, function, names, call is statement, is_first)
            if hoisted is None:
                stuck.add(id(call))
            else:
                done += hoisted
        return done

    def _called(self, call: Node, callers: tuple[bytes, ...]) -> Node | None:
        """The function that is called, if it can stand here."""
        name = call.children[0].text if call.children and call.children[0].kind == "name" else b""
        if name not in self._local or name in callers:
            return None
        self._visit(name, callers)
        function = self._local[name].function
        size = self._sizes.get(name, -1)
        is_small = 0 <= size <= (ONCE if self._calls[called(name)] == 1 else SMALL)
        parameters = function.children[0].children
        fits = len(parameters) == len(call.children) - 1 and all(map(_is_plain, parameters))
        return function if is_small and fits and size <= self._room else None

    def _replaced(self, call: Node, function: Node, names: Scope, is_alone: bool, may_hoist: bool) -> list[Node] | None:
        """Put a function in the place of its call; the statements before it, or None if it must stay."""
        *before, last = function.children[1].children
        returns = last.kind == "return" and bool(last.children)
        if not returns:
            before = [*before, last] if last.kind != "return" else before
        if not (returns or is_alone) or (before and not may_hoist):
            return None
        new, given = self._bound(call, function, self._local[function.text], names)
        if given and not may_hoist:
            return None
        self._room -= self._sizes[function.text]
        self._used.add(function.text)
        value = _renamed(last.children[0], new) if returns else call.at("nothing", [])
        _become(call, call.at("nothing", []) if is_alone and value.kind in LEAVES else value)
        done = [*given, *(_renamed(each, new) for each in before)]
        _touch([*done, call])
        return done

    def _bound(self, call: Node, function: Node, inner: Scope, names: Scope) -> tuple[dict[bytes, Node], list[Node]]:
        """What each own name of the function becomes, and the assignments that give parameters their values."""
        self._number += 1
        mark = b"\0%d" % self._number
        parameters = [each.children[0].text for each in function.children[0].children]
        new = {name: Node("name", [], 0, 0, name + mark) for name in {*inner.declared, *parameters}}
        given: list[Node] = []
        is_alone = len(function.children[1].children) == 1
        for name, value in zip(parameters, call.children[1:], strict=True):
            is_steady = inner.writes[name] == 1  # by being a parameter
            is_last = value.kind == "name" and names.reads[value.text] == 1 and value.text in names.own
            is_same = is_alone or not effects(value).is_exposed(names.own)  # when it is read as when it is given
            is_used_once = inner.reads[name] <= 1 and not _acts(value)
            if is_last or (is_steady and is_same and (value.kind in LEAVES or is_used_once)):
                new[name] = value
            else:
                given.append(call.at("declare", [new[name].copy(), value]))
        return new, given

    def _forget(self) -> None:
        """Leave out the functions that were put in place of all their calls."""
        left = {
            node.children[0].text
            for node in self._program.walk()
            if node.kind == "call" and node.children and node.children[0].kind == "name"
        }
        gone = self._used - left
        for each in blocks(self._program):
            each.children = [child for child in each.children if child.kind != "function" or child.text not in gone]


def _calls(part: Node) -> Iterator[Node]:
    """The calls in a statement, those in the arguments of others before them; what is not made for certain, or later,
    aside."""
    is_sure = part.kind in KNOWN and part.kind not in ("conditional", "block")
    if not is_sure or (part.kind == "op" and part.text in SHORT):
        return
    for child in part.children:
        yield from _calls(child)
    if part.kind == "call":
        yield part


def _size(function: Node) -> int:
    return sum(1 for _ in function.walk())


def _is_plain(parameter: Node) -> bool:
    return parameter.kind == "parameter" and len(parameter.children) == 1 and parameter.children[0].kind == "name"


def _is_straight(function: Node) -> bool:
    """Whether it returns at its end alone, and has nothing inside that cannot be moved elsewhere."""
    statements = function.children[1].children
    for number, statement in enumerate(statements):
        for node in statement.walk():
            is_last = node is statement and number == len(statements) - 1
            if (node.kind == "return" and not is_last) or node.kind in LATER or node.kind in ("yield", "await"):
                return False
    return bool(statements)


def _calls_any(function: Node, names: tuple[bytes, ...]) -> bool:
    return any(node.kind == "call" and node.children and node.children[0].text in names for node in function.walk())


def _acts(value: Node) -> bool:
    return any(node.kind in ("call", "new", "assign", "update", "augment") for node in value.walk())


def _renamed(node: Node, new: dict[bytes, Node]) -> Node:
    """A copy with other names."""
    if node.kind == "name" and node.text in new:
        value = new[node.text].copy()
        if value.kind == "name":
            value.start, value.end = node.start, node.end
        return value
    inside = [_renamed(child, new) for child in node.children]
    return Node(node.kind, inside, node.start, node.end, node.text, node.marks)


def _become(node: Node, other: Node) -> None:
    """Let a node be another one, wherever it stands."""
    node.kind, node.children, node.text = other.kind, other.children, other.text
    node.start, node.end, node.marks = other.start, other.end, other.marks


def _touch(nodes: list[Node]) -> None:
    for node in nodes:
        for each in node.walk():
            each.marks |= INLINED
