"""Statements that cannot affect the output dropped: values that nobody reads, what is never reached, what does
nothing."""

from collections import Counter

from whorl.frontends.code.normal.blocks import EXPRESSIONS
from whorl.frontends.code.normal.effects import effects
from whorl.frontends.code.normal.marks import IDLE
from whorl.frontends.code.normal.node import JUMPS, LEAVES, Node
from whorl.frontends.code.normal.scope import Scope

# Names of a function that are followed into its blocks: each costs every block a look.
MANY = 100

EMPTY = frozenset({"empty_statement", "pass_statement", ";"})


def drop_unused_values(names: Scope) -> None:
    """In a function: ``x = 0`` before a block that sets ``x`` before it reads it, if nothing else reads it. What is
    assigned inside an expression and never read is its value alone."""
    for node in names.inner:
        target = node.children[0]
        if target.kind == "name" and target.text in names.own and not names.reads[target.text]:
            value = node.children[1]
            node.kind, node.children, node.text, node.marks = value.kind, value.children, value.text, node.marks | IDLE
            node.start, node.end = value.start, value.end
    _forget_counters(names)
    wanted = {name for name in names.own if names.writes[name] > 1 and names.reads[name]}
    if 0 < len(wanted) <= MANY:
        homes: dict[bytes, Node] = {}
        _find_homes(names.function, names, wanted, homes)
        if homes:
            _drop_outside(names, homes)


def _forget_counters(names: Scope) -> None:
    """A name that is read to reckon its own next value alone, such as ``i`` in ``i = i - 1``, is read by nobody."""
    inside: Counter[bytes] = Counter()
    for each in names.blocks:
        for child in each.children:
            if child.kind in ("assign", "declare") and len(child.children) == 2 and child.children[0].kind == "name":
                name = child.children[0].text
                if names.writes[name] > 1 and names.reads[name] and _is_pure(child.children[1]):
                    inside[name] += sum(
                        1 for node in child.children[1].walk() if node.kind == "name" and node.text == name
                    )
    for name, times in inside.items():
        if name in names.own and times == names.reads[name]:
            names.reads[name] = 0


def _find_homes(node: Node, names: Scope, wanted: set[bytes], homes: dict[bytes, Node]) -> dict[bytes, int]:
    """How often the wanted names are read in a tree; ``homes`` gets, for each, the innermost block that has all of its
    reads, if that sets it before."""
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


def _drop_outside(names: Scope, homes: dict[bytes, Node]) -> None:
    """Drop the assignments to names outside their homes."""
    waiting = [(names.function, frozenset(homes))]
    while waiting:
        node, away = waiting.pop()
        if node.kind == "block":
            away = away - {name for name in away if homes[name] is node}
            gone = [child for child in node.children if _is_away(child, away)]
            if gone:
                names.writes.subtract(child.children[0].text for child in gone)
                node.children = [child for child in node.children if not _is_away(child, away)]
                for child in node.children[:1]:
                    child.marks |= IDLE
        if away:
            waiting += [(child, away) for child in node.children if child.kind not in EXPRESSIONS]


def _is_away(statement: Node, away: frozenset[bytes]) -> bool:
    if statement.kind not in ("assign", "declare") or len(statement.children) != 2 or not away:
        return False
    target, value = statement.children
    return target.kind == "name" and target.text in away and _is_pure(value)


def drop_idle(node: Node, names: Scope) -> Node:
    """In a block, from its end: assignments to the function's own names that are never read, or set again before they
    are; values that nobody takes; what stands after a jump."""
    kept: list[Node] = []
    overwritten: set[bytes] = set()
    marks = 0
    for statement in reversed(_reached(node.children)):
        if _is_idle(statement, names, overwritten):
            if kept:
                kept[-1].marks |= IDLE
            else:
                marks = IDLE
            continue
        kept.append(statement)
        statement.marks, marks = statement.marks | marks, 0
        _follow(statement, names, overwritten)
    if len(kept) < len(node.children):
        node.children = kept[::-1]
    return node


def _reached(statements: list[Node]) -> list[Node]:
    """Up to the first jump; functions and classes behind it stand where they are declared, not where they are run."""
    for number, statement in enumerate(statements):
        if statement.kind in JUMPS and number < len(statements) - 1:
            rest = statements[number + 1 :]
            if any(node.kind == "labeled_statement" for each in rest for node in each.walk()):
                return statements  # somebody may go there
            statement.marks |= IDLE
            later = [each for each in rest if each.kind in ("function", "class", "case")]
            return [*statements[: number + 1], *later]
    return statements


def _is_idle(statement: Node, names: Scope, overwritten: set[bytes]) -> bool:
    kind, inside = statement.kind, statement.children
    if kind in EMPTY:
        return True
    if kind == "if":
        return not inside[1].children and not inside[2].children and _is_pure(inside[0])
    if kind in ("assign", "declare") and len(inside) == 2 and inside[0].kind == "name":
        name = inside[0].text
        if inside[1].kind == "name" and inside[1].text == name:
            return True
        is_unread = name in names.own and (names.reads[name] == 0 or name in overwritten)
        return is_unread and _is_pure(inside[1])
    return kind in ("name", "number", "string", "char", "constant", "op", "field", "index") and _is_pure(statement)


def _is_pure(value: Node) -> bool:
    return value.kind in LEAVES or effects(value).is_pure


def _follow(statement: Node, names: Scope, overwritten: set[bytes]) -> None:
    """What is overwritten without having been read, seen from before this statement."""
    is_write = statement.kind in ("assign", "declare") and statement.children[0].text in names.own
    if not overwritten and not is_write:
        return
    found = effects(statement)
    if found.jumps or not found.known:
        overwritten.clear()
        return
    if is_write and statement.children[0].kind == "name":
        overwritten.add(statement.children[0].text)
    overwritten -= found.reads
