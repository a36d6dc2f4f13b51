"""Characters that deceive: those that are not seen, and letters of another alphabet among Latin ones.

Whole words in another alphabet are honest, and so are joiners where scripts and emoji need them. What is counted stands
between Latin letters, where nobody types it by accident.
"""

import re
import unicodedata
from functools import lru_cache

from whorl.frontends.text import TextFrontend

# Such characters, or words with such letters, that a submission may have: a stray one comes from a web page.
FEW = 2

# Characters without width or effect, and those that turn the direction of writing, after a Latin letter, a digit, a
# blank or a sign. Soft hyphens are left out: pages are full of them.
UNSEEN = re.compile(
    "(?<=[\x21-\x7e ])[\u034f\u180e\u200b-\u200d\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]+"
    "(?=[\x21-\x7e ])"
)

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")
_BEYOND = re.compile("[^\x00-\u024f]")

# Distinct characters that are remembered: more than any script that looks like Latin has.
HELD = 4096


def unseen(text: str) -> list[int]:
    """Where characters stand that a reader does not see."""
    return [] if text.isascii() else [found.start() for found in UNSEEN.finditer(text)]


def look_alikes(text: str) -> list[tuple[int, str]]:
    """The words in which Latin letters stand beside others that only look like them, and where."""
    if text.isascii():
        return []
    return [
        (found.start(), found[0])
        for found in _WORD.finditer(text)
        if not found[0].isascii() and _LATIN.search(found[0]) and any(map(_looks_latin, _BEYOND.findall(found[0])))
    ]


@lru_cache(HELD)
def _looks_latin(letter: str) -> bool:
    """Whether the canonical form of a letter beyond the Latin ones is a Latin letter: a look-alike, or a styled one."""
    symbols = TextFrontend().stream(letter).symbols.tolist()
    is_latin = len(symbols) == 1 and ord("a") <= symbols[0] <= ord("z")
    return is_latin and not unicodedata.name(letter, "").startswith("LATIN")
