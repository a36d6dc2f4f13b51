"""Bodies of requests: they know their length and can be sent again, and a file is never held in memory."""

import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from whorl.errors import DocumentError

# Bytes of a file that are sent at once.
CHUNK = 1 << 16


class Body(Protocol):
    """What a request carries."""

    @property
    def media(self) -> str:
        """Its content type."""

    @property
    def length(self) -> int:
        """How many bytes."""

    def chunks(self) -> Iterator[bytes]:
        """The bytes, from the beginning."""


@dataclass(frozen=True, slots=True)
class Json:
    """A JSON document."""

    value: Any

    media = "application/json"

    @property
    def length(self) -> int:
        """How many bytes."""
        return len(self._bytes())

    def chunks(self) -> Iterator[bytes]:
        """The bytes, from the beginning."""
        yield self._bytes()

    def _bytes(self) -> bytes:
        return json.dumps(self.value).encode()


@dataclass(frozen=True, slots=True)
class Part:
    """A field of a form; one with a ``filename`` is a file, whose content is bytes or the file itself."""

    name: str
    content: bytes | Path
    filename: str | None = None


class Form:
    """A multipart form."""

    def __init__(self, parts: Sequence[Part]) -> None:
        # 128 random bits: nobody who writes a document knows them, so none can end a part.
        self._mark = f"whorl-{secrets.token_hex(16)}"
        self._parts = [(_head(self._mark, part), part, _size(part)) for part in parts]
        self._end = f"--{self._mark}--\r\n".encode()

    @property
    def media(self) -> str:
        """Its content type."""
        return f"multipart/form-data; boundary={self._mark}"

    @property
    def length(self) -> int:
        """How many bytes."""
        return sum(len(head) + size + 2 for head, _, size in self._parts) + len(self._end)

    def chunks(self) -> Iterator[bytes]:
        """The bytes, from the beginning."""
        for head, part, size in self._parts:
            yield head
            yield from _content(part, size)
            yield b"\r\n"
        yield self._end


def _head(mark: str, part: Part) -> bytes:
    name = f'name="{_quoted(part.name)}"'
    kind = "" if part.filename is None else "\r\nContent-Type: application/octet-stream"
    file = "" if part.filename is None else f'; filename="{_quoted(part.filename)}"'
    return f"--{mark}\r\nContent-Disposition: form-data; {name}{file}{kind}\r\n\r\n".encode("utf-8", "replace")


def _quoted(text: str) -> str:
    """As browsers write names in a form: what would end the name or the line is written as %."""
    return text.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _size(part: Part) -> int:
    if isinstance(part.content, bytes):
        return len(part.content)
    try:
        return part.content.stat().st_size
    except OSError as error:
        raise DocumentError(f"cannot read {part.content}: {error.strerror}") from error


def _content(part: Part, size: int) -> Iterator[bytes]:
    """The bytes of a part: of a file, as many as were announced."""
    if isinstance(part.content, bytes):
        yield part.content
        return
    try:
        with part.content.open("rb") as file:
            while size and (chunk := file.read(min(size, CHUNK))):
                size -= len(chunk)
                yield chunk
    except OSError as error:
        raise DocumentError(f"cannot read {part.content}: {error.strerror}") from error
    if size:
        raise DocumentError(f"{part.content} became shorter while it was sent: send it again")
