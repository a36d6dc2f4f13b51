"""Rewrites of variables: declarations, statement order and temporaries."""

from itertools import islice
from typing import Final, TypeAlias

from whorl.formats.code.normal.analysis import (
    KNOWN,
    LATER,
    SHORT_CIRCUIT,
    SIMPLE,
    Effects,
    FunctionScope,
    called,
    effects,
    within,
)
from whorl.formats.code.normal.expressions import fold, order_operands
from whorl.formats.code.normal.nodes import (
    COPIED,
    DECLARATIONS,
    FIXED,
    LITERALS,
    NEW,
    OF_ANY,
    ORDER,
    PRIVATE,
    SEEN,
    TEMPORARIES,
    TreeNode,
    become,
)


def drop_declarations(node: TreeNode, names: FunctionScope) -> TreeNode:
    """In a block: drop ``int x;`` and rewrite ``int x = 1;`` as ``x = 1``."""
    if not any(child.kind == "declare" for child in node.children):
        return node
    statements: list[TreeNode] = []
    marks = 0
    for child in node.children:
        if child.kind == "declare":
            if len(child.children) == 1:
                marks = DECLARATIONS
                continue
            child.kind, child.marks = "assign", child.marks | DECLARATIONS
        child.marks, marks = child.marks | marks, 0
        statements.append(child)
    node.children = statements
    return node


def move_fields(program_scopes: list[FunctionScope]) -> bool:
    """Move the first value of a private field into the only function that uses it, if no function in the file calls
    that one (such as ``main``). Return whether there was any."""
    if not any(names.private for names in program_scopes):
        return False
    count = 0
    users: dict[bytes, list[FunctionScope]] = {}
    for names in program_scopes:
        for name in names.names() if names.function.kind in LATER else ():
            users.setdefault(name, []).append(names)
    for names in program_scopes:
        for each in names.blocks if names.private else ():
            moved = [child for child in each.children if _is_movable(child, users)]
            if moved:
                gone = set(map(id, moved))
                each.children = [child for child in each.children if id(child) not in gone]
            count += len(moved)
            for child in reversed(moved):
                body = users[child.children[0].text][0].function.children[1]
                body.children = [child, *body.children]
    return count > 0


def _is_movable(field: TreeNode, users: dict[bytes, list[FunctionScope]]) -> bool:
    if field.kind != "declare" or field.text != PRIVATE:
        return False
    name = field.children[0].text
    using = [] if OF_ANY + name in users else users.get(name, [])
    function = using[0].function if len(using) == 1 else field
    is_entry = function.kind == "function" and bool(function.text) and called(function.text) not in users
    return is_entry and effects(field.children[-1]).is_pure


# Statements that are looked at together: each is compared with all others of them.
TOGETHER: Final = 12

MOVABLE: Final = frozenset({"assign", "call", "print"})


def order_statements(node: TreeNode, names: FunctionScope) -> TreeNode:
    """Sort each run of simple statements in a block by their shapes, as far as their dependences allow."""
    statements = node.children
    start = 0
    while start < len(statements):
        end = start
        while end < len(statements) and end - start < TOGETHER and statements[end].kind in MOVABLE:
            end += 1
        if end - start > 1:
            statements[start:end] = _ordered(statements[start:end], names)
        start = max(end, start + 1)
    return node


def _ordered(run: list[TreeNode], names: FunctionScope) -> list[TreeNode]:
    done = [effects(each) for each in run]
    before = _before(done, names.local_names)
    if sum(map(len, before)) == len(run) * (len(run) - 1) // 2:
        return run
    keys = [_key(each) for each in run]
    placed: list[int] = []
    waiting = list(range(len(run)))
    while waiting:
        ready = [number for number in waiting if not (before[number] - set(placed))]
        number = min(ready, key=lambda each: (keys[each], each))
        placed.append(number)
        waiting.remove(number)
    for number, place in enumerate(placed):
        if number != place:
            run[place].marks |= ORDER
    return [run[number] for number in placed]


def _before(done: list[Effects], local_names: set[bytes]) -> list[set[int]]:
    """Return for each statement the earlier ones that must stay before it."""
    return [
        {early for early in range(late) if not done[early].is_free_of(done[late], local_names)}
        for late in range(len(done))
    ]


