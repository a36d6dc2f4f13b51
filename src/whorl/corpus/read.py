"""The entrance: every document of a corpus, whatever it is kept in, and everything that is wrong with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from whorl.collection.files import is_folder
from whorl.collection.names import printable, shortened
from whorl.collection.rules import DEFAULT, Rules
from whorl.corpus import kinds, tables
from whorl.corpus.records import DEFAULT as NAMES
from whorl.corpus.records import Columns, Fault, Record
from whorl.corpus.seen import Seen
from whorl.corpus.sheets import Sheet
from whorl.corpus.tables import Item

if TYPE_CHECKING:
    from whorl.corpus.folders import Reader


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
    return cast(Iterator[Record | Fault], _read(path, columns, rules, seen, prefix, tables.records))


def read_sheets(
    path: Path, columns: Columns = NAMES, rules: Rules = DEFAULT, *, seen: Seen | None = None, prefix: str = ""
) -> Iterator[Item]:
    """The same, but what can be read together comes in sheets: quicker, for who has much to read."""
    return _read(path, columns, rules, seen, prefix, tables.sheets)


def _read(
    path: Path, columns: Columns, rules: Rules, seen: Seen | None, prefix: str, reader: "Reader"
) -> Iterator[Item]:
    kind = None if is_folder(path) else kinds.kind(path, path.name, any_name=True)
    if kind is not None:
        tables.check(kind, path, columns, rules)
        return _once(reader(kind, path, printable(path.name), columns, rules, prefix), seen or Seen())
    from whorl.corpus import folders  # who reads one table does without walks and archives

    return _once(folders.read(path, columns, rules, prefix, reader), seen or Seen())


def size(path: Path, rules: Rules = DEFAULT) -> int:
    """Bytes on the disk that ``read`` will go through: what the ``offset`` of its records runs up to."""
    if not is_folder(path):
        return path.stat().st_size
    from whorl.corpus import folders

    return folders.size(path, rules)


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
