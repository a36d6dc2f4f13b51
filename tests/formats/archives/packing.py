"""Archives for the tests: honest ones by the standard library, hostile ones byte by byte."""

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import zstandard

from whorl.formats.archives.rules import DEFAULT, Rules
from whorl.formats.archives.walk import walk
from whorl.model import Document, Skipped

PACKERS = {
    "tar": lambda data: data,
    "tar.gz": gzip.compress,
    "tar.bz2": bz2.compress,
    "tar.xz": lambda data: lzma.compress(data, preset=0),
    "tar.zst": zstandard.compress,
}


def zipped(files: Mapping[str, Any], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return buffer.getvalue()


def tarred(files: Mapping[str, Any], form: int = tarfile.PAX_FORMAT) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as archive:
        for name, content in files.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
                continue
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def local(name: bytes, data: bytes, size: int, crc: int, method: int = 8) -> bytes:
    """A member of a zip file with its local header."""
    return struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, method, 0, 0, crc, len(data), size, len(name), 0) + name + data


def central(name: bytes, packed: int, size: int, crc: int, at: int, method: int = 8, flags: int = 0) -> bytes:
    """A record of a zip file's directory."""
    numbers = (20, 20, flags, method, 0, 0, crc, packed, size, len(name), 0, 0, 0, 0, 0, at)
    return struct.pack("<4s6H3L5H2L", b"PK\1\2", *numbers) + name


def ended(body: bytes, directory: bytes, count: int) -> bytes:
    """A zip file of members and their directory."""
    return body + directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), len(body), 0)


def deflated(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def found(path: Path, rules: Rules = DEFAULT) -> tuple[dict[str, bytes], dict[str, str]]:
    """The documents and what is skipped, both by name; no name comes twice among the documents."""
    documents: dict[str, bytes] = {}
    skipped: dict[str, str] = {}
    for item in walk(path, rules):
        assert_clean(item)
        if isinstance(item, Skipped):
            skipped[item.name] = item.reason
        else:
            assert item.name not in documents
            documents[item.name] = content(item)
    return documents, skipped


def content(document: Document) -> bytes:
    if isinstance(document.content, Path):
        return document.content.read_bytes()
    assert isinstance(document.content, bytes)
    return document.content


def assert_clean(item: Document | Skipped) -> None:
    """Names and reasons are one printable line."""
    texts = [item.name, item.reason] if isinstance(item, Skipped) else [item.name]
    for text in texts:
        assert text
        assert text.isprintable() or all(character.isprintable() or character.isspace() for character in text)
        assert text.splitlines() == [text]
        text.encode()
