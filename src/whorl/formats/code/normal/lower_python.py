"""Lower Python to the neutral tree."""

from typing import Final

from whorl.formats.code.normal.lowering import (
    Lowerer,
    LoweringTable,
    Syntax,
    all_of,
    assignment,
    binary,
    leaf,
    opened,
    printed,
    shape,
    text_with_values,
    unary,
)
from whorl.formats.code.normal.nodes import LITERALS, SPLIT, TreeNode
from whorl.formats.code.row import words

PRINTS: Final = frozenset({b"print", b"sys.stdout.write", b"sys.stderr.write"})

# How a program asks whether it is the one that runs.
MAIN: Final = b"__name__"


def attribute(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``a.b``; ``self.b`` is one name, whatever the method calls ``self``. Outside of methods, as in a snippet
    of one, only ``self`` itself is known."""
    on, named = syntax.child_by_field_name("object"), syntax.child_by_field_name("attribute")
    start, end = syntax.start_byte, syntax.end_byte
    text = b"" if named is None else lowerer.text(named)
    if on is not None and on.type == "identifier" and lowerer.text(on) in (b"self", lowerer.receiver):
        return TreeNode("name", [], start, end, b"self." + text)
    return TreeNode("field", [] if on is None else lowerer.many([on]), start, end, text)


def function(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower a function. Functions inside a method know its object as well."""
    before = lowerer.receiver
    lowerer.receiver = _receiver(lowerer, syntax) or before
    node = _FUNCTION(lowerer, syntax)
    lowerer.receiver = before
    return node


_FUNCTION: Final = shape("function", ":parameters", ":body", text="name")

# Methods that get the class without a decorator that says so.
OF_CLASSES: Final = frozenset({b"__new__", b"__init_subclass__", b"__class_getitem__"})


def _receiver(lowerer: Lowerer, syntax: Syntax) -> bytes:
    """Return the name of the parameter that has the object, if a function is a method that has one."""
    outer, decorators = syntax.parent, list[bytes]()
    if outer is not None and outer.type == "decorated_definition":
        decorators = [lowerer.text(child) for child in outer.children if child.type == "decorator"]
        outer = outer.parent
    name, inside = (syntax.child_by_field_name(field) for field in ("name", "parameters"))
    if outer is None or outer.parent is None or outer.parent.type != "class_definition" or not inside or not name:
        return b""
    if lowerer.text(name) in OF_CLASSES or {b"@staticmethod", b"@classmethod"}.intersection(decorators):
        return b""
    first = next((child for child in inside.named_children if child.type != "comment"), None)
    if first is not None and first.type == "typed_parameter":
        first = first.named_children[0]
    return lowerer.text(first) if first is not None and first.type == "identifier" else b""


def branch(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``if`` with nested ``elif`` and ``else``. The body of ``if __name__ == "__main__"`` is the program."""
    others = syntax.children_by_field_name("alternative")
    condition = lowerer.field(syntax, "condition")
    then = lowerer.body(syntax, "consequence")
    if any(node.text == MAIN for node in condition.children):
        return TreeNode("list", then.children, syntax.start_byte, syntax.end_byte)
    other = TreeNode("nothing", [], syntax.end_byte, syntax.end_byte)
    for clause in reversed(others):
        if clause.type == "else_clause":
            other = lowerer.body(clause, "body")
        else:
            inside = [lowerer.field(clause, "condition"), lowerer.body(clause, "consequence"), other]
            other = lowerer.finish(TreeNode("if", inside, clause.start_byte, clause.end_byte))
    return TreeNode("if", [condition, then, other], syntax.start_byte, syntax.end_byte)


def for_in(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``for x in xs``; over a ``range`` with a literal step, a counted loop."""
    start, end = syntax.start_byte, syntax.end_byte
    target, over, body = (lowerer.field(syntax, "left"), lowerer.field(syntax, "right"), lowerer.body(syntax, "body"))
    if syntax.child_by_field_name("alternative") is not None:
        return TreeNode("for_else", [target, over, body, lowerer.field(syntax, "alternative")], start, end)
    limits = over.children[1:]
    is_range = over.kind == "call" and over.children[0].text == b"range" and 1 <= len(limits) <= 3
    if not is_range or (len(limits) == 3 and not _is_step(limits[2])):
        return TreeNode("each", [target, over, body], start, end)
    if len(limits) == 1:
        limits = [TreeNode("number", [], limits[0].start, limits[0].start, b"0"), *limits]
    if len(limits) == 2:
        limits = [*limits, TreeNode("number", [], limits[1].end, limits[1].end, b"1")]
    return TreeNode("range", [target, *limits, body], start, end)


def while_loop(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``while``; one with an ``else`` has no counterpart in other languages."""
    inside = [lowerer.field(syntax, "condition"), lowerer.body(syntax, "body")]
    if syntax.child_by_field_name("alternative") is None:
        return TreeNode("while", inside, syntax.start_byte, syntax.end_byte)
    inside.append(lowerer.body(syntax, "alternative"))
    return TreeNode("while_else", inside, syntax.start_byte, syntax.end_byte)


def _is_step(step: TreeNode) -> bool:
    return step.kind == "number" and step.text.removeprefix(b"-").isdigit()


def comparison(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``a < b``; ``a < b < c`` is ``a < b and b < c``."""
    operands = lowerer.many(syntax.named_children)
    signs = [lowerer.text(sign) for sign in syntax.children_by_field_name("operators")]
    tests = [
        TreeNode("op", [left if number == 0 else left.copy(), right], left.start, right.end, sign)
        for number, (left, right, sign) in enumerate(zip(operands, operands[1:], signs, strict=False))
    ]
    if len(tests) == 1:
        tests[0].start, tests[0].end = syntax.start_byte, syntax.end_byte
        return tests[0]
    return TreeNode("op", [lowerer.finish(test) for test in tests], syntax.start_byte, syntax.end_byte, b"&&")


def conditional(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``a if c else b``."""
    inside = lowerer.many(syntax.named_children)
    ordered = [inside[1], inside[0], inside[2]] if len(inside) == 3 else inside
    kind = "conditional" if len(inside) == 3 else "conditional_expression"
    return TreeNode(kind, ordered, syntax.start_byte, syntax.end_byte)


def assigned(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``a = b``; an annotation without a value declares. ``a = b = 0`` is ``a = 0; b = 0``."""
    if syntax.child_by_field_name("right") is None:
        return TreeNode("declare", [lowerer.field(syntax, "left")], syntax.start_byte, syntax.end_byte)
    node = assignment(lowerer, syntax)
    inner = node.children[1]
    return _unchained(node, inner.children if inner.kind == "list" else [inner]) if node.kind == "assign" else node


def _unchained(node: TreeNode, inner: list[TreeNode]) -> TreeNode:
    """Return an assignment whose value is another one that was split, or that sets a literal, as several."""
    if not all(each.kind == "assign" for each in inner):
        return node
    if inner[0].marks & SPLIT:
        node.children[1] = node.at("tuple", [each.children[0].copy() for each in inner])
        return node.at("list", [*inner, node])
    if inner[0].children[1].kind not in LITERALS:
        return node
    node.children[1] = inner[0].children[1].copy()
    return node.at("list", [node, *inner])


def statement(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower an expression that is a statement: ``(a := b)`` is ``a = b`` there."""
    node = opened(lowerer, syntax)
    return node.at("assign", node.children) if node is not None and node.kind == "named_expression" else node


def deleted(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower ``del a[i]``. ``del a`` only says that ``a`` is not read any more."""
    inside = lowerer.many(syntax.children)
    names = inside[0].children if len(inside) == 1 and inside[0].kind == "tuple" else inside
    if all(each.kind == "name" and b"." not in each.text for each in names):
        return None
    return TreeNode("delete_statement", inside, syntax.start_byte, syntax.end_byte)


def decorated(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a decorated function without its name: the effect of a decorator is unknown."""
    node = lowerer.field(syntax, "definition")
    if node.kind == "function":
        node.text = b""
    return node


def parameter(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    return TreeNode("parameter", lowerer.many(syntax.named_children[:1]), syntax.start_byte, syntax.end_byte)


def parameters(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower the parameters of a function; plain names are parameters too."""
    inside = [
        TreeNode("parameter", [child], child.start, child.end) if child.kind == "name" else child
        for child in lowerer.many(syntax.children)
    ]
    return TreeNode("block", inside, syntax.start_byte, syntax.end_byte)


TABLE: Final = LoweringTable(
    lowerings={
        "identifier": leaf("name"),
        "integer": leaf("number"),
        "float": leaf("number"),
        "string": text_with_values("interpolation"),
        "concatenated_string": leaf("string"),
        "true": leaf("constant"),
        "false": leaf("constant"),
        "none": leaf("constant"),
        "binary_operator": binary,
        "boolean_operator": binary,
        "unary_operator": unary,
        "not_operator": unary,
        "comparison_operator": comparison,
        "assignment": assigned,
        "augmented_assignment": assignment,
        "call": printed(PRINTS, shape("call", "function", "+arguments")),
        "attribute": attribute,
        "subscript": shape("index", "value", "&subscript"),
        "conditional_expression": conditional,
        "expression_statement": statement,
        "delete_statement": deleted,
        "if_statement": branch,
        "while_statement": while_loop,
        "for_statement": for_in,
        "return_statement": all_of("return"),
        "raise_statement": all_of("throw"),
        "break_statement": all_of("break"),
        "continue_statement": all_of("continue"),
        "global_statement": all_of("global"),
        "nonlocal_statement": all_of("global"),
        "block": all_of("block"),
        "expression_list": all_of("tuple"),
        "tuple": all_of("tuple"),
        "pattern_list": all_of("tuple"),
        "tuple_pattern": all_of("tuple"),
        "list": all_of("array"),
        "await": all_of("await"),
        "yield": all_of("yield"),
        "function_definition": function,
        "decorated_definition": decorated,
        "parameters": parameters,
        "lambda_parameters": parameters,
        "typed_parameter": parameter,
        "lambda": shape("lambda", ":parameters", "body"),
        "class_definition": shape("class", ":body", text="name"),
        "module": all_of("block"),
    },
    drops=words("""
        import_statement import_from_statement future_import_statement decorator comment line_continuation type
        keyword_separator pass_statement positional_separator
    """),
    opens=words("parenthesized_expression argument_list interpolation else_clause"),
)
