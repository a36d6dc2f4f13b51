"""Inline small functions of the same file into their calls; merge equal calls first."""

from collections import Counter
from collections.abc import Container
from typing import Final

from whorl.formats.code.normal.analysis import (
    KNOWN,
    LATER,
    SHORT_CIRCUIT,
    SIMPLE,
    FunctionScope,
    Tally,
    called,
    effects,
    scopes,
    settle,
)
from whorl.formats.code.normal.expressions import split_tuple
from whorl.formats.code.normal.nodes import (
    COPIED,
    INLINED,
    LEAVES,
    NEW,
    PLACE,
    SEEN,
    TreeNode,
    become,
    blocks,
    root,
)

# Calls that are looked at in one function: each is compared with those before it that have the same key.
MANY: Final = 64


def share_calls(names: FunctionScope, local: dict[bytes, FunctionScope]) -> None:
    """In a function: store the value of calls that are made several times with the same arguments."""
    calls_by_key: dict[tuple[bytes, ...], list[TreeNode]] = {}
    for each in names.blocks[:MANY]:
        for statement in each.children:
            for call in _steady_calls(statement, local, names.local_names):
                function = local[call.children[0].text]
                if function is not names and _is_pure_function(function):
                    key = tuple(child.text for child in call.children)
                    calls_by_key.setdefault(key, []).append(call)
    for number, (key, calls) in enumerate(calls_by_key.items()):
        if 1 < len(calls) <= MANY and number < MANY:
            _share(key, calls, names, b"%s\0%d" % (key[0], number))


def _steady_calls(statement: TreeNode, local: dict[bytes, FunctionScope], local_names: set[bytes]) -> list[TreeNode]:
    """Return the calls of these functions in a statement, outside inner blocks, whose arguments are all local names and
    literals."""
    calls: list[TreeNode] = []
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.kind == "call" and node.children:
            function = node.children[0]
            if function.kind == "name" and function.text in local and _is_steady(node, local_names):
                calls.append(node)
        waiting += [child for child in node.children if child.kind != "block" and child.kind not in LATER]
    return calls


def _is_steady(call: TreeNode, local_names: set[bytes]) -> bool:
    """Return whether only the function itself can change the arguments of a call."""
    return all(
        child.kind in LEAVES and (child.kind != "name" or child.text in local_names) for child in call.children[1:]
    )


def _is_pure_function(function: FunctionScope) -> bool:
    """Return whether a function only computes a value of its parameters."""
    statements = function.function.children[1].children
    if not statements or len(statements) > 4 or statements[-1].kind != "return":
        return False
    done = [effects(statement) for statement in statements]
    return all(
        each.known and not (each.acts or each.prints or each.stores) and each.writes <= function.declared
        and each.reads <= function.declared
        for each in done
    )  # fmt: skip


def _share(key: tuple[bytes, ...], calls: list[TreeNode], names: FunctionScope, variable: bytes) -> None:
    """Store the value before the first statement that needs it, if its arguments do not change from there on."""
    wanted = {id(call) for call in calls}
    for holder in reversed(names.blocks[:MANY]):
        places = [_count(statement, wanted) for statement in holder.children]
        if sum(places) < len(calls):
            continue
        first = next(number for number, times in enumerate(places) if times)
        changed = set().union(*(effects(statement).writes for statement in holder.children[first:]))
        if changed.isdisjoint(key[1:]):
            call = calls[0]
            target = call.at("name", [], variable)
            value = call.at("call", call.children)
            holder.children.insert(first, call.at("declare", [target, value], marks=INLINED))
            for each in calls:
                each.kind, each.children, each.text, each.marks = "name", [], variable, each.marks | INLINED
        return


def _count(statement: TreeNode, wanted: set[int]) -> int:
    return sum(1 for node in statement.walk() if id(node) in wanted)


# Nodes of a function that is put in place of its calls: some twenty lines. One that is called once may be longer.
SMALL, ONCE = 120, 600

# How many calls inside each other are followed.
DEPTH: Final = 4

# Nodes that a program may grow by: as many as it has, and for small ones this many.
GROWTH: Final = 500

# Nodes that cannot be moved to a call. A function may return at its end.
STAYING: Final = LATER | {"await", "defer_statement", "return", "yield"}

# Nodes whose parts may not be evaluated.
UNSURE: Final = frozenset({"block", "conditional"})

# The part of other statements that is evaluated first.
EVALUATED: Final = {"if": 0, "loop": 0, "each": 1}


