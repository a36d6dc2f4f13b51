"""Lower JavaScript and TypeScript to the neutral tree."""

from typing import Final

from whorl.formats.code.normal.lowering import (
    Lowerer,
    LoweringTable,
    Syntax,
    all_of,
    as_block,
    assignment,
    binary,
    composite,
    declaration,
    first,
    leaf,
    member,
    opened,
    printed,
    shape,
    text_with_values,
    unary,
    word,
)
from whorl.formats.code.normal.nodes import TreeNode
from whorl.formats.code.row import words

PRINTS: Final = frozenset(
    b"console.log console.info console.error console.warn process.stdout.write document.write document.writeln "
    b"alert print".split()
)


def variable(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a variable; one whose first value is a function is that function."""
    node = declaration(lowerer, syntax)
    value = node.children[-1]
    if len(node.children) == 2 and node.children[0].kind == "name" and value.kind == "lambda":
        body = value.children[1]
        if body.kind != "block":
            body = TreeNode("block", [TreeNode("return", [body], body.start, body.end)], body.start, body.end)
        return node.at("function", [value.children[0], body], node.children[0].text)
    return node


def hoisted(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower a ``var`` declaration, which the whole function sees: it has the text ``var``."""
    node = opened(lowerer, syntax)
    for each in [] if node is None else node.children if node.kind == "list" else [node]:
        each.text = b"var" if each.kind == "declare" else each.text
    return node


def arrow(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a function without a name."""
    single = syntax.child_by_field_name("parameter")
    parameters = lowerer.body(syntax, "parameters") if single is None else _one(lowerer, single)
    return TreeNode("lambda", [parameters, lowerer.field(syntax, "body")], syntax.start_byte, syntax.end_byte)


def _one(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    inside = [TreeNode("parameter", lowerer.many([syntax]), syntax.start_byte, syntax.end_byte)]
    return TreeNode("block", inside, syntax.start_byte, syntax.end_byte)


def parameters(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower the parameters of a function; plain names are parameters too."""
    inside = [
        TreeNode("parameter", [child], child.start, child.end) if child.kind == "name" else child
        for child in lowerer.many(syntax.children)
    ]
    return TreeNode("block", inside, syntax.start_byte, syntax.end_byte)


def typed_parameter(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a TypeScript parameter; one with a default value is not plain."""
    inside = [lowerer.field(syntax, "pattern")]
    value = syntax.child_by_field_name("value")
    if value is not None:
        inside += lowerer.many([value])
    kind = "parameter" if value is None else "assignment_pattern"
    return TreeNode(kind, inside, syntax.start_byte, syntax.end_byte)


def case(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a case of a ``switch``, or its default."""
    inside = lowerer.many(syntax.children_by_field_name("body"))
    block = TreeNode("block", inside, syntax.start_byte, syntax.end_byte)
    value = syntax.child_by_field_name("value")
    values = [] if value is None else lowerer.many([value])
    return TreeNode("case", [block, *values], syntax.start_byte, syntax.end_byte)


def for_loop(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``for``; the grammar includes a semicolon in the condition."""
    begin = as_block(lowerer.field(syntax, "initializer"))
    conditions = lowerer.many(syntax.children_by_field_name("condition"))
    condition = conditions[0] if conditions else TreeNode("nothing", [], syntax.end_byte, syntax.end_byte)
    update = as_block(lowerer.field(syntax, "increment"))
    inside = [begin, condition, update, lowerer.body(syntax, "body")]
    return TreeNode("for", inside, syntax.start_byte, syntax.end_byte)


def exported(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower ``export``: a declaration is that declaration, a value has a reader elsewhere."""
    lowering = opened if syntax.child_by_field_name("value") is None else composite
    return lowering(lowerer, syntax)


TABLE: Final = LoweringTable(
    lowerings={
        "identifier": leaf("name"),
        "property_identifier": leaf("name"),
        "shorthand_property_identifier": leaf("name"),
        "shorthand_property_identifier_pattern": leaf("name"),
        "type_identifier": leaf("name"),
        "number": leaf("number"),
        "string": leaf("string"),
        "template_string": text_with_values("template_substitution"),
        "true": leaf("constant"),
        "false": leaf("constant"),
        "null": leaf("constant"),
        "undefined": leaf("constant"),
        "this": word("this"),
        "binary_expression": binary,
        "unary_expression": unary,
        "update_expression": unary,
        "assignment_expression": assignment,
        "augmented_assignment_expression": assignment,
        "variable_declaration": hoisted,
        "variable_declarator": variable,
        "public_field_definition": shape("assign", "name", "value"),
        "call_expression": printed(PRINTS, shape("call", "function", "+arguments")),
        "member_expression": member("object", "property"),
        "subscript_expression": shape("index", "object", "index"),
        "new_expression": shape("new", "+arguments", text="constructor"),
        "array": all_of("array"),
        "ternary_expression": shape("conditional", "condition", "consequence", "alternative"),
        "as_expression": first,
        "satisfies_expression": first,
        "if_statement": shape("if", "condition", ":consequence", "alternative"),
        "while_statement": shape("while", "condition", ":body"),
        "do_statement": shape("do", "condition", ":body"),
        "for_statement": for_loop,
        "for_in_statement": shape("each", "left", "right", ":body"),
        "switch_statement": shape("switch", "value", "+body"),
        "switch_case": case,
        "switch_default": case,
        "return_statement": all_of("return"),
        "throw_statement": all_of("throw"),
        "break_statement": all_of("break"),
        "continue_statement": all_of("continue"),
        "statement_block": all_of("block"),
        "class_body": all_of("block"),
        "await_expression": all_of("await"),
        "yield_expression": all_of("yield"),
        "function_declaration": shape("function", ":parameters", ":body", text="name"),
        "method_definition": shape("function", ":parameters", ":body", text="name"),
        "function_expression": shape("lambda", ":parameters", "body"),
        "arrow_function": arrow,
        "formal_parameters": parameters,
        "required_parameter": typed_parameter,
        "export_statement": exported,
        "class_declaration": shape("class", ":body", text="name"),
        "class": shape("class", ":body"),
        "program": all_of("block"),
    },
    drops=words("""
        comment import_statement type_annotation type_arguments type_parameters predefined_type interface_declaration
        type_alias_declaration accessibility_modifier decorator export_clause class_heritage hash_bang_line
        override_modifier ambient_declaration
    """),
    opens=words("""
        parenthesized_expression expression_statement lexical_declaration arguments
        template_substitution else_clause sequence_expression non_null_expression
    """),
)
