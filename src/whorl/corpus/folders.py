"""Folders, archives and documents of a corpus, and the tables among them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from whorl.collection.faults import RefusedError, reason
from whorl.collection.folder import DiskFolder
from whorl.collection.ignores import Allowance
from whorl.collection.names import printable
from whorl.collection.rules import Rules
from whorl.collection.sift import Found, Sieve
from whorl.collection.walk import Item as Walked
from whorl.collection.walk import Walk
from whorl.corpus import kinds, tables
from whorl.corpus.kinds import Table
from whorl.corpus.records import Columns, Fault, Record
from whorl.corpus.tables import Item
from whorl.errors import InputError
from whorl.model import Document, Skipped

# What reads a table.
Reader: TypeAlias = Callable[[Table, Path, str, Columns, Rules, str], Iterator[Item]]

# How the walk begins the reason for what is wrong with a file. The other reasons are rules.
_WRONG = ("damaged", "too ", "perhaps a bomb", "permission", "no such", "input/output")


def read(path: Path, columns: Columns, rules: Rules, prefix: str, reader: Reader) -> Iterator[Item]:
    """Every document of a folder, an archive or a document itself; each table by ``reader``. The first table of a
    folder is checked before any work."""
    first = next(_tables(path, rules), None) if path.is_dir() else None
    if first is not None:
        tables.check(*first, columns, rules)
    return _walked(_CorpusWalk(path, rules), columns, rules, prefix, reader)


def size(path: Path, rules: Rules) -> int:
    """Bytes on the disk of what is taken of a folder."""
    found = Sieve[Path](rules, Allowance()).sift(DiskFolder(path))
    return sum(_size(item.file) for item in found if not isinstance(item, Skipped) and item.included)


class _CorpusWalk(Walk):
    """A walk that gives tables as documents, though they are binary or compressed, and counts the bytes behind it."""

    def __init__(self, path: Path, rules: Rules) -> None:
        super().__init__(path, rules)
        self.offset = 0

    def _file(self, found: Found[Path], top: bool = False) -> Iterator[Walked]:
        if found.included and not top and _kind(found):
            yield Document(printable(found.name), found.file)
        else:
            yield from super()._file(found, top)
        self.offset += _size(found.file) if found.included else 0


def _kind(found: Found[Path]) -> Table | None:
    try:
        return kinds.kind(found.file, found.name)
    except (OSError, RefusedError):
        return None  # the walk, which reads it next, says why


def _tables(path: Path, rules: Rules) -> Iterator[tuple[Table, Path]]:
    """The tables of a folder, in the order of the walk."""
    for item in Sieve[Path](rules, Allowance()).sift(DiskFolder(path)):
        if not isinstance(item, Skipped) and item.included and (kind := _kind(item)):
            yield kind, item.file


def _walked(walk: _CorpusWalk, columns: Columns, rules: Rules, prefix: str, reader: Reader) -> Iterator[Item]:
    for item in walk.items():
        if isinstance(item, Skipped):
            yield Fault(item.name, 0, item.reason, not item.reason.lower().startswith(_WRONG))
        elif isinstance(item.content, Path) and (kind := kinds.kind(item.content, item.name)):
            read_it = partial(reader, kind, item.content, item.name, columns, rules, prefix)
            yield from _inner(kind, item.content, item.name, columns, rules, read_it, walk.offset)
        elif kinds.named(item.name):
            yield Fault(item.name, 0, "a table in an archive; unpack the archive")
        else:
            document = Document(prefix + item.name, item.content)
            yield Record(document.name, document, item.name, 0, None, walk.offset)


def _inner(
    kind: Table,
    path: Path,
    name: str,
    columns: Columns,
    rules: Rules,
    items: Callable[[], Iterator[Item]],
    behind: int,
) -> Iterator[Item]:
    """A table of a folder: one without the columns is a fault, for the others go on."""
    try:
        tables.check(kind, path, columns, rules)
        for item in items():
            yield item if isinstance(item, Fault) else replace(item, offset=item.offset + behind)
    except (InputError, OSError, RefusedError) as error:
        yield Fault(name, 0, str(error) if isinstance(error, InputError) else reason(error))


def _size(path: Path) -> int:
    """For progress alone, so a file that has gone meanwhile counts nothing; reading it says why."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
