"""Normalise loop counters that are read only by their loop: use another counter of the loop, or count from 0 up;
replace a loop of one round by its body.

Only counters with literal whole numbers are rewritten.
"""

from itertools import islice
from typing import Final, NamedTuple

from whorl.formats.code.normal.analysis import WRITES, FunctionScope
from whorl.formats.code.normal.expressions import whole_number
from whorl.formats.code.normal.nodes import COUNTERS, LABELLED, TreeNode

# As many statements before a loop its counters may be set, and as many after it are asked whether they read them.
BACK, AHEAD = 6, 50

# Nodes of a loop that is looked at, some eighty lines, and names that it sets which may be its counters.
LONG, MANY = 500, 8

# In these a ``break`` or ``continue`` belongs to another loop.
OTHER: Final = frozenset({"loop", "each", "function", "lambda", "class", "switch"})


class LoopCounter(NamedTuple):
    """A name set to a number before a loop, by the statement at ``at``, and moved by a number in every round."""

    name: bytes
    at: int
    set: TreeNode
    first: int
    moved: TreeNode
    step: int


def simplify_counters(node: TreeNode, names: FunctionScope) -> TreeNode:
    """Rewrite the loops of a block whose counter does nothing but count."""
    gone: set[int] = set()
    opened: dict[int, list[TreeNode]] = {}
    for at, loop in enumerate(node.children):
        if loop.kind != "loop" or loop.text or not _is_small(loop) or _jumps_out(loop):
            continue
        counter = _teller(node.children, at, names)
        rounds = 0 if counter is None else _rounds(loop.children[0], counter)
        if counter is None or not rounds or not _only_counts(node.children, at, counter, names):
            continue
        is_once = rounds == 1 and not _has(loop.children[1], ("continue", "break"))
        other = None if is_once else _other(node.children, at, counter, names)
        if is_once or other is not None:
            gone.add(id(counter.set))
            _forget(loop, counter, names)
        if is_once:
            opened[id(loop)] = loop.children[1].children
        elif other is not None:
            loop.children[0] = _condition(loop, other, rounds)
        elif (counter.first, counter.step, loop.children[0].text) != (0, 1, b"<"):
            _count_up(loop, counter, rounds)
    if gone:
        remaining = [child for child in node.children if id(child) not in gone]
        node.children = [each for child in remaining for each in opened.get(id(child), [child])]
    return node


def _forget(loop: TreeNode, counter: LoopCounter, names: FunctionScope) -> None:
    """Drop the step of a counter."""
    body = loop.children[1]
    body.children = [child for child in body.children if child is not counter.moved]
    for child in body.children[:1]:
        child.marks |= COUNTERS
    names.reads.add(counter.name, -2)
    names.writes.add(counter.name, -2)


def _count_up(loop: TreeNode, counter: LoopCounter, rounds: int) -> None:
    """Make a loop count from 0 up, one by one."""
    start, moved = counter.set.children[1], counter.moved
    counter.set.children[1] = start.at("number", [], b"0", COUNTERS)
    moved.children[1] = moved.at("op", [moved.children[0].copy(), moved.at("number", [], b"1")], b"+", COUNTERS)
    loop.children[0] = _condition(loop, LoopCounter(counter.name, counter.at, counter.set, 0, moved, 1), rounds)


def _condition(loop: TreeNode, counter: LoopCounter, rounds: int) -> TreeNode:
    """Return the condition that gives a loop ``rounds`` rounds by a counter."""
    before = loop.children[0]
    name = before.at("name", [], counter.name)
    number = before.at("number", [], str(counter.first + counter.step * rounds).encode())
    return before.at("op", [name, number] if counter.step > 0 else [number, name], b"<", COUNTERS)


def _teller(statements: list[TreeNode], at: int, names: FunctionScope) -> LoopCounter | None:
    """Return the counter that a loop's condition compares with a number."""
    condition = statements[at].children[0]
    if condition.kind != "op" or condition.text not in (b"<", b"<=") or len(condition.children) != 2:
        return None
    counted = [child for child in condition.children if child.kind == "name" and child.text in names.local_names]
    return _counter(statements, at, counted[0].text) if len(counted) == 1 else None


