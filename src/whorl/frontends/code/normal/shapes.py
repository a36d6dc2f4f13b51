"""Lowerings that the tables of several languages share: what a syntax node of some shape becomes."""

from whorl.frontends.code.normal.lowering import CHAINING, Lowerer, Lowering, Syntax
from whorl.frontends.code.normal.node import OF_THIS, Node


def leaf(kind: str) -> Lowering:
    """A node without anything inside, known by its text."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> Node:
        start, end = syntax.start_byte, syntax.end_byte
        return Node(kind, [], start, end, lowerer.data[start:end])

    return lowering


def dropped(lowerer: Lowerer, syntax: Syntax) -> None:
    """Nothing comes of it."""


def opened(lowerer: Lowerer, syntax: Syntax) -> Node | None:
    """What is inside it; a list if that is more than one."""
    inside = lowerer.many(syntax.children)
    return inside[0] if len(inside) == 1 else Node("list", inside, syntax.start_byte, syntax.end_byte)


def all_of(kind: str) -> Lowering:
    """A node with everything that is inside."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> Node:
        return Node(kind, lowerer.many(syntax.children), syntax.start_byte, syntax.end_byte)

    return lowering


def several(field: str) -> Lowering:
    """A list of what bears the name of a field."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> Node:
        inside = lowerer.many(syntax.children_by_field_name(field))
        return Node("list", inside, syntax.start_byte, syntax.end_byte)

    return lowering


def fields(lowering: Lowering, modifier: str) -> Lowering:
    """The fields of a class. Of what is neither public nor protected the file is thought to be all who know it: such a
    declaration is marked with the text ``private``."""

    def lowered(lowerer: Lowerer, syntax: Syntax) -> Node | None:
        node = lowering(lowerer, syntax)
        said = b" ".join(lowerer.text(child) for child in syntax.children if child.type == modifier).split()
        if node is not None and b"public" not in said and b"protected" not in said:
            for each in node.children if node.kind == "list" else [node]:
                each.text = b"private" if each.kind == "declare" else each.text
        return node

    return lowered


def shape(kind: str, *fields: str, text: str = "") -> Lowering:
    """A node with what stands in these fields, in this order. A field with a ``:`` before it is a block, one with a
    ``*`` a block of all that bear its name, one with a ``+`` all of what is inside it; one with a ``?`` leaves nothing
    behind if it is empty."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> Node:
        inside: list[Node] = []
        for name in fields:
            if name[0] == ":":
                inside.append(lowerer.body(syntax, name[1:]))
            elif name[0] == "*":
                found = lowerer.many(syntax.children_by_field_name(name[1:]))
                inside.append(Node("block", found, syntax.start_byte, syntax.start_byte))
            elif name[0] == "+":
                found_in = syntax.child_by_field_name(name[1:])
                inside += [] if found_in is None else lowerer.many(found_in.children)
            elif name[0] == "?":
                if (given := syntax.child_by_field_name(name[1:])) is not None:
                    inside += lowerer.many([given])
            else:
                inside.append(lowerer.field(syntax, name))
        word = None if not text else syntax.child_by_field_name(text)
        return Node(kind, inside, syntax.start_byte, syntax.end_byte, b"" if word is None else lowerer.text(word))

    return lowering


def binary(lowerer: Lowerer, syntax: Syntax) -> Node | None:
    """A chain of operators is gone down in a loop: sums of thousands of terms are no nesting."""
    spine = [syntax]
    while True:
        left = spine[-1].child_by_field_name("left")
        if left is None or left.kind_id != syntax.kind_id:
            break
        spine.append(left)
    node = lowerer.field(spine[-1], "left")
    for each in reversed(spine):
        sign = each.child_by_field_name("operator")
        operator = b"" if sign is None else lowerer.text(sign)
        right = lowerer.field(each, "right")
        if node.kind == "op" and node.text == operator and operator in CHAINING and len(node.children) > 1:
            node.children.append(right)
            node.end = each.end_byte
        else:
            inner = lowerer.finish(node) if each is not spine[-1] else node
            node = Node("op", [inner, right], each.start_byte, each.end_byte, operator)
    return node


