"""Loops unified: every loop is a ``loop`` with a condition and a body; what counts stands before it and at its end."""

from whorl.frontends.code.normal.conditions import negated
from whorl.frontends.code.normal.marks import LOOPS
from whorl.frontends.code.normal.node import Node, block

# Conditions that always hold.
ALWAYS = frozenset({b"true", b"True", b"1"})

# In these a ``continue`` belongs to another loop, or to none.
OTHER = frozenset({"loop", "while", "do", "for", "each", "function", "lambda", "class"})


def unify_while(node: Node) -> Node:
    """``while (c) b``: the form that the others become."""
    return node.at("loop", node.children)


def unify_do(node: Node) -> Node:
    """``do b while (c)``: the same loop, whose condition comes last."""
    return node.at("loop", node.children, b"until", LOOPS)


def unify_for(node: Node) -> Node:
    """``for (i; c; u) b`` as ``i; while (c) { b; u }``, with ``u`` before every ``continue`` too."""
    begin, condition, update, body = node.children
    return node.at("list", [*begin.children, _counted(node, condition, update.children, body)])


def unify_range(node: Node) -> Node:
    """A loop over a range of numbers as one that counts. If the body changes the counter itself it is left alone: the
    range would go on unmoved."""
    target, first, end, step, body = node.children
    if target.kind != "name" or _assigns(body, target.text):
        return node.at("each", [target, node.at("call", [node.at("name", [], b"range"), first, end, step]), body])
    is_down = step.text.startswith(b"-")
    by = step.at("number", [], step.text.removeprefix(b"-"))
    compared = node.at("op", [end, target.copy()] if is_down else [target.copy(), end], b"<", LOOPS)
    moved = node.at("op", [target.copy(), by], b"-" if is_down else b"+", LOOPS)
    update = node.at("assign", [target.copy(), moved], marks=LOOPS)
    begin = node.at("assign", [target, first], marks=LOOPS)
    return node.at("list", [begin, _counted(node, compared, [update], body)])


def leave_at_first(node: Node) -> Node:
    """``while (true) { if (!c) break; b }`` as ``while (c) b``, and with the branches exchanged."""
    condition, body = node.children
    is_endless = condition.kind in ("constant", "number") and condition.text in ALWAYS and not node.text
    first = body.children[0] if body.children else body
    if not is_endless or first.kind != "if":
        return node
    asked, then, other = first.children
    if _is_break(then):
        asked, then, other = negated(asked), other, then
    if not _is_break(other):
        return node
    return node.at("loop", [asked, block([*then.children, *body.children[1:]], body)], node.text, LOOPS)


def _is_break(branch: Node) -> bool:
    return [child.kind for child in branch.children] == ["break"] and not branch.children[0].children


def count_in_order(node: Node) -> Node:
    """``while (i != n)`` with ``i = i + 1`` in its body goes on as long as ``i < n``; with ``i = i - 1``, ``n < i``."""
    condition, body = node.children
    if condition.kind != "op" or condition.text not in (b"!=", b"!==") or len(condition.children) != 2:
        return node
    counter, end = condition.children
    sign = _step(body, counter.text) if counter.kind == "name" else b""
    if not sign:
        return node
    inside = [counter, end] if sign == b"+" else [end, counter]
    return node.at("loop", [condition.at("op", inside, b"<", LOOPS), body], node.text)


def _step(body: Node, name: bytes) -> bytes:
    """``+`` or ``-``, if a name is moved by a number in a block and not changed elsewhere in it."""
    found = [
        node.children
        for node in body.walk()
        if node.kind in ("assign", "augment", "update") and node.children and node.children[0].text == name
    ]
    value = found[0][-1] if len(found) == 1 else body
    is_step = value.kind == "op" and value.text in (b"+", b"-") and len(value.children) == 2
    is_own = is_step and value.children[0].text == name and value.children[1].kind == "number"
    return value.text if is_own else b""


def _counted(node: Node, condition: Node, update: list[Node], body: Node) -> Node:
    if update:
        _before_continue(body, update)
    if condition.kind in ("nothing", "empty_statement"):
        condition = node.at("constant", [], b"true")
    loop = node.at("loop", [condition, block([*body.children, *update], body)], marks=LOOPS)
    return count_in_order(leave_at_first(loop))


def _before_continue(body: Node, update: list[Node]) -> None:
    """Put the updates before each ``continue`` of this very loop."""
    waiting = [body]
    while waiting:
        node = waiting.pop()
        if node.kind == "block" and any(child.kind == "continue" for child in node.children):
            copies = [
                [*(each.copy() for each in update), child] if child.kind == "continue" else [child]
                for child in node.children
            ]
            node.children = [child for group in copies for child in group]
        waiting += [child for child in node.children if child.kind not in OTHER]


def _assigns(body: Node, name: bytes) -> bool:
    return any(
        node.kind in ("assign", "augment", "update") and node.children and node.children[0].text == name
        for node in body.walk()
    )
