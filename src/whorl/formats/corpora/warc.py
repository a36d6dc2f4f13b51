"""Read WARC, the format of web archives (ISO 28500): framing, recovery after damage, HTTP responses."""

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from whorl.formats.archives.names import damage, opened, printable, reason, shortened
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.records import BadRowError, CorpusRecord, Fault, LeftOutError, Unchanged, UnchangedPage
from whorl.formats.corpora.streams import Chunks, chunks
from whorl.formats.detection import TEXT
from whorl.formats.encoding import decode
from whorl.model import Document

# Longer headers are no response; servers refuse far shorter ones.
_LONGEST_HEAD = 1 << 18
_ENCODINGS = 2  # one inside the other: a bomb in a bomb has more
_STATUS = re.compile(rb"HTTP/[\d.]+[ \t]+(\d{3})\b")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,4096})?\r?\n")
_CHARSET = re.compile(r"""charset\s*=\s*["']?([-\w.:]+)""", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Response:
    """A body, its media type in lower case ("" if unknown) and its charset, if the server named one."""

    type: str
    charset: str | None
    body: bytes


def response(block: bytes, most: int) -> Response:
    """Parse the response in a record. Refuse errors, and bodies that decompress to more than ``most`` bytes."""
    status = _STATUS.match(block)
    end = _HEAD_END.search(block, 0, _LONGEST_HEAD)
    if not status or not end:
        raise BadRowError("not an HTTP response")
    if not status[1].startswith(b"2"):
        raise LeftOutError(f"the server answered {status[1].decode()}")
    fields = headers(block[: end.start()])
    kind, charset = media_type(fields.get("content-type", ""))
    body = block[end.end() :]
    if "chunked" in fields.get("transfer-encoding", "").lower():
        body = _joined(body)
    return Response(kind, charset, _decoded(body, fields.get("content-encoding", ""), most))


def headers(head: bytes) -> dict[str, str]:
    """Return the first value of each field, by name in lower case. Skip the first line and lines without ":".

    A line that begins with a blank continues the field before it.
    """
    fields: dict[str, str] = {}
    last = ""
    for line in head.decode("utf-8", "replace").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t"):
            if last:
                fields[last] += f" {line.strip()}"
        elif colon:
            last = name.strip().lower()
            last = "" if last in fields else last
            if last:
                fields[last] = value.strip()
    return fields


def media_type(value: str) -> tuple[str, str | None]:
    """Return the type and the charset of a Content-Type field."""
    charset = _CHARSET.search(value)
    return value.partition(";")[0].strip().lower(), charset[1] if charset else None


def _joined(body: bytes) -> bytes:
    """Join the chunks. Many crawlers join them but leave the header, so a body without chunks stays as it is."""
    pieces, at = list[bytes](), 0
    while size := _CHUNK.match(body, at):
        length = int(size[1], 16)
        if length == 0:
            return b"".join(pieces)
        pieces.append(body[size.end() : size.end() + length])
        at = size.end() + length + (2 if body.startswith(b"\r\n", size.end() + length) else 1)
    if pieces and at < len(body):
        raise BadRowError("damaged: the chunks of the response do not fit together")
    return b"".join(pieces) if pieces else body


def _decoded(body: bytes, encoding: str, most: int) -> bytes:
    names = [part.strip().lower() for part in encoding.split(",") if part.strip()]
    if len(names) > _ENCODINGS:
        raise BadRowError("refused: its body is encoded too many times")
    for name in reversed(names):
        if name in ("gzip", "x-gzip") and body.startswith(b"\x1f\x8b"):
            body = _inflated(body, 16 + zlib.MAX_WBITS, most)
        elif name == "deflate":
            body = _inflated(body, zlib.MAX_WBITS if _is_zlib(body) else -zlib.MAX_WBITS, most)
        elif name == "zstd" and body.startswith(b"\x28\xb5\x2f\xfd"):
            body = _unzstd(body, most)
        elif name not in ("gzip", "x-gzip", "zstd", "identity"):
            raise LeftOutError(f"encoded by {name!r}, which is not read")
    return body  # a crawler may have unpacked gzip and zstd and left the header


def _is_zlib(body: bytes) -> bool:
    """Return whether the body has a zlib header; many servers send deflate without it."""
    return len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0


def _inflated(body: bytes, window: int, most: int) -> bytes:
    """Decompress. Keep the beginning of a truncated body, as browsers do: crawlers cut long pages."""
    unpacker = zlib.decompressobj(window)
    try:
        content = unpacker.decompress(body, most + 1)
    except zlib.error as error:
        raise BadRowError("damaged: the compressed body of the response") from error
    return _bounded(content, most)


def _unzstd(body: bytes, most: int) -> bytes:
    import zstandard  # few servers send it

    try:
        reader = zstandard.ZstdDecompressor(max_window_size=8 << 20).stream_reader(body)  # the web's limit: RFC 9659
        content: bytes = reader.read(most + 1)
    except zstandard.ZstdError as error:
        raise BadRowError("damaged: the compressed body of the response") from error
    return _bounded(content, most)


def _bounded(content: bytes, most: int) -> bytes:
    if len(content) > most:
        raise BadRowError(f"too large: its body unpacks to more than {most:,} bytes")
    return content


_MARK = b"WARC/"
_NEXT = b"\nWARC/1."
_LONGEST_HEADER = 1 << 16  # crawlers write less than one kilobyte
# The end of a header, or of a header without an end, the next record.
_END = re.compile(rb"\r?\n\r?\n|\nWARC/1\.")
_BLANK = re.compile(rb"[\r\n]*+")
# A record with a wrong length has swallowed others. Search it for them only up to this size: in a hostile file every
# record would claim all that follow.
_LOOKED_THROUGH = 1 << 17


class WarcFrame(NamedTuple):
    """A record, counted from 1: its fields and its block, or what is wrong with it."""

    row: int
    fields: Mapping[str, str]
    content: bytes | str


class _DamagedError(Exception):
    """The current record cannot be read."""


class Frames:
    """The records of one file. A damaged one is a frame too, and reading continues at the next mark."""

    def __init__(self, source: Chunks, most: int) -> None:
        self._source = source
        self._most = most
        self._buffer = bytearray()
        self._member = -1  # of the last byte held
        self._row = 0

    def __iter__(self) -> Iterator[WarcFrame]:
        going = True
        while going:
            self._row += 1
            try:
                if not self._more_records():
                    return
                yield self._frame()
            except _DamagedError as error:
                yield WarcFrame(self._row, {}, f"damaged: {error}")
                going = self._recover(None)
            except damage() as error:
                yield WarcFrame(self._row, {}, f"damaged: {reason(error)}")
                going = self._recover(error)

    def _more_records(self) -> bool:
        """Skip empty lines; some writers make more or fewer than two."""
        while self._fill(1):
            del self._buffer[: self._blank()]
            if self._buffer:
                return True
        return False

    def _frame(self) -> WarcFrame:
        if not self._fill(len(_MARK)) or not self._buffer.startswith(_MARK):
            raise _DamagedError("no WARC record begins where one should")
        fields = self._header()
        length = fields.get("content-length", "")
        if not (length.isascii() and length.isdigit() and len(length) < 16):
            raise _DamagedError("the record has no length")
        if int(length) > self._most:
            self._skip(int(length))
            return WarcFrame(self._row, fields, f"too large: {int(length):,} bytes; one record may have {self._most:,}")
        return WarcFrame(self._row, fields, self._block(int(length)))

    def _header(self) -> dict[str, str]:
        size = 1  # doubled, so that a header in many small members is not searched each time that a byte comes
        while not (end := _END.search(self._buffer, 0, _LONGEST_HEADER)):
            size = max(2 * size, len(self._buffer) + 1)
            if len(self._buffer) >= _LONGEST_HEADER or not self._fill(size):
                raise _DamagedError("the header of the record does not end")
        if not end[0].endswith(b"\n"):
            raise _DamagedError("the header of the record does not end")
        fields = headers(bytes(self._buffer[: end.start()]))
        del self._buffer[: end.end()]
        return fields

    def _block(self, length: int) -> bytes:
        """Return the block, after checking by what follows it that its length and checksum are right."""
        whole = self._fill(length)
        content = bytes(self._buffer[:length])
        del self._buffer[:length]
        if not whole:
            self._put_back(content)
            raise _DamagedError("the record breaks off")
        if not self._followed():
            self._put_back(content)
            raise _DamagedError("the length of the record is wrong")
        return content

    def _followed(self) -> bool:
        """Return whether the next record, or the end, follows. Damage to the next member does not count."""
        member = self._member
        try:
            while self._fill(1):
                blank = self._blank()
                if blank < len(self._buffer):
                    self._fill(blank + len(_MARK))  # at the end of the file there may be less
                    return _MARK.startswith(self._buffer[blank : blank + len(_MARK)])
                del self._buffer[:blank]
        except damage():
            if self._source.member == member:
                raise
        return True

    def _blank(self) -> int:
        """Return the number of bytes of empty lines at the start of the buffer."""
        blank = _BLANK.match(self._buffer)
        return blank.end() if blank else 0

    def _put_back(self, content: bytes) -> None:
        if len(content) <= _LOOKED_THROUGH:
            self._buffer[:0] = content

    def _recover(self, error: Exception | None) -> bool:
        """Skip to the next record; return False if there is none."""
        if error is not None:
            self._buffer.clear()
            return self._source.resync(_MARK)
        try:
            self._scan()
        except damage():
            self._buffer.clear()
            return self._source.resync(_MARK)
        return bool(self._buffer)

    def _scan(self) -> None:
        """Drop the buffer up to the next mark at the beginning of a line."""
        while (start := self._buffer.find(_NEXT)) < 0:
            del self._buffer[: max(0, len(self._buffer) - len(_NEXT) + 1)]
            if not self._fill(len(self._buffer) + 1):
                self._buffer.clear()
                return
        del self._buffer[: start + 1]

    def _skip(self, size: int) -> None:
        while size > 0 and self._fill(1):
            passed = min(size, len(self._buffer))
            del self._buffer[:passed]
            size -= passed

    def _fill(self, size: int) -> bool:
        """Read until the buffer has at least so many bytes; return False at the end of the file."""
        while len(self._buffer) < size:
            chunk = self._source.chunk()
            if not chunk:
                return False
            self._buffer += chunk
            self._member = self._source.member
        return True


_OFFICE = "application/vnd.openxmlformats-officedocument."
# Front-end for each media type that is a document.
FORMATS = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": TEXT,
    "text/markdown": "markdown",
    "text/rtf": "rtf",
    "application/rtf": "rtf",
    "application/pdf": "pdf",
    "application/postscript": "postscript",
    "application/x-tex": "latex",
    "application/x-latex": "latex",
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    f"{_OFFICE}wordprocessingml.document": "docx",
    f"{_OFFICE}presentationml.presentation": "pptx",
}
# Records about other records: neither documents nor left out.
_ABOUT = frozenset({"warcinfo", "request", "metadata", "continuation"})
# Charsets that the front-ends detect.
_PLAIN_CHARSETS = frozenset({"utf-8", "utf8", "ascii", "us-ascii"})


