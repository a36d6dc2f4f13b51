"""The headers of tar: one block of 512 bytes a member, and the extended headers that may stand before it."""

from dataclasses import dataclass

from whorl.collection.faults import BrokenError
from whorl.collection.kinds import header_sum
from whorl.collection.names import decoded

BLOCK = 512
# Bytes of one extended header. A name has at most 4,096; the rest is attributes that Macs add, some hundred kilobytes.
LONGEST = 1 << 20

EXTENDED = {b"x": "pax", b"X": "pax", b"g": "global", b"L": "name", b"K": "link"}
REGULAR = (b"0", b"\x00", b"7")
_REFUSED = {
    b"1": "refused: a hard link",
    b"2": "refused: a symbolic link",
    b"3": "refused: a device",
    b"4": "refused: a device",
    b"6": "refused: a pipe",
    b"S": "refused: a file with holes (sparse)",
    b"M": "refused: one part of a file that was split",
}


@dataclass(frozen=True, slots=True)
class Header:
    """One block, read."""

    kind: bytes
    name: bytes
    size: int
    goes_on: bool = False
    """Whether a map of holes goes on in the blocks that follow (GNU's old sparse files)."""

    def is_folder(self, name: bytes) -> bool:
        """Old archives mark a folder by its name, which an extended header may have given."""
        return self.kind == b"5" or (self.kind in REGULAR and name.endswith(b"/"))

    @property
    def refused(self) -> str:
        """Why it is not read; "" for a regular file."""
        return "" if self.kind in REGULAR else _REFUSED.get(self.kind, "refused: an entry of an unknown kind")


def header(block: bytes) -> Header:
    """A block as a header; ``BrokenError`` if it is none."""
    if len(block) < BLOCK or not header_sum(block):
        raise BrokenError("its checksum is wrong")
    name, prefix = _text(block[:100]), b""
    if block[257:263] == b"ustar\x00":  # GNU's own format keeps other things there
        prefix = _text(block[345:500])
    kind = block[156:157]
    path = prefix + b"/" + name if prefix else name
    return Header(kind, path, number(block[124:136]), kind == b"S" and block[482] != 0)


def number(field: bytes) -> int:
    """Octal digits, or, for large numbers, a big-endian integer behind a set bit."""
    if field[0] & 0x80:
        value = int.from_bytes(field, "big", signed=False) - (0x80 << (8 * (len(field) - 1)))
        if field[0] & 0x40 or value >= 1 << 63:
            raise BrokenError("its size is impossible")
        return value
    digits = _text(field).strip(b" ")
    if not all(0x30 <= byte <= 0x37 for byte in digits):
        raise BrokenError("its size is no number")
    return int(digits or b"0", 8)


def records(data: bytes) -> dict[bytes, bytes]:
    """The records of a pax header: ``length key=value``, a line each. What is broken ends them."""
    found: dict[bytes, bytes] = {}
    at = 0
    while at < len(data):
        blank = data.find(b" ", at, at + 20)  # no length has more digits
        if blank < 0 or not data[at:blank].isdigit():
            break
        end = at + int(data[at:blank])
        key, equals, value = data[blank + 1 : end - 1].partition(b"=")
        if not equals or end <= blank or end > len(data):
            break
        found[key] = value
        at = end
    return found


def name_of(raw: bytes) -> str:
    """A name: UTF-8, else Latin-1, in which every byte is a letter."""
    return decoded(raw, "latin-1")


def _text(field: bytes) -> bytes:
    return field.partition(b"\x00")[0]
