"""Lower Go to the neutral tree: its expressions, and the table of all kinds."""

from typing import Final

from whorl.formats.code.normal.analysis import effects
from whorl.formats.code.normal.go_control import (
    branch,
    case,
    communication,
    jump,
    labelled,
    later,
    loop,
    received,
    select,
    switch,
    type_switch,
)
from whorl.formats.code.normal.go_declarations import (
    assigned,
    block,
    constants,
    function,
    identifier,
    ordinal,
    parameter,
    returned,
    short_declaration,
    variable,
)
from whorl.formats.code.normal.go_names import (
    BASIC,
    element_type,
    listed,
    name_at,
    names_of,
    node_at,
    note,
    one,
    own,
    refers,
    type_of,
)
from whorl.formats.code.normal.lowering import Lowerer, LoweringTable, Syntax, all_of, binary, leaf, shape, unary
from whorl.formats.code.normal.nodes import PLACE, WORK, TreeNode, root
from whorl.formats.code.row import words

BUILTIN: Final = frozenset({b"len", b"min", b"max"})

PRINTS: Final = frozenset({b"fmt.Print", b"fmt.Printf", b"fmt.Println"})
WRITES: Final = frozenset({b"fmt.Fprint", b"fmt.Fprintf", b"fmt.Fprintln"})
FORMATS: Final = frozenset({b"fmt.Sprint", b"fmt.Sprintf", b"fmt.Sprintln"})
OUTPUT: Final = frozenset({b"os.Stdout", b"os.Stderr"})
WRITING: Final = frozenset({b"Write", b"WriteString"})

# Methods that write to a log.
TELLING: Final = frozenset(
    b"Debug Debugf Debugln Error Errorf Errorln Info Infof Infoln Log Logf Print Printf Println Trace Tracef Warn "
    b"Warnf Warning Warningf".split()
)


