"""Lower Java to the neutral tree."""

from typing import Final

from whorl.formats.code.normal.lowering import (
    Lowerer,
    LoweringTable,
    Syntax,
    all_of,
    assignment,
    binary,
    declaration,
    fields,
    leaf,
    member,
    several,
    shape,
    unary,
    word,
)
from whorl.formats.code.normal.nodes import TreeNode
from whorl.formats.code.row import words

# What writes to the program's output, when it is called on one of these.
OUTPUT: Final = frozenset({b"System.out", b"System.err"})
PRINTS: Final = frozenset({b"print", b"println", b"printf", b"format", b"write", b"append"})


def invocation(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a method call; a call on ``System.out`` is output."""
    on, name = syntax.child_by_field_name("object"), syntax.child_by_field_name("name")
    arguments = syntax.child_by_field_name("arguments")
    lowered = [] if arguments is None else lowerer.many(arguments.children)
    start, end = syntax.start_byte, syntax.end_byte
    named = b"" if name is None else lowerer.text(name)
    if on is None or on.type == "this":
        called = TreeNode("name", [], start, end if name is None else name.end_byte, named)
    elif named in PRINTS and lowerer.text(on) in OUTPUT:
        return TreeNode("print", lowered, start, end)
    else:
        called = TreeNode("field", lowerer.many([on]), start, end if name is None else name.end_byte, named)
    return TreeNode("call", [called, *lowered], start, end)


def case(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a group of statements of a ``switch`` and its values."""
    labels = [child for child in syntax.children if child.type == "switch_label"]
    values = [value for label in labels for value in lowerer.many(label.children)]
    inside = lowerer.many([child for child in syntax.children if child.type != "switch_label"])
    if len(inside) == 1 and inside[0].kind == "block":
        inside = inside[0].children
    block = TreeNode("block", inside, syntax.start_byte, syntax.end_byte)
    rule = b"rule" if syntax.type == "switch_rule" else b""
    is_default = any(label.child_count and label.children[0].type == "default" for label in labels)
    return TreeNode("case", [block] if is_default else [block, *values], syntax.start_byte, syntax.end_byte, rule)


def created(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``new A(a) { ... }``: the arguments, and the class without a name."""
    kind, arguments = syntax.child_by_field_name("type"), syntax.child_by_field_name("arguments")
    inside = [] if arguments is None else lowerer.many(arguments.children)
    bodies = lowerer.many([child for child in syntax.children if child.type == "class_body"])
    inside += [TreeNode("class", [body], body.start, body.end) for body in bodies]
    return TreeNode("new", inside, syntax.start_byte, syntax.end_byte, b"" if kind is None else lowerer.text(kind))


TABLE: Final = LoweringTable(
    lowerings={
        "identifier": leaf("name"),
        "type_identifier": leaf("name"),
        "decimal_integer_literal": leaf("number"),
        "hex_integer_literal": leaf("number"),
        "octal_integer_literal": leaf("number"),
        "binary_integer_literal": leaf("number"),
        "decimal_floating_point_literal": leaf("number"),
        "hex_floating_point_literal": leaf("number"),
        "string_literal": leaf("string"),
        "character_literal": leaf("char"),
        "true": leaf("constant"),
        "false": leaf("constant"),
        "null_literal": leaf("constant"),
        "this": word("this"),
        "binary_expression": binary,
        "unary_expression": unary,
        "update_expression": unary,
        "assignment_expression": assignment,
        "variable_declarator": declaration,
        "method_invocation": invocation,
        "field_access": member("object", "field"),
        "array_access": shape("index", "array", "index"),
        "object_creation_expression": created,
        "array_creation_expression": shape("new", "&dimensions", "?value"),
        "local_variable_declaration": several("declarator"),
        "field_declaration": fields(several("declarator"), "modifiers"),
        "ternary_expression": shape("conditional", "condition", "consequence", "alternative"),
        "cast_expression": shape("cast", "value"),
        "if_statement": shape("if", "condition", ":consequence", "alternative"),
        "while_statement": shape("while", "condition", ":body"),
        "do_statement": shape("do", "condition", ":body"),
        "for_statement": shape("for", "*init", "condition", "*update", ":body"),
        "enhanced_for_statement": shape("each", "name", "value", ":body"),
        "switch_expression": shape("switch", "condition", "+body"),
        "switch_block_statement_group": case,
        "switch_rule": case,
        "return_statement": all_of("return"),
        "throw_statement": all_of("throw"),
        "break_statement": all_of("break"),
        "continue_statement": all_of("continue"),
        "block": all_of("block"),
        "class_body": all_of("block"),
        "constructor_body": all_of("block"),
        "method_declaration": shape("function", ":parameters", ":body", text="name"),
        "constructor_declaration": shape("function", ":parameters", ":body"),
        "lambda_expression": shape("lambda", ":parameters", "body"),
        "formal_parameters": all_of("block"),
        "formal_parameter": shape("parameter", "name"),
        "class_declaration": shape("class", ":body", text="name"),
        "program": all_of("block"),
    },
    drops=words("""
        package_declaration import_declaration modifiers annotation marker_annotation dimensions line_comment
        block_comment superclass super_interfaces throws type_parameters type_arguments integral_type
        floating_point_type boolean_type void_type array_type generic_type scoped_type_identifier
    """),
    opens=words("""
        parenthesized_expression expression_statement argument_list dimensions_expr catch_type
    """),
)
