"""Lexers for languages without a grammar: Pygments' tokens and SPICE netlists as symbols; and the classes of tokens
that a page colours."""

import re
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, Any, TypeAlias

from whorl.formats.code.languages import LANGUAGES
from whorl.formats.code.leaves import parse, preprocess, refused
from whorl.formats.code.plan import CLASSES, COMMENTS, IDENTIFIER, plan, spelled, symbol
from whorl.formats.code.row import Language, words

if TYPE_CHECKING:
    import tree_sitter

# A comment is a line that begins with a star, or what follows a semicolon, or a dollar sign after a blank.
COMMENT = r"(?m:^[ \t]*\*[^\n]*+)|;[^\n]*+|(?<=\s)\$[^\n]*+"
# The first line of a netlist is its title; a file of subcircuits has none and begins with a command.
TITLE = re.compile(r"[^\S\n]*+[^\s.*+;$][^\n]*+")
# The letter of an element opens its line; ``element`` is all of its name.
ELEMENT = r"(?m:^[ \t]*)(?P<element>[a-z]\w*+)"
COMMAND = r"(?P<command>\.[a-z]\w*+)"
SPICE_NUMBER = r"(?P<number>(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:e[-+]?[0-9]++)?[a-z%]*+)"
STRING = r"(?P<string>\"[^\"\n]*+\"?|'[^'\n]*+'?)"
NAME = r"(?P<name>[^\W\d][\w#!]*+)"
OPERATOR = r"(?P<operator>[-+*/<>=!&|^?~])"

TOKEN = re.compile(
    f"(?P<comment>{COMMENT})|(?P<more>(?m:^[ \\t]*\\+))|{ELEMENT}|{COMMAND}|{SPICE_NUMBER}|{STRING}|{NAME}|{OPERATOR}",
    re.I,
)

# Words of element lines and analyses that are SPICE's own.
KEYWORDS = words("dc ac sin pulse exp pwl sffm am tran dec oct lin npn pnp nmos pmos njf pjf poly v i")


def netlist(row: Language, text: str) -> tuple[list[int], list[int], list[int]]:
    """Return the symbols of a netlist and their spans."""
    symbols: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    title = TITLE.match(text)
    for match in TOKEN.finditer(text, title.end() if title else 0):
        kind = match.lastgroup or ""
        if kind in ("comment", "more"):
            continue
        symbols.append(_symbol(row, kind, match[kind]))
        starts.append(match.start(kind))
        ends.append(match.end(kind))
    return symbols, starts, ends


def _symbol(row: Language, kind: str, text: str) -> int:
    if kind == "element":
        return symbol(row.family, f"element:{text[0].lower()}")
    if kind in ("command", "operator") or (kind == "name" and text.lower() in KEYWORDS):
        return spelled(row, text)
    return symbol(row.family, IDENTIFIER if kind == "name" else f"literal:{kind}")


TypedToken: TypeAlias = tuple[int, str, str]
"""Where a token starts, what becomes of it, and its text."""

NUMBER = "literal:number"

# The treatment of a type of tokens, by the first of these prefixes.
KINDS = (
    ("Comment", "drop"),
    ("Literal.String.Doc", "drop"),
    ("Literal.String.Char", "literal:character"),
    ("Literal.String.Symbol", "literal:symbol"),
    ("Literal.String.Regex", "literal:regex"),
    ("Literal.String", "literal:string"),
    ("Literal.Number", NUMBER),
    ("Literal", "literal:string"),
    ("Name.Decorator", "drop"),
    ("Name.Namespace", IDENTIFIER),
    ("Name", IDENTIFIER),
    ("Keyword", "word"),
    ("Operator", "signs"),
    ("Punctuation", "signs"),
    ("Text", "plain"),
    ("Generic", "plain"),
)

# The names in text without a type of its own; a sigil belongs to its name.
PLAIN = re.compile(r"(?P<number>[0-9][\w.]*)|(?P<name>[$@%&]?[^\W\d][\w-]*)")

# The look behind makes each run of blanks be tried once.
TRAILING = re.compile(r"(?<![ \t])[ \t]++(?=\n)")

