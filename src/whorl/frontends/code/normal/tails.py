"""Calls of itself at a function's end as a loop: ``f(n) { if (c) { a; f(n - 1) } }`` is ``while (c) { a; n = n - 1 }``.

It goes before inlining, which leaves recursion alone.
"""

from collections import Counter

from whorl.frontends.code.normal.conditions import negated
from whorl.frontends.code.normal.effects import effects
from whorl.frontends.code.normal.loops import count_in_order
from whorl.frontends.code.normal.marks import TAILS
from whorl.frontends.code.normal.node import Node, block
from whorl.frontends.code.normal.scope import LATER, Scope, called


def loop_tail_calls(found: list[Scope]) -> bool:
    """In a program: every function that ends by calling itself, or else by doing something else, goes round instead.
    Whether there was any."""
    times = Counter(names.function.text for names in found[1:])
    wanted = [names for names in found[1:] if times[names.function.text] == 1 and _calls_itself(names)]
    taken = _taken(found) if wanted else set()
    return sum(_loop(names.function, is_taken=names.function.text in taken) for names in wanted) > 0


def _calls_itself(names: Scope) -> bool:
    """Whether a function calls itself once, and makes nothing that remembers the names of one round."""
    function = names.function
    if function.kind != "function" or not function.text or names.reads[called(function.text)] != 1:
        return False
    kinds = LATER | {"yield", "await"}
    return not any(node.kind in kinds for node in function.walk() if node is not function)


def _loop(function: Node, *, is_taken: bool) -> bool:
    """Turn a function into a loop; whether it could be. ``is_taken``: somebody takes the value that it gives back."""
    parameters = [each.children[0].text for each in function.children[0].children if each.children]
    way = _way(function.children[1], function.text, is_taken)
    if way is None:
        return False
    condition, again, call, rest = way
    if any(node.kind in ("return", "throw") for each in again for node in each.walk()):
        return False
    moved = _moved(call, parameters)
    if moved is None:
        return False
    body = function.children[1]
    loop = body.at("loop", [condition, block([*again, *moved], body)], marks=TAILS)
    body.children = [count_in_order(loop), *rest]
    return True


def _way(body: Node, name: bytes, is_taken: bool) -> tuple[Node, list[Node], Node, list[Node]] | None:
    """When a function goes round again, what it does first, its call of itself, and what it does at last."""
    if not body.children or body.children[0].kind != "if":
        return None
    (condition, then, other), after = body.children[0].children, body.children[1:]
    if not is_taken and all(map(_is_idle_return, after)):
        after = []
    for asked, again, rest in ((condition, then, other), (negated(condition.copy()), other, then)):
        call = _last_call(again.children, name, is_taken) if again.children else None
        if call is None and not again.children and rest.children and rest.children[-1].kind == "return":
            call = _last_call(after, name, is_taken)  # ``if (c) return; a; f(n - 1)``
            if call is not None:
                return asked, _before(after, call), call, rest.children
        elif call is not None and (not after or _returns(again.children[-1], call)):
            return asked, _before(again.children, call), call, [*rest.children, *after]
    return None


def _last_call(statements: list[Node], name: bytes, is_taken: bool) -> Node | None:
    """The call of itself with which statements end; a value that nobody takes may be given back after it."""
    if not is_taken and len(statements) > 1 and _is_idle_return(statements[-1]):
        statements = statements[:-1]
    if not statements:
        return None
    last = statements[-1]
    if last.kind == "return" and len(last.children) == 1:
        last = last.children[0]
    elif is_taken:
        return None
    return last if _is_call(last) and last.children[0].text == name else None


def _returns(statement: Node, call: Node) -> bool:
    return statement.kind == "return" and statement.children[:1] == [call]


def _before(statements: list[Node], call: Node) -> list[Node]:
    at = next(number for number, each in enumerate(statements) if each is call or _returns(each, call))
    return statements[:at]


def _is_idle_return(statement: Node) -> bool:
    """Whether it gives back a value, or none, and does nothing else."""
    return statement.kind == "return" and all(effects(child).is_pure for child in statement.children)


def _moved(call: Node, parameters: list[bytes]) -> list[Node] | None:
    """The assignments that give parameters their next values; None if one would need a value that another has lost."""
    given = call.children[1:]
    if len(given) != len(parameters):
        return None
    pairs: list[tuple[bytes, Node]] = []
    for name, value in zip(parameters, given, strict=True):
        if value.kind == "assign" and value.children[0].text == name:  # ``f(--n)``
            value = value.children[1]
        if not effects(value).is_pure:
            return None
        if not (value.kind == "name" and value.text == name):
            pairs.append((name, value))
    for order in (pairs, pairs[::-1]):
        if _is_apart(order):
            return [value.at("assign", [value.at("name", [], name), value], marks=TAILS) for name, value in order]
    return None


def _is_apart(order: list[tuple[bytes, Node]]) -> bool:
    lost: set[bytes] = set()
    for name, value in order:
        if effects(value).reads & lost:
            return False
        lost.add(name)
    return True


def _taken(found: list[Scope]) -> set[bytes]:
    """The functions whose values somebody takes: who calls them where no statement stands, other than in what they
    give back themselves, or names them without a call."""
    reads: Counter[bytes] = Counter()
    alone: Counter[bytes] = Counter()
    for names in found:
        reads.update(names.reads)
        for child in (child for each in names.blocks for child in each.children):
            value = child.children[0] if child.kind == "return" and child.children else child
            if _is_call(value) and (value is child or value.children[0].text == names.function.text):
                alone[value.children[0].text] += 1
    functions = {names.function.text for names in found}
    return {name for name in functions if alone[name] < reads[called(name)] or reads[name]}


def _is_call(node: Node) -> bool:
    return node.kind == "call" and bool(node.children) and node.children[0].kind == "name"