def rows(path: Path, name: str, rules: Rules, prefix: str) -> Iterator[CorpusRecord | Fault]:
    """Yield every record that is a document, and those left out or damaged. Records of any type count, from 1.

    A crawler that meets a page unchanged stores a revisit without the content, which refers to the record that has it.
    Revisits come last, as documents with the content that they repeat, or ``Unchanged`` if this is in another file.
    """
    revisits, others = list[Unchanged](), Counter[bool]()
    with opened(path, follow=True) as file:
        source = chunks(file, path.name)
        for frame in Frames(source, rules.member):
            if isinstance(frame.content, str):
                yield Fault(name, frame.row, frame.content)
                continue
            others[_kind(frame) in _ABOUT] += 1
            if _kind(frame) == "revisit":
                revisits.append(_revisit(frame, name, prefix))
            elif _kind(frame) not in _ABOUT:
                yield _record(frame, frame.content, name, rules, source.offset, prefix)
    if others[True] and not others[False]:
        yield Fault(name, 0, "no document: all records are about others, such as requests and metadata", left_out=True)
    if revisits:
        left = {revisit.row: revisit for revisit in revisits}
        for revisit, item in repeated(path, revisits, rules):
            del left[revisit.row]
            yield item
        yield from left.values()


def _kind(frame: WarcFrame) -> str:
    return frame.fields.get("warc-type", "").lower()