# ASCII alone: some other capitals are longer than their small letters.
SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)

LETTER = re.compile(r"[^\W\d_]")

# Signs that only separate and enclose: the dot of a field, the colon of a type, the quote of a list.
SEPARATORS = frozenset(".:'\"`()[]{},;")

# No import is longer, in tokens: past it the end was forgotten, and the program goes on.
LONGEST_IMPORT = 60


def highlighted(row: Language, text: str) -> tuple[list[int], list[int], list[int]]:
    """Return the symbols of a program and their spans, in code points."""
    symbols: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    last = ""
    for start, kind, token in _wanted(row, _typed(row, text)):
        if kind == last and _goes_on(kind, token, text[starts[-1] : start], ends[-1] - starts[-1]):
            ends[-1] = start + len(token)
            continue
        last = kind
        symbols.append(spelled(row, token) if kind in ("word", "sign") else symbol(row.family, kind))
        starts.append(start)
        ends.append(start + len(token))
    if ends and ends[-1] > len(text):  # the line end that was added, in a string that is not closed
        ends[-1] = len(text)
        if starts[-1] == ends[-1]:
            del symbols[-1], starts[-1], ends[-1]
    return symbols, starts, ends


def _goes_on(kind: str, token: str, before: str, length: int) -> bool:
    """Return whether a token continues the one before it, of this kind and length: lexers split strings, decimal
    fractions, and names with unknown letters. A sigil begins another name."""
    if kind in ("word", "sign"):
        return False
    if kind == NUMBER and before[length:] == ".":
        return before[:length].isdigit()
    return len(before) == length and (kind != IDENTIFIER or token[0].isalnum())


def _prepared(row: Language, text: str) -> str:
    """Prepare the text for lexers, equally long: blanks at line ends become line ends, the text ends with one, and
    letters are lower case where case does not count."""
    if row.folds_case:
        text = text.translate(SMALL)
    if row.blanks:
        text = _blanks(row.blanks).sub(lambda match: " " * len(match[0]), text)
    return TRAILING.sub(lambda match: "\n" * len(match[0]), text) + "\n"


@cache
def _blanks(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.M)


def _wanted(row: Language, tokens: Iterator[TypedToken]) -> Iterator[TypedToken]:
    """Drop the keywords that the row drops, and the imports that begin with one."""
    until, left = "", 0
    for start, kind, token in tokens:
        if until and left:
            left -= 1
            until = "" if until in token else until
            continue
        word = token.lower() if row.folds_case else token
        if word in row.drops_until and kind in ("word", IDENTIFIER):
            until, left = row.drops_until[word], LONGEST_IMPORT
        elif kind not in ("blank", "bracket") and not (kind in ("word", IDENTIFIER) and word in row.drops):
            yield start, kind, token


def _typed(row: Language, text: str) -> Iterator[TypedToken]:
    """Yield every token of the text with its kind, without blanks, in order and disjoint. Adjacent signs are read
    together: some lexers split ``:=``, others do not."""
    end, signs = 0, ""
    for start, type_, token in _lexer(row.module, row.function).get_tokens_unprocessed(_prepared(row, text)):
        if start < end or not token:
            continue
        kind = _kind(row, type_)
        if not LETTER.search(token) and token not in row.reserved:
            kind = _unlettered(kind, token)
        elif kind == "signs":  # ``mod`` and ``is``
            kind = "word"
        if signs and (kind != "signs" or start > end):
            yield from _signs(row, end - len(signs), signs)
            signs = ""
        end = start + len(token)
        if kind == "signs":
            signs += token
        elif kind == "plain":
            yield from _plain(start, token)
        elif kind == "drop":
            yield start, "blank", token
        elif kind.startswith("literal:") and kind != NUMBER:
            yield start, kind, token
        elif inner := token.strip():
            yield start + token.index(inner), "word" if inner in row.reserved else kind, inner
    yield from _signs(row, end - len(signs), signs)


def _unlettered(kind: str, token: str) -> str:
    """Return the kind of a name, keyword or number without letters: a number or an operator, whatever the lexer
    says."""
    if kind not in ("word", IDENTIFIER, NUMBER) or token.strip("_") != token:
        return kind
    return NUMBER if any(map(str.isdigit, token)) else "signs"


