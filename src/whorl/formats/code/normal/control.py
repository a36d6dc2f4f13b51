"""Rewrites of control flow: branches, loops and tail recursion."""

from collections import Counter
from typing import Final

from whorl.formats.code.normal.analysis import LATER, FunctionScope, Tally, called, effects
from whorl.formats.code.normal.expressions import negated, order_operands, swap_branches
from whorl.formats.code.normal.nodes import BRANCHES, CHAINED, JUMPS, LOOPS, PLACE, TAILS, TreeNode, block, blocks

# Values that any ``if`` may compare again and again without doing anything: what is not one of these is compared once.
REPEATABLE: Final = frozenset({"name", "field", "index", "number", "string", "char", "constant"})


def nest_chain(node: TreeNode) -> TreeNode:
    """Rewrite ``else if`` as an ``else`` with an ``if`` in it. A missing ``else`` is an empty one."""
    other = node.children[2]
    if other.kind == "block":
        return node
    inside = [] if other.kind == "nothing" else other.children if other.kind == "list" else [other]
    node.children[2] = block(inside, other)
    if other.kind == "if":
        other.marks |= CHAINED
    return node


def switch_as_if(node: TreeNode) -> TreeNode:
    """Rewrite a ``switch`` whose cases cannot fall through as a chain of comparisons."""
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


def _groups(cases: list[TreeNode]) -> list[tuple[list[TreeNode], TreeNode]] | None:
    """Return the values and the block of each case, labels without statements with the next; None if one falls
    through."""
    groups: list[tuple[list[TreeNode], TreeNode]] = []
    waiting: list[TreeNode] = []
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


def _without_break(body: TreeNode, may_end: bool) -> list[TreeNode] | None:
    """Return the statements of a case without the ``break`` at its end; None if it falls through or breaks
    elsewhere."""
    inside = body.children
    if inside and inside[-1].kind == "block" and len(inside) == 1:
        inside = inside[0].children
    ends = bool(inside) and inside[-1].kind in JUMPS
    if ends and inside[-1].kind == "break" and not inside[-1].children:
        inside = inside[:-1]
    elif not ends and not may_end:
        return None
    return None if any(_breaks(each) for each in inside) else inside


def _breaks(statement: TreeNode) -> bool:
    """Return whether there is a ``break`` that would leave the ``switch``."""
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.kind == "break":
            return True
        if node.kind not in ("loop", "each", "function", "lambda", "class", "switch"):
            waiting += node.children
    return False


def _compared(node: TreeNode, subject: TreeNode, values: list[TreeNode], then: TreeNode, other: TreeNode) -> TreeNode:
    is_untagged = subject.kind == "constant" and not subject.text
    tests = values if is_untagged else [node.at("op", [subject.copy(), each], b"==", BRANCHES) for each in values]
    condition = tests[0] if len(tests) == 1 else node.at("op", tests, b"||", BRANCHES)
    if is_untagged and len(tests) > 1:
        condition = order_operands(condition)
    return swap_branches(TreeNode("if", [condition, then, other], values[0].start, then.end, marks=BRANCHES))


def _is_repeatable(subject: TreeNode) -> bool:
    return all(node.kind in REPEATABLE for node in subject.walk())


def conditional_assigned(node: TreeNode) -> TreeNode:
    """Rewrite ``x = c ? a : b`` as ``if (c) x = a; else x = b``."""
    if len(node.children) != 2 or node.children[1].kind != "conditional":
        return node
    target, value = node.children
    if not all(each.kind in REPEATABLE for each in target.walk()):
        return node
    condition, *ways = value.children
    then, other = (block([way.at(node.kind, [target.copy(), way], node.text, BRANCHES)], way) for way in ways)
    return node.at("if", [condition, _again(then), _again(other)], marks=BRANCHES)


def conditional_returned(node: TreeNode) -> TreeNode:
    """Rewrite ``return c ? a : b`` as ``if (c) return a; else return b``."""
    if len(node.children) != 1 or node.children[0].kind != "conditional":
        return node
    condition, *ways = node.children[0].children
    then, other = (block([way.at("return", [way], marks=BRANCHES)], way) for way in ways)
    return node.at("if", [condition, _again(then), _again(other)], marks=BRANCHES)


def _again(body: TreeNode) -> TreeNode:
    """Return a copy of a way with its own conditions."""
    rule = conditional_returned if body.children[0].kind == "return" else conditional_assigned
    body.children[0] = rule(body.children[0])
    return body


