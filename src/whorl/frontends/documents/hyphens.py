"""Words that a typesetter broke at the end of a line, made whole again.

A hyphen at a line's end is the typesetter's or the writer's. It is taken for the writer's where the text spells the
same word with a hyphen elsewhere, or where what follows is no letter or a capital: then it stays.
"""

import re

# PDFium writes one of the first two for a hyphen that ends a line, and joins the lines; others write both.
# Ghostscript reads some hyphens as minus signs.
_BREAK = re.compile("[\ufffe\x02](?:\r?\n)?|[-\u2010\u2212\xad]\r?\n[ \t]{0,200}")
_HYPHENATED = re.compile(r"\w{1,40}-\w{1,40}")
_LAST = re.compile(r"\w{1,40}\Z")
_FIRST = re.compile(r"\w{1,40}")
LONGEST = 40  # letters of a part of a word that are looked at


def rejoin(text: str) -> str:
    """The text with broken words joined."""
    if not _BREAK.search(text):
        return text
    spelled = {word.lower() for word in _HYPHENATED.findall(text)}
    return _BREAK.sub(lambda found: _between(text, found.start(), found.end(), spelled), text)


def _between(text: str, start: int, end: int, spelled: set[str]) -> str:
    """What belongs between the two sides of a break: nothing, or a hyphen."""
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    if not before.isalpha() or not after.isalpha() or after.isupper():
        return "-"
    last, first = _LAST.search(text[max(start - LONGEST, 0) : start]), _FIRST.match(text[end : end + LONGEST])
    word = f"{last[0] if last else ''}-{first[0] if first else ''}"
    return "-" if word.lower() in spelled else ""
