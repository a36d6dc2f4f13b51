"""HTML to the text between its tags: the specification of ``native_html``.

A page is UTF-8, in which lone surrogates may stand. The tokens are those of the HTML standard's tokenizer
(section 13.2.5) but in details that cost no text. There is no tree, and so no depth. Which elements mean what, the
caller says: it brings the key of each name (``key``) and its role, a sum of the flags in ``constants``.
"""

import re

import numpy as np
from numpy.typing import NDArray

from whorl.formats.documents.html import key
from whorl.kernel.constants import BREAKS, ENDS, HIDES, RAW, UNSEEN, VOID

# Every loop is possessive and every token may end with the page: what has been read is never read again.
_BLANK = rb"\t\n\f\r "
_TOKEN = re.compile(rb"<(?:(/?)([a-zA-Z][^%b/>]*+)|(!--)|[!?]|/(?!\Z))" % _BLANK)
_COMMENT_END = re.compile(rb"--!?>")
_VALUE = rb"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^%b>=]*+)""" % _BLANK
_ATTRIBUTE = re.compile(rb"[%b/]*+([^%b/>=]*+)(?:[%b]*+=[%b]*+(%b))?+" % (_BLANK, _BLANK, _BLANK, _BLANK, _VALUE))
_NO_DISPLAY = re.compile(rb"display[%b]*+:[%b]*+none" % (_BLANK, _BLANK), re.IGNORECASE)


def visible(
    page: NDArray[np.uint8], keys: NDArray[np.uint64], roles: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The text between the tags, and a row for each tag."""
    data, text, tags = page.tobytes(), bytearray(), list[tuple[int, int, int, int]]()
    known = dict(zip(keys.tolist(), roles.tolist(), strict=True))
    at = 0
    while token := _TOKEN.search(data, at):
        text += data[at : token.start()]
        if not token[2]:
            at = _no_tag(data, token)
            continue
        role = known.get(key(token[2]), 0)
        at, hides = _attributes(data, token.end())
        if token[1]:
            role = ENDS | role & BREAKS
        elif hides:
            role |= HIDES
        tags.append((*token.span(2), role & ~HIDES if role & VOID else role, len(text)))
        text += b"\n" if role & BREAKS else b""
        if role & RAW:
            start, at = at, _raw_end(data, at, token[2])
            text += b"" if role & UNSEEN else data[start:at]
    text += data[at:]
    return np.frombuffer(bytes(text), np.uint8), np.array(tags, np.int64).reshape(-1, 4)


def _no_tag(data: bytes, token: re.Match[bytes]) -> int:
    """Where a comment, a declaration or what browsers take for one ends."""
    at = token.end()
    if token[3]:
        if data.startswith((b">", b"->"), at):
            return data.index(b">", at) + 1
        end = _COMMENT_END.search(data, at)
        return end.end() if end else len(data)
    return _past(data, data.find(b">", at))


def _attributes(data: bytes, at: int) -> tuple[int, bool]:
    """Where a tag ends, and whether it hides its element: by an attribute of that name, or by its style."""
    hides = False
    while at < len(data) and data[at] != ord(">"):
        attribute = _ATTRIBUTE.match(data, at)
        assert attribute is not None  # it matches the empty string
        name = attribute[1].lower()
        hides |= name == b"hidden" or (name == b"style" and _NO_DISPLAY.search(attribute[2] or b"") is not None)
        at = attribute.end()
    return min(at + 1, len(data)), hides


def _raw_end(data: bytes, at: int, name: bytes) -> int:
    """Where the element's end tag stands, or the end of the page, as browsers do."""
    end = re.compile(rb"</%b[%b/>]" % (re.escape(name), _BLANK), re.IGNORECASE).search(data, at)
    return end.start() if end else len(data)


def _past(data: bytes, place: int) -> int:
    return place + 1 if place >= 0 else len(data)
