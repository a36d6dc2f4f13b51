"""Pygments' tokens to ours: what a token's type says of its class. For languages that have no grammar to install.

Keywords are themselves, and so is each sign of an operator: some lexers take ``=-`` for one operator, and a blank must
not count. Names are one class, numbers one, strings and what adjoins them one. Comments, blanks and punctuation go. A
lexer can take time that grows with the square of the text: it runs where it can be stopped, as a parser does.
"""

import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from string import ascii_lowercase, ascii_uppercase
from typing import Any, TypeAlias

from whorl.frontends.code.plan import IDENTIFIER, spelled, symbol
from whorl.frontends.code.row import Language

Found: TypeAlias = tuple[int, str, str]
"""Where a token starts, what becomes of it, and its text."""

NUMBER = "literal:number"

# What becomes of a type of tokens, by the first of these that it begins with.
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

# What of a text that has no type of its own is a name; a sigil belongs to it.
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
    """The symbols of a program and their spans, in code points."""
    symbols: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    last = ""
    for start, kind, held in _wanted(row, _typed(row, text)):
        if kind == last and _goes_on(kind, held, text[starts[-1] : start], ends[-1] - starts[-1]):
            ends[-1] = start + len(held)
            continue
        last = kind
        symbols.append(spelled(row, held) if kind in ("word", "sign") else symbol(row.family, kind))
        starts.append(start)
        ends.append(start + len(held))
    if ends and ends[-1] > len(text):  # the line end that was added, in a string that is not closed
        ends[-1] = len(text)
        if starts[-1] == ends[-1]:
            del symbols[-1], starts[-1], ends[-1]
    return symbols, starts, ends


def _goes_on(kind: str, held: str, before: str, length: int) -> bool:
    """Whether a token belongs to the one of its kind before it, of this length, with what is between them: lexers
    divide strings, decimal fractions, and names with letters that they do not know. A sigil begins another name."""
    if kind in ("word", "sign"):
        return False
    if kind == NUMBER and before[length:] == ".":
        return before[:length].isdigit()
    return len(before) == length and (kind != IDENTIFIER or held[0].isalnum())


def _prepared(row: Language, text: str) -> str:
    """The text as lexers like it, as long as before: blanks at the end of a line become line ends, and it ends with
    one; letters are small where case does not count, for not every lexer knows that it does not."""
    if row.folds_case:
        text = text.translate(SMALL)
    if row.blanks:
        text = _blanks(row.blanks).sub(lambda found: " " * len(found[0]), text)
    return TRAILING.sub(lambda found: "\n" * len(found[0]), text) + "\n"


@cache
def _blanks(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.M)


def _wanted(row: Language, found: Iterator[Found]) -> Iterator[Found]:
    """Without the keywords that the row drops, and the imports that begin with one."""
    until, left = "", 0
    for start, kind, held in found:
        if until and left:
            left -= 1
            until = "" if until in held else until
            continue
        word = held.lower() if row.folds_case else held
        if word in row.drops_until and kind in ("word", IDENTIFIER):
            until, left = row.drops_until[word], LONGEST_IMPORT
        elif kind not in ("blank", "bracket") and not (kind in ("word", IDENTIFIER) and word in row.drops):
            yield start, kind, held


def _typed(row: Language, text: str) -> Iterator[Found]:
    """Every token of the text with what becomes of it, its blanks cut off. They are in order and do not overlap.

    Signs that adjoin each other are looked at together: some lexers divide ``:=``, others do not."""
    end, signs = 0, ""
    for start, type_, held in _lexer(row.module, row.function).get_tokens_unprocessed(_prepared(row, text)):
        if start < end or not held:
            continue
        kind = _kind(row, type_)
        if not LETTER.search(held) and held not in row.reserved:
            kind = _unlettered(kind, held)
        elif kind == "signs":  # ``mod`` and ``is``
            kind = "word"
        if signs and (kind != "signs" or start > end):
            yield from _signs(row, end - len(signs), signs)
            signs = ""
        end = start + len(held)
        if kind == "signs":
            signs += held
        elif kind == "plain":
            yield from _plain(start, held)
        elif kind == "drop":
            yield start, "blank", held
        elif kind.startswith("literal:") and kind != NUMBER:
            yield start, kind, held
        elif inner := held.strip():
            yield start + held.index(inner), "word" if inner in row.reserved else kind, inner
    yield from _signs(row, end - len(signs), signs)


def _unlettered(kind: str, held: str) -> str:
    """A name, keyword or number that has no letter is a number or an operator, whatever the lexer says."""
    if kind not in ("word", IDENTIFIER, NUMBER) or held.strip("_") != held:
        return kind
    return NUMBER if any(map(str.isdigit, held)) else "signs"


def _plain(start: int, held: str) -> Iterator[Found]:
    """The names and numbers in a text that has no type of its own, and the end of its line."""
    for found in PLAIN.finditer(held):
        yield start + found.start(), IDENTIFIER if found["name"] else NUMBER, found[0]
    if "\n" in held:
        yield start, "blank", "\n"


def _signs(row: Language, start: int, run: str) -> Iterator[Found]:
    """The signs that are operators, one by one: those that do not only separate, and the colon of ``:=``."""
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
    """What becomes of a token of this type: by the row, else by the table above."""
    known = _known(row.name)
    if type_ not in known:
        name = str(type_).removeprefix("Token.")
        common = next((kind for start, kind in KINDS if f"{name}.".startswith(f"{start}.")), "drop")
        known[type_] = "word" if name in row.spells else row.merges.get(name, common)
    return known[type_]


@cache
def _known(language: str) -> dict[Any, str]:
    """What was decided of the types of a language's tokens."""
    return {}