def _revisit(frame: WarcFrame, name: str, prefix: str) -> Unchanged:
    """Return the page that a revisit is about."""
    fields = frame.fields
    url = fields.get("warc-target-uri", "").strip("<>")
    page = UnchangedPage(
        fields.get("warc-record-id", "").strip("<>") or f"{prefix}{name}:{frame.row}", "", url or None,
        fields.get("warc-date") or None, of=_repeated_url(fields), since=fields.get("warc-refers-to-date"),
    )  # fmt: skip
    reason = f"unchanged, but the record that it repeats is in another file: {printable(shortened(url))!r}"
    return Unchanged(name, frame.row, reason, page=page, keys=tuple(_referred(fields)))


def repeated(
    path: Path, revisits: Iterable[Unchanged], rules: Rules
) -> Iterator[tuple[Unchanged, CorpusRecord | Fault]]:
    """Yield the revisits of records in a file, each with its document, or the fault of the record."""
    waiting: dict[tuple[str, ...], list[Unchanged]] = {}
    for revisit in revisits:
        for key in revisit.keys:
            waiting.setdefault(key, []).append(revisit)
    found = set[int]()
    with opened(path, follow=True) as file:
        for frame in Frames(chunks(file, path.name), rules.member):
            if isinstance(frame.content, str) or _kind(frame) not in ("response", "resource"):
                continue
            for revisit in [each for key in _keys(frame.fields) for each in waiting.pop(key, ())]:
                if id(revisit) not in found:
                    found.add(id(revisit))
                    yield revisit, _repeated(revisit, frame.fields, frame.content, rules.member, path.stat().st_size)


