"""The fallback: a plain lexer for any language, when its grammar is missing or the program is too large to parse.

It knows words, numbers, strings, comments and operators by their looks, in linear time. Its symbols are its own: they
are never compared with those of a parsed program.
"""

import re
from functools import cache

from whorl.frontends.code.languages import Language, words
from whorl.frontends.code.plan import IDENTIFIER, symbol

# Words that are keywords nearly everywhere they can stand; any other word is an identifier.
KEYWORDS = words("""
    and as assert async await bool boolean break byte case catch chan char class const continue def default defer del
    delete do double elif else elseif elsif end enum except extends extern false False final finally float fn for
    foreach func function go goto if impl implements in int interface is lambda let long match mod module mut namespace
    new nil None not null nullptr or package pass private protected public raise range return select self short signed
    sizeof static string struct super switch template this throw throws trait true True try type typedef typeof union
    unless unsigned until using var virtual void volatile when where while with yield
""")

# Each alternative matches whatever follows its beginning, to the end of the line or of the text if it is never
# closed: a lexer that looks back is quadratic on unclosed comments.
COMMENTS = {"//": r"//[^\n]*+", "#": r"\#[^\n]*+", "/*": r"/\*(?s:.*?)(?:\*/|\Z)"}
STRINGS = (
    r'"""(?s:.*?)(?:"""|\Z)|'
    + r"'''(?s:.*?)(?:'''|\Z)|"
    + "|".join(rf"{quote}(?:[^{quote}\\\n]|\\(?s:.))*+{quote}?" for quote in "\"'`")
)
NUMBERS = r"\.?[0-9](?:[eEpP][-+]|[\w.])*+"
WORDS = r"[^\W\d]\w*+"
OPERATORS = r"[-+*/%&|^!<>=?~]"


def lex(row: Language, text: str) -> tuple[list[int], list[int], list[int]]:
    """The symbols of a program and their spans, in code points. Each operator character is a token of its own, so that
    blanks do not count."""
    family = f"lexer:{row.family}"
    identifier = symbol(family, IDENTIFIER)
    fixed = {name: symbol(family, name) for name in ("literal:string", "literal:number", *KEYWORDS)}
    symbols, starts, ends = [], [], []
    for found in _pattern(row.comments).finditer(text):
        kind = found.lastgroup
        if kind == "comment":
            continue
        if kind == "word":
            symbols.append(fixed.get(found[0], identifier))
        else:
            symbols.append(symbol(family, found[0]) if kind == "operator" else fixed[f"literal:{kind}"])
        starts.append(found.start())
        ends.append(found.end())
    return symbols, starts, ends


@cache
def _pattern(comments: tuple[str, ...]) -> re.Pattern[str]:
    groups = {
        "comment": "|".join(COMMENTS[mark] for mark in comments),
        "string": STRINGS,
        "number": NUMBERS,
        "word": WORDS,
        "operator": OPERATORS,
    }
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in groups.items()))
