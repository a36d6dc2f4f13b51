"""Lower Go's branches, loops and jumps."""

from typing import Final

from whorl.formats.code.normal.analysis import effects
from whorl.formats.code.normal.go_declarations import assigned, settled, short_declaration
from whorl.formats.code.normal.go_names import (
    NUMBERS,
    element_type,
    listed,
    name_at,
    node_at,
    of_list,
    one,
    refers,
    type_of,
)
from whorl.formats.code.normal.lowering import Lowerer, Lowering, Syntax, as_block
from whorl.formats.code.normal.nodes import COPIED, PLACE, TreeNode, root


def branch(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``if``. Its initialiser becomes a statement before it."""
    lowerer.names.enter()
    before = _before(lowerer, syntax)
    inside = [
        lowerer.field(syntax, "condition"),
        lowerer.body(syntax, "consequence"),
        lowerer.field(syntax, "alternative"),
    ]
    lowerer.names.leave()
    return _following(lowerer, before, node_at("if", inside, syntax), syntax)


def _following(lowerer: Lowerer, before: list[TreeNode], node: TreeNode, syntax: Syntax) -> TreeNode:
    """Return a statement after those that it begins with."""
    return node_at("list", [*before, lowerer.finish(node)], syntax) if before else node


def _before(lowerer: Lowerer, syntax: Syntax) -> list[TreeNode]:
    first = syntax.child_by_field_name("initializer")
    return [] if first is None else lowerer.many([first])


def loop(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``for`` in all its forms; its text is its label."""
    label = lowerer.names.begin(syntax.type)
    lowerer.names.enter()
    head = next((child for child in syntax.named_children if child.type not in ("block", "comment")), None)
    if head is not None and head.type == "range_clause":
        node = _ranging(lowerer, syntax, head, label)
    elif head is not None and head.type == "for_clause":
        begin = node_at("block", _before(lowerer, head), head)
        condition, update = lowerer.field(head, "condition"), as_block(lowerer.field(head, "update"))
        inside = [begin, condition, update, lowerer.body(syntax, "body")]
        node = node_at("for", inside, syntax, label)
    else:
        always = TreeNode("constant", [], syntax.start_byte, syntax.start_byte + 3, b"true")
        condition = always if head is None else one(lowerer, head)
        node = node_at("while", [condition, lowerer.body(syntax, "body")], syntax)
    lowerer.names.leave()
    lowerer.names.targets.pop()
    return node


def _ranging(lowerer: Lowerer, syntax: Syntax, head: Syntax, label: bytes) -> TreeNode:
    """Lower ``for i, v := range a``. Over a number, or a slice that nobody sets meanwhile, it is a counting loop."""
    left, right = of_list(head.child_by_field_name("left")), head.child_by_field_name("right")
    over = lowerer.field(head, "right")
    kind = b"" if right is None else type_of(lowerer, right)
    is_new = any(child.type == ":=" for child in head.children)
    names = [b"" if lowerer.text(each) == b"_" else lowerer.text(each) for each in left]
    element = element_type(lowerer.names.types.get(kind, kind))
    if is_new:
        targets = [
            name_at(each, lowerer.names.declare(lowerer.text(each), of))
            for each, of in zip(left, (b"int", element), strict=False)
        ]
    else:
        targets = [one(lowerer, each) for each in left]
    body = lowerer.body(syntax, "body")
    named = [each for each in targets if each.text != b"_"]
    is_number = kind in NUMBERS and over.kind in ("name", "number")
    is_slice = kind.startswith(b"[]") and (over.kind == "name" or (over.kind == "field" and root(over) != b""))
    if (is_number or is_slice) and (is_new or not left) and _is_kept(lowerer, body, [over, *named]):
        loop = _counting(lowerer, syntax, over, targets, body, kind)
        loop.text = label
        return loop
    declared = [node_at("declare", [each.copy()], syntax) for each in targets if is_new and each.text != b"_"]
    if len(names) == 2 and not names[0]:
        target = targets[1]
    else:
        target = TreeNode("tuple", targets, head.start_byte, head.end_byte)
    return listed([*declared, node_at("each", [target, over, body], syntax)], syntax)


def _is_kept(lowerer: Lowerer, body: TreeNode, places: list[TreeNode]) -> bool:
    """Return whether a loop changes none of these places. It does so by no call and through no memory, or they are
    local names, whose address nobody has, in a function without another one inside."""
    names = {root(each) for each in places if each.kind != "number"}
    for node in body.walk():
        if node.kind in SETTING and node.children and not names.isdisjoint(_targets(node.children[0])):
            return False
    done = effects(body)
    if done.known and not (done.acts or done.stores):
        return True
    is_local = all(each.kind == "number" or (each.kind == "name" and b"\0s" in each.text) for each in places)
    return is_local and lowerer.names.is_alone


SETTING: Final = frozenset({"assign", "augment", "update", "each"})


def _targets(target: TreeNode) -> list[bytes]:
    return [each.text for each in target.children] if target.kind == "tuple" else [target.text]


def _counting(
    lowerer: Lowerer, syntax: Syntax, over: TreeNode, targets: list[TreeNode], body: TreeNode, kind: bytes
) -> TreeNode:
    """Return the loop that counts the elements of a slice, or up to a number."""
    if not targets or targets[0].text == b"_":
        counter = name_at(syntax, lowerer.names.declare(b" ", b"int"))
        counter.end = counter.start + 3
    else:
        counter = targets[0]
    start, end = over.start, over.end
    is_slice = kind.startswith(b"[]")
    limit = TreeNode("call", [TreeNode("name", [], start, start, b"len"), over], start, end) if is_slice else over
    if len(targets) > 1 and targets[1].text != b"_":
        value = TreeNode("index", [over.copy(), counter.copy()], start, end)
        text = b"" if refers(element_type(kind)) else COPIED
        body.children.insert(0, node_at("declare", [targets[1], value], syntax, text))
    condition = TreeNode("op", [counter.copy(), limit], counter.start, end, b"<")
    update = lowerer.finish(TreeNode("update", [counter.copy()], counter.start, counter.end, b"++"))
    zero = TreeNode("number", [], counter.end, counter.end, b"0")
    begin = TreeNode("declare", [counter, zero], counter.start, counter.end)
    inside = [as_block(begin), condition, as_block(update), body]
    return node_at("for", inside, syntax)


def switch(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a ``switch``. Without a value it asks each case; a default comes last wherever it is written."""
    lowerer.names.begin(syntax.type)
    lowerer.names.enter()
    before = _before(lowerer, syntax)
    value = syntax.child_by_field_name("value")
    subject = TreeNode("constant", [], syntax.start_byte, syntax.start_byte + 6)
    if value is not None and lowerer.text(value) != b"true":
        subject = one(lowerer, value)
    cases = _cases(lowerer, syntax)
    if all(each.kind == "case" for each in cases):
        cases.sort(key=lambda each: len(each.children) == 1)
    lowerer.names.leave()
    lowerer.names.targets.pop()
    return _following(lowerer, before, node_at("switch", [subject, *cases], syntax), syntax)


def _cases(lowerer: Lowerer, syntax: Syntax) -> list[TreeNode]:
    return [one(lowerer, child) for child in syntax.named_children if child.type.endswith("_case")]


def case(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a case of a ``switch``, or of a ``switch`` over types. One that falls through, or whose ``switch`` has a
    label, is of another kind: such a ``switch`` is no chain of conditions."""
    values = lowerer.many(of_list(syntax.child_by_field_name("value")))
    types = [name_at(each, b"") for each in syntax.children_by_field_name("type") if each.is_named]
    statements = [child for child in syntax.named_children if child.type == "statement_list"]
    falls = any(child.type == "fallthrough_statement" for each in statements for child in each.named_children)
    lowerer.names.enter()
    inside = node_at("block", settled(lowerer.many(statements)), syntax)
    lowerer.names.leave()
    around, label = lowerer.names.targets[-1] if lowerer.names.targets else ("", b"")
    kind = "case" if around == "expression_switch_statement" and not (falls or label) else "kept_case"
    return node_at(kind, [lowerer.finish(inside), *values, *types], syntax, b"rule")


def type_switch(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a ``switch`` over the types of a value, which may get a name."""
    lowerer.names.begin(syntax.type)
    lowerer.names.enter()
    before = _before(lowerer, syntax)
    subject = lowerer.field(syntax, "value")
    for each in of_list(syntax.child_by_field_name("alias")):
        alias = name_at(each, lowerer.names.declare(lowerer.text(each), b""))
        before.append(node_at("declare", [alias, subject], each, COPIED))
        subject = alias.copy()
    cases = _cases(lowerer, syntax)
    lowerer.names.leave()
    lowerer.names.targets.pop()
    return _following(lowerer, before, node_at("switch", [subject, *cases], syntax), syntax)


def select(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``select``, whose cases wait for each other's channels."""
    lowerer.names.begin(syntax.type)
    cases = _cases(lowerer, syntax)
    lowerer.names.targets.pop()
    return node_at("select_statement", cases, syntax)


def communication(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a case of a ``select``, in which names may be declared."""
    lowerer.names.enter()
    inside = lowerer.many(syntax.named_children)
    lowerer.names.leave()
    return node_at("communication_case", inside, syntax)


def received(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower what a case of a ``select`` waits for."""
    if syntax.child_by_field_name("left") is None:
        return one(lowerer, syntax.named_children[-1]) if syntax.named_children else node_at("read", [], syntax)
    is_new = any(child.type == ":=" for child in syntax.children)
    return short_declaration(lowerer, syntax) if is_new else assigned(lowerer, syntax)


def later(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``go`` and ``defer``: a method that is called later keeps the address of its object."""
    inside = lowerer.many(syntax.named_children)
    for each in inside:
        called = each.children[0] if each.kind == "call" else each
        if called.kind == "field" and called.children and root(called):
            called.children[0] = called.children[0].at("cast", [called.children[0]], PLACE)
    return node_at(syntax.type, inside, syntax)


# Statements that may have a label and that ``break`` may leave. ``continue`` goes on with loops only.
BREAKABLE: Final = frozenset({
    "for_statement", "expression_switch_statement", "type_switch_statement", "select_statement",
})  # fmt: skip


def jump(kind: str) -> Lowering:
    """Lower ``break`` or ``continue``. A label that says no more than the word itself is dropped."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
        label = next((lowerer.text(child) for child in syntax.named_children if child.type == "label_name"), b"")
        around = [target for of, target in lowerer.names.targets if kind == "break" or of == "for_statement"]
        is_plain = not label or not around or around[-1] == label
        return node_at(kind if is_plain else f"{kind}_to", [], syntax, b"" if is_plain else label)

    return lowering


def labelled(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a statement with a label. That of a loop says nothing, unless some ``goto`` leads there."""
    label, inside = (
        syntax.child_by_field_name("label"),
        [each for each in syntax.named_children if each.type != "label_name"],
    )
    kind = inside[-1].type if inside else ""
    lowerer.names.label = lowerer.text(label) if label is not None and kind in BREAKABLE else b""
    is_told = kind == "for_statement" and b"goto" not in lowerer.data
    return node_at("list" if is_told else "labeled_statement", lowerer.many(inside), syntax)
