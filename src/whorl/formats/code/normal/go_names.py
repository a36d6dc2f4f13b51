"""Find the names and types that a Go file declares, and the types of its expressions where the file writes them."""

from typing import Final

from whorl.formats.code.normal.analysis import PURE_CALLS
from whorl.formats.code.normal.expressions import CALLED
from whorl.formats.code.normal.lowering import Lowerer, Syntax
from whorl.formats.code.normal.nodes import TreeNode

NUMBERS: Final = frozenset(
    b"int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr byte rune float32 float64 complex64 "
    b"complex128".split()
)
BASIC: Final = NUMBERS | {b"string", b"bool"}

# How the types begin whose values refer to another place: copies share it.
REFERRING: Final = (b"[]", b"map[", b"*", b"chan ", b"chan<-", b"<-chan", b"func(", b"func (")


def note(lowerer: Lowerer, syntax: Syntax) -> None:
    """Note what a declaration outside all functions declares or imports."""
    names = lowerer.names
    name = syntax.child_by_field_name("name")
    text = b"" if name is None else lowerer.text(name)
    if syntax.type == "function_declaration":
        result = syntax.child_by_field_name("result")
        names.globals[text] = own(text)
        names.kinds[own(text) + b"()"] = b"" if result is None else lowerer.text(result)
    elif syntax.type == "method_declaration":
        names.methods.add(text)
    elif syntax.type == "import_spec":
        path = syntax.child_by_field_name("path")
        inside = b"" if path is None else lowerer.text(path)[1:-1]
        names.packages.add(text or inside.split(b"/")[-1])
    elif syntax.type in ("var_spec", "const_spec"):
        for each in names_of(syntax):
            names.globals[lowerer.text(each)] = own(lowerer.text(each))
    elif syntax.type in ("type_spec", "type_alias"):
        _note_type(lowerer, text, syntax.child_by_field_name("type"))
    elif syntax.type.endswith(("_declaration", "_list")):
        for child in syntax.named_children:
            note(lowerer, child)


def _note_type(lowerer: Lowerer, name: bytes, kind: "Syntax | None") -> None:
    if kind is None:
        return
    lowerer.names.types[name] = lowerer.text(kind)
    if kind.type == "struct_type":
        members: dict[bytes, bytes] = {}
        for each in kind.named_children[0].named_children if kind.named_children else []:
            of = each.child_by_field_name("type")
            for field in names_of(each):
                members[lowerer.text(field)] = b"" if of is None else lowerer.text(of)
        lowerer.names.members[name] = members


def own(name: bytes) -> bytes:
    """Return the text of a name that a program declares: it is none of those whose effects are known."""
    return name + b"\0" if name in PURE_CALLS or name in CALLED else name


def type_of(lowerer: Lowerer, syntax: Syntax) -> bytes:
    """Return the type of an expression, as the file writes it; empty if it is not known."""
    names, kind, inside = lowerer.names, syntax.type, syntax.named_children
    if kind == "identifier":
        return names.kinds.get(names.text(lowerer.text(syntax)), b"")
    if kind == "parenthesized_expression" and inside:
        return type_of(lowerer, inside[0])
    if kind in ("int_literal", "rune_literal"):
        return b"int"
    if kind in ("float_literal", "interpreted_string_literal", "raw_string_literal", "true", "false"):
        return b"string" if "string" in kind else b"bool" if kind in ("true", "false") else b"float64"
    if kind in ("composite_literal", "type_conversion_expression") and (of := syntax.child_by_field_name("type")):
        return lowerer.text(of)
    if kind == "func_literal":
        return b"func()"
    if kind == "call_expression":
        return _type_of_call(lowerer, syntax)
    operand = syntax.child_by_field_name("operand")
    if operand is None:
        return b""
    if kind == "selector_expression":
        field = syntax.child_by_field_name("field")
        members = names.members.get(type_of(lowerer, operand).lstrip(b"*"), {})
        return b"" if field is None else members.get(lowerer.text(field), b"")
    of_operand = type_of(lowerer, operand)
    if kind == "index_expression":
        return element_type(names.types.get(of_operand, of_operand))
    if kind == "slice_expression":
        return of_operand if of_operand == b"string" or of_operand.startswith(b"[]") else b""
    sign = syntax.child_by_field_name("operator")
    if kind == "unary_expression" and sign is not None and of_operand:
        text = lowerer.text(sign)
        return b"*" + of_operand if text == b"&" else of_operand[1:] if text == b"*" else b""
    return b""


def _type_of_call(lowerer: Lowerer, syntax: Syntax) -> bytes:
    called, arguments = (syntax.child_by_field_name(field) for field in ("function", "arguments"))
    given = [] if arguments is None else arguments.named_children
    name = b"" if called is None or called.type != "identifier" else lowerer.text(called)
    if lowerer.names.local(name):
        return b""
    if name in lowerer.names.globals:
        return lowerer.names.kinds.get(lowerer.names.text(name) + b"()", b"")
    if not name or not lowerer.names.is_free(name):
        return name if name in lowerer.names.types else b""
    if name in BASIC or name == b"len":
        return name if name in BASIC else b"int"
    if name in (b"make", b"new") and given:
        return (b"*" if name == b"new" else b"") + lowerer.text(given[0])
    return type_of(lowerer, given[0]) if name == b"append" and given else b""


def element_type(kind: bytes) -> bytes:
    """Return the type of the elements of a slice, an array or a map."""
    kind = kind.removeprefix(b"map")
    depth = 0
    for at in range(len(kind) if kind.startswith(b"[") else 0):
        depth += (kind[at] == ord("[")) - (kind[at] == ord("]"))
        if not depth:
            return kind[at + 1 :]
    return b""


def refers(kind: bytes) -> bool:
    """Return whether copies of a value of a type share what is stored in it, or nothing can be stored in it."""
    return kind in BASIC or kind.startswith(REFERRING)


def name_at(syntax: Syntax, text: bytes) -> TreeNode:
    return TreeNode("name", [], syntax.start_byte, syntax.end_byte, text)


def node_at(kind: str, inside: list[TreeNode], syntax: Syntax, text: bytes = b"") -> TreeNode:
    return TreeNode(kind, inside, syntax.start_byte, syntax.end_byte, text)


def names_of(syntax: Syntax) -> list[Syntax]:
    """Return the names of a declaration; the grammar counts the commas to them."""
    return [child for child in syntax.children_by_field_name("name") if child.is_named]


def one(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a node to one."""
    inside = lowerer.many([syntax])
    return inside[0] if len(inside) == 1 else node_at("tuple", inside, syntax)


def of_list(syntax: "Syntax | None") -> list[Syntax]:
    """Return the expressions of a list, or a single expression."""
    if syntax is None:
        return []
    inside = syntax.named_children if syntax.type == "expression_list" else [syntax]
    return [child for child in inside if child.type != "comment"]


def listed(inside: list[TreeNode], syntax: Syntax) -> TreeNode:
    return inside[0] if len(inside) == 1 else node_at("list", inside, syntax)
