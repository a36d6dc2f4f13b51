"""The entrance: every document of a corpus, whatever it is kept in, and everything that is wrong with it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np

from whorl.collection.faults import RefusedError, reason
from whorl.collection.folder import DiskFolder
from whorl.collection.ignores import Allowance
from whorl.collection.names import printable, shortened
from whorl.collection.rules import DEFAULT, Rules
from whorl.collection.sift import Found, Sieve
from whorl.collection.walk import Item as Walked
from whorl.collection.walk import Walk
from whorl.corpus import groups, jsonl, kinds, warc
from whorl.corpus.kinds import Table
from whorl.corpus.parquet import arrow
from whorl.corpus.records import DEFAULT as NAMES
from whorl.corpus.records import Columns, Fault, Record
from whorl.corpus.seen import Seen
from whorl.corpus.sheets import Sheet
from whorl.errors import InputError
from whorl.model import Document, Skipped

# What a corpus is read as, and what reads a table of it.
Item: TypeAlias = Record | Fault | Sheet
Reader: TypeAlias = Callable[[Table, Path, str, Columns, Rules, str], Iterator[Item]]

# How the walk begins the reason for what is wrong with a file. The other reasons are rules.
_WRONG = ("damaged", "too ", "perhaps a bomb", "permission", "no such", "input/output")


def read(
    path: Path,
    columns: Columns = NAMES,
    rules: Rules = DEFAULT,
    *,
    seen: Seen | None = None,
    prefix: str = "",
) -> Iterator[Record | Fault]:
    """Every document of a folder, an archive, a document, or a file of JSONL, Parquet or WARC; lazily, always in order.

    A folder may hold all of them: each of its files is read as what it is. An id comes once, the first keeps it;
    ``seen`` extends that over several corpora. Ids that a corpus does not give itself, which are made of names, begin
    with ``prefix``. Raises an InputError before any work if the path cannot be read or a column is missing.
    """
    return cast(Iterator[Record | Fault], _read(path, columns, rules, seen, prefix, _table))


def read_sheets(
    path: Path, columns: Columns = NAMES, rules: Rules = DEFAULT, *, seen: Seen | None = None, prefix: str = ""
) -> Iterator[Record | Fault | Sheet]:
    """The same, but what can be read together comes in sheets: quicker, for who has much to read."""
    return _read(path, columns, rules, seen, prefix, _sheets)


def _read(path: Path, columns: Columns, rules: Rules, seen: Seen | None, prefix: str, reader: Reader) -> Iterator[Item]:
    walk = CorpusWalk(path, rules)
    top = None if path.is_dir() else kinds.kind(path, path.name, any_name=True)
    found = (top, path) if top else next(_tables(path, rules), None) if path.is_dir() else None
    if found is not None:
        _check(*found, columns, rules)
    if top is None:
        return _once(_walked(walk, columns, rules, prefix, reader), seen or Seen())
    return _once(reader(top, path, printable(path.name), columns, rules, prefix), seen or Seen())


def size(path: Path, rules: Rules = DEFAULT) -> int:
    """Bytes on the disk that ``read`` will go through: what the ``offset`` of its records runs up to."""
    if not path.is_dir():
        CorpusWalk(path, rules)  # says what is wrong with the path
        return path.stat().st_size
    found = Sieve[Path](rules, Allowance()).sift(DiskFolder(path))
    return sum(_size(item.file) for item in found if not isinstance(item, Skipped) and item.included)


class CorpusWalk(Walk):
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


def _check(kind: Table, path: Path, columns: Columns, rules: Rules) -> None:
    """Refuses a table without the columns that are needed."""
    if kind == "warc":
        return
    if kind == "parquet":
        arrow()
    there = groups.names(path) if kind == "parquet" else jsonl.names(path, rules)
    if there is None:
        return  # empty or damaged: reading says so
    if missing := list(columns.missing(set(there))):
        raise InputError(
            f"{printable(str(path))}: no column {' and no column '.join(missing)}; "
            f"there are {', '.join(map(repr, there)) or 'none'}. Name the right one, or leave the file out."
        )
    if kind == "parquet":
        groups.check_types(path, columns)


def _walked(walk: CorpusWalk, columns: Columns, rules: Rules, prefix: str, reader: Reader) -> Iterator[Item]:
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
        _check(kind, path, columns, rules)
        for item in items():
            yield item if isinstance(item, Fault) else replace(item, offset=item.offset + behind)
    except (InputError, OSError, RefusedError) as error:
        yield Fault(name, 0, str(error) if isinstance(error, InputError) else reason(error))


def _table(kind: Table, path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[Record | Fault]:
    if kind == "jsonl":
        return jsonl.rows(path, name, columns, rules, prefix)
    if kind == "parquet":
        return groups.rows(path, name, columns, rules, prefix)
    return warc.rows(path, name, rules, prefix)


def _sheets(kind: Table, path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[Item]:
    """As ``_table``, in sheets where it can be: they have the columns that every corpus may have, and texts."""
    if kind == "jsonl" and columns.features is None and columns.contact is None:
        return jsonl.sheets(path, name, columns, rules, prefix)
    return _table(kind, path, name, columns, rules, prefix)


def _once(items: Iterator[Item], seen: Seen) -> Iterator[Item]:
    """Each id once."""
    for item in items:
        if isinstance(item, Sheet):
            yield from _once_each(item, seen)
        elif isinstance(item, Fault) or seen.add(item.id):
            yield item
        else:
            yield _again(item.path, item.row, item.id)


def _once_each(sheet: Sheet, seen: Seen) -> Iterator[Item]:
    new = seen.add_all(sheet.ids.encoded())
    if new.all():
        yield sheet
        return
    yield sheet.chosen(new)
    for place in np.flatnonzero(~new).tolist():
        yield _again(sheet.path, sheet.rows[place], sheet.ids[place] or "")


def _again(path: str, row: int, identity: str) -> Fault:
    return Fault(path, row, f"the id {printable(shortened(identity))!r} was there before; the first document keeps it")


def _size(path: Path) -> int:
    """For progress alone, so a file that has gone meanwhile counts nothing; reading it says why."""
    try:
        return path.stat().st_size
    except OSError:
        return 0
