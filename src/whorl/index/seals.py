"""Checksums of rows: SQLite itself does not notice most of the bits that flip in a file of its own.

Each row carries a seal of what is in it. Of each table that is read as a whole, the number of rows and the exclusive or
of their seals are kept too, so that a row that vanished is noticed.
"""

from hashlib import blake2b

SIZE = 8

# How the type of a field is written. A row that is damaged may have a float.
_TYPES = {str: b"str", bytes: b"bytes", int: b"int", float: b"float"}


def seal(*fields: str | bytes | int | None) -> int:
    """A number of 63 bits that another row has by accident once in 2^63."""
    parts = b"".join([_written(field) for field in fields])
    digest = blake2b(parts, digest_size=SIZE, person=b"whorl row").digest()
    return int.from_bytes(digest, "little") >> 1


def _written(field: str | bytes | int | None) -> bytes:
    if field is None:
        return b"NoneType:0:"
    data = field if isinstance(field, bytes) else str(field).encode("utf-8", "surrogatepass")
    return b"%s:%d:%s" % (_TYPES[type(field)], len(data), data)
