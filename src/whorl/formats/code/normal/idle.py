"""Rewrites of dead code: branches that literals decide, values that nobody reads, statements without effect, calls that
only tell constants."""

from typing import Final

from whorl.formats.code.normal.analysis import FunctionScope, Tally, effects
from whorl.formats.code.normal.expressions import TRUTHS, whole_number
from whorl.formats.code.normal.nodes import EXPRESSIONS, IDLE, JUMPS, LEAVES, LITERALS, WORK, TreeNode, block

# Nodes that may be used although they are in a branch that is never taken.
REACHABLE: Final = frozenset({"labeled_statement", "case", "function", "class"})


def decide_branch(node: TreeNode) -> TreeNode:
    """Rewrite ``if (true) a else b`` as ``a``, with ``false`` as ``b``, and ``if (c && true)`` as ``if (c)``."""
    condition, then, other = node.children
    decided = _decided(condition)
    truth = _truth(decided)
    if truth is None:
        return node if decided is condition else node.at("if", [decided, then, other], marks=IDLE)
    way, never = (then, other) if truth else (other, then)
    return node if any(each.kind in REACHABLE for each in never.walk()) else _instead(node, way.children)


def decide_loop(node: TreeNode) -> TreeNode:
    """Drop ``while (false) a`` and rewrite ``do a while (false)`` as ``a``."""
    condition, body = node.children
    decided = _decided(condition)
    if _truth(decided) is not False:
        return node if decided is condition else node.at("loop", [decided, body], node.text, IDLE)
    kinds = {each.kind for each in body.walk()}
    if not kinds.isdisjoint(("break", "continue") if node.text else REACHABLE):
        return node
    return _instead(node, body.children if node.text else [])


def decide_each(node: TreeNode) -> TreeNode:
    """Drop a loop over an empty literal."""
    over = node.children[1]
    return _instead(node, []) if over.kind in ("tuple", "array") and not over.children else node


def drop_try(node: TreeNode) -> TreeNode:
    """Rewrite ``try { a } finally { }`` as ``a``."""
    body, *clauses = node.children
    if not clauses or body.kind != "block" or any(each.kind != "finally_clause" for each in clauses):
        return node
    is_idle = all(len(each.children) == 1 and not each.children[0].children for each in clauses)
    return _instead(node, body.children) if is_idle else node


def _instead(node: TreeNode, statements: list[TreeNode]) -> TreeNode:
    for each in statements[:1]:
        each.marks |= IDLE
    return block(statements, node)


def _decided(condition: TreeNode) -> TreeNode:
    """Return a condition without the literals that cannot change it, and without what they keep from being asked."""
    if condition.kind != "op" or condition.text not in (b"&&", b"||"):
        return condition
    is_and = condition.text == b"&&"
    asked: list[TreeNode] = []
    for each in condition.children:
        part = _decided(each)
        truth = _truth(part)
        if truth is not is_and:
            asked.append(part)
            if truth is not None:
                break
    if len(asked) < 2:
        return asked[0] if asked else condition.at("constant", [], b"true" if is_and else b"false")
    is_same = len(asked) == len(condition.children) and all(
        one is two for one, two in zip(asked, condition.children, strict=True)
    )
    return condition if is_same else condition.at("op", asked, condition.text)


def _truth(condition: TreeNode) -> bool | None:
    """Return whether a condition of literals holds; None if it depends on other things."""
    if condition.kind == "constant":
        return TRUTHS.get(condition.text)
    if condition.kind == "number":
        number = whole_number(condition)
        return None if number is None else number != 0
    if condition.kind != "op" or not 0 < len(condition.children) < 3:
        return None
    if condition.text == b"!" and len(condition.children) == 1:
        truth = _truth(condition.children[0])
        return None if truth is None else not truth
    left, right = whole_number(condition.children[0]), whole_number(condition.children[-1])
    if left is None or right is None or len(condition.children) != 2:
        return None
    if condition.text in (b"==", b"==="):
        return left == right
    if condition.text in (b"!=", b"!=="):
        return left != right
    if condition.text == b"<":
        return left < right
    return left <= right if condition.text == b"<=" else None


