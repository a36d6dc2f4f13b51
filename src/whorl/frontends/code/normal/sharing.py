"""Equal calls of a local function that only reckons, made once: the value is kept in a variable, as it is where nobody
has disguised it. It goes with inlining: otherwise the function's body would stand in the place of each call."""

from whorl.frontends.code.normal.effects import effects
from whorl.frontends.code.normal.marks import INLINED
from whorl.frontends.code.normal.node import LEAVES, Node
from whorl.frontends.code.normal.scope import LATER, Scope

# Calls that are looked at in one function: each is compared with those before it that have the same key.
MANY = 64


def share_calls(names: Scope, local: dict[bytes, Scope]) -> None:
    """In a function: keep the value of calls that are made several times with the same arguments."""
    found: dict[tuple[bytes, ...], list[Node]] = {}
    for each in names.blocks[:MANY]:
        for statement in each.children:
            for call in _calls(statement, names.own):
                function = local.get(call.children[0].text)
                if function is not None and function is not names and _only_reckons(function):
                    key = tuple(child.text for child in call.children)
                    found.setdefault(key, []).append(call)
    for number, (key, calls) in enumerate(found.items()):
        if 1 < len(calls) <= MANY and number < MANY:
            _share(key, calls, names, b"%s\0%d" % (key[0], number))


def _calls(statement: Node, own: set[bytes]) -> list[Node]:
    """The calls of a statement, blocks in it aside, all of whose arguments are own names and literals."""
    found: list[Node] = []
    waiting = [statement]
    while waiting:
        node = waiting.pop()
        if node.kind == "call" and node.children and node.children[0].kind == "name" and _is_steady(node, own):
            found.append(node)
        waiting += [child for child in node.children if child.kind != "block" and child.kind not in LATER]
    return found


def _is_steady(call: Node, own: set[bytes]) -> bool:
    """Whether only the function itself can change the arguments of a call."""
    return all(child.kind in LEAVES and (child.kind != "name" or child.text in own) for child in call.children[1:])


def _only_reckons(function: Scope) -> bool:
    """Whether a function gives back a value of its parameters and does nothing else."""
    statements = function.function.children[1].children
    if not statements or len(statements) > 4 or statements[-1].kind != "return":
        return False
    done = [effects(statement) for statement in statements]
    return all(
        each.known and not (each.acts or each.tells or each.stores) and each.writes <= function.declared
        and each.reads <= function.declared
        for each in done
    )  # fmt: skip


def _share(key: tuple[bytes, ...], calls: list[Node], names: Scope, variable: bytes) -> None:
    """Keep the value before the first statement that needs it, if the arguments stay what they are from there on."""
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


def _count(statement: Node, wanted: set[int]) -> int:
    return sum(1 for node in statement.walk() if id(node) in wanted)
