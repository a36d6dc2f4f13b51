"""Map each kind of syntax node to a token, to nothing, or to its children. One table per language, made once.

A token's class does not depend on its spelling: all identifiers are one class, each kind of literal is one, keywords
and operators are themselves. Its symbol is a fixed hash of the family and the class, so it is the same on every machine
and for every version of the grammar.
"""

import warnings
from functools import cache, lru_cache
from hashlib import blake2b
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from whorl.formats.code.languages import language
from whorl.formats.code.row import Language, words

if TYPE_CHECKING:
    import tree_sitter

# Not symbols: nothing comes of the node; what is inside it does; the row has a condition; the text is the class.
DROP, DESCEND, ASK, SPELL = 0, -1, -2, -3

# How many classes are remembered: several times what all languages name, for those that programs spell themselves.
REMEMBERED = 1 << 15

# The number that tree-sitter gives, in every grammar, to nodes around what it could not parse.
ERROR = 65_535

IDENTIFIER = "identifier"

# Anonymous words of grammars that only separate and enclose. Quotes stand inside literals, and what is blank or empty
# is the end of a line.
PUNCTUATION = words("( ) [ ] { } [[ ]] {| |} , ; . : :: ?. \\ @ \" ' ` #{ ${")

# The dot of optional chaining is as much a dot as the others.
COMMENTS = words("comment line_comment block_comment html_comment hash_bang_line optional_chain")

# No keyword has a colon in it: TypeScript has a keyword "string".
CLASSES = {
    kind: name
    for name, kinds in {
        IDENTIFIER: """
            identifier type_identifier field_identifier property_identifier private_property_identifier
            shorthand_property_identifier shorthand_property_identifier_pattern shorthand_field_identifier
            statement_identifier namespace_identifier package_identifier blank_identifier label_name name metavariable
            implicit_parameter
            constant instance_variable class_variable global_variable
        """,
        "literal:integer": """
            integer integer_literal int_literal decimal_integer_literal hex_integer_literal octal_integer_literal
            binary_integer_literal
        """,
        "literal:float": """
            float float_literal real_literal decimal_floating_point_literal hex_floating_point_literal
            imaginary_literal rational complex
        """,
        "literal:number": "number number_literal",
        "literal:string": """
            string string_literal raw_string_literal interpreted_string_literal verbatim_string_literal
            interpolated_string_expression template_string encapsed_string heredoc nowdoc heredoc_body
            bare_string
        """,
        "literal:character": "character_literal char_literal rune_literal character",
        "literal:symbol": "simple_symbol delimited_symbol hash_key_symbol bare_symbol",
        "literal:regex": "regex",
    }.items()
    for kind in kinds.split()
}


class Plan(NamedTuple):
    """The action for each kind of node, by the grammar's number: a symbol, or ``DROP``, ``DESCEND``, ``ASK`` or
    ``SPELL``."""

    row: Language
    grammar: "tree_sitter.Language"
    actions: dict[int, int]
    leaves: dict[int, int]
    """The symbol of a node that was to be descended into and has nothing inside."""

    keywords: frozenset[str]

    def is_dropped(self, node: "tree_sitter.Node", following: "tree_sitter.Node | None") -> bool:
        """Return whether the row's conditions drop a node whose action is ``ASK``. ``following`` is the node after it.

        A docstring is a string that is neither followed by a comma nor by another string. Such strings are a part of a
        list, a table or a long string that was cut out of its program.
        """
        if node.type in self.row.drops_bodiless:
            return node.child_by_field_name("body") is None
        return node.child_count == 1 and self._begins_lone(node) and not self._begins_lone(following)

    def _begins_lone(self, node: "tree_sitter.Node | None") -> bool:
        """Return whether a node is a statement in ``drops_lone`` and begins with the node that is named there."""
        first = node.child(0) if node is not None and node.type in self.row.drops_lone else None
        return node is not None and first is not None and first.type == self.row.drops_lone[node.type]

    def spelled(self, text: bytes) -> int:
        """Return the symbol of a token whose class is its text."""
        word, reserved = text.decode("utf-8", "replace"), self.row.reserved
        return spelled(self.row, word) if not reserved or word in reserved else symbol(self.row.family, IDENTIFIER)


@cache
def plan(name: str) -> Plan:
    """Return the plan of an installed language."""
    row = language(name)
    grammar = _grammar(row)
    actions, leaves, keywords = {ERROR: DESCEND}, {ERROR: DROP}, set[str]()
    for number in range(grammar.node_kind_count):
        kind = grammar.node_kind_for_id(number) or ""
        is_named = grammar.node_kind_is_named(number)
        actions[number] = _named(row, kind) if is_named else _word(row, kind)
        leaves[number] = symbol(row.family, kind)
        if not is_named and kind.isidentifier():
            keywords.add(kind)
    return Plan(row, grammar, actions, leaves, frozenset(keywords))


@lru_cache(REMEMBERED)
def symbol(family: str, name: str) -> int:
    """Return the number of a token class; never 0. A family that begins with ``lexer:`` is the plain lexer's."""
    digest = blake2b(f"{family}\0{name}".encode(), digest_size=4, person=b"whorl code").digest()
    return int.from_bytes(digest, "little") or 1


def _grammar(row: Language) -> "tree_sitter.Language":
    import tree_sitter

    with warnings.catch_warnings():
        # Some wheels (Perl's) give the grammar as a number, which this pinned version takes and warns of.
        warnings.simplefilter("ignore", DeprecationWarning)
        return tree_sitter.Language(getattr(import_module(row.module), row.function)())


def spelled(row: Language, text: str) -> int:
    """Return the symbol of a token whose class is its text, in lower case if the language ignores case."""
    return symbol(row.family, text.lower() if row.folds_case else text)


def _named(row: Language, kind: str) -> int:
    if kind in COMMENTS or kind in row.drops:
        return DROP
    if kind in row.drops_bodiless or kind in row.drops_lone:
        return ASK
    if kind in row.spells:
        return SPELL
    if kind in row.opens:
        return DESCEND
    name = row.merges.get(kind) or CLASSES.get(kind)
    return DESCEND if name is None else symbol(row.family, name)


def _word(row: Language, kind: str) -> int:
    """Return the action for a keyword, an operator or punctuation."""
    if not kind.strip() or kind in row.drops or (kind in PUNCTUATION and kind not in row.keeps):
        return DROP
    return symbol(row.family, row.merges.get(kind, kind))