# Methods that end the program: what follows is not reached.
ENDING: Final = frozenset(b"abort exit Exit _exit halt quit".split())

# Maximum number of methods that a program calls on an object that it only logs to. Objects with more methods, such as a
# turtle or a window, are its subject.
FEW: Final = 4


def drop_log_calls(program_scopes: list[FunctionScope]) -> bool:
    """Drop statements like ``logger.debug("step 1")``: calls of methods from elsewhere, with literals only, on objects
    that return nothing to it. Return whether there was any. A block with more of them than of other statements keeps
    them: they are its work."""
    functions = {names.function.text for names in program_scopes}
    log_calls = [
        (each, calls)
        for names in program_scopes
        for each in names.blocks
        if (calls := [child for child in each.children if _tells_literals(child, functions)])
    ]
    receivers = {_receiver(call) for _, calls in log_calls for call in calls}
    silent = _silent(receivers, program_scopes) if receivers else set()
    count = 0
    for each, calls in log_calls:
        gone = {id(call) for call in calls if _receiver(call) in silent}
        if 0 < len(gone) * 2 <= len(each.children):
            each.children = [child for child in each.children if id(child) not in gone]
            for child in each.children[:1]:
                child.marks |= IDLE
            count += len(gone)
    return count > 0


def _tells_literals(statement: TreeNode, functions: set[bytes]) -> bool:
    inside = statement.children
    is_call = statement.kind == "call" and statement.text != WORK
    if not is_call or len(inside) < 2 or inside[0].kind != "field" or not _receiver(statement):
        return False
    method = inside[0].text
    return method not in ENDING and method not in functions and all(each.kind in LITERALS for each in inside[1:])


def _receiver(call: TreeNode) -> bytes:
    """Return the name of the object that a method is called on, also of one that has it: ``a`` of ``a.b.f(1)``; empty
    if it has none."""
    node = call.children[0]
    while node.kind == "field" and node.children:
        node = node.children[0]
    return node.text if node.kind == "name" and node is not call.children[0] else b""


def _silent(receivers: set[bytes], program_scopes: list[FunctionScope]) -> set[bytes]:
    """Return the objects that the program only tells a few things: those from elsewhere, which it never sets, and those
    that it makes itself and whose methods give it no value."""
    reads, writes, tells, makes = Tally(), Tally(), Tally(), Tally()
    declared: set[bytes] = set()
    methods: dict[bytes, set[bytes]] = {name: set() for name in receivers}
    for names in program_scopes:
        reads.update(names.reads)
        writes.update(names.writes)
        declared |= names.declared
        for child in (child for each in names.blocks for child in each.children):
            if child.kind == "call" and child.children:
                receiver = _receiver(child)
                tells.add(receiver)
                methods.setdefault(receiver, set()).add(child.children[0].text)
            elif child.kind in ("assign", "declare") and len(child.children) == 2:
                makes.add(child.children[0].text, int(child.children[1].kind in ("call", "new")))
    foreign = {name for name in receivers if not writes[name] and name not in declared}
    own = {name for name in receivers - foreign if reads[name] == tells[name] and writes[name] == makes[name]}
    return {name for name in foreign | own if len(methods[name]) <= FEW}


# Names of a function that are followed into its blocks: each costs every block a look.
MANY: Final = 100

EMPTY: Final = frozenset({"empty_statement", ";", "ellipsis", "debugger_statement"})

# Expressions that do nothing as a statement if nothing in them does, and clauses that do nothing if nothing is tried.
VALUES: Final = frozenset({"op", "field", "index", "cast", "array", "tuple", "new"})
HANDLERS: Final = frozenset({"except_clause", "catch_clause"})


