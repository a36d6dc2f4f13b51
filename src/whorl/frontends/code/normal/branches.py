"""``switch`` and conditional expressions as ``if``, and chains of ``else if`` nested alike."""

from whorl.frontends.code.normal.marks import BRANCHES, CHAINED
from whorl.frontends.code.normal.node import JUMPS, Node, block

# Values that any ``if`` may compare again and again without doing anything: what is not one of these is compared once.
REPEATABLE = frozenset({"name", "field", "index", "number", "string", "char", "constant"})


def nest_chain(node: Node) -> Node:
    """``else if``: an ``else`` with an ``if`` in it. A missing ``else`` is an empty one."""
    other = node.children[2]
    if other.kind == "block":
        return node
    inside = [] if other.kind == "nothing" else other.children if other.kind == "list" else [other]
    node.children[2] = block(inside, other)
    if other.kind == "if":
        other.marks |= CHAINED
    return node


def switch_as_if(node: Node) -> Node:
    """Cases that cannot fall through, as a chain of comparisons. Any other ``switch`` stays."""
    subject, cases = node.children[0], node.children[1:]
    if not cases or any(each.kind != "case" for each in cases) or not _is_repeatable(subject):
        return node
    groups = _groups(cases)
    if groups is None or any(not values for values, _ in groups[:-1]):
        return node
    values, body = groups[-1]
    chain = body if not values else block([_compared(node, subject, values, body, block([], node))], node)
    for values, body in reversed(groups[:-1]):
        chain = block([_compared(node, subject, values, body, chain)], node)
    return node.at("list", chain.children)


def _groups(cases: list[Node]) -> list[tuple[list[Node], Node]] | None:
    """The values and the block of each case, labels without statements with the next; None if one falls through."""
    groups: list[tuple[list[Node], Node]] = []
    waiting: list[Node] = []
    for number, case in enumerate(cases):
        body, values = case.children[0], case.children[1:]
        is_last = number == len(cases) - 1
        if not body.children and not is_last and case.text != b"rule":
            if not values:
                return None
            waiting += values
            continue
        inside = _without_break(body, is_last or case.text == b"rule")
        if inside is None or (waiting and not values):
            return None
        groups.append(([*waiting, *values], block(inside, body)))
        waiting = []
    return groups


def _without_break(body: Node, may_end: bool) -> list[Node] | None:
    """The statements of a case without the ``break`` at its end; None if it falls through or breaks elsewhere."""
    inside = body.children
    if inside and inside[-1].kind == "block" and len(inside) == 1:
        inside = inside[0].children
    ends = bool(inside) and inside[-1].kind in JUMPS
    if ends and inside[-1].kind == "break" and not inside[-1].children:
        inside = inside[:-1]
    elif not ends and not may_end:
        return None
    return None if any(_breaks(each) for each in inside) else inside


def _breaks(statement: Node) -> bool:
    """Whether there is a ``break`` that would leave the ``switch``."""
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.kind == "break":
            return True
        if node.kind not in ("loop", "each", "function", "lambda", "class", "switch"):
            waiting += node.children
    return False


def _compared(node: Node, subject: Node, values: list[Node], then: Node, other: Node) -> Node:
    tests = [node.at("op", [subject.copy(), value], b"==", BRANCHES) for value in values]
    condition = tests[0] if len(tests) == 1 else node.at("op", tests, b"||", BRANCHES)
    return Node("if", [condition, then, other], values[0].start, then.end, marks=BRANCHES)


def _is_repeatable(subject: Node) -> bool:
    return all(node.kind in REPEATABLE for node in subject.walk())


def conditional_assigned(node: Node) -> Node:
    """``x = c ? a : b`` as ``if (c) x = a; else x = b``."""
    if len(node.children) != 2 or node.children[1].kind != "conditional":
        return node
    target, value = node.children
    if not all(each.kind in REPEATABLE for each in target.walk()):
        return node
    condition, *ways = value.children
    then, other = (block([way.at(node.kind, [target.copy(), way], node.text, BRANCHES)], way) for way in ways)
    return node.at("if", [condition, _again(then), _again(other)], marks=BRANCHES)


def conditional_returned(node: Node) -> Node:
    """``return c ? a : b`` as ``if (c) return a; else return b``."""
    if len(node.children) != 1 or node.children[0].kind != "conditional":
        return node
    condition, *ways = node.children[0].children
    then, other = (block([way.at("return", [way], marks=BRANCHES)], way) for way in ways)
    return node.at("if", [condition, _again(then), _again(other)], marks=BRANCHES)


def _again(body: Node) -> Node:
    """A way that has conditions of its own."""
    rule = conditional_returned if body.children[0].kind == "return" else conditional_assigned
    body.children[0] = rule(body.children[0])
    return body
