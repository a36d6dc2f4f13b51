"""The front-end for source code: finds out the language, and gives the stream of the program's tokens."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from whorl.errors import DocumentError
from whorl.frontends.code.languages import LANGUAGES, detect, language
from whorl.frontends.code.tokens import Tokens, lexed
from whorl.frontends.encoding import decode
from whorl.frontends.encoding import detect as detect_encoding
from whorl.frontends.sandbox import WorkerFault, default_sandbox
from whorl.frontends.source import Source
from whorl.model import Document, Stream

# How much of a file is looked at to find out its language; a C++ header has said what it is by then.
HEAD = 1 << 15

# What parses, in a worker: some texts of a few kilobytes cost a parser seconds and gigabytes.
PARSER = "whorl.frontends.code.tokens:plain_tokens"

_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Program:
    """A whole program in UTF-8, and its language: code cannot be divided before it is parsed."""

    language: str
    data: bytes


@dataclass(frozen=True, slots=True)
class CodeFrontend:
    """Turns a program into the stream of its tokens, in the language that its name or first line tells, or in the
    one that is given here."""

    language: str | None = None

    def __post_init__(self) -> None:
        if self.language is not None:
            language(self.language)

    def pieces(self, document: Document) -> Iterator[Program]:
        """The document as one piece."""
        data = _data(document.content)
        yield Program(self.language or _detected(document.name, data), data)

    def read(self, piece: Program) -> Stream:
        """The stream of a program. A worker parses it; what the parser cannot take, the plain lexer reads."""
        try:
            found = Tokens(*default_sandbox().call(PARSER, piece.language, piece.data))
        except WorkerFault as fault:
            found = lexed(piece.language, piece.data, f"the parser was stopped: {fault}")
        note = f"read by the plain lexer, not as {piece.language}: {found.fallback}" if found.fallback else ""
        return Stream(found.symbols, found.starts, found.ends, note=note)

    def stream(self, text: str, language: str | None = None) -> Stream:
        """The stream of a text in a language, by default that of the front-end."""
        name = language or self.language
        if name is None:
            raise DocumentError(f"no language given: choose one of {', '.join(LANGUAGES)}")
        return self.read(Program(name, _utf8(text)))


def _detected(name: str, data: bytes) -> str:
    found = detect(name, data[:HEAD])
    if found is None:
        raise DocumentError(
            f"cannot tell the programming language of {name or 'an unnamed text'} by its extension or first line: "
            f"give the language, one of {', '.join(LANGUAGES)}, or read it as text"
        )
    return found


def _data(content: str | bytes | Path) -> bytes:
    """The document in UTF-8; what is in UTF-8 already needs no string in between."""
    if isinstance(content, str):
        return _utf8(content)
    if isinstance(content, Path):
        with Source(content) as source:
            content = b"".join(source.blocks())
    return content if detect_encoding([content]).is_plain_utf8 else _utf8(decode(content).text)


def _utf8(text: str) -> bytes:
    """A lone surrogate has no UTF-8; U+FFFD keeps its place."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text).encode()