def unary(lowerer: Lowerer, syntax: Syntax) -> Node:
    """An operator before or after its only operand; ``++`` and ``--`` are updates."""
    signs = [child for child in syntax.children if not child.is_named]
    operator = lowerer.text(signs[0]) if signs else b""
    kind = "update" if operator in (b"++", b"--") else "op"
    return Node(kind, lowerer.many(syntax.children), syntax.start_byte, syntax.end_byte, operator)


def assignment(lowerer: Lowerer, syntax: Syntax) -> Node:
    """``a = b`` or ``a += b``."""
    sign = syntax.child_by_field_name("operator")
    operator = b"=" if sign is None else lowerer.text(sign)
    inside = [lowerer.field(syntax, "left"), lowerer.field(syntax, "right")]
    if operator == b"=":
        return Node("assign", inside, syntax.start_byte, syntax.end_byte)
    return Node("augment", inside, syntax.start_byte, syntax.end_byte, operator.removesuffix(b"="))


def declaration(lowerer: Lowerer, syntax: Syntax) -> Node:
    """A declared name, and its first value if it has one."""
    target, value = lowerer.field(syntax, "name"), lowerer.field(syntax, "value")
    inside = [target] if value.kind == "nothing" else [target, value]
    return Node("declare", inside, syntax.start_byte, syntax.end_byte)


def member(of: str, name: str) -> Lowering:
    """``a.b``; ``this.b`` is a name, which ``settle_fields`` makes ``b`` where that means the same."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> Node:
        inside, named = lowerer.field(syntax, of), syntax.child_by_field_name(name)
        text = b"" if named is None else lowerer.text(named)
        if inside.kind == "this":
            return Node("name", [], syntax.start_byte, syntax.end_byte, OF_THIS + text)
        return Node("field", [inside], syntax.start_byte, syntax.end_byte, text)

    return lowering


def text_with_values(*values: str) -> Lowering:
    """A string; if values stand in it, in syntax nodes of these kinds, the sum of its pieces."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> Node:
        start, end = syntax.start_byte, syntax.end_byte
        inside = [child for child in syntax.named_children if child.type in values]
        if not inside:
            return Node("string", [], start, end, lowerer.data[start:end])
        pieces: list[Node] = []
        at = start
        for child in inside:
            pieces.append(Node("string", [], at, child.start_byte))
            pieces += lowerer.many(child.named_children)[:1]
            at = child.end_byte
        return Node("op", pieces, start, end, b"+")

    return lowering


def word(kind: str) -> Lowering:
    """A node that is known by its kind alone."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> Node:
        return Node(kind, [], syntax.start_byte, syntax.end_byte)

    return lowering


def returned(lowerer: Lowerer, syntax: Syntax) -> Node:
    """A body that is an expression: a block that returns it."""
    start, end = syntax.start_byte, syntax.end_byte
    return Node("block", [Node("return", lowerer.many(syntax.children), start, end)], start, end)


def first(lowerer: Lowerer, syntax: Syntax) -> Node | None:
    """The first of what is inside; the rest says nothing, such as a type."""
    inside = lowerer.many(syntax.named_children[:1])
    return inside[0] if inside else None


def printed(names: frozenset[bytes], call: Lowering) -> Lowering:
    """A call; if what is called is one of these, output of its arguments."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> Node | None:
        called = syntax.child_by_field_name("function")
        if called is None or lowerer.text(called) not in names:
            return call(lowerer, syntax)
        arguments = syntax.child_by_field_name("arguments")
        named = [] if arguments is None else [child for child in arguments.children if child.type != "keyword_argument"]
        return Node("print", lowerer.many(named), syntax.start_byte, syntax.end_byte)

    return lowering