def _repeated(
    revisit: Unchanged, fields: Mapping[str, str], content: bytes, most: int, offset: int
) -> CorpusRecord | Fault:
    page = revisit.page
    try:
        original = _document(fields, content, most, page.name)
    except BadRowError as error:
        return Fault(revisit.path, revisit.row, printable(str(error)), isinstance(error, LeftOutError))
    document = replace(original, name=page.name, url=page.url or original.url, date=page.date or original.date)
    return CorpusRecord(document.name, document, revisit.path, revisit.row, None, offset)


def _keys(fields: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield what a revisit may call a record: its id, its URL and date, its digest, its URL."""
    url = fields.get("warc-target-uri", "").strip("<>")
    yield "id", fields.get("warc-record-id", "").strip("<>")
    yield "capture", url, fields.get("warc-date", "")
    yield "digest", fields.get("warc-payload-digest", "")
    yield "url", url


def _referred(fields: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """Yield what a revisit calls the record that it repeats."""
    url = _repeated_url(fields)
    if refers := fields.get("warc-refers-to", "").strip("<>"):
        yield "id", refers
    if date := fields.get("warc-refers-to-date"):
        yield "capture", url, date
    if digest := fields.get("warc-payload-digest"):
        yield "digest", digest
    if fields.get("warc-profile", "").rstrip("/").endswith("server-not-modified") and not date:
        yield "url", url


def _repeated_url(fields: Mapping[str, str]) -> str:
    return (fields.get("warc-refers-to-target-uri") or fields.get("warc-target-uri", "")).strip("<>")


def _record(
    frame: WarcFrame, content: bytes, name: str, rules: Rules, offset: int, prefix: str
) -> CorpusRecord | Fault:
    try:
        document = _document(frame.fields, content, rules.member, f"{prefix}{name}:{frame.row}")
    except BadRowError as error:
        return Fault(name, frame.row, printable(str(error)), isinstance(error, LeftOutError))
    return CorpusRecord(document.name, document, name, frame.row, None, offset)


def _document(fields: Mapping[str, str], content: bytes, most: int, otherwise: str) -> Document:
    page = _response(fields, content, most)
    if page.type not in FORMATS:
        raise LeftOutError(f"no document: {shortened(page.type) or 'of no type'}")
    if not page.body or page.body.isspace():
        raise BadRowError("empty")
    return Document(
        fields.get("warc-record-id", "").strip("<>") or otherwise,
        _text(page),
        fields.get("warc-target-uri", "").strip("<>") or None,
        fields.get("warc-date") or None,
        format=FORMATS[page.type],
    )


def _response(fields: Mapping[str, str], content: bytes, most: int) -> Response:
    """Return the content with its type. A DNS lookup is also a ``response``, but no page."""
    what = fields.get("warc-type", "").lower()
    kind, charset = media_type(fields.get("content-type", ""))
    if what == "response" and kind in ("application/http", ""):
        return response(content, most)
    if what in ("response", "resource", "conversion"):
        return Response(kind, charset, content)
    raise LeftOutError(f"a record of the type {shortened(what)!r}")


def _text(page: Response) -> bytes | str:
    """Return the body, decoded if the server names a charset that cannot be detected."""
    if page.charset is None or page.charset.lower() in _PLAIN_CHARSETS or not page.type.startswith("text/"):
        return page.body
    return decode(page.body, page.charset).text
