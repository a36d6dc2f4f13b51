"""Find the texts of registered documents, which a registry does not store: in indexes, folders, archives, tables and
files."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from whorl.errors import DocumentError
from whorl.formats.corpora.read import read
from whorl.formats.corpora.records import CorpusRecord, Fault
from whorl.index.index import Index
from whorl.model import Document
from whorl.stores import is_index, store_in

# The reason if no source has a document.
NOT_FOUND = "its text was not found"


def id_of(path: Path, record: CorpusRecord) -> str:
    """Return the name of a document of a corpus: the id of a table's row, the path of a file, or the path of a folder
    or an archive with the name inside it."""
    return record.id if record.row else _name(path, record.id)


def texts(source: Path, wanted: Iterable[str], faults: dict[str, str]) -> Iterator[Document]:
    """Yield the documents of these names that a source has; an index yields them in the order of the names. Names may
    omit the folder.

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
        yield from _read(source, set(names), faults)


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


def _read(source: Path, left: set[str], faults: dict[str, str]) -> Iterator[Document]:
    for record in read(source):
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
