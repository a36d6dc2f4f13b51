"""What the attacks know about the languages: which kinds of nodes are functions, blocks, calls, and how to write."""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from experiments.attacks.syntax import Syntax, field


@dataclass(frozen=True, slots=True)
class Grammar:
    """A language, as far as attacks need it. ``indent`` is one step of the examples' indentation."""

    function: str
    blocks: frozenset[str]
    call: str
    callee: str
    comment: str
    negation: str
    indent: str


GRAMMARS = {
    "java": Grammar("method_declaration", frozenset({"block"}), "method_invocation", "name", "// {}", "!({})", " " * 4),
    "javascript": Grammar(
        "function_declaration",
        frozenset({"statement_block"}),
        "call_expression",
        "function",
        "// {}",
        "!({})",
        "  ",
    ),
    "python": Grammar("function_definition", frozenset({"block"}), "call", "function", "# {}", "not ({})", " " * 4),
}

# Statements after which nothing in their block is reached.
JUMPS = frozenset({"return_statement", "break_statement", "continue_statement", "throw_statement", "raise_statement"})

# Kinds that do more than give a value, or whose names are not those of the function around them.
INTRICATE = frozenset({
    "arrow_function", "assignment_expression", "augmented_assignment_expression", "await", "await_expression",
    "dictionary_comprehension", "generator_expression", "lambda", "lambda_expression", "list_comprehension",
    "named_expression", "set_comprehension", "this", "update_expression", "yield", "yield_expression",
})  # fmt: skip


def functions(syntax: Syntax) -> list[Node]:
    """The functions that stand beside each other: those of a module, or the methods of its first class in Java."""
    grammar = GRAMMARS[syntax.language]
    if syntax.language != "java":
        return [child for child in syntax.root.children if child.type == grammar.function]
    body = next(syntax.nodes("class_body"), None)
    return [] if body is None else [child for child in body.children if child.type == grammar.function]


def name_of(syntax: Syntax, function: Node) -> str:
    """Return what a function is called."""
    return syntax.text(field(function, "name"))


def is_main(syntax: Syntax, function: Node) -> bool:
    """Return whether it is the function that a program begins with."""
    return name_of(syntax, function) == "main"


def is_static(syntax: Syntax, function: Node) -> bool:
    """Return whether it needs no object: always so of functions outside classes."""
    head = syntax.data[function.start_byte : field(function, "body").start_byte]
    return syntax.language != "java" or b"static" in head.split()


def called(syntax: Syntax, node: Node) -> str | None:
    """Return the name of the program's own function that a node calls, if it is such a call."""
    grammar = GRAMMARS[syntax.language]
    if node.type != grammar.call or node.child_by_field_name("object") is not None:
        return None
    callee = field(node, grammar.callee)
    return syntax.text(callee) if callee.type == "identifier" else None


def parameters(syntax: Syntax, function: Node) -> list[str]:
    """Return the names of a function's parameters, in order."""
    found = [child for child in field(function, "parameters").named_children if "comment" not in child.type]
    names = [child if child.type == "identifier" else child.child_by_field_name("name") for child in found]
    return [syntax.text(name) for name in names if name is not None]


def statements(syntax: Syntax, *, at_top: bool = True) -> Iterator[list[Node]]:
    """Yield the statements of each block, in order; those outside all functions too, if asked, where they are run."""
    grammar = GRAMMARS[syntax.language]
    for node in syntax.nodes():
        is_top = at_top and node is syntax.root and syntax.language != "java"
        if node.type in grammar.blocks or is_top:
            yield [child for child in node.named_children if "comment" not in child.type]


def is_run(statement: Node) -> bool:
    """Return whether a statement is run where it stands: not a definition, an import, a directive or a docstring."""
    if statement.type == "expression_statement":
        return statement.named_children[0].type != "string"
    return "import" not in statement.type and not statement.type.endswith(("_definition", "function_declaration"))


def column(node: Node) -> str:
    """Return the blanks before a node that begins its line."""
    return " " * node.start_point.column


def leaf_count(syntax: Syntax, node: Node) -> int:
    """Return how many tokens a node has."""
    return sum(1 for _ in syntax.leaves(node))
