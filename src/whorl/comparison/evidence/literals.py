"""Literals and comments as traits: strings, numbers and remarks that few others have."""

import re
from collections.abc import Iterator

from whorl.comparison.evidence.lexemes import Kind, Lexeme
from whorl.comparison.evidence.trait import Trait

LITERAL, COMMENT = "literal", "comment"

# Letters and digits of the shortest string, and digits of the shortest number, that two people will not both think of.
STRING, DIGITS = 6, 4

# Words and letters of the shortest comment that is more than a label.
WORDS, LETTERS = 3, 12

# Characters of a literal or a comment that are shown.
SHOWN = 80

_LETTERS = re.compile(r"\w+")


def literals(found: Lexeme) -> Iterator[Trait]:
    """What a lexeme tells, if it is a string, a number or a comment that is long enough."""
    if found.kind is Kind.STRING:
        content = found.text.strip("\"'`")
        if sum(map(len, _LETTERS.findall(content))) >= STRING:
            yield Trait(LITERAL, content, shown(found.text), found.start)
    elif found.kind is Kind.NUMBER:
        digits = found.text.replace("_", "").lower()
        if sum(map(str.isdigit, digits.rstrip("0"))) >= DIGITS:
            yield Trait(LITERAL, digits, shown(found.text), found.start)
    elif found.kind is Kind.COMMENT:
        words = _LETTERS.findall(found.text.lower())
        if len(words) >= WORDS and sum(map(len, words)) >= LETTERS:
            yield Trait(COMMENT, " ".join(words), shown(found.text), found.start)


def shown(text: str) -> str:
    """A text on one line, cut short."""
    line = " ".join(text[: 4 * SHOWN].split())
    return line if len(line) <= SHOWN else f"{line[: SHOWN - 1]}…"