def inline_functions(
    program: TreeNode, program_scopes: list[FunctionScope], *, implicit: bool, script: bool
) -> list[FunctionScope]:
    """Inline small functions and drop those without calls left; return the scopes of the result. ``program_scopes`` are
    those of the program. See ``scope`` for ``implicit`` and ``script``."""
    times = Counter(names.function.text for names in program_scopes[1:])
    reads = settle(program_scopes, script=script)
    # Of a name that is given twice nobody knows which is called. A constructor has none.
    local = {
        name: names
        for names in program_scopes[1:]
        if names.function.kind == "function" and (name := names.function.text) and times[name] == 1
    }
    if any(reads[called(name)] for name in local) and _Inliner(program, program_scopes, local, reads, implicit).run():
        program_scopes = scopes(program, implicit=implicit)
        settle(program_scopes, script=script)
    return program_scopes


class _Inliner:
    def __init__(
        self,
        program: TreeNode,
        program_scopes: list[FunctionScope],
        local: dict[bytes, FunctionScope],
        reads: Tally,
        implicit: bool,
    ) -> None:
        self._program, self._scopes, self._local, self._implicit = program, program_scopes, local, implicit
        self._calls = reads
        self._called_names = {called(name) for name in local}
        self._room = max(GROWTH, _size(program))
        self._sizes: dict[bytes, int] = {}
        self._used: set[bytes] = set()
        self._number = 0

    def run(self) -> bool:
        """Inline all that can be inlined; return whether there was anything."""
        for name in self._local:
            self._visit(name, ())
        for names in self._scopes:
            if self._local.get(names.function.text) is not names:
                self._fill(names, ())
        if self._used:
            self._forget()
        return bool(self._used)

    def _visit(self, name: bytes, callers: tuple[bytes, ...]) -> None:
        """Inline into a function before it is inlined itself. A recursive function stays."""
        if name in self._sizes or len(callers) >= DEPTH:
            return
        self._sizes[name] = -1
        names = self._local[name]
        function = names.function
        if self._fill(names, (*callers, name)):
            inside = scopes(function, implicit=self._implicit)
            names = self._local[name] = FunctionScope(function)
            names.reads, names.writes, names.declared = inside[1].reads, inside[1].writes, inside[1].declared
        if _is_straight(function) and not _calls_any(function, (*callers, name)):
            self._sizes[name] = _size(function)

    def _fill(self, names: FunctionScope, callers: tuple[bytes, ...]) -> bool:
        """Inline into a function; return whether there was anything to inline."""
        if self._called_names.isdisjoint(names.reads.times):
            return False
        before = self._number
        share_calls(names, self._local)
        for each in names.blocks:
            filled: list[TreeNode] = []
            marks = 0
            for statement in each.children:
                if statement.kind in SIMPLE or statement.kind in EVALUATED:
                    filled += self._before(statement, names, callers)
                if statement.kind == "nothing":
                    marks |= statement.marks
                    continue
                statement.marks |= marks
                marks = 0
                if statement.kind == "assign" and statement.text in (NEW, SEEN):  # it may have got several values
                    split = split_tuple(statement)
                    filled += split.children if split.kind == "list" else [split]
                else:
                    filled.append(statement)
            each.children = filled
        return self._number > before

    def _before(self, statement: TreeNode, names: FunctionScope, callers: tuple[bytes, ...]) -> list[TreeNode]:
        """Replace the calls in a statement, in the order of evaluation; return the statements to put before it."""
        done: list[TreeNode] = []
        stuck: set[int] = set()  # calls that stay, and are made before those that follow
        may_hoist = statement.kind in SIMPLE or statement.kind == "if"
        part = statement if statement.kind in SIMPLE else statement.children[EVALUATED[statement.kind]]
        calls: list[TreeNode] = []
        if _calls_any(part, self._local):
            _add_certain_calls(part, calls)
        for call in calls:
            function = self._called(call, callers)
            is_first = may_hoist and (not stuck or stuck <= {id(node) for node in call.walk()})
            hoisted = None if function is None else self._replaced(call, function, names, call is statement, is_first)
            if hoisted is None:
                stuck.add(id(call))
            else:
                done += hoisted
        return done

    def _called(self, call: TreeNode, callers: tuple[bytes, ...]) -> TreeNode | None:
        """Return the called function, if it can be inlined here."""
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

    def _replaced(
        self, call: TreeNode, function: TreeNode, names: FunctionScope, is_alone: bool, may_hoist: bool
    ) -> list[TreeNode] | None:
        """Put a function in the place of its call; return the statements before it, or None if the call must stay."""
        before = function.children[1].children
        value = call.at("nothing", [])
        returns = False
        if before and before[-1].kind == "return":
            *before, last = before
            returns = bool(last.children)
            value = last.children[0] if returns else value
        if not (returns or is_alone) or (before and not may_hoist):
            return None
        new, assignments = self._bound(call, function, self._local[function.text], names)
        if assignments and not may_hoist:
            return None
        self._room -= self._sizes[function.text]
        self._used.add(function.text)
        value = _renamed(value, new)
        become(call, call.at("nothing", []) if is_alone and value.kind in LEAVES else value)
        done = [*assignments, *(_renamed(each, new) for each in before)]
        _touch([*done, call])
        return done

    def _bound(
        self, call: TreeNode, function: TreeNode, inner: FunctionScope, names: FunctionScope
    ) -> tuple[dict[bytes, TreeNode], list[TreeNode]]:
        """Return what each name of the function becomes, and the assignments of its parameters."""
        self._number += 1
        mark = b"\0%d" % self._number
        parameters = [each.children[0].text for each in function.children[0].children]
        texts = [each.text for each in function.children[0].children]
        new = {name: TreeNode("name", [], 0, 0, name + mark) for name in {*inner.declared, *parameters}}
        assignments: list[TreeNode] = []
        is_alone = len(function.children[1].children) == 1
        for name, text, value in zip(parameters, texts, call.children[1:], strict=True):
            is_steady = inner.writes[name] == 1  # by being a parameter
            if text and _is_changed_in(function, name, text):
                is_steady = False
            is_last = value.kind == "name" and names.reads[value.text] == 1 and value.text in names.local_names
            if text and not is_steady:  # in a loop, the next call reads the value again
                is_last = False
            is_same = is_alone or not effects(value).is_exposed(
                names.local_names
            )  # when it is read as when it is given
            is_used_once = inner.reads[name] <= 1 and not _acts(value)
            if is_last or (is_steady and is_same and (value.kind in LEAVES or is_used_once)):
                new[name] = value
            else:
                assignments.append(call.at("declare", [new[name].copy(), value], text))
        return new, assignments

    def _forget(self) -> None:
        """Drop the functions that were inlined into all their calls."""
        left = {
            node.children[0].text
            for node in self._program.walk()
            if node.kind == "call" and node.children and node.children[0].kind == "name"
        }
        gone = self._used - left
        for each in blocks(self._program):
            each.children = [child for child in each.children if child.kind != "function" or child.text not in gone]


