"""Checksums of rows, and lists of checksums of files.

SQLite itself misses most bits that flip in its file, so each row carries a seal: a checksum of its fields. For each
table that is read as a whole, the number of rows and the exclusive or of their seals are stored too, so that a missing
row is noticed. The lists of files are in the format of ``sha256sum``; their last line covers the lines before it.
"""

from collections.abc import Iterable
from hashlib import blake2b, sha256
from pathlib import Path

SIZE = 8

# How the type of a field is written. A damaged row may have a float.
_TYPES = {str: b"str", bytes: b"bytes", int: b"int", float: b"float"}

# The name in the last line of a list.
_LIST = "the lines above"

BLOCK = 1 << 20


def seal(*fields: str | bytes | int | None) -> int:
    """Return a checksum of 63 bits of a row's fields."""
    parts = b"".join([_encode(field) for field in fields])
    digest = blake2b(parts, digest_size=SIZE, person=b"whorl row").digest()
    return int.from_bytes(digest, "little") >> 1


def _encode(field: str | bytes | int | None) -> bytes:
    if field is None:
        return b"NoneType:0:"
    data = field if isinstance(field, bytes) else str(field).encode("utf-8", "surrogatepass")
    return b"%s:%d:%s" % (_TYPES[type(field)], len(data), data)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    hashed = sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            hashed.update(block)
    return hashed.hexdigest()


def listed(folder: Path, paths: Iterable[Path]) -> str:
    """Return the list of checksums of some files below a folder."""
    lines = "".join(f"{digest(path)}  {path.relative_to(folder).as_posix()}\n" for path in paths)
    return f"{lines}# {sha256(lines.encode()).hexdigest()}  {_LIST}\n"


def read(text: str) -> dict[str, str] | None:
    """Return the checksums of a list by name; None if the list is damaged."""
    *lines, last = text.splitlines(keepends=True) or [""]
    if last != f"# {sha256(''.join(lines).encode()).hexdigest()}  {_LIST}\n":
        return None
    return {line[66:].rstrip("\n"): line[:64] for line in lines}
