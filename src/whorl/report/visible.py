"""Characters that a page would hide, or that would rearrange it, made visible.

Bidirectional controls can make a program read other than it runs; zero-width and tag characters can hide in names; NUL
and lone surrogates cannot stand in a page at all. Each is shown by a short name and has no effect. Joiners (U+200C,
U+200D) stay: Persian, Hindi and emoji are written with them.
"""

import re
import unicodedata
from itertools import islice
from typing import Any

from markupsafe import Markup, escape

HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but tab and line feed
    "\xad\u034f\u180e\u200b\u2060-\u2064\ufeff"  # characters without width
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f"  # marks, embeddings, overrides and isolates of direction
    "\u2028\u2029\ufff9-\ufffb"  # separators and annotations
    "\ud800-\udfff"  # halves of a surrogate pair, which UTF-8 does not have
    "\U000e0000-\U000e007f"  # tags
    "]"
)

# A person reads some hidden characters by their names, not thousands.
MANY = 10_000

REPLACEMENT = "\ufffd"

# What editors call them; all others are shown by their number.
ABBREVIATIONS = {
    "\u061c": "ALM", "\u200b": "ZWSP", "\u200e": "LRM", "\u200f": "RLM", "\u202a": "LRE", "\u202b": "RLE",
    "\u202c": "PDF", "\u202d": "LRO", "\u202e": "RLO", "\u2066": "LRI", "\u2067": "RLI", "\u2068": "FSI",
    "\u2069": "PDI", "\u2060": "WJ", "\ufeff": "BOM", "\xad": "SHY", "\x7f": "DEL",
}  # fmt: skip

# The ASCII controls, in order. Unicode has pictures of them, but few fonts do.
CONTROLS = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)  # fmt: skip


def mark(character: str) -> str:
    """What stands for a hidden character."""
    if character < " ":
        return CONTROLS[ord(character)]
    return ABBREVIATIONS.get(character, f"U+{ord(character):04X}")


def plain(text: str) -> str:
    """A name or a note on one line, hidden characters as ⟨marks⟩: for attributes, titles and data."""
    if text.isascii() and text.isprintable():  # nearly always, and quickly told
        return text
    return HIDDEN.sub(lambda found: f"⟨{mark(found[0])}⟩", text.replace("\n", "⟨LF⟩"))


def printable(value: Any) -> Any:
    """What a template prints: every string that is not markup already, made plain."""
    return plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def code(text: str) -> str:
    """A piece of a source as markup; ``data-u`` keeps which character each mark stands for."""
    escaped = str(escape(text))
    return HIDDEN.sub(_element, escaped) if HIDDEN.search(escaped) else escaped


def coarse(text: str) -> str:
    """The same for a text with so many hidden characters that naming each would make a page of a hundred times its
    size, such as one in a two-byte encoding that was read as one of one byte: all are shown by one sign."""
    return HIDDEN.sub(REPLACEMENT, str(escape(text)))


def has_many(text: str) -> bool:
    """Whether there are too many hidden characters to name each."""
    return next(islice(HIDDEN.finditer(text), MANY, None), None) is not None


def _element(found: re.Match[str]) -> str:
    character = found[0]
    name = unicodedata.name(character, "control character")
    return f'<i class="hidden" data-u="{ord(character):X}" title="U+{ord(character):04X} {name}">{mark(character)}</i>'
