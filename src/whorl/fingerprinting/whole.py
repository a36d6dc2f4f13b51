"""Documents read as wholes: for those who need their texts and streams beside their fingerprints."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from whorl.errors import DocumentError
from whorl.fingerprinting.ahead import Ahead
from whorl.fingerprinting.engine import select_streams
from whorl.fingerprinting.fingerprints import Fingerprints
from whorl.frontends.code.frontend import CodeFrontend, Program
from whorl.frontends.code.tokens import Normal
from whorl.frontends.encoding import decode
from whorl.frontends.protocol import Extracting
from whorl.frontends.reading import Choice, choose
from whorl.frontends.source import held
from whorl.hashing.key import Key
from whorl.model import Document, Stream
from whorl.scheme import Scheme

# Documents, and bytes of them, that are held at a time when many are read: enough to keep the parsers of several cores
# busy, and little beside what a parser takes.
BATCH, BATCH_BYTES = 64, 8 << 20


@dataclass(frozen=True, slots=True, eq=False)
class Second:
    """A program's normal form as a second stream, the rewrites that touched each symbol of it, as bits, and its
    fingerprints; and its statements as they stand, with the bits that tell where each begins. Spans may go back and
    forth. ``missing`` says why it is empty, if so; ``seconds`` what it cost."""

    stream: Stream
    marks: NDArray[np.uint32]
    fingerprints: Fingerprints
    standing: Stream
    standing_marks: NDArray[np.uint32]
    missing: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Whole:
    """What a document is, the text that spans point into, its stream and its fingerprints. ``second`` is there if it
    was asked for and there is one."""

    format: str
    text: str
    stream: Stream
    fingerprints: Fingerprints
    second: Second | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A document whose content is at hand, and the front-end that will read it."""

    document: Document
    content: str | bytes
    choice: Choice


def read_whole(document: Document, scheme: Scheme, key: Key) -> Whole:
    """Read a document of any format under a scheme."""
    return _read(_opened(document, scheme), scheme, key)


def read_wholes(
    documents: Iterable[Document], scheme: Scheme, key: Key, threads: int = 1, *, normal_form: bool = False
) -> Iterator[Whole | DocumentError]:
    """Read many documents, in order; what cannot be read comes as its error. Small programs go to the parsers together,
    which costs half of what they cost one by one. Programs get their ``normal_form`` beside their stream, if asked."""
    with Ahead(threads) as ahead:
        for batch in _batches(documents, scheme):
            programs = [_program(item) for item in batch if isinstance(item, Opened) and _is_program(item)]
            streams = CodeFrontend().read_both(programs, normal=normal_form)
            others = [item for item in batch if isinstance(item, Opened) and not _is_program(item)]
            wholes = ahead.map(lambda item: _tried(item, scheme, key), others)
            for item in batch:
                if isinstance(item, DocumentError):
                    yield item
                elif _is_program(item):
                    stream, normal = next(streams)
                    whole = _whole(item, _text(item.content), [stream], scheme, key)
                    yield whole if normal is None else replace(whole, second=_second(normal, scheme, key))
                else:
                    yield next(wholes)


def joined(streams: list[Stream]) -> Stream:
    """One stream of consecutive ones."""
    if len(streams) == 1:
        return streams[0]
    return Stream(
        np.concatenate([stream.symbols for stream in streams]),
        np.concatenate([stream.spans.starts for stream in streams]),
        np.concatenate([stream.spans.ends for stream in streams]),
    )


def _batches(documents: Iterable[Document], scheme: Scheme) -> Iterator[list[Opened | DocumentError]]:
    batch: list[Opened | DocumentError] = []
    size = 0
    for document in documents:
        try:
            opened = _opened(document, scheme)
            size += len(opened.content)
            batch.append(opened)
        except DocumentError as error:
            batch.append(error)
        if len(batch) == BATCH or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _opened(document: Document, scheme: Scheme) -> Opened:
    content = held(document.content)
    document = replace(document, content=content)
    return Opened(document, content, choose(scheme, document))


def _is_program(item: Opened) -> bool:
    return isinstance(item.choice.frontend, CodeFrontend)


def _program(item: Opened) -> Program:
    program: Program = next(item.choice.frontend.pieces(item.document))
    return program


def _tried(item: Opened, scheme: Scheme, key: Key) -> Whole | DocumentError:
    try:
        return _read(item, scheme, key)
    except DocumentError as error:
        return error


def _read(item: Opened, scheme: Scheme, key: Key) -> Whole:
    front = item.choice.frontend
    if isinstance(front, Extracting):
        extracted = front.extract(item.document)
        text, pieces = extracted.text, front.parts(extracted)
    else:
        text, pieces = _text(item.content), front.pieces(item.document)
    return _whole(item, text, [front.read(piece) for piece in pieces], scheme, key)


def _whole(item: Opened, text: str, streams: list[Stream], scheme: Scheme, key: Key) -> Whole:
    with Ahead(1) as ahead:
        return Whole(item.choice.format, text, joined(streams), select_streams(streams, scheme, key, ahead))


def _second(normal: Normal, scheme: Scheme, key: Key) -> Second:
    size = normal.size
    stream = Stream(normal.symbols[:size], normal.starts[:size], normal.ends[:size])
    standing = Stream(normal.symbols[size:], normal.starts[size:], normal.ends[size:])
    with Ahead(1) as ahead:
        chosen = select_streams([stream], scheme, key, ahead)
    bits, standing_bits = normal.marks[:size], normal.marks[size:]
    return Second(stream, bits, chosen, standing, standing_bits, normal.missing, normal.seconds)


def _text(content: str | bytes) -> str:
    return content if isinstance(content, str) else decode(content).text
