"""Frames on a pipe: a prefix of fixed size, the header of a value and its buffers.

Either end may be non-blocking: whoever reads or writes gives a ``wait`` that returns when the pipe is ready, or raises.
"""

import os
import struct
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from whorl.frontends.sandbox import values
from whorl.frontends.sandbox.values import Buffer, DamagedError

Wait = Callable[[], None]

# Magic, kind of frame, whether it is the sender's last, number of the task, sizes of header and buffers.
_PREFIX = struct.Struct("<4sc?2xQIQ")
_MAGIC = b"WSB1"

# Kinds of frames. A worker says READY once, then answers each TASK with one of the others.
READY, TASK, VALUE, RAISED, TOO_LARGE = (bytes([letter]) for letter in b"RTVXL")
_KINDS = frozenset([READY, TASK, VALUE, RAISED, TOO_LARGE])

# JSON grows up to twenty times when it becomes Python objects ("[],[],…"). This much of it is over a million numbers
# or strings; whoever has more of them sends an array.
LARGEST_HEADER = 16 << 20

# Buffers up to this size are joined before they are written: copying costs less than a system call.
_SMALL = 1 << 16

# Read from a pipe at once; more would only be set aside in vain, since a pipe holds no more.
_CHUNK = 1 << 20


class TooLargeError(ValueError):
    """A frame is larger than its reader or its writer allows."""


class ClosedError(EOFError):
    """The other end was closed."""


class Frame(NamedTuple):
    """What one frame says."""

    kind: bytes
    number: int
    last: bool
    value: Any


class Encoded(NamedTuple):
    """A value that is ready to be sent, as often as needed."""

    header: bytes
    buffers: list[Buffer]
    size: int


def encode(value: Any, largest: int | None = None) -> Encoded:
    """The value as header and buffers; refused where it is larger than allowed."""
    header, buffers = values.encode(value)
    size = sum(len(buffer) + values.padding(len(buffer)) for buffer in buffers)
    if len(header) > LARGEST_HEADER or (largest is not None and size > largest):
        raise TooLargeError(f"{size} bytes")
    return Encoded(header, buffers, size)


def size(encoded: Encoded) -> int:
    """Bytes of the frame that carries the value."""
    return _PREFIX.size + len(encoded.header) + encoded.size


def send(fd: int, wait: Wait, kind: bytes, number: int, encoded: Encoded, *, last: bool = False) -> None:
    """Write one frame."""
    prefix = _PREFIX.pack(_MAGIC, kind, last, number, len(encoded.header), encoded.size)
    for chunk in _chunks(prefix + encoded.header, encoded.buffers):
        _write(fd, wait, memoryview(chunk))


def receive(fd: int, wait: Wait, largest: int | None = None) -> Frame:
    """Read one frame. Its sizes are checked before memory is set aside for it."""
    prefix = _read(fd, wait, _PREFIX.size)
    magic, kind, last, number, header, size = _PREFIX.unpack(prefix)
    if magic != _MAGIC or kind not in _KINDS:
        raise DamagedError("not a frame")
    if header > LARGEST_HEADER or (largest is not None and size > largest):
        raise TooLargeError(f"{size} bytes")
    return Frame(kind, number, last, values.decode(_read(fd, wait, header + size), header))


def _chunks(start: bytes, buffers: list[Buffer]) -> Iterable[Buffer]:
    """The frame in as few pieces as is sensible, padding included."""
    small: list[Buffer] = [start]
    for buffer in buffers:
        if len(buffer) > _SMALL:
            yield b"".join(small)
            yield buffer
            small = []
        else:
            small.append(buffer)
        small.append(bytes(values.padding(len(buffer))))
    yield b"".join(small)


def _write(fd: int, wait: Wait, view: memoryview) -> None:
    while view:
        try:
            view = view[os.write(fd, view) :]
        except BlockingIOError:
            wait()
        except BrokenPipeError as error:
            raise ClosedError from error


def _read(fd: int, wait: Wait, size: int) -> bytearray:
    body = bytearray(size)
    view, place = memoryview(body), 0
    while place < size:
        try:
            count = os.readv(fd, [view[place : place + _CHUNK]])
        except BlockingIOError:
            wait()
            continue
        if not count:
            raise ClosedError
        place += count
    return body
