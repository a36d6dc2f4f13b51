"""What must hold for any document: it is read, with spans that fit, or refused for a reason that can be shown."""

import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import numpy as np

from whorl.errors import DocumentError
from whorl.formats.archives.walk import walk
from whorl.formats.encoding import decode
from whorl.formats.reading import is_extracting
from whorl.model import Document, Skipped, Stream

# Names under which an archive is walked; its content decides what it is where it can.
ENDINGS = ("zip", "tar", "tar.gz", "tar.xz", "tar.zst", "txt")

# Characters of what people are told: one line of a report, with the names that are in it.
LONGEST_MESSAGE = 1000


class BrokenError(AssertionError):
    """Something that must hold does not."""


@dataclass(frozen=True)
class Verdict:
    """What became of a document, and a digest of all that came out of it: equal if it is read in the same way twice."""

    kind: Literal["read", "noted", "refused", "walked"]
    digest: bytes


def verdict_of_streams(front: Any, form: Callable[[bytes], bytes | str]) -> Callable[[bytes], Verdict]:
    """Return how a front-end is called."""

    def read(data: bytes) -> Verdict:
        document = Document("document", form(data))
        try:
            length, pieces = _pieces(front, document)
            streams = [front.read(piece) for piece in pieces]
        except DocumentError as error:
            _check_message(str(error))
            return Verdict("refused", str(error).encode("utf-8", "backslashreplace"))
        return _judged(streams, length)

    return read


def verdict_of_walk(data: bytes) -> Verdict:
    """Return how the walk over an archive is called."""
    path = _folder() / f"a.{ENDINGS[crc32(data) % len(ENDINGS)]}"
    path.write_bytes(data)
    digest = hashlib.blake2b()
    for item in walk(path):
        _check_message(item.name)
        if isinstance(item, Skipped):
            _check_message(item.reason)
            digest.update(repr(item).encode())
        else:
            digest.update(repr((item.name, item.content)).encode("utf-8", "backslashreplace"))
    return Verdict("walked", digest.digest())


def _pieces(front: Any, document: Document) -> tuple[int, Any]:
    """Return how long the text is that spans point into, and the pieces."""
    if is_extracting(front):
        extracted = front.extract(document)
        return len(extracted.text), front.parts(extracted)
    content = document.content
    assert not isinstance(content, Path)
    return len(content if isinstance(content, str) else decode(content).text), front.pieces(document)


def _judged(streams: list[Stream], length: int) -> Verdict:
    if not streams:
        raise BrokenError("no piece at all")
    digest = hashlib.blake2b()
    last = 0
    for stream in streams:
        last = _check_stream(stream, last, length)
        digest.update(stream.symbols.astype(np.uint64).tobytes() + stream.spans.starts.astype(np.int64).tobytes())
        digest.update(stream.spans.ends.astype(np.int64).tobytes() + stream.note.encode("utf-8", "backslashreplace"))
    return Verdict("noted" if any(stream.note for stream in streams) else "read", digest.digest())


def _check_stream(stream: Stream, last: int, length: int) -> int:
    """Return the end of a stream's last span, if all of it holds."""
    if stream.note:
        _check_message(stream.note)
    starts, ends = stream.spans.starts, stream.spans.ends
    if not len(stream.symbols) == len(starts) == len(ends):
        raise BrokenError("symbols, starts and ends differ in length")
    if stream.symbols.dtype.kind != "u":
        raise BrokenError(f"symbols are {stream.symbols.dtype}")
    if not len(stream):
        return last
    if not np.all(starts < ends):
        raise BrokenError("an empty span")
    if not (np.all(starts[:-1] <= starts[1:]) and np.all(ends[:-1] <= ends[1:])):
        raise BrokenError("spans out of order")
    if starts[0] < 0 or ends[-1] > length:
        raise BrokenError("a span outside the text")
    if starts[0] < last:
        raise BrokenError("a piece begins before the last one ends")
    return int(ends[-1])


def _check_message(message: str) -> None:
    """A name, a note or a reason goes to a terminal or a page: one line that can be printed and encoded."""
    if not message or len(message) > LONGEST_MESSAGE:
        raise BrokenError(f"a message of {len(message)} characters")
    if not all(character.isprintable() or character.isspace() for character in message):
        raise BrokenError("a message with signs that cannot be printed")
    if message.splitlines() != [message]:
        raise BrokenError("a message of several lines")
    try:
        message.encode()
    except UnicodeEncodeError as error:
        raise BrokenError("a message that cannot be encoded") from error


@cache
def _folder() -> Path:
    """Return where archives stand to be walked: one folder a process, in the one that the campaign clears."""
    return Path(tempfile.mkdtemp(prefix="whorl-fuzz-"))
