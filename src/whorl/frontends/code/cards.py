"""Fortran as it stood on punched cards: made free-form for the grammar, byte for byte in place.

In this form a C or a star in the first column makes a comment, the first five columns are for labels, and a sign in the
sixth goes on with the line before.
"""

import re

# A line that no card has: a statement that begins in the first five columns.
_FREE_LINE = re.compile(rb"^(?:[^cC*!#\s\d]|[ \d]{1,4}[A-Za-z])", re.M)
_CARD = re.compile(rb"^(?:[cC*]| {5}[^ 0\s])", re.M)
_COMMENT = re.compile(rb"^[cC*!][^\n]*+", re.M)
# Looked for once after each stretch of text, so that many blank lines cost no more than one look each.
_CONTINUATION = re.compile(rb"(?<=\S)\s*\n {5}[^ 0\s]")


def free_form(data: bytes) -> bytes:
    """The program with comments blank and continued lines joined, as long as before; free-form is left as it is."""
    if _FREE_LINE.search(data) or not _CARD.search(data):
        return data
    return _CONTINUATION.sub(_blank, _COMMENT.sub(_blank, data))


def _blank(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0])
