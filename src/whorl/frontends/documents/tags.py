"""HTML cut at its tags, in one pass of one expression whose time grows with the length of the text and nothing else.

The tokens are those of the HTML standard's tokenizer (section 13.2.5) but in details that cost no text. There is no
tree, and so no depth: what nesting is needed (``closings``) is found by the names alone.
"""

import re
from collections.abc import Callable, Iterable
from typing import TypeAlias

# The numbers of two tags: what stands between them.
Range: TypeAlias = tuple[int, int]

# Elements whose content is no markup and is not shown, if scripts run.
UNSEEN = ("script", "style", "noscript", "iframe", "noembed", "noframes")
# Elements whose content is no markup and is shown.
LITERAL = ("title", "textarea", "xmp")
VOID = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)

# Every loop is possessive and every token may end with the text: what has been read is never read again.
BLANK = r"\t\n\f\r "
NAME = rf"[a-zA-Z][^{BLANK}/>]*+"
ATTRIBUTES = rf"""[^>=]*+(?:=[{BLANK}]*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))?+[^>=]*+)*+"""
COMMENT = r"!--(?:-?>|[^-]*+(?:-(?!-!?>)[^-]*+)*+(?:--!?>|\Z))"
BOGUS = r"(?:[!?]|/(?!\Z))[^>]*+(?:>|\Z)"


def _any_case(name: str) -> str:
    """A name in any case. An expression that ignores case altogether is half as fast."""
    return "".join(f"[{letter}{letter.upper()}]" for letter in name) + rf"(?=[{BLANK}/>])"


def _content(name: str) -> str:
    """All up to the element's end tag, or to the end of the text, as browsers do."""
    return rf"[^<]*+(?:<(?!/{_any_case(name)})[^<]*+)*+"


_END = r"(?:>|\Z)"
_SPECIAL = "|".join(map(_any_case, UNSEEN + LITERAL))
_UNSEEN = "|".join(rf"{_any_case(name)}{ATTRIBUTES}{_END}{_content(name)}" for name in UNSEEN)
_LITERAL = "|".join(rf"{_any_case(name)}{ATTRIBUTES}{_END}{_content(name)}" for name in LITERAL)
# Nearly all tags have no attribute, or one in double quotes: to try these first makes the whole an eighth faster.
_REST = rf"""(?:>|[^>=]*+(?:>|="[^"]*+">)|{ATTRIBUTES}{_END})"""
TOKEN = re.compile(
    rf"<(?:(?!(?=[sntixSNTIX])(?:{_SPECIAL}))(/?{NAME}){_REST}|{_UNSEEN}|({_LITERAL})|{COMMENT}|{BOGUS})"
)
_OPENING = re.compile(f"{NAME}{ATTRIBUTES}{_END}")


class Tokens:
    """A document's texts and tags. Text number i stands before tag number i; the last text, after all tags.

    A name is None of a comment, a script or a literal element, and begins with ``/`` in an end tag.
    """

    __slots__ = ("_parts", "names")

    def __init__(self, text: str) -> None:
        # A text, a name, a literal element, a text, and so on. One list: a page has a tag every thirty bytes, and to
        # touch so many strings once more costs as much as an expression's step.
        self._parts = TOKEN.split(text)
        self.names: list[str | None] = self._parts[1::3]

    def text(self, between: Callable[[str | None], str], dropped: Iterable[Range]) -> str:
        """All texts in order but for those in the dropped ranges. ``between`` says, by a tag's name, what takes the
        tag's place; a literal element's, its content."""
        parts = self._parts.copy()
        parts[1::3] = map(between, self.names)
        parts[2::3] = _contents(parts[2::3])
        kept, at = [], 0
        for start, end in dropped:
            kept += parts[at : 3 * start + 3]
            at = 3 * end + 1
        return "".join(kept + parts[at:] if kept else parts[at:])


def _contents(elements: list[str | None]) -> list[str]:
    """The contents of literal elements, most of which are none."""
    contents = [""] * len(elements)
    at = -1
    for element in filter(None, elements):
        at = elements.index(element, at + 1)
        opening = _OPENING.match(element)
        contents[at] = f"\n{element[opening.end() if opening else 0 :]}"
    return contents


def closings(tags: Iterable[tuple[int, str]]) -> dict[int, int]:
    """Where elements end: the number of each start tag to that of the end tag. Names are in small letters.

    An end tag ends the last start tag of its name that is still open. What is never closed has no place here.
    """
    places: dict[int, int] = {}
    opened: dict[str, list[int]] = {}
    for number, name in tags:
        if not name.startswith("/"):
            if name not in VOID:
                opened.setdefault(name, []).append(number)
        elif starts := opened.get(name[1:]):
            places[starts.pop()] = number
    return places