def program(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a file. Its own names are found first: a function may use what follows it."""
    for child in syntax.named_children:
        note(lowerer, child)
    return TreeNode("block", lowerer.many(syntax.children), syntax.start_byte, syntax.end_byte)


def selector(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``a.b``. A method that is not called here is bound to its object, whose address it may keep."""
    node = _field(lowerer, syntax)
    return node_at("cast", [node], syntax, PLACE) if node.text in lowerer.names.methods else node


def _field(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    field = syntax.child_by_field_name("field")
    return node_at("field", [lowerer.field(syntax, "operand")], syntax, b"" if field is None else lowerer.text(field))


def _package(lowerer: Lowerer, syntax: Syntax) -> bytes:
    """Return ``pkg.Name`` if that is what a node says; else nothing."""
    operand = syntax.child_by_field_name("operand") if syntax.type == "selector_expression" else None
    is_package = (
        operand is not None and operand.type == "identifier" and lowerer.text(operand) in lowerer.names.packages
    )
    if operand is None or not is_package or not lowerer.names.is_free(lowerer.text(operand)):
        return b""
    return b"".join(lowerer.text(syntax).split())


def call(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower a call: of a method, of a function of a package, of what is built in, or of any other function."""
    function, arguments = syntax.child_by_field_name("function"), syntax.child_by_field_name("arguments")
    given = [] if arguments is None else [child for child in arguments.named_children if child.type != "comment"]
    if function is None:
        return node_at("call", lowerer.many(given), syntax)
    text = lowerer.text(function)
    if function.type == "selector_expression":
        return _call_of_selector(lowerer, syntax, function, given)
    if function.type == "identifier" and lowerer.names.is_free(text):
        return _call_of_builtin(lowerer, syntax, function, given)
    if text in lowerer.names.types and not lowerer.names.local(text):
        return node_at("cast", lowerer.many(given), syntax)
    called = lowerer.many([function])
    if lowerer.names.local(text):  # the call reads a variable
        called = [node_at("cast", called, function)]
    return node_at("call", [*called, *lowerer.many(given)], syntax)


def _call_of_selector(lowerer: Lowerer, syntax: Syntax, function: Syntax, given: list[Syntax]) -> TreeNode:
    """Lower a call of a method or of a function of a package."""
    name, operand, field = _package(lowerer, function), *map(function.child_by_field_name, ("operand", "field"))
    method = b"" if field is None else lowerer.text(field)
    is_output = operand is not None and lowerer.text(operand) in OUTPUT and method in WRITING
    is_output |= name in WRITES and bool(given) and lowerer.text(given[0]) in OUTPUT
    if name in PRINTS or is_output:
        shown = given[1:] if name in WRITES else given
        return node_at("print", [piece for each in shown for piece in _printed(lowerer, each)], syntax)
    arguments = lowerer.many(given)
    is_told = method in TELLING and method not in lowerer.names.methods
    if name and not (name.startswith(b"log.") and is_told):
        return node_at("call", [name_at(function, name), *arguments], syntax)
    called = _field(lowerer, function)
    called.text = own(called.text)
    return node_at("call", [called, *arguments], syntax, b"" if is_told else WORK)


def _printed(lowerer: Lowerer, syntax: Syntax) -> list[TreeNode]:
    """Lower what is printed: of a string that is made for it, its pieces."""
    function, arguments = syntax.child_by_field_name("function"), syntax.child_by_field_name("arguments")
    is_made = syntax.type == "call_expression" and function is not None and _package(lowerer, function) in FORMATS
    return lowerer.many(arguments.named_children if is_made and arguments is not None else [syntax])


def _call_of_builtin(lowerer: Lowerer, syntax: Syntax, function: Syntax, given: list[Syntax]) -> TreeNode:
    """Lower a call of a function that the file does not declare."""
    name = lowerer.text(function)
    if name in BASIC:
        return node_at("cast", lowerer.many(given), syntax)
    if name in (b"make", b"new") and given:
        return _made(lowerer, syntax, lowerer.text(given[0]), lowerer.many(given[1:]), is_new=name == b"new")
    if name == b"panic":
        return node_at("throw", lowerer.many(given), syntax)
    if name in (b"print", b"println"):
        return node_at("print", lowerer.many(given), syntax)
    arguments = lowerer.many(given)
    # The length of a map changes when it is used by another name.
    is_growing = name == b"len" and bool(given) and type_of(lowerer, given[0]).startswith((b"map", b"chan", b"<-"))
    called = name_at(function, name if name in BUILTIN and not is_growing else own(name))
    return node_at("call", [called, *arguments], syntax)


def _made(lowerer: Lowerer, syntax: Syntax, kind: bytes, sizes: list[TreeNode], *, is_new: bool) -> TreeNode:
    """Lower ``make`` or ``new``. How much room something gets says nothing, but how many elements a slice has does."""
    whole = lowerer.names.types.get(kind, kind)
    if all(effects(each).is_pure for each in sizes) and whole.startswith((b"map", b"[]")):
        is_empty = whole.startswith(b"map") or (bool(sizes) and sizes[0].text == b"0")
        sizes = [] if is_empty else sizes[:1]
    made = node_at("new", sizes, syntax)
    return node_at("op", [made], syntax, b"&{}") if is_new else made


def converted(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower ``[]byte(a)``. What looks like a type with arguments, ``f[a](b)``, may be a call of a generic function, or
    of an element."""
    kind = syntax.child_by_field_name("type")
    operand = lowerer.field(syntax, "operand")
    base = None if kind is None or kind.type != "generic_type" else kind.child_by_field_name("type")
    if kind is None or base is None or lowerer.text(base) in lowerer.names.types:
        return node_at("cast", [operand], syntax)
    arguments = kind.child_by_field_name("type_arguments")
    elements = [] if arguments is None else arguments.named_children
    package, _, last = lowerer.text(base).rpartition(b".")
    called = name_at(base, lowerer.names.text(last))
    if package and not (package in lowerer.names.packages and lowerer.names.is_free(package)):
        called = node_at("field", [name_at(base, lowerer.names.text(package))], base, last)
    elif package:
        return node_at("call", [name_at(base, b"%s.%s" % (package, last)), operand], syntax)
    elif last in lowerer.names.globals and not lowerer.names.local(last) and last + b"()" in lowerer.names.kinds:
        return node_at("call", [called, operand], syntax)
    indices = [name_at(each, lowerer.names.text(lowerer.text(each))) for each in elements]
    return node_at("call", [node_at("index", [called, *indices], base), operand], syntax)


def operation(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower an operator with one operand."""
    node = unary(lowerer, syntax)
    if node.text == b"<-":
        return node_at("read", node.children, syntax)
    if node.text == b"&" and node.children:
        inside = node.children[0]
        if inside.kind in ("new", "array"):
            return node_at("op", [inside], syntax, b"&{}")
        node.children[0] = inside.at("cast", [inside], PLACE)
    return node


def sliced(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``a[i:j]``. A slice of an array has its address."""
    operand = syntax.child_by_field_name("operand")
    whole = lowerer.field(syntax, "operand")
    if operand is not None and not refers(type_of(lowerer, operand)) and root(whole):
        whole = whole.at("cast", [whole], PLACE)
    limits = [syntax.child_by_field_name(field) for field in ("start", "end", "capacity")]
    text = b"[" + b":".join(b"" if each is None else b"_" for each in limits) + b"]"
    return node_at("op", [whole, *lowerer.many([each for each in limits if each is not None])], syntax, text)


def asserted(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``a.(T)``."""
    return node_at("op", [lowerer.field(syntax, "operand")], syntax, b".()")


def spread(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower the last argument in ``f(a...)``."""
    return node_at("op", lowerer.many(syntax.named_children), syntax, b"...")


def composite(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a literal of a struct to what is stored in it; of a slice, an array or a map to an array."""
    kind, body = syntax.child_by_field_name("type"), syntax.child_by_field_name("body")
    lowerer.names.literal = b"" if kind is None else lowerer.text(kind)
    return node_at("new", [], syntax) if body is None else one(lowerer, body)


def literal(lowerer: Lowerer, body: Syntax) -> TreeNode:
    """Lower what is between the braces of a literal, whose type was noted."""
    names = lowerer.names
    kind = names.literal
    # The type of an element is that of the literal, unless it is written; then it may be a pointer to it.
    whole = names.types.get(kind.lstrip(b"*"), kind.lstrip(b"*"))
    element, is_array = element_type(whole), whole.startswith((b"[", b"map["))
    inside: list[TreeNode] = []
    for each in body.named_children:
        key, value = each.child_by_field_name("key"), each.child_by_field_name("value")
        if each.type == "keyed_element" and key is not None and value is not None:
            lowered = _element_of(lowerer, value, element)
            names_field = not is_array and not names.local(lowerer.text(key))
            names_field |= lowerer.text(key) in names.members.get(kind.lstrip(b"*"), {})
            keys = [] if names_field else _element_of(lowerer, key, b"")
            inside += [node_at("tuple", [*keys, *lowered], each)] if is_array else [*keys, *lowered]
        elif each.type == "literal_element":
            inside += _element_of(lowerer, each, element)
    node = node_at("array" if inside and is_array else "new", inside, body)
    return node_at("op", [node], body, b"&{}") if kind.startswith(b"*") else node


def _element_of(lowerer: Lowerer, syntax: Syntax, kind: bytes) -> list[TreeNode]:
    lowerer.names.literal = kind
    return lowerer.many(syntax.named_children)


def expressions(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a list of expressions: one is itself, several are a tuple."""
    inside = lowerer.many(syntax.named_children)
    return inside[0] if len(inside) == 1 else node_at("tuple", inside, syntax)


def types(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower the types that a file declares to their fields and methods, in order, with the kinds of their types. Other
    types, and those declared inside functions, are dropped."""
    if syntax.parent is None or syntax.parent.type != "source_file":
        return None
    specs = [child for child in syntax.named_children if child.type in ("type_spec", "type_alias")]
    declared = [node_at(each.type, members, each) for each in specs if (members := _members(each))]
    return listed(declared, syntax) if declared else None


def _members(spec: Syntax) -> list[TreeNode]:
    kind = spec.child_by_field_name("type")
    if kind is None or kind.type not in ("struct_type", "interface_type"):
        return []
    inside = kind.named_children
    if kind.type == "struct_type":
        inside = [child for each in inside for child in each.named_children]
    members: list[TreeNode] = []
    for each in inside:
        if each.type == "comment":
            continue
        of = each.child_by_field_name("type")
        members += [node_at(each.type, [], name) for name in names_of(each) or [each]]
        members += [] if of is None else [node_at(of.type, [], of)]
    return members


TABLE: Final = LoweringTable(
    lowerings={
        "identifier": identifier,
        "int_literal": leaf("number"),
        "float_literal": leaf("number"),
        "imaginary_literal": leaf("number"),
        "interpreted_string_literal": leaf("string"),
        "raw_string_literal": leaf("string"),
        "rune_literal": leaf("char"),
        "true": leaf("constant"),
        "false": leaf("constant"),
        "nil": leaf("constant"),
        "iota": ordinal,
        "binary_expression": binary,
        "unary_expression": operation,
        "selector_expression": selector,
        "index_expression": shape("index", "operand", "index"),
        "slice_expression": sliced,
        "type_assertion_expression": asserted,
        "type_conversion_expression": converted,
        "call_expression": call,
        "variadic_argument": spread,
        "composite_literal": composite,
        "literal_value": literal,
        "func_literal": function,
        "expression_list": expressions,
        "short_var_declaration": short_declaration,
        "assignment_statement": assigned,
        "inc_statement": unary,
        "dec_statement": unary,
        "var_spec": variable,
        "const_declaration": constants,
        "if_statement": branch,
        "for_statement": loop,
        "expression_switch_statement": switch,
        "expression_case": case,
        "default_case": case,
        "type_switch_statement": type_switch,
        "type_case": case,
        "select_statement": select,
        "communication_case": communication,
        "receive_statement": received,
        "go_statement": later,
        "defer_statement": later,
        "return_statement": returned,
        "break_statement": jump("break"),
        "continue_statement": jump("continue"),
        "labeled_statement": labelled,
        "block": block,
        "function_declaration": function,
        "method_declaration": function,
        "parameter_list": all_of("block"),
        "parameter_declaration": parameter,
        "variadic_parameter_declaration": parameter,
        "source_file": program,
        "type_declaration": types,
    },
    drops=words("""
        comment package_clause import_declaration type_parameter_list type_arguments type_identifier
        qualified_type pointer_type slice_type array_type implicit_length_array_type map_type channel_type
        function_type struct_type interface_type generic_type parenthesized_type negated_type
    """),
    opens=words("""
        parenthesized_expression expression_statement statement_list var_declaration var_spec_list literal_element
    """),
)