def _add_certain_calls(part: TreeNode, calls: list[TreeNode]) -> None:
    """Add the calls of a statement that are certainly made now, those in arguments first."""
    kind = part.kind
    if kind not in KNOWN or kind in UNSURE or (kind == "op" and part.text in SHORT_CIRCUIT):
        return
    for child in part.children:
        if child.kind not in LEAVES:
            _add_certain_calls(child, calls)
    if kind == "call":
        calls.append(part)


def _size(function: TreeNode) -> int:
    size = 0
    waiting = [function]
    while waiting:
        node = waiting.pop()
        size += 1
        waiting += node.children
    return size


def _is_plain(parameter: TreeNode) -> bool:
    return parameter.kind == "parameter" and len(parameter.children) == 1 and parameter.children[0].kind == "name"


def _is_straight(function: TreeNode) -> bool:
    """Return whether a function returns only at its end and holds nothing that cannot be moved. What an abstract one
    does is unknown: it has no body, whose span would not be empty."""
    body = function.children[1]
    statements = body.children
    if not statements:
        return body.start < body.end
    last = statements[-1]
    waiting = [*statements[:-1], *last.children] if last.kind == "return" else statements.copy()
    while waiting:
        node = waiting.pop()
        if node.kind in STAYING:
            return False
        waiting += node.children
    return True


def _calls_any(part: TreeNode, names: Container[bytes]) -> bool:
    """Return whether a tree has a call of one of these functions."""
    waiting = [part]
    while waiting:
        node = waiting.pop()
        if node.kind == "call" and node.children and node.children[0].text in names:
            return True
        waiting += node.children
    return False


def _is_changed_in(function: TreeNode, name: bytes, text: bytes) -> bool:
    """Return whether a function may change the value of a parameter, or keep its address. Its text says whether its
    value is a copy."""
    for node in function.walk():
        inside = node.children
        if node.kind == "cast" and node.text == PLACE and root(node) == name:
            return True
        is_store = text == COPIED and node.kind in ("assign", "augment", "update", "call") and bool(inside)
        if is_store and inside[0].kind in ("field", "index") and root(inside[0]) == name:
            return True
    return False


def _acts(value: TreeNode) -> bool:
    return any(node.kind in ("call", "new", "assign", "update", "augment") for node in value.walk())


def _renamed(node: TreeNode, new: dict[bytes, TreeNode]) -> TreeNode:
    """Return a copy with other names."""
    if node.kind == "name" and node.text in new:
        value = new[node.text].copy()
        if value.kind == "name":
            value.start, value.end = node.start, node.end
        return value
    inside = [_renamed(child, new) for child in node.children]
    return TreeNode(node.kind, inside, node.start, node.end, node.text, node.marks)


def _touch(nodes: list[TreeNode]) -> None:
    for node in nodes:
        for each in node.walk():
            each.marks |= INLINED
