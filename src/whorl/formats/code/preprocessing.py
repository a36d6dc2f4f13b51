"""Edit a program before it is parsed, as its compiler would: replace escaped letters, digraphs and macros of one token,
remove code that is never compiled and characters without width. NumPy is not imported here.

Each of these hides a copy at the cost of one search and replace. ``Edits`` leads from the edited text back to the
original, so a token has the place where its author wrote it.
"""

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from whorl.formats.code.directives import blank, joined_lines, substituted_tokens, without_inactive
from whorl.formats.code.row import Language

# The place of a piece of text, and what comes there instead.
Piece = tuple[int, int, bytes]


class Edits(NamedTuple):
    """Places of replaced pieces in the edited text, and in the original. What lies between them is equal."""

    starts: "array[int]"
    ends: "array[int]"
    first: "array[int]"
    last: "array[int]"

    def start(self, place: int) -> int:
        """Return where in the original something starts that starts here: with the piece, if it starts inside one."""
        index = bisect_right(self.starts, place) - 1
        if index < 0:
            return place
        return self.first[index] if place < self.ends[index] else place - self.ends[index] + self.last[index]

    def end(self, place: int) -> int:
        """Return where in the original something ends that ends here: with the piece, if it ends inside one."""
        index = bisect_left(self.starts, place) - 1
        if index < 0:
            return place
        return self.last[index] if place <= self.ends[index] else place - self.ends[index] + self.last[index]


class Edited(NamedTuple):
    """A program as its parser is given it, the size of the original, and the edits between them in order."""

    data: bytes
    size: int
    edits: tuple[Edits, ...] = ()

    def by(self, pieces: Iterable[Piece]) -> "Edited":
        """Return the program with these pieces replaced as well. They are in order and do not overlap."""
        edits, text, done = Edits(array("i"), array("i"), array("i"), array("i")), bytearray(), 0
        for first, last, instead in pieces:
            text += self.data[done:first]
            edits.starts.append(len(text))
            text += instead
            edits.ends.append(len(text))
            edits.first.append(first)
            edits.last.append(last)
            done = last
        if not edits.starts:
            return self
        return Edited(bytes(text + self.data[done:]), self.size, (*self.edits, edits))

    def start(self, place: int) -> int:
        """Return where in the original something starts that starts here."""
        for edits in reversed(self.edits):
            place = edits.start(place)
        return place

    def end(self, place: int) -> int:
        """Return where in the original something ends that ends here."""
        for edits in reversed(self.edits):
            place = edits.end(place)
        return place


def preprocessed(row: Language, data: bytes, keywords: Callable[[], frozenset[str]]) -> Edited:
    """Return a program as its parser is given it. ``keywords`` gives those of its grammar."""
    # The generated lexers take a NUL for the end of a comment or a string; it is as blank as a space.
    edited = Edited(data.replace(b"\0", b" "), len(data))
    if row.escapes == "everywhere":
        edited = edited.by(_escapes(edited.data))
    elif row.escapes == "names" and _NAME_ESCAPE.search(data):
        edited = edited.by(_escapes_in_names(edited.data, keywords()))
    edited = edited.by(_unseen(edited.data))
    if row.preprocessed:
        edited = edited._replace(data=without_inactive(edited.data))
    if row.macros:
        edited = edited.by(joined_lines(edited.data))
        substituted = edited.by(substituted_tokens(row, edited.data))
        if substituted is not edited:  # a condition may be a macro
            edited = substituted._replace(data=without_inactive(substituted.data))
    if row.cards:
        edited = edited._replace(data=free_form(edited.data))
    if row.untabs:
        edited = edited._replace(data=_INNER_BLANKS.sub(blank, edited.data))
    return edited


# A backslash with the escaped character, so that an escaped backslash escapes nothing: JLS 3.3.
_ESCAPE = re.compile(
    rb"\\(?:u++([dD][89abAB][0-9a-fA-F]{2})\\u++([dD][c-fC-F][0-9a-fA-F]{2})|u++([0-9a-fA-F]{4})|(?s:.))"
)


