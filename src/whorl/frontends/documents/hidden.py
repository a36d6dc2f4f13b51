"""Which elements of a page are hidden: by the attribute of that name, or by a style in the tag itself.

What style sheets and scripts hide is not known here.
"""

import re

from whorl.frontends.documents.tags import ATTRIBUTES, NAME

# Ends the name of a tag that hides its element. HTML has no such character: its tokenizer reads U+FFFD instead.
MARK = "\0"

# A first look, and the second: the attribute, outside quotes, or the style.
HINTS = ("hidden", "HIDDEN", "display", "DISPLAY")
_TAG = re.compile(f"<({NAME})({ATTRIBUTES})")
_QUOTED = re.compile(r"""=\s*+(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))""")
_HIDDEN = re.compile(r"(?:\A|[\s/=])hidden(?=[\s=/]|\Z)", re.IGNORECASE)
_NONE = r"display\s*+:\s*+none"
_STYLED = re.compile(
    rf"""(?:\A|[\s"'/])style\s*+=\s*+(?:"[^"]*?{_NONE}|'[^']*?{_NONE}|[^"'\s]*?{_NONE})""", re.IGNORECASE
)


def mark_hidden(text: str) -> str:
    """The document with a mark at the end of each name of a tag that hides its element.

    What looks like a tag but is part of a comment, a script or an attribute gets a mark too, which changes nothing.
    """
    text = text.replace(MARK, "\ufffd")
    parts, done, seen = [], 0, 0
    for hint in _hints(text):
        tag = _TAG.match(text, start) if hint >= seen and (start := text.rfind("<", seen, hint)) >= 0 else None
        seen = max(seen, hint)
        if tag is not None and tag.end() > hint:
            seen = tag.end()
            if _hides(tag[2]):
                parts += [text[done : tag.end(1)], MARK]
                done = tag.end(1)
    return "".join([*parts, text[done:]])


def _hints(text: str) -> list[int]:
    places = []
    for hint in HINTS:
        at = text.find(hint)
        while at >= 0:
            places.append(at)
            at = text.find(hint, at + len(hint))
    return sorted(places)


def _hides(attributes: str) -> bool:
    return _HIDDEN.search(_QUOTED.sub("=", attributes)) is not None or _STYLED.search(attributes) is not None
