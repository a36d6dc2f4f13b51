"""Text of a web page that inline styles hide: white on white, without size, or not displayed at all.

Style sheets and scripts are not read, so this is a lower bound; and menus are hidden for honest reasons. A sign ``>``
in the quotes of an attribute ends its tag early.
"""

import re
from dataclasses import dataclass

# Characters of the longest tag that is looked at.
LONGEST = 4000

# Elements, from the innermost, among which an end tag looks for its start: pages nest less, and none may cost more.
DEPTH = 64

_TAG = re.compile(rf"<(/?)([A-Za-z][A-Za-z0-9]*)([^<>]{{0,{LONGEST}}})>")
_STYLE = re.compile(r"""\bstyle\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_COLOUR = re.compile(r"""\b(color|bgcolor)\s*=\s*["']?([#\w]+)""", re.IGNORECASE)
_WHITE = re.compile(r"white|#fff|#ffffff|#f[c-f]f[c-f]f[c-f]|rgba?\(25[2-5],25[2-5],25[2-5](?:,[\d.]+)?\)")
_GONE = re.compile(
    r"(?:^|;)(?:display:none|visibility:hidden|opacity:0(?:\.0*)?|font-size:[01](?:px|pt|em|%)?)(?=;|!|$)"
)
_AWAY = re.compile(r"(?:^|;)(?:text-indent|left|top):-\d{3,}")
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())  # noqa: SIM905
_UNREAD = frozenset({"script", "style", "title", "head", "template"})


@dataclass(slots=True)
class _Element:
    name: str
    hides: bool
    unread: bool
    backed: bool


def unseen_in_html(page: str) -> tuple[str, ...]:
    """The pieces of text inside elements whose own style hides them."""
    open_elements: list[_Element] = []
    found: list[str] = []
    at = 0
    for tag in _TAG.finditer(page):
        _take(page[at : tag.start()], open_elements, found)
        at = tag.end()
        name = tag[2].lower()
        if tag[1]:
            _close(name, open_elements)
        elif name not in _VOID and not tag[3].endswith("/"):
            open_elements.append(_element(name, tag[3], open_elements))
    return tuple(found)


def _take(text: str, open_elements: list[_Element], found: list[str]) -> None:
    last = open_elements[-1] if open_elements else None
    if last is not None and last.hides and not last.unread and (piece := " ".join(text.split())):
        found.append(piece)


def _element(name: str, attributes: str, open_elements: list[_Element]) -> _Element:
    """An element as it begins, with what it has from those around it."""
    outer = open_elements[-1] if open_elements else _Element("", False, False, False)
    style = _style(attributes)
    backed = outer.backed or _is_backed(style)
    is_white = bool(_WHITE.fullmatch(style.get("color", ""))) and not backed
    whole = ";".join(f"{key}:{value}" for key, value in style.items())
    hides = outer.hides or is_white or bool(_GONE.search(whole) or _AWAY.search(whole))
    return _Element(name, hides, outer.unread or name in _UNREAD, backed)


def _style(attributes: str) -> dict[str, str]:
    """The declarations of an element, small and without blanks; those of old attributes too."""
    found = {
        {"color": "color", "bgcolor": "background"}[key.lower()]: value.lower()
        for key, value in _COLOUR.findall(attributes)
    }
    for quoted in _STYLE.findall(attributes):
        for declaration in "".join((quoted[0] or quoted[1]).split()).lower().split(";"):
            key, _, value = declaration.partition(":")
            found[key] = value.removesuffix("!important")
    return found


def _is_backed(style: dict[str, str]) -> bool:
    """Whether there is something other than white behind the text."""
    behind = style.get("background", "") + style.get("background-color", "")
    return bool(behind) and not _WHITE.fullmatch(behind) and behind not in ("none", "transparent", "inherit")


def _close(name: str, open_elements: list[_Element]) -> None:
    """End the last element of this name that is open, and all in it."""
    if any(element.name == name for element in reversed(open_elements[-DEPTH:])):
        while open_elements.pop().name != name:
            pass