def _plain(start: int, token: str) -> Iterator[TypedToken]:
    """Yield the names and numbers of an untyped text, and its line end."""
    for match in PLAIN.finditer(token):
        yield start + match.start(), IDENTIFIER if match["name"] else NUMBER, match[0]
    if "\n" in token:
        yield start, "blank", "\n"


def _signs(row: Language, start: int, run: str) -> Iterator[TypedToken]:
    """Yield the operators in a run of signs, one by one: those that do not only separate, and the colon of ``:=``."""
    for place, sign in enumerate(run):
        is_kept = sign in row.keeps or (sign == ":" and run[place + 1 : place + 2] == "=")
        if is_kept or (sign not in SEPARATORS and not sign.isspace()):
            yield start + place, "sign", sign
        else:
            yield start + place, "bracket", sign


@cache
def _lexer(module: str, name: str) -> Any:
    return getattr(import_module(module), name)()


def _kind(row: Language, type_: Any) -> str:
    """Return the kind of a token type: by the row, else by the table above."""
    known = _known(row.name)
    if type_ not in known:
        name = str(type_).removeprefix("Token.")
        common = next((kind for start, kind in KINDS if f"{name}.".startswith(f"{start}.")), "drop")
        known[type_] = "word" if name in row.spells else row.merges.get(name, common)
    return known[type_]


@cache
def _known(language: str) -> dict[Any, str]:
    """Return the cache of the kinds of a language's token types."""
    return {}


# The syntactic classes that pages colour, by the beginning of Pygments' token types: comments, keywords, texts, numbers
# and the names of definitions.
SYNTAX = (
    ("Token.Comment", "c"), ("Token.Keyword", "k"), ("Token.Operator.Word", "k"), ("Token.Literal.String", "t"),
    ("Token.Literal.Number", "m"), ("Token.Name.Function", "f"), ("Token.Name.Class", "f"),
    ("Token.Name.Decorator", "f"),
)  # fmt: skip

# Languages that Pygments knows by another name.
LEXERS = {"assembly-8086": "nasm", "modula-2": "modula2", "ocaml-interface": "ocaml", "plsql": "sql"}


# Spans of coloured tokens, in bytes or in code points, and the letters of their classes.
Coloured: TypeAlias = tuple["array[int]", "array[int]", list[str]]


def syntax(language: str, data: bytes) -> tuple[bytes, bytes, str]:
    """Return the coloured spans of a program, in order, neighbours of one class as one: starts and ends as arrays of 32
    bits, and the letters of their classes. None if nothing knows the language. ``data`` is UTF-8, in which single
    surrogates may stand; spans count code points.

    Grammars that are always installed take a sixth of Pygments' time.
    """
    row = LANGUAGES.get(language)
    by_grammar = row is not None and row.reader == "grammar" and not row.extra and not refused(row, data)
    starts, ends, letters = _joined(_parsed_tokens(language, data) if by_grammar else _lexed_tokens(language, data))
    if by_grammar and not data.isascii():
        starts, ends = _in_code_points(starts, data), _in_code_points(ends, data)
    return starts.tobytes(), ends.tobytes(), "".join(letters)


def _joined(tokens: Iterable[tuple[int, int, str]]) -> Coloured:
    starts, ends, letters = array("i"), array("i"), list[str]()
    for start, end, letter in tokens:
        if letters and start < ends[-1]:
            continue  # the parser got several tokens for one in the text
        if letters and letter == letters[-1] and start == ends[-1]:
            ends[-1] = end  # a string and its quotes are one span
        else:
            starts.append(start)
            ends.append(end)
            letters.append(letter)
    return starts, ends, letters


