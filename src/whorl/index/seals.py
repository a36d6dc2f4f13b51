"""Checksums of rows: SQLite itself does not notice most of the bits that flip in a file of its own.

Each row carries a seal of what is in it. Of each table that is read as a whole, the number of rows and the exclusive or
of their seals are kept too, so that a row that vanished is noticed.
"""

from hashlib import blake2b

SIZE = 8


def seal(*fields: str | bytes | int | None) -> int:
    """A number of 63 bits that another row has by accident once in 2^63."""
    digest = blake2b(digest_size=SIZE, person=b"whorl row")
    for field in fields:
        data = (
            field if isinstance(field, bytes) else b"" if field is None else str(field).encode("utf-8", "surrogatepass")
        )
        digest.update(f"{type(field).__name__}:{len(data)}:".encode())
        digest.update(data)
    return int.from_bytes(digest.digest(), "little") >> 1
