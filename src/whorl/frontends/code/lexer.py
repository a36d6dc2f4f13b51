"""The fallback: a plain lexer for any language, when its reader is missing or the program is too large for it.

It knows words, numbers, strings, comments and operators by their looks, in linear time. Its symbols are its own: they
are never compared with those of a parsed program.
"""

import re
from functools import cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from whorl.frontends.code.plan import IDENTIFIER, symbol
from whorl.frontends.code.row import Language, words

# Words that are keywords nearly everywhere they can stand; any other word is an identifier.
KEYWORDS = words("""
    and as assert async await bool boolean break byte case catch chan char class const continue def default defer del
    delete do double elif else elseif elsif end enum except extends extern false False final finally float fn for
    foreach func function go goto if impl implements in int interface is lambda let long match mod module mut namespace
    new nil None not null nullptr or package pass private protected public raise range return select self short signed
    sizeof static string struct super switch template this throw throws trait true True try type typedef typeof union
    unless unsigned until using var virtual void volatile when where while with yield
""")

# How a comment ends that does not end with its line.
CLOSERS = {
    "/*": "*/", "(*": "*)", "{": "}", "{-": "-}", "<!--": "-->", "--[[": "]]", "#=": "=#", "#|": "|#", "<#": "#>",
    "%{": "%}",
}  # fmt: skip

# Tokens that are held as Python's own numbers at a time: few enough for the cache, and they take nine times the memory.
HELD = 1 << 12

# Each alternative matches whatever follows its beginning, to the end of the line or of the text if it is never
# closed: a lexer that looks back is quadratic on unclosed comments.
STRINGS = (
    r'"""(?s:.*?)(?:"""|\Z)|'
    + r"'''(?s:.*?)(?:'''|\Z)|"
    + "|".join(rf"{quote}(?:[^{quote}\\\n]|\\(?s:.))*+{quote}?" for quote in "\"'`")
)
NUMBERS = r"\.?[0-9](?:[eEpP][-+]|[\w.])*+"
WORDS = r"[^\W\d]\w*+"
OPERATORS = "-+*/%&|^!<>=?~"

# The groups of the pattern, in order.
COMMENT, STRING, NUMBER, NAMED = 1, 2, 3, 4


def lex(row: Language, text: str) -> tuple[NDArray[np.uint32], NDArray[np.int32], NDArray[np.int32]]:
    """The symbols of a program and their spans, in code points. Each operator character is a token of its own, so that
    blanks do not count."""
    known, identifier, literals = _symbols(f"lexer:{row.family}")
    found = (match for match in _pattern(row.comments).finditer(text) if match.lastindex != COMMENT)
    parts: list[NDArray[np.uint32]] = [np.empty((3, 0), np.uint32)]
    while held := list(islice(found, HELD)):
        symbols = [known.get(it[0], identifier) if it.lastindex == NAMED else literals[it.lastindex] for it in held]
        parts.append(np.array([symbols, [it.start() for it in held], [it.end() for it in held]], np.uint32))
    whole = np.concatenate(parts, axis=1)
    return whole[0], whole[1].view(np.int32), whole[2].view(np.int32)


def _symbols(family: str) -> tuple[dict[str, int], int, dict[int | None, int]]:
    """The symbols of keywords and operators by their text, of any other word, and of literals by their group."""
    known = {name: symbol(family, name) for name in (*KEYWORDS, *OPERATORS)}
    literals: dict[int | None, int] = {
        group: symbol(family, f"literal:{name}") for group, name in ((STRING, "string"), (NUMBER, "number"))
    }
    return known, symbol(family, IDENTIFIER), literals


@cache
def _pattern(comments: tuple[str, ...]) -> re.Pattern[str]:
    comment = "|".join(_comment(mark) for mark in sorted(comments, key=len, reverse=True))
    named = f"{WORDS}|[{re.escape(OPERATORS)}]"
    return re.compile("|".join(f"({pattern})" for pattern in (comment, STRINGS, NUMBERS, named)))


def _comment(mark: str) -> str:
    """A comment that begins with this mark. A star is one only at the beginning of a line, as in COBOL and SPICE."""
    if mark == "*":
        return r"(?m:^[^\S\n]*+\*[^\n]*+)"
    if mark in CLOSERS:
        return rf"{re.escape(mark)}(?s:.*?)(?:{re.escape(CLOSERS[mark])}|\Z)"
    return rf"{re.escape(mark)}[^\n]*+"
