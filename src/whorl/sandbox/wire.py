"""Frames on the pipe between parent and worker, and the plain values that they carry."""

import json
import math
import os
import struct
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


ALIGNMENT = 16

# Kind and item size of the arrays that may cross: truth values, whole numbers, floating point.
DTYPES = frozenset(["b1", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"])

# As deep as lists and tuples may nest, and as many dimensions as an array may have. Streams need two of either.
DEEPEST = 16

# Made once: the json module makes one a call for any other style than its own.
_ENCODER = json.JSONEncoder(separators=(",", ":"))


class DamagedError(ValueError):
    """Bytes that no honest sender produces."""


Buffer = bytes | bytearray | memoryview


def encode_value(value: Any) -> tuple[bytes, list[Buffer]]:
    """Return the header, padded to the alignment, and the unpadded buffers; raise TypeError for unsupported types."""
    buffers: list[Buffer] = []
    header = _ENCODER.encode(_describe(value, buffers, 0)).encode("ascii")
    return header + b" " * padding(len(header)), buffers


def padding(size: int) -> int:
    """Return the number of bytes up to the next multiple of the alignment."""
    return -size % ALIGNMENT


def _describe(value: Any, buffers: list[Buffer], depth: int) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, float):
        return value
    if kind is str:
        buffers.append(value.encode("utf-8", "surrogatepass"))
        return {"s": len(buffers[-1])}
    if kind in (bytes, bytearray, memoryview):
        buffers.append(value if kind is not memoryview else _flat(value))
        return {"b": len(buffers[-1])}
    if kind in (tuple, list):
        if depth == DEEPEST:
            raise TypeError(f"lists nested more than {DEEPEST} deep cannot be sent")
        items = [_describe(item, buffers, depth + 1) for item in value]
        return items if kind is list else {"t": items}
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        return _describe_array(value, buffers)
    raise TypeError(f"a value of type {kind.__qualname__} cannot be sent")


def _flat(view: memoryview) -> Buffer:
    return view.cast("B") if view.c_contiguous and view.nbytes else view.tobytes()


def _describe_array(array: "NDArray[Any]", buffers: list[Buffer]) -> Any:
    name = f"{array.dtype.kind}{array.dtype.itemsize}"
    if name not in DTYPES or array.ndim > DEEPEST:
        raise TypeError(f"an array of {array.dtype} and {array.ndim} dimensions cannot be sent")
    native = array.astype(array.dtype.newbyteorder("="), order="C", copy=False)
    buffers.append(_flat(native.data))
    return {"a": [name, list(array.shape)]}


def decode_value(body: bytearray, header: int) -> Any:
    """Return the value in a body whose first ``header`` bytes describe it. Arrays are views of the body."""
    try:
        described = json.loads(str(body[:header], "ascii"))
    except (ValueError, RecursionError) as error:
        raise DamagedError("the header is not JSON") from error
    reader = _Reader(body, header)
    value = reader.value(described, 0)
    if reader.place != len(body):
        raise DamagedError(f"{len(body) - reader.place} bytes belong to no value")
    return value


class _Reader:
    """Takes buffers from a body in order, and checks every claim of the header first."""

    def __init__(self, body: bytearray, place: int) -> None:
        self._body, self.place = memoryview(body), place

    def value(self, described: Any, depth: int) -> Any:
        if isinstance(described, list):
            return self._items(described, depth)
        if not isinstance(described, dict):
            if isinstance(described, str):
                raise DamagedError("a string in the header")
            return described
        if len(described) != 1:
            raise DamagedError("a description has one key")
        ((key, claim),) = described.items()
        if key == "t" and isinstance(claim, list):
            return tuple(self._items(claim, depth))
        if key == "b":
            return bytes(self._take(claim))
        if key == "s":
            return self._text(claim)
        if key == "a":
            return self._array(claim)
        raise DamagedError("a description of no known value")

    def _items(self, described: list[Any], depth: int) -> list[Any]:
        if depth == DEEPEST:
            raise DamagedError("nested too deep")
        return [self.value(item, depth + 1) for item in described]

    def _take(self, size: Any) -> memoryview:
        if type(size) is not int or not 0 <= size <= len(self._body) - self.place:
            raise DamagedError("a buffer reaches past the end")
        start, self.place = self.place, self.place + size + padding(size)
        return self._body[start : start + size]

    def _text(self, size: Any) -> str:
        try:
            return str(self._take(size), "utf-8", "surrogatepass")
        except UnicodeDecodeError as error:
            raise DamagedError("a string that is not UTF-8") from error

    def _array(self, claim: Any) -> "np.ndarray[Any, Any]":
        import numpy as np  # here, so that a worker whose target needs no arrays does not pay for it

        if not isinstance(claim, list) or len(claim) != 2 or not isinstance(claim[0], str) or claim[0] not in DTYPES:
            raise DamagedError("an array of no known kind")
        dtype, size = np.dtype(claim[0]), _items_of(claim[1])
        items = self._take(size * dtype.itemsize)
        try:
            return np.ndarray(tuple(claim[1]), dtype, buffer=items)
        except ValueError as error:  # NumPy refuses some shapes of arrays that have no items
            raise DamagedError("an array with an impossible shape") from error


def _items_of(shape: Any) -> int:
    """Return the number of items of an array of this shape."""
    if not isinstance(shape, list) or len(shape) > DEEPEST:
        raise DamagedError("an array without a shape")
    if any(type(side) is not int or side < 0 for side in shape):
        raise DamagedError("an array with an impossible shape")
    return math.prod(shape)


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


class WireFrame(NamedTuple):
    kind: bytes
    number: int
    last: bool
    value: Any


class Encoded(NamedTuple):
    """A value ready to be sent, any number of times."""

    header: bytes
    buffers: list[Buffer]
    size: int


def encode(value: Any, largest: int | None = None) -> Encoded:
    """Return the value as header and buffers; raise ``TooLargeError`` if it is larger than allowed."""
    header, buffers = encode_value(value)
    size = sum(len(buffer) + padding(len(buffer)) for buffer in buffers)
    if len(header) > LARGEST_HEADER or (largest is not None and size > largest):
        raise TooLargeError(f"{size} bytes")
    return Encoded(header, buffers, size)


def size(encoded: Encoded) -> int:
    """Return the bytes of the frame that carries the value."""
    return _PREFIX.size + len(encoded.header) + encoded.size


def send(fd: int, wait: Wait, kind: bytes, number: int, encoded: Encoded, *, last: bool = False) -> None:
    """Write one frame."""
    prefix = _PREFIX.pack(_MAGIC, kind, last, number, len(encoded.header), encoded.size)
    for chunk in _chunks(prefix + encoded.header, encoded.buffers):
        _write(fd, wait, memoryview(chunk))


def receive(fd: int, wait: Wait, largest: int | None = None) -> WireFrame:
    """Read one frame. Check its sizes before allocating memory."""
    prefix = _read(fd, wait, _PREFIX.size)
    magic, kind, last, number, header, size = _PREFIX.unpack(prefix)
    if magic != _MAGIC or kind not in _KINDS:
        raise DamagedError("not a frame")
    if header > LARGEST_HEADER or (largest is not None and size > largest):
        raise TooLargeError(f"{size} bytes")
    return WireFrame(kind, number, last, decode_value(_read(fd, wait, header + size), header))


def _chunks(start: bytes, buffers: list[Buffer]) -> Iterable[Buffer]:
    """Yield the frame in few pieces, with padding."""
    small: list[Buffer] = [start]
    for buffer in buffers:
        if len(buffer) > _SMALL:
            yield b"".join(small)
            yield buffer
            small = []
        else:
            small.append(buffer)
        small.append(bytes(padding(len(buffer))))
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