# Conditions that always hold.
ALWAYS: Final = frozenset({b"true", b"True", b"1"})

# In these a ``continue`` belongs to another loop, or to none.
OTHER: Final = frozenset({"loop", "while", "do", "for", "each", "function", "lambda", "class"})


def unify_while(node: TreeNode) -> TreeNode:
    """Lower ``while (c) b``, the form that the others become."""
    return node.at("loop", node.children)


def unify_do(node: TreeNode) -> TreeNode:
    """Lower ``do b while (c)``: the same loop, whose condition comes last."""
    return node.at("loop", node.children, b"until", LOOPS)


def unify_for(node: TreeNode) -> TreeNode:
    """Rewrite ``for (i; c; u) b`` as ``i; while (c) { b; u }``, with ``u`` before every ``continue`` too. The text of
    the loop is its label, which inner loops may continue."""
    begin, condition, update, body = node.children
    if node.text and update.children:
        _before_label(body, update.children, node.text)
    return node.at("list", [*begin.children, _counted(node, condition, update.children, body)])


def unify_range(node: TreeNode) -> TreeNode:
    """Rewrite a loop over a range of numbers as a counting loop, unless the body changes the counter: that does not
    affect the range."""
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


def leave_at_first(node: TreeNode) -> TreeNode:
    """Rewrite ``while (true) { if (!c) break; b }`` as ``while (c) b``, also with swapped branches."""
    condition, body = node.children
    is_endless = condition.kind in ("constant", "number") and condition.text in ALWAYS and not node.text
    first = body.children[0] if body.children else body
    if not is_endless or first.kind != "if":
        return node
    condition, then, other = first.children
    if _is_break(then):
        condition, then, other = negated(condition), other, then
    if not _is_break(other):
        return node
    return node.at("loop", [condition, block([*then.children, *body.children[1:]], body)], node.text, LOOPS)


def _is_break(branch: TreeNode) -> bool:
    return [child.kind for child in branch.children] == ["break"] and not branch.children[0].children


def count_in_order(node: TreeNode) -> TreeNode:
    """Rewrite ``while (i != n)`` with ``i = i + 1`` in its body as ``while (i < n)``; with ``i = i - 1``, ``n < i``."""
    condition, body = node.children
    if condition.kind != "op" or condition.text not in (b"!=", b"!==") or len(condition.children) != 2:
        return node
    counter, end = condition.children
    sign = _step(body, counter.text) if counter.kind == "name" else b""
    if not sign:
        return node
    inside = [counter, end] if sign == b"+" else [end, counter]
    return node.at("loop", [condition.at("op", inside, b"<", LOOPS), body], node.text)


def _step(body: TreeNode, name: bytes) -> bytes:
    """Return ``+`` or ``-`` if a block moves a name by a number and does not change it elsewhere."""
    steps = [
        node.children
        for node in body.walk()
        if node.kind in ("assign", "augment", "update") and node.children and node.children[0].text == name
    ]
    value = steps[0][-1] if len(steps) == 1 else body
    is_step = value.kind == "op" and value.text in (b"+", b"-") and len(value.children) == 2
    is_own = is_step and value.children[0].text == name and value.children[1].kind == "number"
    return value.text if is_own else b""


def _counted(node: TreeNode, condition: TreeNode, update: list[TreeNode], body: TreeNode) -> TreeNode:
    if update:
        _before_continue(body, update)
    if condition.kind in ("nothing", "empty_statement"):
        condition = node.at("constant", [], b"true")
    loop = node.at("loop", [condition, block([*body.children, *update], body)], marks=LOOPS)
    return count_in_order(leave_at_first(loop))


def _before_continue(body: TreeNode, update: list[TreeNode]) -> None:
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


def _before_label(body: TreeNode, update: list[TreeNode], label: bytes) -> None:
    """Put the updates before each jump from an inner loop to a label."""
    for node in list(blocks(body)):
        if any(child.kind == "continue_to" and child.text == label for child in node.children):
            inside: list[TreeNode] = []
            for child in node.children:
                if child.kind == "continue_to" and child.text == label:
                    inside += [each.copy() for each in update]
                inside.append(child)
            node.children = inside


def _assigns(body: TreeNode, name: bytes) -> bool:
    return any(
        node.kind in ("assign", "augment", "update") and node.children and node.children[0].text == name
        for node in body.walk()
    )


