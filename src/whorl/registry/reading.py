"""Find the texts of registered documents, which a registry does not store, in indexes, folders, archives, tables and
files. Read the search fingerprint of a document, and draw the part of it that is stored (Heintze 1996, section 3.3)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from whorl.engine.fingerprints import select_streams, without_prolog
from whorl.engine.hashing import Key
from whorl.engine.sampling import distinct
from whorl.errors import DocumentError
from whorl.formats.corpora.read import read as read_corpus
from whorl.formats.corpora.records import DEFAULT as NAMES
from whorl.formats.corpora.records import Columns, CorpusRecord, Fault
from whorl.formats.reading import choose
from whorl.index.index import Index
from whorl.model import Document
from whorl.scheme import Scheme
from whorl.stores import is_index, store_in
from whorl.threads import Prefetch


def draw(hashes: NDArray[np.uint64], scheme: Scheme, key: Key, number: int) -> NDArray[np.uint64]:
    """Return the stored fingerprint of a document, sorted: a part of its search fingerprint, or all of a short one."""
    if scheme.stored is None or len(hashes) <= scheme.stored:
        return hashes
    ranks = key.words(f"stored/{number}", len(hashes))
    return np.sort(hashes[np.argpartition(ranks, scheme.stored)[: scheme.stored]])


# Bytes of the digest of a fingerprint: two of a million documents collide in one of 10^7 registries.
DIGEST = 8


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A document that was read: the sorted distinct hashes of its search fingerprint, truncated to the scheme's bits;
    its length in symbols without the prolog; and notes about anything unusual."""

    document: Document
    hashes: NDArray[np.uint64]
    symbols: int
    notes: tuple[str, ...]

    @property
    def digest(self) -> bytes:
        """The digest of the fingerprint."""
        return blake2b(self.hashes.astype("<u8").tobytes(), digest_size=DIGEST, person=b"whorl registry").digest()


def read(document: Document, scheme: Scheme, key: Key) -> Reading:
    """Read a document of any format. Raises ``DocumentError`` if it cannot be read."""
    frontend = choose(scheme, document).frontend
    streams = without_prolog(map(frontend.read, frontend.pieces(document)), scheme.prolog)
    with Prefetch(1) as ahead:
        fingerprints = select_streams(streams, scheme, key, ahead)
    return Reading(document, distinct(truncate(fingerprints.hashes, scheme)), fingerprints.symbols, fingerprints.notes)


def truncate(hashes: NDArray[np.uint64], scheme: Scheme) -> NDArray[np.uint64]:
    """Return the upper bits of hashes, as many as the scheme stores."""
    return hashes >> np.uint64(64 - width(scheme))


def width(scheme: Scheme) -> int:
    """Return the number of bits of a stored hash."""
    return 64 if scheme.bits is None else scheme.bits


# The reason if no source has a document.
NOT_FOUND = "its text was not found"


def id_of(path: Path, record: CorpusRecord) -> str:
    """Return the name of a document of a corpus: the id of a table's row, the path of a file, or the path of a folder
    or an archive with the name inside it."""
    return record.id if record.row else _name(path, record.id)


def texts(source: Path, wanted: Iterable[str], faults: dict[str, str], columns: Columns = NAMES) -> Iterator[Document]:
    """Yield the documents of these names that a source has; an index yields them in the order of the names. Names may
    omit the folder. ``columns`` are those of tables.

    Documents that the source has without a usable text are left out; ``faults`` gets the reason for each name.
    """
    names = dict.fromkeys(wanted)
    if not names:
        return
    if is_index(source):
        yield from _indexed(source, names, faults)
    elif kind := store_in(source):
        faults.update(dict.fromkeys(names, f"{source}: {kind}, which has no texts"))
    else:
        yield from _read(source, set(names), faults, columns)


def _indexed(source: Path, names: Iterable[str], faults: dict[str, str]) -> Iterator[Document]:
    with Index.open(source) as index:
        for name in names:
            if index.entry(name) is None:
                continue
            try:
                document = index.document(name)
            except DocumentError as error:
                faults[name] = f"{source}: {error.reason}"
            else:
                yield replace(document, name=name)


def _read(source: Path, left: set[str], faults: dict[str, str], columns: Columns) -> Iterator[Document]:
    for record in read_corpus(source, columns):
        name = next((name for name in _names(source, record) if name in left), None)
        if name is None:
            continue
        if isinstance(record, Fault):
            faults[name] = record.reason
            continue
        left.discard(name)
        yield replace(record.document, name=name)
        if not left:
            return


def _names(source: Path, record: CorpusRecord | Fault) -> tuple[str, ...]:
    """Return the names that a document may be registered by. The id of a row that gives no document is not known."""
    if isinstance(record, Fault):
        return () if record.row else (_name(source, record.path), record.path)
    return id_of(source, record), record.id


def _name(path: Path, inside: str) -> str:
    return path.as_posix() if path.name == inside and not path.is_dir() else f"{path.as_posix()}/{inside}"
