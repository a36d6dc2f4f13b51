"""Lower C and C++ to the neutral tree."""

from typing import Final

from whorl.formats.code.normal.lowering import (
    FIXING,
    Lowerer,
    LoweringTable,
    Syntax,
    all_of,
    assignment,
    binary,
    first,
    leaf,
    member,
    printed,
    shape,
    unary,
    word,
)
from whorl.formats.code.normal.nodes import FIXED, OF_THIS, TreeNode
from whorl.formats.code.row import words

PRINTS: Final = frozenset({b"printf", b"puts", b"putchar", b"std::printf", b"std::puts", b"wprintf"})
OUTPUT: Final = frozenset({b"cout", b"std::cout", b"cerr", b"std::cerr"})
INPUT: Final = frozenset({b"cin", b"std::cin"})
LINE_ENDS: Final = frozenset({b"endl", b"std::endl"})

# Declarators that say how a name is declared; the name is inside.
AROUND: Final = frozenset({"pointer_declarator", "array_declarator", "parenthesized_declarator", "init_declarator"})
NAMES: Final = frozenset({"identifier", "field_identifier", "qualified_identifier"})

# Nodes that hold statements. Hardly anybody declares a function there.
BODIES: Final = frozenset({"compound_statement", "case_statement"})


def shifted(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower a binary expression. Shifting into C++'s output is output, shifting out of its input is input. The effect
    of ``<<`` on other objects is unknown."""
    node = binary(lowerer, syntax)
    if node is None or node.kind != "op" or node.text not in (b"<<", b">>"):
        return node
    target, inside = node.children[0], node.children[1:]
    if node.text == b"<<" and target.text in OUTPUT:
        return node.at("print", [each.at("string", []) if each.text in LINE_ENDS else each for each in inside])
    if node.text == b">>" and target.text in INPUT:
        return node.at("read", inside)
    return node.at("shift", node.children, node.text)


def declared(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a declaration: all its names with their first values."""
    declarations: list[TreeNode] = []
    is_fixed = any(child.type == "type_qualifier" and lowerer.text(child) in FIXING for child in syntax.children)
    # The first value of a field, and of a name in a condition, is beside the declarator.
    beside = syntax.children_by_field_name("default_value") or syntax.children_by_field_name("value")
    for each in reversed(syntax.children_by_field_name("declarator")):
        value = each.child_by_field_name("value") if each.type == "init_declarator" else None
        if value is None and beside and beside[-1].start_byte >= each.end_byte:
            value = beside.pop()
        name, initial = _name(each), _first_value(lowerer, value)
        if name is not None:
            text = FIXED if is_fixed and initial else b""
            target = TreeNode("name", [], name.start_byte, name.end_byte, lowerer.text(name))
            node = TreeNode("declare", [target, *initial], each.start_byte, each.end_byte, text)
        elif initial:
            node = _alias(lowerer, each, initial[0], is_fixed=is_fixed)
        else:
            node = constructed(lowerer, syntax, each)
        declarations.append(lowerer.finish(node))
    return TreeNode("list", declarations[::-1], syntax.start_byte, syntax.end_byte)


def _first_value(lowerer: Lowerer, value: "Syntax | None") -> list[TreeNode]:
    """Return the first value of a name, if it has one. Several arguments of a constructor are one value."""
    inside = [] if value is None else lowerer.many([value])
    return inside if len(inside) < 2 else [TreeNode("array", inside, inside[0].start, inside[-1].end)]


def _name(declarator: Syntax) -> "Syntax | None":
    """Return the name inside a declarator; None if it declares a function or a reference."""
    while declarator.type in AROUND:
        inside = declarator.child_by_field_name("declarator")
        if inside is None:
            return None
        declarator = inside
    return declarator if declarator.type in NAMES else None


def _alias(lowerer: Lowerer, declarator: Syntax, value: TreeNode, *, is_fixed: bool) -> TreeNode:
    """Lower a reference, the names of a structured binding or a pointer to a function, and its first value. Setting a
    reference changes another object, so neither it nor the variable that it refers to counts as local."""
    start, end = declarator.start_byte, declarator.end_byte
    is_reference = False
    while declarator.type not in NAMES and declarator.type != "structured_binding_declarator":
        is_reference |= declarator.type == "reference_declarator"
        inside = declarator.child_by_field_name("declarator")
        if inside is None:
            inside = declarator.named_children[-1] if declarator.named_child_count else None
        if inside is None:
            break
        declarator = inside
    target = lowerer.many([declarator])
    if is_reference and value.kind == "name":
        value = value.at("reference", [value])
    return TreeNode("assign" if is_reference and not is_fixed else "declare", [*target[:1], value], start, end)


def constructed(lowerer: Lowerer, syntax: Syntax, declarator: Syntax) -> TreeNode:
    """Lower ``A a(f(x), n);`` inside a function to a variable and its first value: the grammar reads it as a prototype
    whose parameters have no names. What can only be a prototype becomes nothing."""
    nothing = TreeNode("nothing", [], declarator.end_byte, declarator.end_byte)
    name, kind = declarator.child_by_field_name("declarator"), syntax.child_by_field_name("type")
    around = syntax.parent if declarator.type == "function_declarator" else None
    if around is None or around.type not in BODIES or name is None or name.type not in NAMES:
        return nothing
    values = _arguments(lowerer, declarator)
    if not values or kind is None or lowerer.text(kind) == b"void":
        return nothing
    value = values[0] if len(values) == 1 else TreeNode("array", values, values[0].start, values[-1].end)
    target = TreeNode("name", [], name.start_byte, name.end_byte, lowerer.text(name))
    return TreeNode("declare", [target, value], declarator.start_byte, declarator.end_byte)


def _arguments(lowerer: Lowerer, declarator: Syntax) -> list[TreeNode] | None:
    """Return the parameters of a declarator as the arguments that they may be as well; None if they cannot be."""
    parameters = declarator.child_by_field_name("parameters")
    values: list[TreeNode] = []
    for each in [] if parameters is None else parameters.named_children:
        kind, inside = each.child_by_field_name("type"), each.child_by_field_name("declarator")
        is_type = kind is None or kind.type == "primitive_type" or each.named_children[0].type == "type_qualifier"
        if each.type != "parameter_declaration" or kind is None or (is_type and not _is_call(inside)):
            return None
        value = TreeNode("name", [], kind.start_byte, kind.end_byte, lowerer.text(kind))
        applied = value if inside is None else _applied(lowerer, inside, value)
        if applied is None:
            return None
        values.append(applied)
    return values


def _is_call(declarator: "Syntax | None") -> bool:
    return declarator is not None and declarator.type == "abstract_function_declarator"


def _applied(lowerer: Lowerer, declarator: Syntax, base: TreeNode | None) -> TreeNode | None:
    """Return a parameter's type, ``base``, and its declarator as the expression that they may be as well: ``f`` and
    ``(x)`` as a call, ``n`` and ``*m`` as a product. None if they cannot be one."""
    inside, kind = declarator.child_by_field_name("declarator"), declarator.type
    start, end = declarator.start_byte if base is None else base.start, declarator.end_byte
    if kind in ("pointer_declarator", "reference_declarator") and base is not None:
        right = _applied(lowerer, declarator.named_children[-1], None)
        sign = lowerer.text(declarator.children[0])
        return None if right is None else lowerer.finish(TreeNode("op", [base, right], start, end, sign))
    if kind in NAMES:
        return lowerer.lower(declarator) if base is None else None
    on = base if inside is None else _applied(lowerer, inside, base)
    if on is None:
        return None
    if kind in ("abstract_function_declarator", "function_declarator"):
        values = _arguments(lowerer, declarator)
        return None if values is None else lowerer.finish(TreeNode("call", [on, *values], start, end))
    if kind in ("abstract_array_declarator", "array_declarator"):
        return lowerer.finish(TreeNode("index", [on, lowerer.field(declarator, "size")], start, end))
    return None


def parameter(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a parameter to its name. A parameter by reference is not plain: changing it changes the argument."""
    declarator = syntax.child_by_field_name("declarator")
    name = None if declarator is None else _name(declarator)
    start, end = syntax.start_byte, syntax.end_byte
    if name is None:
        return TreeNode("reference", [] if declarator is None else lowerer.many([declarator]), start, end)
    return TreeNode("parameter", [TreeNode("name", [], name.start_byte, name.end_byte, lowerer.text(name))], start, end)


def function(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a function's definition: its name and parameters are inside its declarator."""
    declarator = syntax.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator")
    start, end = syntax.start_byte, syntax.end_byte
    parameters = TreeNode("block", [], start, start)
    text = b""
    if declarator is not None:
        parameters = lowerer.body(declarator, "parameters")
        name = declarator.child_by_field_name("declarator")
        text = lowerer.text(name) if name is not None and name.type in ("identifier", "field_identifier") else b""
    body = lowerer.body(syntax, "body")
    for child in syntax.children:
        if child.type == "field_initializer_list":
            names = {each.children[0].text for each in parameters.children if each.kind == "parameter"}
            body.children = [*_initializers(lowerer, child, names), *body.children]
    return TreeNode("function", [parameters, body], start, end, text)


def _initializers(lowerer: Lowerer, syntax: Syntax, parameters: set[bytes]) -> list[TreeNode]:
    """Lower ``: x(a), y{b}`` before a constructor's body to assignments of the fields."""
    assignments: list[TreeNode] = []
    for each in syntax.named_children:
        if each.type != "field_initializer":
            continue
        name, values = each.named_children[0], _first_value(lowerer, each.named_children[-1])
        text = lowerer.text(name)
        target = TreeNode("name", [], name.start_byte, name.end_byte, OF_THIS + text if text in parameters else text)
        value = values or [TreeNode("array", [], each.end_byte - 1, each.end_byte)]
        assignments.append(lowerer.finish(TreeNode("assign", [target, *value], each.start_byte, each.end_byte)))
    return assignments


def case(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a case of a ``switch``: its value, if it has one, and its statements."""
    value = syntax.child_by_field_name("value")
    rest = [child for child in syntax.named_children if child != value]
    inside = lowerer.many(rest)
    block = TreeNode("block", inside, syntax.start_byte, syntax.end_byte)
    values = [] if value is None else lowerer.many([value])
    return TreeNode("case", [block, *values], syntax.start_byte, syntax.end_byte)


TABLE: Final = LoweringTable(
    lowerings={
        "identifier": leaf("name"),
        "field_identifier": leaf("name"),
        "type_identifier": leaf("name"),
        "qualified_identifier": leaf("name"),
        "number_literal": leaf("number"),
        "string_literal": leaf("string"),
        "raw_string_literal": leaf("string"),
        "concatenated_string": leaf("string"),
        "char_literal": leaf("char"),
        "true": leaf("constant"),
        "false": leaf("constant"),
        "null": leaf("constant"),
        "this": word("this"),
        "binary_expression": shifted,
        "unary_expression": unary,
        "pointer_expression": unary,
        "update_expression": unary,
        "assignment_expression": assignment,
        "declaration": declared,
        "field_declaration": declared,
        "call_expression": printed(PRINTS, shape("call", "function", "+arguments")),
        "field_expression": member("argument", "field"),
        "subscript_expression": shape("index", "argument", "?index", "?indices"),
        "conditional_expression": shape("conditional", "condition", "consequence", "alternative"),
        "cast_expression": shape("cast", "value"),
        "initializer_list": all_of("array"),
        "structured_binding_declarator": all_of("tuple"),
        "new_expression": shape("new", "?declarator", "+arguments", text="type"),
        "if_statement": shape("if", "condition", ":consequence", "alternative"),
        "while_statement": shape("while", "condition", ":body"),
        "do_statement": shape("do", "condition", ":body"),
        "for_statement": shape("for", "*initializer", "condition", "*update", ":body"),
        "for_range_loop": shape("each", "declarator", "right", ":body"),
        "switch_statement": shape("switch", "condition", "+body"),
        "case_statement": case,
        "return_statement": all_of("return"),
        "throw_statement": all_of("throw"),
        "break_statement": all_of("break"),
        "continue_statement": all_of("continue"),
        "compound_statement": all_of("block"),
        "field_declaration_list": all_of("block"),
        "declaration_list": all_of("block"),
        "function_definition": function,
        "parameter_list": all_of("block"),
        "parameter_declaration": parameter,
        "optional_parameter_declaration": shape("reference", "declarator"),
        "lambda_expression": shape("lambda", "body"),
        "class_specifier": shape("class", ":body", text="name"),
        "struct_specifier": shape("class", ":body", text="name"),
        "template_function": first,
        "translation_unit": all_of("block"),
    },
    drops=words("""
        comment preproc_include preproc_def preproc_function_def preproc_call using_declaration access_specifier
        storage_class_specifier type_qualifier attribute_specifier attribute_declaration primitive_type
        sized_type_specifier template_parameter_list base_class_clause type_definition virtual_specifier
        type_descriptor virtual explicit_function_specifier alias_declaration
    """),
    opens=words("""
        parenthesized_expression expression_statement argument_list subscript_argument_list condition_clause else_clause
        reference_declarator new_declarator comma_expression template_declaration namespace_definition
        namespace_identifier linkage_specification
    """),
)
