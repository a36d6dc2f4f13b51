"""Tables of a corpus: what reads each kind, and whether it has the columns that are needed."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from whorl.collection.names import printable
from whorl.collection.rules import Rules
from whorl.corpus import jsonl
from whorl.corpus.kinds import Table
from whorl.corpus.records import Columns, Fault, Record
from whorl.corpus.sheets import Sheet
from whorl.errors import InputError

# What a corpus is read as.
Item: TypeAlias = Record | Fault | Sheet


def check(kind: Table, path: Path, columns: Columns, rules: Rules) -> None:
    """Refuses a table without the columns that are needed."""
    if kind == "warc":
        return
    if kind == "parquet":
        _check_parquet(path, columns)
    else:
        _check_columns(path, jsonl.names(path, rules), columns)


def _check_parquet(path: Path, columns: Columns) -> None:
    from whorl.corpus import groups
    from whorl.corpus.parquet import arrow

    arrow()
    there = groups.names(path)
    _check_columns(path, there, columns)
    if there is not None:
        groups.check_types(path, columns)


def _check_columns(path: Path, there: list[str] | None, columns: Columns) -> None:
    if there is None:
        return  # empty or damaged: reading says so
    if missing := list(columns.missing(set(there))):
        raise InputError(
            f"{printable(str(path))}: no column {' and no column '.join(missing)}; "
            f"there are {', '.join(map(repr, there)) or 'none'}. Name the right one, or leave the file out."
        )


def records(
    kind: Table, path: Path, name: str, columns: Columns, rules: Rules, prefix: str
) -> Iterator[Record | Fault]:
    """Every row. What only one kind takes is imported for that kind."""
    if kind == "jsonl":
        return jsonl.rows(path, name, columns, rules, prefix)
    if kind == "parquet":
        from whorl.corpus import groups

        return groups.rows(path, name, columns, rules, prefix)
    from whorl.corpus import warc

    return warc.rows(path, name, rules, prefix)


def sheets(kind: Table, path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[Item]:
    """The same, in sheets where it can be: they have the columns that every corpus may have, and texts."""
    if kind == "jsonl" and columns.features is None and columns.contact is None:
        return jsonl.sheets(path, name, columns, rules, prefix)
    return records(kind, path, name, columns, rules, prefix)