def _lexed_tokens(language: str, data: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield the tokens that Pygments colours; none if it is not installed."""
    if find_spec("pygments") is None:
        return
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(LEXERS.get(language, language))
    except ClassNotFound:
        return
    reached, before = 0, ""  # blanks are coloured between two tokens of one class only
    for start, kind, value in lexer.get_tokens_unprocessed(data.decode("utf-8", "surrogatepass")):
        letter = _letter(kind)
        if letter and (value.strip() or (letter == before and start == reached)):
            reached, before = start + len(value), letter
            yield start, reached, letter


@cache
def _letter(kind: Any) -> str:
    """Return the letter of the class of a token type; "" if pages do not colour it."""
    return next((letter for prefix, letter in SYNTAX if str(kind).startswith(prefix)), "")


# The letters of literals, by the class of their tokens; texts are the rest.
NUMBERS = words("literal:integer literal:float literal:number")

# A word of a grammar that is a keyword: ``while``, ``not in``, ``#include``.
KEYWORD = re.compile(r"[#@]?[A-Za-z][\w ]*")

# Nodes of grammars that are keywords though they have a name.
KEYWORD_NODES = words("""
    true false none null nil null_literal undefined this self super primitive_type integral_type floating_point_type
    boolean_type void_type predefined_type mutable_specifier auto crate
""")

# Nodes that define a function or a class, and the fields that can have its name; and nodes that decorate one.
DEFINITION = re.compile(
    r"(?:\w+_)?(?:function|method|constructor|class|struct|enum|interface|trait|record|module)"
    r"(?:_(?:definition|declaration|item|specifier|declarator|signature))?"
)
NAME_FIELDS = ("name", "declarator")
DECORATORS = words("decorator annotation marker_annotation")


def _parsed_tokens(language: str, data: bytes) -> Iterator[tuple[int, int, str]]:
    """Yield the tokens of a syntax tree that are coloured, in bytes."""
    how, letters, defining = plan(language), *_node_letters(language)
    edited = preprocess(language, data)
    tree = parse(how, edited)
    defined: set[int] = set()
    stack = [tree.root_node]
    while stack:
        node = stack.pop()
        kind = node.kind_id
        letter = letters.get(kind)
        if letter is None and (children := node.children):
            if kind in defining:
                defined.update(each.start_byte for each in _defined_names(node))
            stack += children[::-1]
        elif letter:
            yield edited.start(node.start_byte), edited.end(node.end_byte), letter
        elif node.start_byte in defined:
            yield edited.start(node.start_byte), edited.end(node.end_byte), "f"


def _defined_names(node: "tree_sitter.Node") -> "list[tree_sitter.Node]":
    """Return the nodes that name what a node defines or decorates with."""
    if node.type in DECORATORS:
        return node.named_children[:1]
    return [name for field in NAME_FIELDS if (name := node.child_by_field_name(field)) is not None]


@cache
def _node_letters(language: str) -> tuple[dict[int, str], set[int]]:
    """Return the letters of a grammar's nodes, by their numbers: "" for one that is not coloured, none for one whose
    children are looked at. And the numbers of the nodes that name a definition."""
    row, grammar = LANGUAGES[language], plan(language).grammar
    letters: dict[int, str] = {}
    defining: set[int] = set()
    for number in range(grammar.node_kind_count):
        kind = grammar.node_kind_for_id(number) or ""
        if not grammar.node_kind_is_named(number):
            letters[number] = "k" if KEYWORD.fullmatch(kind) else ""
            continue
        name = CLASSES.get(kind) or row.merges.get(kind, "")
        if kind in COMMENTS:
            letters[number] = "c"
        elif kind in KEYWORD_NODES:
            letters[number] = "k"
        elif name.startswith("literal:"):
            letters[number] = "m" if name in NUMBERS else "t"
        elif name == IDENTIFIER:
            letters[number] = ""
        elif kind in DECORATORS or DEFINITION.fullmatch(kind):
            defining.add(number)
    return letters, defining


# The bytes of UTF-8 that begin no code point.
_CONTINUATION = bytes(range(0x80, 0xC0))


def _in_code_points(places: "array[int]", data: bytes) -> "array[int]":
    """Return places in a text, in order, as code points instead of bytes."""
    counted, at, points = array("i"), 0, 0
    for place in places:
        points += len(data[at:place].translate(None, _CONTINUATION))
        at = place
        counted.append(points)
    return counted
