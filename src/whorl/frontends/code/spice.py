"""SPICE netlists: a lexer of our own, for there is none to install.

A line is an element, a dot-command or a comment, and goes on in lines that begin with a plus. The first letter of an
element says what it is (a resistor, a transistor) and stays; its name, its nodes and its model are identifiers. A
number is one symbol with its suffix: ``1k`` is ``1000``. A netlist ignores case.
"""

import re

from whorl.frontends.code.plan import IDENTIFIER, spelled, symbol
from whorl.frontends.code.row import Language, words

# A comment is a line that begins with a star, or what follows a semicolon, or a dollar sign after a blank.
COMMENT = r"(?m:^[ \t]*\*[^\n]*+)|;[^\n]*+|(?<=\s)\$[^\n]*+"
# The first line of a netlist is its title; a file of subcircuits has none and begins with a command.
TITLE = re.compile(r"[^\S\n]*+[^\s.*+;$][^\n]*+")
# The letter of an element opens its line; ``element`` is all of its name.
ELEMENT = r"(?m:^[ \t]*)(?P<element>[a-z]\w*+)"
COMMAND = r"(?P<command>\.[a-z]\w*+)"
NUMBER = r"(?P<number>(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:e[-+]?[0-9]++)?[a-z%]*+)"
STRING = r"(?P<string>\"[^\"\n]*+\"?|'[^'\n]*+'?)"
NAME = r"(?P<name>[^\W\d][\w#!]*+)"
OPERATOR = r"(?P<operator>[-+*/<>=!&|^?~])"

TOKEN = re.compile(
    f"(?P<comment>{COMMENT})|(?P<more>(?m:^[ \\t]*\\+))|{ELEMENT}|{COMMAND}|{NUMBER}|{STRING}|{NAME}|{OPERATOR}", re.I
)

# Words of element lines and analyses that are SPICE's own.
KEYWORDS = words("dc ac sin pulse exp pwl sffm am tran dec oct lin npn pnp nmos pmos njf pjf poly v i")


def netlist(row: Language, text: str) -> tuple[list[int], list[int], list[int]]:
    """The symbols of a netlist and their spans."""
    symbols: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    title = TITLE.match(text)
    for found in TOKEN.finditer(text, title.end() if title else 0):
        kind = found.lastgroup or ""
        if kind in ("comment", "more"):
            continue
        symbols.append(_symbol(row, kind, found[kind]))
        starts.append(found.start(kind))
        ends.append(found.end(kind))
    return symbols, starts, ends


def _symbol(row: Language, kind: str, text: str) -> int:
    if kind == "element":
        return symbol(row.family, f"element:{text[0].lower()}")
    if kind in ("command", "operator") or (kind == "name" and text.lower() in KEYWORDS):
        return spelled(row, text)
    return symbol(row.family, IDENTIFIER if kind == "name" else f"literal:{kind}")