def drop_unused_values(names: FunctionScope) -> None:
    """In a function: drop ``x = 0`` before a block that sets ``x`` before it reads it, if nothing else reads it. An
    assignment inside an expression whose name is never read becomes its value."""
    for node in names.inner:
        target = node.children[0]
        if target.kind == "name" and target.text in names.local_names and not names.reads[target.text]:
            value = node.children[1]
            node.kind, node.children, node.text, node.marks = value.kind, value.children, value.text, node.marks | IDLE
            node.start, node.end = value.start, value.end
    _forget_unneeded(names)
    wanted = {name for name in names.local_names if names.writes[name] > 1 and names.reads[name]}
    if 0 < len(wanted) <= MANY:
        homes: dict[bytes, TreeNode] = {}
        _find_homes(names.function, names, wanted, homes)
        if homes:
            _drop_outside(names, homes)


def _forget_unneeded(names: FunctionScope) -> None:
    """Ignore the reads of a name that only compute its own next value, such as ``i`` in ``i = i - 1``, or values of
    names without other reads: ``a`` in ``b = a + 1`` if nobody reads ``b``."""
    values: dict[bytes, list[TreeNode]] = {}
    own = Tally()
    for each in names.blocks:
        for child in each.children:
            if child.kind in ("assign", "declare") and len(child.children) == 2 and child.children[0].kind == "name":
                name, value = child.children[0].text, child.children[1]
                values.setdefault(name, []).append(value)
                if names.writes[name] > 1 and names.reads[name] and _is_pure(value):
                    for node in value.walk():
                        if node.kind == "name" and node.text == name:
                            own.add(name)
    unneeded = [name for name in values if name in names.local_names and names.reads[name] == own[name]]
    while unneeded:
        name = unneeded.pop()
        names.reads.times[name] = 0
        for value in values.pop(name, ()):
            for node in value.walk() if _is_pure(value) else ():
                read = node.text
                if node.kind in ("name", "field") and read in names.local_names and names.reads[read]:
                    names.reads.add(read, -1)
                    if names.reads[read] == own[read]:
                        unneeded.append(read)


def _find_homes(
    node: TreeNode, names: FunctionScope, wanted: set[bytes], homes: dict[bytes, TreeNode]
) -> dict[bytes, int]:
    """Return how often the wanted names are read in a tree; put into ``homes``, for each, the innermost block with all
    its reads, if that block sets it first."""
    counts: dict[bytes, int] = {}
    if node.kind == "name":
        return {node.text: 1} if node.text in wanted else counts
    is_block, is_write = node.kind == "block", node.kind in ("assign", "declare", "each", "parameter")
    is_target = is_write and bool(node.children) and node.children[0].kind == "name"
    settled: set[bytes] = set()
    for child in node.children[1:] if is_target else node.children:
        for name, times in _find_homes(child, names, wanted, homes).items():
            if is_block and name not in counts and name in settled:
                homes.setdefault(name, node)
            counts[name] = counts.get(name, 0) + times
        if is_block and child.kind in ("assign", "declare") and len(child.children) == 2:
            settled.add(child.children[0].text)
    if is_block:
        for name in [name for name, home in homes.items() if home is node and counts[name] != names.reads[name]]:
            del homes[name]
    return counts


def _drop_outside(names: FunctionScope, homes: dict[bytes, TreeNode]) -> None:
    """Drop the assignments to names outside their homes."""
    waiting = [(names.function, frozenset(homes))]
    while waiting:
        node, away = waiting.pop()
        if node.kind == "block":
            away = away - {name for name in away if homes[name] is node}
            gone = [child for child in node.children if _is_away(child, away)]
            if gone:
                for child in gone:
                    names.writes.add(child.children[0].text, -1)
                node.children = [child for child in node.children if not _is_away(child, away)]
                for child in node.children[:1]:
                    child.marks |= IDLE
        if away:
            waiting += [(child, away) for child in node.children if child.kind not in EXPRESSIONS]


def _is_away(statement: TreeNode, away: frozenset[bytes]) -> bool:
    if statement.kind not in ("assign", "declare") or len(statement.children) != 2 or not away:
        return False
    target, value = statement.children
    return target.kind == "name" and target.text in away and _is_pure(value)