def loop_tail_calls(program_scopes: list[FunctionScope]) -> bool:
    """Rewrite every function that ends by calling itself as a loop; return whether there was any."""
    times = Counter(names.function.text for names in program_scopes[1:])
    wanted = [names for names in program_scopes[1:] if times[names.function.text] == 1 and _calls_itself(names)]
    used_names = _used_values(program_scopes) if wanted else set()
    return sum(_loop(names.function, is_used=names.function.text in used_names) for names in wanted) > 0


def _calls_itself(names: FunctionScope) -> bool:
    """Return whether a function calls itself once, and creates nothing that captures the names of one round."""
    function = names.function
    if function.kind != "function" or not function.text or names.reads[called(function.text)] != 1:
        return False
    kinds = LATER | {"yield", "await", "defer_statement"}
    return not any(node.kind in kinds or node.text == PLACE for node in function.walk() if node is not function)


def _loop(function: TreeNode, *, is_used: bool) -> bool:
    """Rewrite a function as a loop; return whether it was possible. ``is_used``: its return value is used."""
    parameters = [each.children[0].text for each in function.children[0].children if each.children]
    way = _way(function.children[1], function.text, is_used)
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


def _way(
    body: TreeNode, name: bytes, is_used: bool
) -> tuple[TreeNode, list[TreeNode], TreeNode, list[TreeNode]] | None:
    """Return when a function repeats, what it does first, its call of itself, and what it does last."""
    if not body.children or body.children[0].kind != "if":
        return None
    (condition, then, other), after = body.children[0].children, body.children[1:]
    if not is_used and all(map(_is_idle_return, after)):
        after = []
    for guard, again, rest in ((condition, then, other), (negated(condition.copy()), other, then)):
        call = _last_call(again.children, name, is_used) if again.children else None
        if call is None and not again.children and rest.children and rest.children[-1].kind == "return":
            call = _last_call(after, name, is_used)  # ``if (c) return; a; f(n - 1)``
            if call is not None:
                return guard, _before(after, call), call, rest.children
        elif call is not None and (not after or _returns(again.children[-1], call)):
            return guard, _before(again.children, call), call, [*rest.children, *after]
    return None


def _last_call(statements: list[TreeNode], name: bytes, is_used: bool) -> TreeNode | None:
    """Return the call of itself that ends the statements; an unused value may be returned after it."""
    if not is_used and len(statements) > 1 and _is_idle_return(statements[-1]):
        statements = statements[:-1]
    if not statements:
        return None
    last = statements[-1]
    if last.kind == "return" and len(last.children) == 1:
        last = last.children[0]
    elif is_used:
        return None
    return last if _is_call(last) and last.children[0].text == name else None


def _returns(statement: TreeNode, call: TreeNode) -> bool:
    return statement.kind == "return" and statement.children[:1] == [call]


def _before(statements: list[TreeNode], call: TreeNode) -> list[TreeNode]:
    at = next(number for number, each in enumerate(statements) if each is call or _returns(each, call))
    return statements[:at]


def _is_idle_return(statement: TreeNode) -> bool:
    """Return whether a statement only returns a value without effects, or none."""
    return statement.kind == "return" and all(effects(child).is_pure for child in statement.children)


def _moved(call: TreeNode, parameters: list[bytes]) -> list[TreeNode] | None:
    """Return the assignments that give parameters their next values; None if one needs a value that another
    overwrites."""
    arguments = call.children[1:]
    if len(arguments) != len(parameters):
        return None
    pairs: list[tuple[bytes, TreeNode]] = []
    for name, value in zip(parameters, arguments, strict=True):
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


def _is_apart(order: list[tuple[bytes, TreeNode]]) -> bool:
    lost: set[bytes] = set()
    for name, value in order:
        if effects(value).reads & lost:
            return False
        lost.add(name)
    return True


def _used_values(program_scopes: list[FunctionScope]) -> set[bytes]:
    """Return the functions whose values are used: called inside an expression, except in their own return, or named
    without a call."""
    reads, alone = Tally(), Tally()
    for names in program_scopes:
        reads.update(names.reads)
        for child in (child for each in names.blocks for child in each.children):
            value = child.children[0] if child.kind == "return" and child.children else child
            if _is_call(value) and (value is child or value.children[0].text == names.function.text):
                alone.add(value.children[0].text)
    functions = {names.function.text for names in program_scopes}
    return {name for name in functions if alone[name] < reads[called(name)] or reads[name]}


def _is_call(node: TreeNode) -> bool:
    return node.kind == "call" and bool(node.children) and node.children[0].kind == "name"
