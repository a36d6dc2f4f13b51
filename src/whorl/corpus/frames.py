"""The framing of WARC: header, block, two empty lines; and the way back to the next record after damage."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from whorl.collection.faults import damage, reason
from whorl.corpus.chunks import Chunks
from whorl.corpus.http import headers

_MARK = b"WARC/"
_NEXT = b"\nWARC/1."
_LONGEST_HEADER = 1 << 16  # crawlers write less than one kilobyte
# The end of a header, or the next record, which comes first if the header has none.
_END = re.compile(rb"\r?\n\r?\n|\nWARC/1\.")
_BLANK = re.compile(rb"[\r\n]*+")
# A record whose length is wrong has swallowed others. They are looked for in it if it has at most this many bytes:
# in a hostile file every record would claim all that follow.
_LOOKED_THROUGH = 1 << 17


class Frame(NamedTuple):
    """A record, counted from 1: its fields and its block, or what is wrong with it."""

    row: int
    fields: Mapping[str, str]
    content: bytes | str


class _DamagedError(Exception):
    """The record in hand cannot be read."""


class Frames:
    """The records of one file. What cannot be read is a frame too, and reading goes on at the next mark."""

    def __init__(self, source: Chunks, most: int) -> None:
        self._source = source
        self._most = most
        self._held = bytearray()
        self._member = -1  # of the last byte held
        self._row = 0

    def __iter__(self) -> Iterator[Frame]:
        going = True
        while going:
            self._row += 1
            try:
                if not self._more_records():
                    return
                yield self._frame()
            except _DamagedError as error:
                yield Frame(self._row, {}, f"damaged: {error}")
                going = self._recover(None)
            except damage() as error:
                yield Frame(self._row, {}, f"damaged: {reason(error)}")
                going = self._recover(error)

    def _more_records(self) -> bool:
        """Passes the empty lines. Some writers make more or fewer than two."""
        while self._fill(1):
            del self._held[: self._blank()]
            if self._held:
                return True
        return False

    def _frame(self) -> Frame:
        if not self._fill(len(_MARK)) or not self._held.startswith(_MARK):
            raise _DamagedError("no WARC record begins where one should")
        fields = self._header()
        length = fields.get("content-length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 16):
            raise _DamagedError("the record has no length")
        if int(length) > self._most:
            self._skip(int(length))
            return Frame(self._row, fields, f"too large: {int(length):,} bytes; one record may have {self._most:,}")
        return Frame(self._row, fields, self._block(int(length)))

    def _header(self) -> dict[str, str]:
        size = 1  # doubled, so that a header in many small members is not searched each time that a byte comes
        while not (end := _END.search(self._held, 0, _LONGEST_HEADER)):
            size = max(2 * size, len(self._held) + 1)
            if len(self._held) >= _LONGEST_HEADER or not self._fill(size):
                raise _DamagedError("the header of the record does not end")
        if not end[0].endswith(b"\n"):
            raise _DamagedError("the header of the record does not end")
        fields = headers(bytes(self._held[: end.start()]))
        del self._held[: end.end()]
        return fields

    def _block(self, length: int) -> bytes:
        """The block, once what follows it proves that its length and its checksum are right."""
        whole = self._fill(length)
        content = bytes(self._held[:length])
        del self._held[:length]
        if not whole:
            self._put_back(content)
            raise _DamagedError("the record breaks off")
        if not self._followed():
            self._put_back(content)
            raise _DamagedError("the length of the record is wrong")
        return content

    def _followed(self) -> bool:
        """Whether the next record, or the end, follows. Damage to the next member is not this record's."""
        member = self._member
        try:
            while self._fill(1):
                blank = self._blank()
                if blank < len(self._held):
                    self._fill(blank + len(_MARK))  # at the end of the file there may be less
                    return _MARK.startswith(self._held[blank : blank + len(_MARK)])
                del self._held[:blank]
        except damage():
            if self._source.member == member:
                raise
        return True

    def _blank(self) -> int:
        """How many bytes of empty lines are held before anything else."""
        found = _BLANK.match(self._held)
        return found.end() if found else 0

    def _put_back(self, content: bytes) -> None:
        if len(content) <= _LOOKED_THROUGH:
            self._held[:0] = content

    def _recover(self, error: Exception | None) -> bool:
        """Goes to the next record; False if there is none to be found."""
        if error is not None:
            self._held.clear()
            return self._source.resync(_MARK)
        try:
            self._scan()
        except damage():
            self._held.clear()
            return self._source.resync(_MARK)
        return bool(self._held)

    def _scan(self) -> None:
        """Drops what is held up to the next mark at the beginning of a line."""
        while (found := self._held.find(_NEXT)) < 0:
            del self._held[: max(0, len(self._held) - len(_NEXT) + 1)]
            if not self._fill(len(self._held) + 1):
                self._held.clear()
                return
        del self._held[: found + 1]

    def _skip(self, size: int) -> None:
        while size > 0 and self._fill(1):
            passed = min(size, len(self._held))
            del self._held[:passed]
            size -= passed

    def _fill(self, size: int) -> bool:
        """Holds at least so many bytes, if the file has them."""
        while len(self._held) < size:
            chunk = self._source.chunk()
            if not chunk:
                return False
            self._held += chunk
            self._member = self._source.member
        return True
