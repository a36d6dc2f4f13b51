"""Lower C# to the neutral tree."""

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
    fields,
    leaf,
    member,
    opened,
    printed,
    returned,
    shape,
    text_with_values,
    unary,
    word,
)
from whorl.formats.code.normal.nodes import TreeNode
from whorl.formats.code.row import words

PRINTS: Final = frozenset(
    f"{prefix}Console.{method}".encode()
    for prefix in ("", "System.")
    for method in ("Write", "WriteLine", "Out.Write", "Out.WriteLine", "Error.Write", "Error.WriteLine")
)

PATTERNS: Final = frozenset({"constant_pattern", "case_pattern", "case_switch_label", "default_switch_label"})


def variable(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a declared name, or several in a tuple, and the first value, which follows."""
    inside = lowerer.many([child for child in syntax.children if child.type != "bracketed_argument_list"])
    return TreeNode("declare", inside[:2], syntax.start_byte, syntax.end_byte)


def case(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a section of a ``switch``: its values and its statements."""
    labels = [child for child in syntax.named_children if child.type in PATTERNS]
    rest = [child for child in syntax.named_children if child.type not in PATTERNS]
    block = TreeNode("block", lowerer.many(rest), syntax.start_byte, syntax.end_byte)
    is_default = any(child.type == "default" for child in syntax.children)
    values = [] if is_default else lowerer.many(labels)
    return TreeNode("case", [block, *values], syntax.start_byte, syntax.end_byte)


def for_loop(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    begin = as_block(lowerer.field(syntax, "initializer"))
    update = TreeNode("block", lowerer.many(syntax.children_by_field_name("update")), syntax.end_byte, syntax.end_byte)
    inside = [begin, lowerer.field(syntax, "condition"), update, lowerer.body(syntax, "body")]
    return TreeNode("for", inside, syntax.start_byte, syntax.end_byte)


def parameter(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a parameter to its name; one by reference or with a default value is not plain."""
    name = lowerer.field(syntax, "name")
    is_plain = not any(child.type in ("modifier", "equals_value_clause", "=") for child in syntax.children)
    return TreeNode("parameter" if is_plain else "reference", [name], syntax.start_byte, syntax.end_byte)


def argument(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower an argument; one that is given by reference may be changed."""
    if not any(child.type in ("out", "ref") for child in syntax.children):
        return opened(lowerer, syntax)
    return TreeNode("reference", lowerer.many(syntax.children), syntax.start_byte, syntax.end_byte)


def declaration_expression(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a variable that is declared inside an expression. The grammar takes ``n * x`` for a pointer there."""
    kind, name = syntax.child_by_field_name("type"), syntax.child_by_field_name("name")
    around = syntax.parent
    is_argument = around is not None and around.type == "argument" and around.child_count == 1
    if kind is None or name is None or kind.type != "pointer_type" or not is_argument:
        return composite(lowerer, syntax)
    inside = [*lowerer.many(kind.children), *lowerer.many([name])]
    return TreeNode("op", inside, syntax.start_byte, syntax.end_byte, b"*")


def initializer(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower the elements or properties that a new object begins with. ``X = a`` sets no variable."""
    inside = lowerer.many(syntax.children)
    inside = [each.at("pair", each.children) if each.kind == "assign" else each for each in inside]
    return TreeNode("initializer_expression", inside, syntax.start_byte, syntax.end_byte)


def new_array(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``new int[n] { a }``: its sizes are part of its type."""
    kind = syntax.child_by_field_name("type")
    ranks = [] if kind is None else kind.children_by_field_name("rank")
    sizes = [size for rank in ranks for size in lowerer.many(rank.children)]
    return TreeNode("new", [*sizes, *lowerer.many(syntax.children)], syntax.start_byte, syntax.end_byte)


def constructor(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a constructor; the call of another one, ``: base(a)``, is its first statement."""
    parameters, body = lowerer.body(syntax, "parameters"), lowerer.body(syntax, "body")
    first = lowerer.many([child for child in syntax.children if child.type == "constructor_initializer"])
    body.children = [*first, *body.children]
    return TreeNode("function", [parameters, body], syntax.start_byte, syntax.end_byte)


TABLE: Final = LoweringTable(
    lowerings={
        "identifier": leaf("name"),
        "implicit_parameter": leaf("name"),
        "integer_literal": leaf("number"),
        "real_literal": leaf("number"),
        "string_literal": leaf("string"),
        "verbatim_string_literal": leaf("string"),
        "raw_string_literal": leaf("string"),
        "interpolated_string_expression": text_with_values("interpolation"),
        "character_literal": leaf("char"),
        "boolean_literal": leaf("constant"),
        "null_literal": leaf("constant"),
        "this": word("this"),
        "this_expression": word("this"),
        "binary_expression": binary,
        "prefix_unary_expression": unary,
        "postfix_unary_expression": unary,
        "assignment_expression": assignment,
        "variable_declarator": variable,
        "invocation_expression": printed(PRINTS, shape("call", "function", "+arguments")),
        "member_access_expression": member("expression", "name"),
        "element_access_expression": shape("index", "expression", "+subscript"),
        "object_creation_expression": shape("new", "+arguments", "?initializer", text="type"),
        "array_creation_expression": new_array,
        "initializer_expression": initializer,
        "tuple_expression": all_of("tuple"),
        "tuple_pattern": all_of("tuple"),
        "declaration_expression": declaration_expression,
        "conditional_expression": shape("conditional", "condition", "consequence", "alternative"),
        "cast_expression": shape("cast", "value"),
        "if_statement": shape("if", "condition", ":consequence", "alternative"),
        "while_statement": shape("while", "condition", ":body"),
        "do_statement": shape("do", "condition", ":body"),
        "for_statement": for_loop,
        "foreach_statement": shape("each", "left", "right", ":body"),
        "switch_statement": shape("switch", "value", "+body"),
        "switch_section": case,
        "return_statement": all_of("return"),
        "throw_statement": all_of("throw"),
        "break_statement": all_of("break"),
        "continue_statement": all_of("continue"),
        "await_expression": all_of("await"),
        "yield_statement": all_of("yield"),
        "field_declaration": fields(opened, "modifier"),
        "block": all_of("block"),
        "declaration_list": all_of("block"),
        "arrow_expression_clause": returned,
        "method_declaration": shape("function", ":parameters", ":body", text="name"),
        "local_function_statement": shape("function", ":parameters", ":body", text="name"),
        "constructor_declaration": constructor,
        "parameter_list": all_of("block"),
        "parameter": parameter,
        "argument": argument,
        "lambda_expression": shape("lambda", ":parameters", "body"),
        "class_declaration": shape("class", ":body", text="name"),
        "struct_declaration": shape("class", ":body", text="name"),
        "compilation_unit": all_of("block"),
    },
    drops=words("""
        comment using_directive extern_alias_directive modifier attribute_list global_attribute predefined_type
        implicit_type array_type nullable_type generic_name base_list type_parameter_list
        type_parameter_constraints_clause preproc_region preproc_endregion interpolation_brace
        interpolation_format_clause interpolation_alignment_clause
    """),
    opens=words("""
        parenthesized_expression expression_statement local_declaration_statement variable_declaration
        argument_list bracketed_argument_list equals_value_clause constant_pattern global_statement
        interpolation namespace_declaration file_scoped_namespace_declaration
    """),
)
