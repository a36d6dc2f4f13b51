"""Values as a header in JSON and raw buffers: what crosses between the parent and a worker, in both directions.

Nothing here can make an object of any other type than those named below, whatever the bytes say: that is why the parent
may decode what a compromised worker sends. A header describes one value:

    null, true, 12, 0.5         itself
    [a, b]                      a list
    {"t": [a, b]}               a tuple
    {"s": n}, {"b": n}          a string (UTF-8, lone surrogates allowed) or bytes, in the next buffer of n bytes
    {"a": ["u4", [3, 2]]}       an array: kind and size of its items, shape; its items are the next buffer

Buffers begin at multiples of 16 bytes, so that arrays are aligned where they arrive and need not be copied.
"""

import json
import math
from typing import TYPE_CHECKING, Any

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
    """Bytes that no honest sender would have made."""


Buffer = bytes | bytearray | memoryview


def encode(value: Any) -> tuple[bytes, list[Buffer]]:
    """The header, padded to the alignment, and the buffers, not yet padded. TypeError for what cannot be sent."""
    buffers: list[Buffer] = []
    header = _ENCODER.encode(_describe(value, buffers, 0)).encode("ascii")
    return header + b" " * padding(len(header)), buffers


def padding(size: int) -> int:
    """How many bytes are missing to the next multiple of the alignment."""
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


def decode(body: bytearray, header: int) -> Any:
    """The value in a body whose first ``header`` bytes describe it. Arrays are views of the body."""
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
    """Takes buffers from a body in order, and checks every claim of the header before it is believed."""

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
    """How many items an array of this shape has."""
    if not isinstance(shape, list) or len(shape) > DEEPEST:
        raise DamagedError("an array without a shape")
    if any(type(side) is not int or side < 0 for side in shape):
        raise DamagedError("an array with an impossible shape")
    return math.prod(shape)