def _other(statements: list[TreeNode], at: int, counter: LoopCounter, names: FunctionScope) -> LoopCounter | None:
    """Return another counter of the same loop."""
    steps = (child for child in statements[at].children[1].children if _step(child) and child is not counter.moved)
    for child in islice(steps, MANY):
        name = child.children[0].text
        other = _counter(statements, at, name) if name in names.local_names else None
        if other is not None:
            return other
    return None


def _counter(statements: list[TreeNode], at: int, name: bytes) -> LoopCounter | None:
    """Return a name as a counter of a loop, or None."""
    body = statements[at].children[1]
    moves = [child for child in body.children if _sets(child, name)]
    step = _step(moves[0]) if len(moves) == 1 and _writes(body, name) == 1 else 0
    if not step or _has(body, ("continue",)):
        return None
    for number in range(at - 1, max(0, at - BACK) - 1, -1):
        before = statements[number]
        if _sets(before, name):
            first = whole_number(before.children[-1])
            return None if first is None else LoopCounter(name, number, before, first, moves[0], step)
        if _writes(before, name):
            return None
    return None


def _rounds(condition: TreeNode, counter: LoopCounter) -> int:
    """Return the number of rounds of a loop; 0 if unknown."""
    first, second = condition.children
    is_up = first.kind == "name"
    end = whole_number(second if is_up else first)
    if end is None or (counter.step > 0) != is_up:
        return 0
    way = (end - counter.first if is_up else counter.first - end) + (condition.text == b"<=")
    return -(-way // abs(counter.step)) if way > 0 else 0


def _only_counts(statements: list[TreeNode], at: int, counter: LoopCounter, names: FunctionScope) -> bool:
    """Return whether only the loop's condition and the step read the counter."""
    if _reads(statements[at], counter.name) != 2:
        return False
    if names.reads[counter.name] == 2:
        return True
    if any(_reads(each, counter.name) for each in statements[counter.at : at]):
        return False
    for each in statements[at + 1 : at + 1 + AHEAD]:
        if _reads(each, counter.name):
            return False
        if _sets(each, counter.name):
            return True
    # A name that a block declares is not seen outside it, other than by JavaScript's ``var``.
    is_seen = counter.set.kind != "declare" or counter.set.text == b"var"
    return not is_seen and len(statements) <= at + 1 + AHEAD


def _is_small(loop: TreeNode) -> bool:
    return sum(1 for _ in islice(loop.walk(), LONG)) < LONG


def _jumps_out(loop: TreeNode) -> bool:
    """Return whether a loop has a jump to a label: it may end a round of this loop, or all."""
    return any(node.kind in LABELLED for node in loop.walk())


def _sets(statement: TreeNode, name: bytes) -> bool:
    is_set = statement.kind in ("assign", "declare") and bool(statement.children)
    return is_set and statement.children[0].kind == "name" and statement.children[0].text == name


def _step(statement: TreeNode) -> int:
    """Return the step of ``i = i + 2``; 0 for any other statement."""
    if statement.kind != "assign" or statement.children[0].kind != "name":
        return 0
    target, value = statement.children
    is_step = value.kind == "op" and value.text in (b"+", b"-") and len(value.children) == 2
    if not is_step or value.children[0].kind != "name" or value.children[0].text != target.text:
        return 0
    by = whole_number(value.children[1]) or 0
    return by if value.text == b"+" else -by


def _reads(node: TreeNode, name: bytes) -> int:
    count = 0
    waiting = [node]
    while waiting:
        each = waiting.pop()
        is_set = each.kind in ("assign", "declare") and bool(each.children) and each.children[0].kind == "name"
        count += each.kind == "name" and each.text == name
        waiting += each.children[1:] if is_set else each.children
    return count


def _writes(node: TreeNode, name: bytes) -> int:
    return sum(1 for each in node.walk() if each.kind in WRITES and each.children and each.children[0].text == name)


def _has(body: TreeNode, kinds: tuple[str, ...]) -> bool:
    """Return whether this very loop has such a jump."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.kind in kinds:
            return True
        waiting += [child for child in node.children if child.kind not in OTHER]
    return False
