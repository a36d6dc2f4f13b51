"""Lower Go's declarations, assignments and functions: a name is zero at first, and structs and arrays are copied."""

from collections import Counter
from itertools import islice

from whorl.formats.code.normal.analysis import effects
from whorl.formats.code.normal.go_names import (
    NUMBERS,
    REFERRING,
    listed,
    name_at,
    names_of,
    node_at,
    of_list,
    one,
    own,
    refers,
    type_of,
)
from whorl.formats.code.normal.lowering import Lowerer, Syntax
from whorl.formats.code.normal.nodes import (
    COPIED,
    FIXED,
    HANDLE,
    LITERALS,
    NEW,
    SEEN,
    SPLIT,
    TreeNode,
    blocks,
    equal,
    nothing,
)

# How many statements and nodes after ``var x int`` are searched for the one that sets it.
AHEAD, MANY = 12, 500


def identifier(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    return name_at(syntax, lowerer.names.text(lowerer.text(syntax)))


def short_declaration(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``a, b := c, d``, which declares the names that its block does not have yet."""
    left, right = (of_list(syntax.child_by_field_name(field)) for field in ("left", "right"))
    values = [one(lowerer, each) for each in right]
    kinds = [type_of(lowerer, each) for each in right]
    return declared_names(lowerer, syntax, left, kinds, values)


def declared_names(
    lowerer: Lowerer, syntax: Syntax, left: list[Syntax], kinds: list[bytes], values: list[TreeNode]
) -> TreeNode:
    """Declare the names that are new, and set all to their values."""
    names = lowerer.names
    is_old = [not names.is_new(lowerer.text(each)) for each in left]
    is_single = len(values) != len(left)
    copied = COPIED if any(map(is_copied, values, kinds)) else b""
    targets = [
        identifier(lowerer, each)
        if old
        else name_at(each, names.declare(lowerer.text(each), b"" if is_single else kinds[number]))
        for number, (each, old) in enumerate(zip(left, is_old, strict=True))
    ]
    if not any(is_old) and not is_single:
        if len(left) > 1 and all(each.text != b"_" for each in targets):
            pattern = TreeNode("array_pattern", targets, targets[0].start, targets[-1].end)
            together = TreeNode("tuple", values, values[0].start, values[-1].end)
            return node_at("declare", [pattern, together], syntax, copied)
        return listed(
            [
                _evaluated(value)
                if name.text == b"_"
                else lowerer.finish(node_at("declare", [name, value], syntax, copied))
                for name, value in zip(targets, values, strict=True)
            ],
            syntax,
        )
    fresh = [
        node_at("declare", [target.copy()], each)
        for each, target, old in zip(left, targets, is_old, strict=True)
        if not old and target.text != b"_"
    ]
    return listed([*fresh, lowerer.finish(_several(syntax, targets, values, SEEN if any(is_old) else NEW))], syntax)


def _several(syntax: Syntax, targets: list[TreeNode], values: list[TreeNode], text: bytes) -> TreeNode:
    """Return an assignment of several names."""
    whole = TreeNode("tuple", targets, targets[0].start, targets[-1].end) if len(targets) > 1 else targets[0]
    value = TreeNode("tuple", values, values[0].start, values[-1].end) if len(values) > 1 else values[0]
    return node_at("assign", [whole, value], syntax, text)


def is_copied(value: TreeNode, kind: bytes) -> bool:
    """Return whether a value may be a copy of what is stored at another place."""
    while value.kind == "cast" and value.children:
        value = value.children[0]
    is_place = value.kind in ("name", "field", "index") or (value.kind == "op" and value.text == b"*")
    return is_place and not refers(kind)


def assigned(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``a = b``, ``a, b = b, a`` and ``a += b``."""
    left, right = (of_list(syntax.child_by_field_name(field)) for field in ("left", "right"))
    sign = syntax.child_by_field_name("operator")
    operator = b"=" if sign is None else lowerer.text(sign)
    targets, values = ([one(lowerer, each) for each in side] for side in (left, right))
    kinds = [type_of(lowerer, each) for each in right]
    if not targets or not values:
        return node_at("assignment_statement", [*targets, *values], syntax)
    if operator != b"=":
        return node_at("augment", [targets[0], values[0]], syntax, operator.removesuffix(b"="))
    if len(targets) == len(values) and all(each.text == b"_" and each.kind == "name" for each in targets):
        return listed([_evaluated(value) for value in values], syntax)
    if len(targets) > 1:
        return _several(syntax, targets, values, SEEN)
    return node_at("assign", [targets[0], values[0]], syntax, COPIED if is_copied(values[0], kinds[0]) else b"")


def _evaluated(value: TreeNode) -> TreeNode:
    """Return what ``_ = a`` does: nothing, if the value has no effects. Go refuses names that nothing else reads."""
    return nothing(value) if effects(value).is_pure else value


def variable(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``var a, b T = c, d``. Without values the names are zero."""
    left, right = names_of(syntax), of_list(syntax.child_by_field_name("value"))
    kind = syntax.child_by_field_name("type")
    of = b"" if kind is None else lowerer.text(kind)
    values = [one(lowerer, each) for each in right] or [zero(lowerer, kind, each) for each in left]
    kinds = [of or type_of(lowerer, each) for each in right]
    if of and not refers(of):  # a number of a type with methods, which may change it
        values = [value.at("cast", [value]) if value.kind in LITERALS else value for value in values]
    if not right:
        return listed(
            [
                node_at("declare", [name_at(each, lowerer.names.declare(lowerer.text(each), of)), value], each)
                for each, value in zip(left, values, strict=True)
            ],
            syntax,
        )
    return declared_names(lowerer, syntax, left, kinds, values)


def zero(lowerer: Lowerer, kind: "Syntax | None", at: Syntax) -> TreeNode:
    """Return what a variable of a type is at first."""
    text = b"" if kind is None else lowerer.text(kind)
    if text in NUMBERS:
        return node_at("number", [], at, b"0")
    if text == b"string":
        return node_at("string", [], at, b'""')
    if text == b"bool" or text in (b"error", b"any") or text.startswith((*REFERRING, b"interface")):
        return node_at("constant", [], at, b"false" if text == b"bool" else b"nil")
    return node_at("new", [], at)


def constants(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a ``const`` block. A constant without a value has the expression of the one before it, with the next
    ``iota``."""
    values: list[Syntax] = []
    inside: list[TreeNode] = []
    for number, spec in enumerate(child for child in syntax.named_children if child.type == "const_spec"):
        lowerer.names.iota = number
        values = of_list(spec.child_by_field_name("value")) or values
        for each, value in zip(names_of(spec), values, strict=False):
            node = one(lowerer, value)
            if value.start_byte < each.start_byte:  # it was written for another constant
                for each_node in node.walk():
                    each_node.start, each_node.end = each.start_byte, each.end_byte
            if (text := lowerer.text(each)) != b"_":
                name = name_at(each, lowerer.names.declare(text, type_of(lowerer, value)))
                inside.append(node_at("declare", [name, node], each, FIXED))
    return listed(inside, syntax)


def ordinal(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``iota`` to its number."""
    return node_at("number", [], syntax, b"%d" % lowerer.names.iota)


def function(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a function. A method has a name that no call without an object has; its object is no parameter."""
    names = lowerer.names
    name, body = syntax.child_by_field_name("name"), syntax.child_by_field_name("body")
    receiver, result = syntax.child_by_field_name("receiver"), syntax.child_by_field_name("result")
    targets, names.targets, names.label = names.targets, [], b""
    source = lowerer.text(syntax)
    if syntax.type != "func_literal":
        names.is_alone = source.count(b"func") == 1 and b"&" not in source.replace(b"&&", b"")
    names.enter()
    inside = lowerer.body(syntax, "parameters")
    for each in [] if receiver is None else lowerer.field(syntax, "receiver").children:
        inside.children.insert(0, each.at("declare", each.children[:1]) if each.children else each)
    results = _results(lowerer, result)
    names.results.append([each.children[0].text for each in results])
    statements = [*results, *([] if body is None else lowerer.many(body.children))]
    if results and b"defer" in source:  # it may see them after a return
        statements.insert(0, node_at("global", [each.children[0].copy() for each in results], syntax))
    elif results and names.is_alone:
        _return_values(statements, {each.children[0].text for each in results})
    names.results.pop()
    names.leave()
    names.targets = targets
    block = lowerer.finish(node_at("block", settled(statements), syntax if body is None else body))
    text = b"" if name is None else lowerer.text(name)
    if syntax.type == "func_literal":
        return node_at("lambda", [inside, block], syntax)
    return node_at("function", [inside, block], syntax, b"." + text if receiver is not None else own(text))


def _return_values(statements: list[TreeNode], results: set[bytes]) -> None:
    """Rewrite ``a = 1; return a`` as ``return 1`` where ``a`` is a named result, which ends there."""
    for each in [inner for statement in statements for inner in blocks(statement)]:
        _return_value(each.children, results)
    _return_value(statements, results)


def _return_value(statements: list[TreeNode], results: set[bytes]) -> None:
    if len(statements) < 2 or statements[-1].kind != "return" or statements[-2].kind != "assign":
        return
    given, value = statements[-1].children, statements[-2].children[1]
    target = statements[-2].children[0]
    if len(given) == 1 and given[0].kind == target.kind == "name" and given[0].text == target.text in results:
        given[0] = value
        del statements[-2]


def _results(lowerer: Lowerer, result: "Syntax | None") -> list[TreeNode]:
    """Return declarations of the named results of a function."""
    declared: list[TreeNode] = []
    for each in [] if result is None or result.type != "parameter_list" else result.named_children:
        kind = each.child_by_field_name("type")
        of = b"" if kind is None else lowerer.text(kind)
        for name in names_of(each):
            target = name_at(name, lowerer.names.declare(lowerer.text(name), of))
            declared.append(node_at("declare", [target, zero(lowerer, kind, name)], name))
    return declared


def parameter(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower the names of a parameter's declaration. One that takes many values is not plain."""
    kind = syntax.child_by_field_name("type")
    of = b"" if kind is None else lowerer.text(kind)
    is_many = syntax.type == "variadic_parameter_declaration"
    inside: list[TreeNode] = []
    for each in names_of(syntax):
        name = name_at(each, lowerer.names.declare(lowerer.text(each), b"[]" + of if is_many else of))
        text = HANDLE if of.startswith(REFERRING) else COPIED
        inside.append(node_at("reference" if is_many else "parameter", [name], each, b"" if is_many else text))
    return listed(inside or [node_at("reference" if is_many else "parameter", [], syntax)], syntax)


def returned(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``return``; without values it returns the named results."""
    inside = lowerer.many(syntax.named_children)
    results = lowerer.names.results[-1] if lowerer.names.results and not inside else []
    named = [name_at(syntax, text) for text in results]
    return node_at("return", [node_at("tuple", named, syntax)] if len(named) > 1 else named or inside, syntax)


def block(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    lowerer.names.enter()
    inside = lowerer.many(syntax.children)
    lowerer.names.leave()
    return node_at("block", settled(inside), syntax)


def settled(statements: list[TreeNode]) -> list[TreeNode]:
    """Return the statements of a block. The zeros of ``var x int``, at the place of the name, are dropped if the
    name is set before it is read, and ``t := a; a = b; b = t`` becomes ``a, b = b, a``."""
    swaps = [number for number in range(len(statements) - 2) if _is_swap(*statements[number : number + 3])]
    if swaps:
        times = Counter(node.text for each in statements for node in each.walk() if node.kind == "name")
        gone: set[int] = set()
        for number in swaps:
            kept, swap = statements[number : number + 2]
            if times[kept.children[0].text] == 2:
                left, right = swap.children
                gone.update((number + 1, number + 2))
                pair, values = left.at("tuple", [left, right]), right.at("tuple", [right.copy(), left.copy()])
                statements[number] = kept.at("assign", [pair, values], SEEN, SPLIT)
        statements = [each for number, each in enumerate(statements) if number not in gone]
    for number, each in enumerate(statements):
        is_zero = each.kind == "declare" and len(each.children) == 2 and each.children[1].start == each.start
        if is_zero and _is_set(statements[number + 1 : number + 1 + AHEAD], each.children[0].text):
            del each.children[1:]
    return statements


def _is_swap(kept: TreeNode, first: TreeNode, second: TreeNode) -> bool:
    """Return whether three statements exchange the values of two places by a third."""
    kinds = (kept.kind, first.kind, second.kind)
    if kinds != ("declare", "assign", "assign") or len(kept.children) != 2 or kept.children[0].kind != "name":
        return False
    (third, left), (to, right), (last, value) = kept.children, first.children, second.children
    is_swap = equal(left, to) and equal(right, last) and value.kind == "name" and value.text == third.text
    return is_swap and _is_plain(left) and _is_plain(right)


def _is_plain(place: TreeNode) -> bool:
    """Return whether the place does not depend on what is stored in others: names, and elements of names."""
    if place.kind == "index" and place.children[0].kind == "name":
        return all(node.kind in ("name", "number", "op") for each in place.children[1:] for node in each.walk())
    return place.kind == "name"


def _is_set(statements: list[TreeNode], name: bytes) -> bool:
    """Return whether the first of some statements that has a name sets it, whatever it does."""
    for each in statements:
        inside = list(islice(each.walk(), MANY))
        if len(inside) == MANY:
            return False
        if any(node.kind == "name" and node.text == name for node in inside):
            return _sets(each, name)
    return False


def _sets(statement: TreeNode, name: bytes) -> bool:
    """Return whether a statement sets a name before it reads it."""
    if statement.kind == "if":
        condition, *branches = statement.children
        is_whole = all(branch.kind == "block" and _is_set(branch.children, name) for branch in branches)
        return is_whole and not _has(condition, name)
    if statement.kind != "assign" or _has(statement.children[1], name):
        return False
    target = statement.children[0]
    targets = target.children if target.kind == "tuple" else [target]
    return all(each.kind == "name" for each in targets)


def _has(node: TreeNode, name: bytes) -> bool:
    return any(each.kind == "name" and each.text == name for each in node.walk())