def _key(statement: TreeNode) -> str:
    """Return a statement without its names and values."""
    words: list[str] = []
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        words.append(node.kind + node.text.decode("utf-8", "replace") if node.kind == "op" else node.kind)
        waiting += node.children
    return " ".join(words)


Path: TypeAlias = list[tuple[TreeNode, int]]

# Nodes of a value that is not moved: an expression of several lines.
LONG: Final = 100

# As many statements back a value may have been reckoned.
BACK: Final = 6


def spread_literals(names: FunctionScope) -> None:
    """In a function: replace a local name that is set once, to a number, by that number."""
    values: dict[bytes, TreeNode] = {}
    outermost = [names.function, *names.function.children]
    for each in names.blocks:
        is_outermost = any(each is one for one in outermost)
        for child in each.children:
            if _is_literal(child, NUMBERS) and (is_outermost or child.kind == "declare"):
                name = child.children[0].text
                if name in names.declared and name in names.local_names and names.writes[name] == 1:
                    values[name] = child.children[1]
    if not values:
        return
    _spread(list(within(names.function)), values, set())


# Kinds whose first part is a name of something else: of a parameter or of an object's field.
KEYED: Final = frozenset({"pair", "pair_pattern", "keyword_argument"})


def spread_constants(program_scopes: list[FunctionScope], *, script: bool) -> bool:
    """Replace a name that a file sets once, outside all functions, to a literal, by that literal. Return whether there
    was any. A class's field must be private or never be set again, and a variable too unless the file is a
    ``script``."""
    values: dict[bytes, TreeNode] = {}
    classes: set[bytes] = set()
    for names in program_scopes:
        is_class = names.function.kind == "class"
        if is_class or names.around is None:
            body = names.function.children[0] if is_class else names.function
            for child in body.children:
                is_fixed = child.text == FIXED or (is_class and child.text == PRIVATE)
                if _is_literal(child, LITERALS) and (is_fixed or (script and not is_class)):
                    values[child.children[0].text] = child.children[1]
                    classes.add(names.function.text if is_class else b"")
    for name in list(values):
        times = sum(names.writes[name] + names.writes[OF_ANY + name] for names in program_scopes)
        if times != 1 or any(name in names.captured for names in program_scopes):
            del values[name]
    if values:
        _spread(list(program_scopes[0].function.walk()), values, classes)
    return bool(values)


def _spread(inside: list[TreeNode], values: dict[bytes, TreeNode], classes: set[bytes]) -> None:
    """Replace names by their values in these nodes, of which the outer ones come first, and drop what sets them. A name
    may follow that of one of its classes."""
    sums: list[TreeNode] = []
    changed: set[int] = set()
    for node in inside:
        if node.kind == "block":
            node.children = [child for child in node.children if not _gives(child, values)]
        elif node.kind == "op":
            sums.append(node)
        first = 1 if node.kind in KEYED else 0
        for number, child in enumerate(node.children[first:], first):
            is_read = child.kind == "name" or (
                child.kind == "field"
                and bool(child.children)
                and child.children[0].kind == "name"
                and child.children[0].text in classes
            )
            if is_read and child.text in values:
                value = values[child.text]
                node.children[number] = child.at(value.kind, [], value.text, TEMPORARIES)
                changed.add(id(node))
    for node in reversed(sums):
        if id(node) in changed or any(id(child) in changed for child in node.children):
            changed.add(id(node))
            reckoned = fold(node)
            become(node, order_operands(reckoned) if reckoned.kind == "op" else reckoned)


# Kinds of literals that replace a local name.
NUMBERS: Final = LITERALS - {"string"}


def _is_literal(statement: TreeNode, kinds: frozenset[str]) -> bool:
    inside = statement.children
    is_given = statement.kind in ("assign", "declare") and len(inside) == 2 and inside[0].kind == "name"
    return is_given and inside[1].kind in kinds


def _gives(statement: TreeNode, values: dict[bytes, TreeNode]) -> bool:
    inside = statement.children
    return statement.kind in ("assign", "declare") and inside[0].kind == "name" and inside[0].text in values


