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
from whorl.formats.code.normal.nodes import FIXED, TreeNode
from whorl.formats.code.row import words

PRINTS: Final = frozenset({b"printf", b"puts", b"putchar", b"std::printf", b"std::puts", b"wprintf"})
OUTPUT: Final = frozenset({b"cout", b"std::cout", b"cerr", b"std::cerr"})
INPUT: Final = frozenset({b"cin", b"std::cin"})
LINE_ENDS: Final = frozenset({b"endl", b"std::endl"})

# Declarators that say how a name is declared; the name is inside.
AROUND: Final = frozenset({"pointer_declarator", "array_declarator", "parenthesized_declarator", "init_declarator"})


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
    for each in syntax.children_by_field_name("declarator"):
        name = _name(each)
        value = each.child_by_field_name("value") if each.type == "init_declarator" else None
        if name is not None:
            initial = [] if value is None else lowerer.many([value])
            target = TreeNode("name", [], name.start_byte, name.end_byte, lowerer.text(name))
            text = FIXED if is_fixed and each.type == "init_declarator" else b""
            node = TreeNode("declare", [target, *initial[:1]], each.start_byte, each.end_byte, text)
            declarations.append(lowerer.finish(node))
    return TreeNode("list", declarations, syntax.start_byte, syntax.end_byte)


def _name(declarator: Syntax) -> "Syntax | None":
    """Return the name inside a declarator; None if it declares a function or a reference."""
    while declarator.type in AROUND:
        inside = declarator.child_by_field_name("declarator")
        if inside is None:
            return None
        declarator = inside
    return declarator if declarator.type in ("identifier", "field_identifier") else None


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
    return TreeNode("function", [parameters, lowerer.body(syntax, "body")], start, end, text)


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
        "new_expression": shape("new", "+arguments", text="type"),
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
        reference_declarator comma_expression template_declaration namespace_definition namespace_identifier
        linkage_specification
    """),
)
