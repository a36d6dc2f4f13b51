"""Reads a document for an index: what is stored of it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import numpy as np

from whorl.fingerprinting.whole import Whole, read_whole
from whorl.frontends.encoding import decode
from whorl.frontends.source import Source, held
from whorl.hashing.key import Key
from whorl.index.entry import Entry
from whorl.index.fresh import EACH, pack
from whorl.model import Document
from whorl.scheme import Scheme

# What the table ``texts`` holds: the text itself, or only where in it the fingerprints stand.
TEXT, SPANS = "text", "spans"

# zstd's own default: three times as fast as the next better one, and a tenth larger.
LEVEL = 3


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that was read: what is known of it, and what is stored."""

    document: Document
    digest: bytes
    format: str
    symbols: int
    fingerprints: int
    sanctioned: bool
    kind: str
    text: bytes
    postings: bytes

    @property
    def size(self) -> int:
        """How many postings it has."""
        return len(self.postings) // EACH


def digest(document: Document, sanctioned: bool, kind: str) -> bytes:
    """Of a document's content, and of all that decides what is stored of it: equal ones need not be read again."""
    hashed = blake2b(digest_size=16, person=b"whorl document")
    hashed.update(f"{document.format}\0{sanctioned}\0{kind}\0{Path(document.name).suffix}\0".encode("utf-8", "replace"))
    if isinstance(document.content, str):
        hashed.update(b"text\0" + document.content.encode("utf-8", "surrogatepass"))
    else:
        with Source(document.content) as source:
            for block in source.blocks():
                hashed.update(block)
    return hashed.digest()


def prepare(document: Document, scheme: Scheme, key: Key, *, sanctioned: bool, kind: str) -> Prepared:
    """Read a document. Of a sanctioned one every k-gram is stored: what surrounds a copy of it may select others."""
    whole = read_whole(document, full(scheme) if sanctioned else scheme, key)
    found = whole.fingerprints
    return Prepared(
        document,
        digest(document, sanctioned, kind),
        whole.format,
        found.symbols,
        len(np.unique(found.hashes)),
        sanctioned,
        kind,
        compress(document, whole, kind),
        pack(found.hashes, found.positions.astype(np.uint32)),
    )


def full(scheme: Scheme) -> Scheme:
    """The scheme that selects every k-gram; their identities are the same."""
    return scheme.selecting("full")


def compress(document: Document, whole: Whole, kind: str) -> bytes:
    """What is stored of a text. The code of a notebook is found again only in the notebook itself."""
    if kind == TEXT:
        scheme = whole.fingerprints.scheme
        text = _raw(document) if whole.format == "notebook" and scheme.frontend == "code" else whole.text
        data = text.encode("utf-8", "surrogatepass")
    else:
        found = whole.fingerprints
        columns = (found.positions, found.spans.starts, found.spans.ends)
        data = np.stack([column.astype("<u4") for column in columns]).tobytes()
    import zstandard  # not needed to search an index for what is not in it

    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(data)


def _raw(document: Document) -> str:
    content = held(document.content)
    return content if isinstance(content, str) else decode(content).text


def decompress(data: bytes) -> bytes:
    """The inverse, of data whose seal was found right."""
    import zstandard

    return zstandard.ZstdDecompressor().decompress(data)


def entry_of(number: int, prepared: Prepared) -> Entry:
    """What an index knows of a document under a number; it is added now."""
    document = prepared.document
    return Entry(
        number, document.name, prepared.digest, prepared.format, prepared.symbols, prepared.fingerprints,
        prepared.sanctioned, document.url, document.date, document.contact, document.owner, document.labels,
        datetime.now(UTC).isoformat(timespec="seconds"),
    )  # fmt: skip
