"""The texts of registered documents, which a registry does not keep: found in folders, tables, archives, indexes."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from whorl.collection.rules import DEFAULT as ALL_RULES
from whorl.collection.rules import Rules
from whorl.corpus.read import read
from whorl.corpus.records import DEFAULT as USUAL
from whorl.corpus.records import Columns, Fault, Record
from whorl.index.index import Index
from whorl.index.place import is_index
from whorl.model import Document


def id_of(path: Path, record: Record) -> str:
    """What a document of a corpus is called: a row of a table by its id; a file by its path; what is in a folder or an
    archive by that path with its name in it."""
    if record.row:
        return record.id
    return path.as_posix() if path.name == record.id and not path.is_dir() else f"{path.as_posix()}/{record.id}"


def texts(
    sources: Sequence[Path], wanted: Collection[str], columns: Columns = USUAL, rules: Rules = ALL_RULES
) -> Iterator[Document]:
    """The documents of these names, each once, where it is found first. A name with or without the folder is fine."""
    left = set(wanted)
    for source in sources:
        if not left:
            return
        for name, document in _indexed(source, left) if is_index(source) else _read(source, left, columns, rules):
            left.discard(name)
            yield replace(document, name=name)


def _indexed(source: Path, left: Collection[str]) -> Iterator[tuple[str, Document]]:
    with Index.open(source) as index:
        for name in sorted(left):
            if index.entry(name) is not None:
                yield name, index.document(name)


def _read(source: Path, left: Collection[str], columns: Columns, rules: Rules) -> Iterator[tuple[str, Document]]:
    """What is wrong with a corpus is no matter here: a text that is not found is told by whoever wants it."""
    for record in read(source, columns, rules):
        if isinstance(record, Fault):
            continue
        name = next((name for name in (id_of(source, record), record.id) if name in left), None)
        if name is not None:
            yield name, record.document
        if not left:
            return
