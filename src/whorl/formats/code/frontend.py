"""The front-end for source code: detect the language and produce the stream of the program's tokens."""

import re
import time
from array import array
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from whorl.errors import DocumentError
from whorl.formats.code.languages import LANGUAGES, detect, language
from whorl.formats.code.leaves import Plain, has_lines, is_broken, refused
from whorl.formats.code.preprocessing import Edited, Edits
from whorl.formats.code.regions import Reading, read_regions
from whorl.formats.code.tokens import NormalForm, TokenArrays, from_plain, in_original, lexed
from whorl.formats.encoding import Source, decode, is_plain_ascii
from whorl.formats.encoding import detect as detect_encoding
from whorl.model import Document, Stream
from whorl.sandbox import Sandbox, WorkerFault, default_sandbox
from whorl.threads import Answer, Threads

# How much of a file is looked at to find out its language; a C++ header has said what it is by then.
HEAD = 1 << 15

# The parser, run in a worker: some texts of a few kilobytes cost a parser seconds and gigabytes.
PARSER = "whorl.formats.code.leaves:plain_tokens"

# The same for several programs in one task, and how many bytes of them: the way to a worker and back costs as much time
# as parsing a kilobyte.
BATCH_PARSER = "whorl.formats.code.leaves:plain_batch"
BATCH = 1 << 15

# Bytes of a program that is sent alone: to it the way is little, and if it stops the parser, it is not parsed again to
# find out which one of the batch did.
ALONE = 1 << 14

# How many programs are held while one before them is read in regions.
AHEAD = 64

# A program as its parser is given it, which is read in regions then.
PREPROCESSOR = "whorl.formats.code.leaves:plain_edits"

# The same as the parser for regions of one program.
REGION_PARSER = "whorl.formats.code.leaves:plain_regions"

# Seconds that a parser may take for one region of a program: an honest one takes milliseconds.
REGION_SECONDS = 1.0

# The share of its tokens that a program must keep when it is read in regions; if not, it stays as it was read whole.
KEPT = 0.9

# In the note of a program of which a parser did not read everything.
LEXED = "by the plain lexer"

# Bytes of a program, at most: more than any person writes, and what the plain lexer reads in half a minute if each
# byte is a token. A parser gets less (see ``leaves``).
LARGEST = 32 << 20

# A carriage return alone ends a line, as on old Macs; grammars know it as a blank only, and a comment never ends.
_LONE_RETURN = re.compile(rb"\r(?!\n)")

_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Program:
    """A whole program in UTF-8, and its language. Code cannot be divided before it is parsed. ``note`` is a remark on
    its encoding."""

    language: str
    data: bytes
    note: str = ""


