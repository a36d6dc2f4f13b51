"""HTML to the text between its tags: the specification of ``native_html``.

A page is UTF-8, in which lone surrogates may stand. The tokens are those of the HTML standard's tokenizer
(section 13.2.5) but in details that cost no text. There is no tree, and so no depth. Which elements mean what, the
caller says: it brings the key of each name (``key``) and its role, a sum of the flags below.
"""

import re

import numpy as np
from numpy.typing import NDArray

# What an element does; what a tag's row says of it.
BREAKS = 1  # it stands on lines of its own: each of its tags becomes the end of a line
RAW = 2  # its content is no markup
UNSEEN = 4  # its raw content is not shown
HIDES = 8  # all that it holds is to be dropped: always, or by an attribute of the tag
VOID = 16  # it holds nothing, so that it cannot hide anything
BESIDE = 32  # it stands beside the main content
MAIN = 64  # it is the main content
ENDS = 128  # the tag is an end tag

# The columns of a tag's row: where its name begins and ends in the page, its role, and where the text stood before it.
START, END, ROLE, PLACE = range(4)

LONGEST = 10  # letters of a name that has a key: six bits each, in 64
_DIGITS = 27  # the first code of a digit, after those of the letters

# Every loop is possessive and every token may end with the page: what has been read is never read again.
_BLANK = rb"\t\n\f\r "
_TOKEN = re.compile(rb"<(?:(/?)([a-zA-Z][^%b/>]*+)|(!--)|[!?]|/(?!\Z))" % _BLANK)
_COMMENT_END = re.compile(rb"--!?>")
_VALUE = rb"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^%b>=]*+)""" % _BLANK
_ATTRIBUTE = re.compile(rb"[%b/]*+([^%b/>=]*+)(?:[%b]*+=[%b]*+(%b))?+" % (_BLANK, _BLANK, _BLANK, _BLANK, _VALUE))
_NO_DISPLAY = re.compile(rb"display[%b]*+:[%b]*+none" % (_BLANK, _BLANK), re.IGNORECASE)


def key(name: bytes) -> int:
    """A number for a name in any case, 0 if the name is too long or has more than letters and digits of ASCII."""
    if len(name) > LONGEST or not name.isalnum():
        return 0
    packed = 0
    for letter in name:
        packed = packed << 6 | (letter & 31 if letter >= ord("A") else letter - ord("0") + _DIGITS)
    return packed


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
        found = _ATTRIBUTE.match(data, at)
        assert found is not None  # it matches the empty string
        name = found[1].lower()
        hides |= name == b"hidden" or (name == b"style" and _NO_DISPLAY.search(found[2] or b"") is not None)
        at = found.end()
    return min(at + 1, len(data)), hides


def _raw_end(data: bytes, at: int, name: bytes) -> int:
    """Where the element's end tag stands, or the end of the page, as browsers do."""
    end = re.compile(rb"</%b[%b/>]" % (re.escape(name), _BLANK), re.IGNORECASE).search(data, at)
    return end.start() if end else len(data)


def _past(data: bytes, found: int) -> int:
    return found + 1 if found >= 0 else len(data)
