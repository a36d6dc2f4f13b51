"""An HTTP response as crawlers keep it: status line, headers and body become a content with its type."""

import re
import zlib
from dataclasses import dataclass

from whorl.corpus.records import BadRowError, LeftOutError

# Headers beyond this are no response: servers refuse far less.
_LONGEST_HEAD = 1 << 18
_ENCODINGS = 2  # one inside the other: a bomb in a bomb has more
_STATUS = re.compile(rb"HTTP/[\d.]+[ \t]+(\d{3})\b")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_CHUNK = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,4096})?\r?\n")
_CHARSET = re.compile(r"""charset\s*=\s*["']?([-\w.:]+)""", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Response:
    """A content, its media type in small letters ("" if unknown) and its charset, if the server named one."""

    type: str
    charset: str | None
    body: bytes


def response(block: bytes, most: int) -> Response:
    """The response in a record. Refused: what is no success, and a body that unpacks to more than ``most`` bytes."""
    status = _STATUS.match(block)
    end = _HEAD_END.search(block, 0, _LONGEST_HEAD)
    if not status or not end:
        raise BadRowError("not an HTTP response")
    if not status[1].startswith(b"2"):
        raise LeftOutError(f"the server answered {status[1].decode()}")
    found = headers(block[: end.start()])
    kind, charset = media_type(found.get("content-type", ""))
    body = block[end.end() :]
    if "chunked" in found.get("transfer-encoding", "").lower():
        body = _joined(body)
    return Response(kind, charset, _decoded(body, found.get("content-encoding", ""), most))


def headers(head: bytes) -> dict[str, str]:
    """The fields under their names in small letters, the first of each; the first line and lines without ":" are none.

    A line that begins with a blank goes on with the field before it.
    """
    found: dict[str, str] = {}
    last = ""
    for line in head.decode("utf-8", "replace").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t"):
            if last:
                found[last] += f" {line.strip()}"
        elif colon:
            last = name.strip().lower()
            last = "" if last in found else last
            if last:
                found[last] = value.strip()
    return found


def media_type(value: str) -> tuple[str, str | None]:
    """The type and the charset in the value of a Content-Type field."""
    charset = _CHARSET.search(value)
    return value.partition(";")[0].strip().lower(), charset[1] if charset else None


def _joined(body: bytes) -> bytes:
    """The chunks in one piece. Many crawlers join them and leave the header, so what is not in chunks stays."""
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
    """Whether the body has zlib's header; many servers send deflate without it."""
    return len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0


def _inflated(body: bytes, window: int, most: int) -> bytes:
    """Unpacked. What breaks off is kept up to there, as a browser does: crawlers cut long pages."""
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
