"""Read a document, and prepare what an index stores of it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

import numpy as np

from whorl.engine.documents import WholeDocument, read_whole
from whorl.engine.hashing import Key
from whorl.engine.sampling import distinct
from whorl.errors import DocumentError
from whorl.formats.encoding import Source, decode, load_content
from whorl.formats.reading import choose, is_extracting
from whorl.index.store import Entry
from whorl.model import Document
from whorl.sandbox.limits import format_bytes
from whorl.scheme import Scheme
from whorl.storage.postings import EACH, pack

# The contents of the table ``texts``: the text itself, or only the spans of its fingerprints.
TEXT, SPANS = "text", "spans"

# Bytes of a document at most: of one that is text, which takes 23 times as much memory; of others, which may have
# pictures.
MOST_TEXT, MOST_BYTES = 128 << 20, 256 << 20

# zstd's default: three times as fast as the next better level, and a tenth larger.
LEVEL = 3


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that was read, and what is stored of it."""

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
        """The number of its postings."""
        return len(self.postings) // EACH


def digest(document: Document, sanctioned: bool, kind: str) -> bytes:
    """Return a digest of a document's content and of the options that decide what is stored of it."""
    hashed = blake2b(digest_size=16, person=b"whorl document")
    hashed.update(f"{document.format}\0{sanctioned}\0{kind}\0{Path(document.name).suffix}\0".encode("utf-8", "replace"))
    if isinstance(document.content, str):
        hashed.update(b"text\0" + document.content.encode("utf-8", "surrogatepass"))
    else:
        with Source(document.content) as source:
            for block in source.blocks():
                hashed.update(block)
    return hashed.digest()


def refuse_larger(document: Document, scheme: Scheme, most_text: int = MOST_TEXT, most_bytes: int = MOST_BYTES) -> None:
    """Raise DocumentError, before it is read, for a document of more than ``most_text`` bytes if it is text, or else
    of more than ``most_bytes``."""
    content = document.content
    try:
        size = content.stat().st_size if isinstance(content, Path) else len(content)
    except OSError as error:
        raise DocumentError(f"cannot be read: {error.strerror}", document.name) from error
    if size > min(most_text, most_bytes):
        most = most_bytes if is_extracting(choose(scheme, document).frontend) else most_text
        if size > most:
            reason = f"too large: {format_bytes(size)}, of at most {format_bytes(most)} as one document. Divide it"
            raise DocumentError(reason, document.name)


def prepare(document: Document, scheme: Scheme, key: Key, *, sanctioned: bool, kind: str) -> Prepared:
    """Read a document. Store every k-gram of a sanctioned one: in a copy, the context may select other k-grams.

    Read a file once: its text and its digest must be of the same bytes, even if it is saved meanwhile.
    """
    refuse_larger(document, scheme)
    read = replace(document, content=load_content(document.content))
    whole = read_whole(read, full(scheme) if sanctioned else scheme, key)
    fingerprints = whole.fingerprints
    return Prepared(
        document,
        digest(read, sanctioned, kind),
        whole.format,
        fingerprints.symbols,
        len(distinct(fingerprints.hashes)),
        sanctioned,
        kind,
        compress(read, whole, kind),
        pack(fingerprints.hashes, fingerprints.positions.astype(np.uint32)),
    )


def full(scheme: Scheme) -> Scheme:
    """Return the scheme that selects every k-gram, with the same hashes."""
    return scheme.selecting("full")


def compress(document: Document, whole: WholeDocument, kind: str) -> bytes:
    """Compress what is stored of a text. Of a notebook with code, store the notebook: its code is read from there."""
    if kind == TEXT:
        scheme = whole.fingerprints.scheme
        text = _raw(document) if whole.format == "notebook" and scheme.frontend == "code" else whole.text
        data = text.encode("utf-8", "surrogatepass")
    else:
        fingerprints = whole.fingerprints
        columns = (fingerprints.positions, fingerprints.spans.starts, fingerprints.spans.ends)
        data = np.stack([column.astype("<u4") for column in columns]).tobytes()
    import zstandard  # a search without hits does not need it

    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(data)


def _raw(document: Document) -> str:
    content = load_content(document.content)
    return content if isinstance(content, str) else decode(content).text


def decompress(data: bytes) -> bytes:
    """Decompress data whose seal was checked."""
    import zstandard

    return zstandard.ZstdDecompressor().decompress(data)


def entry_of(number: int, prepared: Prepared) -> Entry:
    """Return the entry of a document that is added now, under a number."""
    document = prepared.document
    return Entry(
        number, document.name, prepared.digest, prepared.format, prepared.symbols, prepared.fingerprints,
        prepared.sanctioned, document.url, document.date, document.contact, document.owner, document.labels,
        datetime.now(UTC).isoformat(timespec="seconds"),
    )  # fmt: skip
