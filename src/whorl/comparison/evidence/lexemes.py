"""The comments, strings and numbers of programs, in any language, by the looks of them and in linear time.

The evidence needs the texts of comments and literals, which the code front-end forgets, and needs them of broken
programs too. Nothing here is a token of any stream.
"""

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cache
from typing import NamedTuple

from whorl.frontends.code.languages import LANGUAGES
from whorl.frontends.code.lexer import CLOSERS, NUMBERS, STRINGS

# What Whorl can read as a language although it is text to be read, not a program.
PAGES = frozenset({"html", "markdown", "latex", "css"})

_SIGNS = re.compile(r"\W+")


class Kind(IntEnum):
    """What a lexeme is."""

    COMMENT = 1
    STRING = 2
    NUMBER = 3


class Lexeme(NamedTuple):
    """A piece of a program and where it begins."""

    kind: Kind
    text: str
    start: int


def is_program(language: str) -> bool:
    """Whether files of a format are programs."""
    return language in LANGUAGES and language not in PAGES


def lexemes(language: str, text: str) -> Iterator[Lexeme]:
    """The comments, strings and numbers of a program, in order."""
    for found in _pattern(LANGUAGES[language].comments).finditer(text):
        yield Lexeme(Kind(found.lastindex or 0), found[0], found.start())


def bare(text: str, found: Iterable[Lexeme]) -> str:
    """A program without its comments, and with its strings as single numbers, different ones for different strings: so
    that every sign and every word in it means something. Strings into which values may be filled keep their words.
    ``found`` are its lexemes."""
    parts: list[str] = []
    at = 0
    for lexeme in found:
        if lexeme.kind is not Kind.NUMBER:
            parts += (text[at : lexeme.start], " " if lexeme.kind is Kind.COMMENT else _bared(lexeme.text))
            at = lexeme.start + len(lexeme.text)
    return "".join((*parts, text[at:]))


def _bared(string: str) -> str:
    is_filled = "{" in string or "$" in string
    return "0" + _SIGNS.sub("_", string) + (" " + _SIGNS.sub(" ", string) if is_filled else "")


@cache
def _pattern(comments: tuple[str, ...]) -> re.Pattern[str]:
    comment = "|".join(_comment(mark) for mark in sorted(comments, key=len, reverse=True)) or "(?!)"
    return re.compile(rf"({comment})|({STRINGS})|(?<!\w)({NUMBERS})")


def _comment(mark: str) -> str:
    """A comment that begins with this mark; never looked back into, so that one without an end costs no more."""
    if mark in CLOSERS:
        return rf"{re.escape(mark)}(?s:.*?)(?:{re.escape(CLOSERS[mark])}|\Z)"
    return r"(?m:^[^\S\n]*+\*[^\n]*+)" if mark == "*" else rf"{re.escape(mark)}[^\n]*+"