def _escapes(data: bytes) -> Iterator[Piece]:
    r"""Yield the letters for Java's escapes: ``\u0041`` is an A everywhere, even in a keyword."""
    if b"\\u" not in data:
        return
    for match in _ESCAPE.finditer(data):
        high, low, single = match.groups()
        if high:
            yield *match.span(), _letter(0x10000 + (int(high, 16) - 0xD800 << 10) + int(low, 16) - 0xDC00)
        elif single:
            yield *match.span(), _letter(int(single, 16))


def _letter(number: int) -> bytes:
    """Return a letter in UTF-8. A lone surrogate has none; a carriage return ends a line and NUL is blank, as in any
    text."""
    return {0: " ", 13: "\n"}.get(number, chr(number)).encode("utf-8", "replace")


_NAME_ESCAPE = re.compile(rb"\\(?:u\{0*+([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))")
_WITH_ESCAPES = re.compile(rb"(?P<name>(?:[\w$\x80-\xff]|%b)++)|\\(?s:.)" % _NAME_ESCAPE.pattern)


def _escapes_in_names(data: bytes, keywords: frozenset[str]) -> Iterator[Piece]:
    """Yield the letters for escapes in names. Quotes are not looked for: in a string, a letter means the same as its
    escape. A name that reads like a keyword stays as it is: an escaped keyword is a name."""
    for match in _WITH_ESCAPES.finditer(data):
        if match["name"] is None or b"\\" not in match["name"]:
            continue
        pieces = [
            (*each.span(), letter)
            for each in _NAME_ESCAPE.finditer(data, *match.span())
            if (letter := _letter_of_name(int(each[1] or each[2] or each[3], 16)))
            and not (letter == b"$" and data.startswith(b"{", each.end()))  # it opens code in a template
        ]
        if _NAME_ESCAPE.sub(_decoded, match["name"]).decode("utf-8", "replace") not in keywords:
            yield from pieces


def _decoded(match: re.Match[bytes]) -> bytes:
    return _letter_of_name(int(match[1] or match[2] or match[3], 16)) or match[0]


def _letter_of_name(number: int) -> bytes:
    """Return a letter that is allowed in a name in UTF-8; nothing for any other character."""
    letter = chr(number) if number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else ""
    data = letter.encode()
    return data if f"a{letter}".isidentifier() or letter == "$" or _UNSEEN_SIGN.fullmatch(data) else b""


# Characters without width or effect, in UTF-8; and one with the rest of its word.
_UNSEEN = (
    rb"(?:\xc2\xad|\xcd\x8f|\xe1\xa0\x8e|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf"
    rb"|\xf3\xa0[\x80\x81][\x80-\xbf])"
)
_UNSEEN_SIGN = re.compile(_UNSEEN)
_UNSEEN_WORD = re.compile(rb"%b(?:%b|\w|[\xc2-\xf4][\x80-\xbf]++)*+" % (_UNSEEN, _UNSEEN))


def _unseen(data: bytes) -> Iterator[Piece]:
    """Move zero-width characters behind the word that holds them, as blanks: Java and JavaScript allow them in names,
    grammars do not. Nothing outside the word moves."""
    for word in _UNSEEN_WORD.finditer(data):
        blanks = 0
        for sign in _UNSEEN_SIGN.finditer(data, *word.span()):
            blanks += len(sign[0])
            yield *sign.span(), b""
        yield word.end(), word.end(), b" " * blanks


_INNER_BLANKS = re.compile(rb"(?<=[^\s])[ \t]++")

# A line that no card has: a statement that begins in the first five columns.
_FREE_LINE = re.compile(rb"^(?:[^cC*!#\s\d]|[ \d]{1,4}[A-Za-z])", re.M)
_CARD = re.compile(rb"^(?:[cC*]| {5}[^ 0\s])", re.M)
_COMMENT_CARD = re.compile(rb"^[cC*!][^\n]*+", re.M)
# Looked for once after each stretch of text, so that many blank lines cost no more than one look each.
_CONTINUATION = re.compile(rb"(?<=\S)\s*\n {5}[^ 0\s]")


def free_form(data: bytes) -> bytes:
    """Return the program, equally long, with blank comments and joined continuation lines; free form is returned
    unchanged."""
    if _FREE_LINE.search(data) or not _CARD.search(data):
        return data
    return _CONTINUATION.sub(blank, _COMMENT_CARD.sub(blank, data))