@dataclass(frozen=True, slots=True)
class CodeFrontend:
    """Turns a program into the stream of its tokens. The language is the given one, else that of its name or first
    line."""

    language: str | None = None

    def __post_init__(self) -> None:
        if self.language is not None:
            language(self.language)

    def pieces(self, document: Document) -> Iterator[Program]:
        """Yield the document as one piece."""
        data, note = _data(document)
        yield Program(self.language or _detected(document.name, data), data, note)

    def read(self, piece: Program) -> Stream:
        """Return the stream of a program. A worker parses it; the plain lexer reads it if the parser fails."""
        return _stream(_read(piece, normal=False), piece.note)

    def read_all(self, pieces: Iterable[Program]) -> Iterator[Stream]:
        """Return the streams of many programs, in order, as ``read`` does. Small ones go to a worker together."""
        return (stream for stream, _ in self.read_both(pieces, normal=False))

    def read_both(
        self, pieces: Iterable[Program], *, normal: bool = True
    ) -> Iterator[tuple[Stream, NormalForm | None]]:
        """Yield the stream of each program, in order, with its normal form if its language has one. Broken ones, which
        are read in regions, wait for workers on other threads."""
        sent: deque[list[Program]] = deque()

        def tasks() -> Iterator[tuple[list[tuple[str, bytes]], bool]]:
            for batch in _batches(pieces):
                sent.append(batch)
                yield [(piece.language, piece.data) for piece in batch], normal

        sandbox, read = default_sandbox(), deque[tuple[TokenArrays | Answer[TokenArrays], str]]()
        with Threads(sandbox.workers) as threads:
            for outcome in sandbox.map(BATCH_PARSER, tasks()):
                batch = sent.popleft()
                if outcome.fault is None:
                    for piece, plain in zip(batch, outcome.value, strict=True):
                        is_long = _is_read_in_regions(piece, plain)
                        whole = (
                            threads.submit(_whole, piece, plain, normal) if is_long else _whole(piece, plain, normal)
                        )
                        read.append((whole, piece.note))
                elif len(batch) == 1:
                    read.append((_stopped(batch[0], normal, outcome.fault), batch[0].note))
                else:  # one of them has done it: it must not spoil the others
                    read += [(_read(piece, normal), piece.note) for piece in batch]
                while read and (len(read) > AHEAD or _is_ready(read[0][0])):
                    yield _taken(*read.popleft())
            while read:
                yield _taken(*read.popleft())

    def stream(self, text: str, language: str | None = None) -> Stream:
        """Return the stream of a text in a language, by default that of the front-end."""
        name = language or self.language
        if name is None:
            raise DocumentError(f"no language given: choose one of {', '.join(LANGUAGES)}")
        return self.read(Program(name, _utf8(text)))


def _stream(tokens: TokenArrays, note: str) -> Stream:
    notes = "; ".join(filter(None, [note, tokens.fallback]))
    return Stream(tokens.symbols, tokens.starts, tokens.ends, note=notes)


def _is_ready(tokens: TokenArrays | Answer[TokenArrays]) -> bool:
    return not isinstance(tokens, Answer) or tokens.is_given()


def _taken(read: TokenArrays | Answer[TokenArrays], note: str) -> tuple[Stream, NormalForm | None]:
    tokens = read.take() if isinstance(read, Answer) else read
    return _stream(tokens, note), tokens.normal


def _batches(pieces: Iterable[Program]) -> Iterator[list[Program]]:
    """Yield small programs together, and large ones alone."""
    batch: list[Program] = []
    size = 0
    for piece in pieces:
        is_large = len(piece.data) >= ALONE
        if batch and (is_large or size + len(piece.data) > BATCH):
            yield batch
            batch, size = [], 0
        if is_large:
            yield [piece]
        else:
            batch.append(piece)
            size += len(piece.data)
    if batch:
        yield batch


def _read(piece: Program, normal: bool) -> TokenArrays:
    if reason := refused(language(piece.language), piece.data):
        return lexed(piece.language, piece.data, _lexed_note(piece, reason))
    try:
        plain = default_sandbox().call(PARSER, piece.language, piece.data, normal)
    except WorkerFault as fault:
        return _stopped(piece, normal, fault)
    return _whole(piece, plain, normal)


def _whole(piece: Program, plain: Plain, normal: bool) -> TokenArrays:
    """Return the tokens that a worker produced. If most of the program is broken, read it again in regions."""
    tokens = from_plain(piece.language, piece.data, plain)
    if _is_read_in_regions(piece, plain):
        again = _in_regions(piece, normal, "the parser failed on most of it", default_sandbox(), plain)
        if len(again.symbols) >= KEPT * len(tokens.symbols):
            return again
        return _with_normal_form(piece) if normal and tokens.normal is None else tokens
    return tokens._replace(fallback=_lexed_note(piece, tokens.fallback)) if tokens.fallback else tokens


def _with_normal_form(piece: Program) -> TokenArrays:
    """Read a broken program whole once more, since its normal form is wanted after all."""
    try:
        return from_plain(piece.language, piece.data, default_sandbox().call(PARSER, piece.language, piece.data, True))
    except WorkerFault as fault:
        return _stopped(piece, True, fault)


