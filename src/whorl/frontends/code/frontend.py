"""The front-end for source code: finds out the language, and gives the stream of the program's tokens."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from whorl.errors import DocumentError
from whorl.frontends.code.languages import LANGUAGES, detect, language
from whorl.frontends.code.leaves import refused
from whorl.frontends.code.tokens import Normal, Tokens, from_plain, lexed
from whorl.frontends.encoding import HEAD as ENCODING_HEAD
from whorl.frontends.encoding import decode
from whorl.frontends.encoding import detect as detect_encoding
from whorl.frontends.sandbox import WorkerFault, default_sandbox
from whorl.frontends.source import Source
from whorl.model import Document, Stream

# How much of a file is looked at to find out its language; a C++ header has said what it is by then.
HEAD = 1 << 15

# What parses, in a worker: some texts of a few kilobytes cost a parser seconds and gigabytes.
PARSER = "whorl.frontends.code.leaves:plain_tokens"

# The same for several programs in one task, and how many bytes of them: the way to a worker and back costs as much time
# as parsing a kilobyte.
BATCH_PARSER = "whorl.frontends.code.leaves:plain_batch"
BATCH = 1 << 15

# Bytes of a program, at most: more than any person writes, and what the plain lexer reads in half a minute if each
# byte is a token. A parser gets less (see ``leaves``).
LARGEST = 32 << 20

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
        data = _data(document)
        yield Program(self.language or _detected(document.name, data), data)

    def read(self, piece: Program) -> Stream:
        """The stream of a program. A worker parses it; what the parser cannot take, the plain lexer reads."""
        return _stream(piece, _read(piece, normal=False))

    def read_all(self, pieces: Iterable[Program]) -> Iterator[Stream]:
        """The streams of many programs, in order, the same as ``read`` gives. Small ones go to a worker together."""
        return (stream for stream, _ in self.read_both(pieces, normal=False))

    def read_both(self, pieces: Iterable[Program], *, normal: bool = True) -> Iterator[tuple[Stream, Normal | None]]:
        """The streams of many programs, in order, and beside each its normal form, if its language has one."""
        sent: deque[list[Program]] = deque()

        def tasks() -> Iterator[tuple[list[tuple[str, bytes]], bool]]:
            for batch in _batches(pieces):
                sent.append(batch)
                yield [(piece.language, piece.data) for piece in batch], normal

        for outcome in default_sandbox().map(BATCH_PARSER, tasks()):
            batch = sent.popleft()
            if outcome.fault is None:
                for piece, plain in zip(batch, outcome.value, strict=True):
                    found = from_plain(piece.language, piece.data, plain)
                    yield _stream(piece, found), found.normal
            else:  # one of them has done it, and must not spoil the others
                for piece in batch:
                    found = _read(piece, normal)
                    yield _stream(piece, found), found.normal

    def stream(self, text: str, language: str | None = None) -> Stream:
        """The stream of a text in a language, by default that of the front-end."""
        name = language or self.language
        if name is None:
            raise DocumentError(f"no language given: choose one of {', '.join(LANGUAGES)}")
        return self.read(Program(name, _utf8(text)))


def _stream(piece: Program, found: Tokens) -> Stream:
    note = f"read by the plain lexer, not as {piece.language}: {found.fallback}" if found.fallback else ""
    return Stream(found.symbols, found.starts, found.ends, note=note)


def _batches(pieces: Iterable[Program]) -> Iterator[list[Program]]:
    batch: list[Program] = []
    size = 0
    for piece in pieces:
        batch.append(piece)
        size += len(piece.data)
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _read(piece: Program, normal: bool) -> Tokens:
    if reason := refused(language(piece.language), piece.data):
        return lexed(piece.language, piece.data, reason)
    return _sandboxed(piece, normal)


def _sandboxed(piece: Program, normal: bool) -> Tokens:
    try:
        plain = default_sandbox().call(PARSER, piece.language, piece.data, normal)
        return from_plain(piece.language, piece.data, plain)
    except WorkerFault as fault:
        return lexed(piece.language, piece.data, f"the parser was stopped: {fault}")


def _detected(name: str, data: bytes) -> str:
    found = detect(name, data[:HEAD])
    if found is None:
        raise DocumentError(
            f"cannot tell the programming language of {name or 'an unnamed text'} by its extension or first line: "
            f"give the language, one of {', '.join(LANGUAGES)}, or read it as text"
        )
    return found


def _data(document: Document) -> bytes:
    """The document in UTF-8; what is in UTF-8 already needs no string in between."""
    content = document.content
    if isinstance(content, Path):
        with Source(content) as source:
            content = source.read(0, LARGEST + 1)
    if len(content) > LARGEST:
        raise DocumentError(
            f"{document.name or 'a program'} is larger than {LARGEST >> 20} MB, the most that is read as code: "
            "divide it, or read it as text"
        )
    if isinstance(content, str):
        return _utf8(content)
    is_plain = _is_plain_ascii(content) or detect_encoding([content]).is_plain_utf8
    return content if is_plain else _utf8(decode(content).text)


def _is_plain_ascii(content: bytes) -> bool:
    """Whether nothing but ASCII is there and no declaration of an encoding: most programs, and asking is cheap."""
    head = content[:ENCODING_HEAD].lower()
    return content.isascii() and b"coding" not in head and b"charset" not in head


def _utf8(text: str) -> bytes:
    """A lone surrogate has no UTF-8; U+FFFD keeps its place."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text).encode()