def drop_temporaries(node: TreeNode, names: FunctionScope) -> TreeNode:
    """In a block: move the value of a local name that is set once and read once, a little later, to where it is read,
    if nothing between could change it. Pure values move first: a value with a call is harder to move, and so is one
    that it was moved into."""
    temporaries = [each for each in node.children if _is_temporary(each, names)]
    if temporaries:
        reckoned = [each for each in temporaries if effects(each.children[1]).is_pure]
        _move(node, names, reckoned)
        if len(reckoned) < len(temporaries):
            _move(node, names, temporaries)
    return node


def _move(node: TreeNode, names: FunctionScope, temporaries: list[TreeNode]) -> None:
    """Move the values of these statements."""
    wanted = set(map(id, temporaries))
    statements: list[TreeNode] = []
    for statement in node.children:
        number = len(statements) - 1
        while number >= max(0, len(statements) - BACK):
            if id(statements[number]) in wanted and _is_moved(
                statements[number], statements[number + 1 :], statement, names.local_names
            ):
                del statements[number]
            number -= 1
        statements.append(statement)
    if len(statements) < len(node.children):
        node.children = statements


def _is_temporary(statement: TreeNode, names: FunctionScope) -> bool:
    inside = statement.children
    if statement.kind not in ("assign", "declare") or len(inside) != 2 or inside[0].kind != "name":
        return False
    name = inside[0].text
    return name in names.local_names and names.writes[name] == 1 and names.reads[name] == 1


def _is_moved(before: TreeNode, between: list[TreeNode], statement: TreeNode, local_names: set[bytes]) -> bool:
    """Move the value that a statement gives to a name to where a later one reads it; return whether it was possible."""
    value = before.children[1]
    path = _path(statement, before.children[0].text)
    if not path or not _is_short(value) or (before.text in COPIES and _is_changed_at(path)):
        return False
    done = effects(value)
    if (not done.is_pure or done.is_exposed(local_names)) and _acts_beside(path):
        return False
    if between and not all(done.is_free_of(effects(each), local_names) for each in between):
        return False
    holder, number = path[-1]
    value.marks |= TEMPORARIES | before.marks
    holder.children[number] = value
    return True


# The texts of statements that may set a name to a copy of another place.
COPIES: Final = frozenset({COPIED, NEW, SEEN})


def _is_changed_at(path: Path) -> bool:
    """Return whether a statement may store something in the place at the end of a path, or call a method on it."""
    return any(number == 0 and holder.kind in ("assign", "augment", "update", "call") for holder, number in path)


def _is_short(value: TreeNode) -> bool:
    """Return whether a value is short enough to be moved repeatedly: a chain of values must not grow without end."""
    return sum(1 for _ in islice(value.walk(), LONG)) < LONG


def _acts_beside(path: Path) -> bool:
    """Return whether a statement has effects before its place is evaluated."""
    return any(
        effects(child).acts or effects(child).writes
        for holder, number in path
        for at, child in enumerate(holder.children)
        if at != number and holder.kind != "if" and not (at == 0 and holder.kind in ("call", "assign", "declare"))
    )


def _path(statement: TreeNode, name: bytes) -> Path:
    """Return the path to where a statement reads a name, as nodes and child numbers; empty if it does not, or not for
    certain."""
    if statement.kind not in SIMPLE and statement.kind != "if":
        return []
    parents: dict[int, tuple[TreeNode, int]] = {}
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.kind not in KNOWN or node.kind == "conditional" or (node.kind == "op" and node.text in SHORT_CIRCUIT):
            continue
        skipped = 1 if node.kind in ("assign", "declare") and node.children[0].kind == "name" else 0
        inside = node.children[:1] if node is statement and node.kind == "if" else node.children
        for number, child in enumerate(inside[skipped:], skipped):
            parents[id(child)] = node, number
            if child.kind == "name" and child.text == name:
                return _up(child, parents)
            waiting.append(child)
    return []


def _up(node: TreeNode, parents: dict[int, tuple[TreeNode, int]]) -> Path:
    path: Path = []
    while id(node) in parents:
        path.append(parents[id(node)])
        node = path[-1][0]
    return path[::-1]