def _is_read_in_regions(piece: Program, plain: Plain) -> bool:
    return is_broken(plain[-1], len(piece.data)) and has_lines(piece.data)


def _stopped(piece: Program, normal: bool, fault: WorkerFault) -> TokenArrays:
    """Read a program whose parser was stopped in regions, in a worker with less time for each."""
    limits = default_sandbox().limits
    with Sandbox(1, replace(limits, seconds=min(limits.seconds, REGION_SECONDS))) as sandbox:
        return _in_regions(piece, normal, f"the parser was stopped: {fault}", sandbox, None)


def _in_regions(piece: Program, normal: bool, reason: str, sandbox: Sandbox, broken: Plain | None) -> TokenArrays:
    """Read a program in regions. ``broken`` is what a parser made of all of it; if it was stopped, a region may stop
    the worker too, so each is a task of its own."""
    edited = _edited(piece, sandbox)

    def alone(region: tuple[bytes, bool]) -> Reading:
        if region[0] == edited.data and not normal:  # the whole, which was just stopped at the same work
            return None, 0.0
        began = time.monotonic()
        try:
            reading: Reading = sandbox.call(REGION_PARSER, piece.language, [region], normal)[0]
        except WorkerFault:  # a worker that was stopped cannot say how long it took
            return None, min(time.monotonic() - began, sandbox.limits.seconds)
        return reading

    def read(regions: list[tuple[bytes, bool]]) -> Iterator[Reading]:
        if broken is not None and len(regions) > 1:
            try:
                return iter(sandbox.call(REGION_PARSER, piece.language, regions, normal))
            except WorkerFault:  # one of them has done it: it must not spoil the others
                return map(alone, regions)
        return map(alone, regions)

    regions = read_regions(language(piece.language), edited.data, read, None if edited.edits else broken)
    tokens = in_original(regions.tokens, edited, piece.data)
    if regions.lexed == regions.lines:
        return tokens._replace(fallback=_lexed_note(piece, reason))
    lines = f"; {regions.lexed} of {regions.lines} lines {LEXED}" if regions.lexed else ""
    return tokens._replace(fallback=f"read in pieces, not as a whole: {reason}{lines}")


def _edited(piece: Program, sandbox: Sandbox) -> Edited:
    """Return a program as its parser is given it; unchanged if the worker is stopped at that too."""
    try:
        data, edits = sandbox.call(PREPROCESSOR, piece.language, piece.data)
    except WorkerFault:
        return Edited(piece.data, len(piece.data))
    return Edited(data, len(piece.data), tuple(Edits(*(array("i", column) for column in each)) for each in edits))


def _lexed_note(piece: Program, reason: str) -> str:
    return f"read {LEXED}, not as {piece.language}: {reason}"


def _detected(name: str, data: bytes) -> str:
    language = detect(name, data[:HEAD])
    if language is None:
        raise DocumentError(
            "cannot tell the programming language by extension or first line: give the language, one of "
            f"{', '.join(LANGUAGES)}, or read it as text",
            name,
        )
    return language


def _data(document: Document) -> tuple[bytes, str]:
    """Return the document in UTF-8 without decoding it if it is UTF-8 already, and a remark on its encoding."""
    content = document.content
    if isinstance(content, Path):
        with Source(content) as source:
            content = source.read(0, LARGEST + 1)
    if len(content) > LARGEST:
        raise DocumentError(
            f"larger than {LARGEST >> 20} MB, the most that is read as code: divide it, or read it as text",
            document.name,
        )
    if isinstance(content, str):
        return _LONE_RETURN.sub(b"\n", _utf8(content)), ""
    if is_plain_ascii(content) or (encoding := detect_encoding([content])).is_plain_utf8:
        return _LONE_RETURN.sub(b"\n", content), ""
    return _LONE_RETURN.sub(b"\n", _utf8(decode(content).text)), encoding.note


def _utf8(text: str) -> bytes:
    """Encode a text; a lone surrogate, which has no UTF-8, becomes U+FFFD."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text).encode()