def drop_idle(node: TreeNode, names: FunctionScope) -> TreeNode:
    """In a block, from its end: drop assignments to local names that are never read or set again first, unused values,
    and statements after a jump."""
    statements: list[TreeNode] = []
    overwritten: set[bytes] = set()
    marks = 0
    for each in reversed(_reached(node.children)):
        statement = _needed(each, names)
        if _is_idle(statement, names, overwritten):
            if statements:
                statements[-1].marks |= IDLE
            else:
                marks = IDLE
            continue
        statements.append(statement)
        statement.marks, marks = statement.marks | marks, 0
        _follow(statement, names, overwritten)
    node.children = statements[::-1]
    return node


def _needed(statement: TreeNode, names: FunctionScope) -> TreeNode:
    """Return the inner assignment of ``a = b = f()`` if nobody reads ``a``."""
    while statement.kind in ("assign", "declare") and len(statement.children) == 2:
        target, value = statement.children
        if value.kind != "assign" or target.kind != "name" or target.text not in names.local_names:
            break
        if names.reads[target.text]:
            break
        value.marks |= IDLE
        statement = value
    return statement


def _reached(statements: list[TreeNode]) -> list[TreeNode]:
    """Return the statements up to the first jump; functions and classes after it stay, because they are only declared
    there."""
    for number, statement in enumerate(statements):
        if statement.kind in JUMPS and number < len(statements) - 1:
            rest = statements[number + 1 :]
            if any(node.kind == "labeled_statement" for each in rest for node in each.walk()):
                return statements  # somebody may go there
            statement.marks |= IDLE
            later = [each for each in rest if each.kind in ("function", "class", "case")]
            return [*statements[: number + 1], *later]
    return statements


def _is_idle(statement: TreeNode, names: FunctionScope, overwritten: set[bytes]) -> bool:
    kind, inside = statement.kind, statement.children
    if kind in EMPTY or kind == "lambda":
        return True
    if kind == "assert_statement":
        return bool(inside) and _truth(inside[0]) is True
    if kind == "call":
        return _is_idle_call(statement)
    if kind == "loop":
        return not statement.text and _truth(_decided(inside[0])) is False
    if kind == "try_statement":
        return not inside[0].children and all(each.kind in HANDLERS for each in inside[1:])
    if kind == "if":
        return not inside[1].children and not inside[2].children and _is_pure(inside[0])
    if kind in ("assign", "declare") and len(inside) == 2 and inside[0].kind == "name":
        name = inside[0].text
        if inside[1].kind == "name" and inside[1].text == name:
            return True
        is_unread = name in names.local_names and (names.reads[name] == 0 or name in overwritten)
        return is_unread and _is_pure(inside[1])
    return (kind in LEAVES or kind in VALUES) and _is_pure(statement)


def _is_idle_call(call: TreeNode) -> bool:
    """Return whether a statement only calls C's ``assert`` for what always holds, or a method of a string literal."""
    called, *arguments = call.children or [call]
    if called.text == b"assert":
        return len(arguments) == 1 and _truth(arguments[0]) is True
    is_of_literal = called.kind == "field" and [each.kind for each in called.children] == ["string"]
    return is_of_literal and all(each.kind in LITERALS for each in arguments)


def _is_pure(value: TreeNode) -> bool:
    return value.kind in LEAVES or value.kind == "lambda" or effects(value).is_pure


def _follow(statement: TreeNode, names: FunctionScope, overwritten: set[bytes]) -> None:
    """Return the names that are overwritten before they are read, seen from before this statement."""
    is_write = statement.kind in ("assign", "declare") and statement.children[0].text in names.local_names
    if not overwritten and not is_write:
        return
    done = effects(statement)
    if done.jumps or not done.known:
        overwritten.clear()
        return
    if is_write and statement.children[0].kind == "name":
        overwritten.add(statement.children[0].text)
    overwritten -= done.reads
