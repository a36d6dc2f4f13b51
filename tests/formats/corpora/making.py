"""Corpora for tests: rows in every container, and WARC records."""

import bz2
import gzip
import io
import json
import lzma
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.read import read, read_sheets
from whorl.formats.corpora.records import DEFAULT, Columns, CorpusRecord, Fault

ROWS = [{"id": f"d{i}", "text": f"text number {i} é", "url": f"http://x/{i}", "date": "2024-01-02"} for i in range(9)]


def packed(data: bytes, ending: str) -> bytes:
    if ending.endswith(".gz"):
        return gzip.compress(data, mtime=0)
    if ending.endswith(".bz2"):
        return bz2.compress(data)
    if ending.endswith(".xz"):
        return lzma.compress(data)
    return zstandard.ZstdCompressor().compress(data) if ending.endswith(".zst") else data


def jsonl(rows: list[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def parquet(columns: dict[str, Any], **settings: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(columns), buffer, **settings)
    return buffer.getvalue()


def of_rows(rows: list[dict[str, Any]], **settings: Any) -> bytes:
    return parquet({name: [row[name] for row in rows] for name in rows[0]}, **settings)


def http(body: bytes, kind: str = "text/html", status: str = "200 OK", **fields: str) -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Type: {kind}"]
    head += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def warc(
    block: bytes, number: int = 1, what: str = "response", kind: str = "application/http; msgtype=response"
) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {what}\r\nWARC-Record-ID: <urn:uuid:{number:08}>\r\n"
        f"WARC-Target-URI: http://x/{number}\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n"
        f"Content-Type: {kind}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def page(number: int) -> bytes:
    return f"<p>page {number} {'word ' * 50}{number * 7919}</p>".encode()


def planted(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def split(path: Path, columns: Columns = DEFAULT, **options: Any) -> tuple[list[CorpusRecord], list[Fault]]:
    """Documents and faults of a corpus: the same whether it is read in sheets or not."""
    items = list(read(path, columns, **options))
    records = [item for item in items if isinstance(item, CorpusRecord)]
    faults = [item for item in items if isinstance(item, Fault)]
    if "seen" not in options:  # which would remember the ids
        assert in_sheets(path, columns, **options) == (records, faults)
    return records, faults


def in_sheets(path: Path, columns: Columns = DEFAULT, **options: Any) -> tuple[list[CorpusRecord], list[Fault]]:
    records, faults = list[CorpusRecord](), list[Fault]()
    for item in read_sheets(path, columns, **options):
        if isinstance(item, Sheet):
            records += [
                CorpusRecord(document.name, document, item.path, row, None, item.offset, is_integer)
                for document, row, is_integer in zip(item.documents(), item.rows, item.is_integer.tolist(), strict=True)
            ]
        elif isinstance(item, Fault):
            faults.append(item)
        else:
            records.append(item)
    return records, faults


def ids(path: Path, **options: Any) -> list[str]:
    return [record.id for record in split(path, **options)[0]]


def reasons(path: Path, columns: Columns = DEFAULT, **options: Any) -> dict[int, str]:
    return {fault.row: fault.reason for fault in split(path, columns, **options)[1]}


def revisit(number: int, **fields: str) -> bytes:
    """A revisit of the kind that deduplicating crawlers write: no content, and what it repeats."""
    head = [
        "WARC/1.1", "WARC-Type: revisit", f"WARC-Record-ID: <urn:uuid:again-{number}>",
        f"WARC-Target-URI: http://x/{number}", "WARC-Date: 2025-01-01T00:00:00Z", "Content-Length: 0",
        *(f"{name.replace('_', '-')}: {value}" for name, value in fields.items()),
    ]  # fmt: skip
    return "\r\n".join(head).encode() + b"\r\n\r\n\r\n\r\n"
