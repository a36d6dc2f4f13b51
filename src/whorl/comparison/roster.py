"""Who handed in what, and when: a CSV file beside the submissions."""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from whorl.errors import DocumentError, InputError
from whorl.frontends.encoding import decode

KEYS = ("submission", "filename")
COLUMNS = ("name", "person", "assignment", "label", "date")


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one submission."""

    name: str | None = None
    person: str | None = None
    assignment: str | None = None
    label: str | None = None
    date: str | None = None


def read_roster(path: Path) -> dict[str, Record]:
    """The records of a CSV file by the names of their submissions: the names of files and folders.

    The first line names the columns: ``submission`` (or ``filename``), and any of ``name``, ``person``,
    ``assignment``, ``label`` and ``date``. Other columns are ignored.
    """
    try:
        text = decode(path.read_bytes()).text
    except OSError as error:
        raise DocumentError(f"cannot read {path}: {error.strerror}") from error
    try:
        return dict(_records(path, text))
    except csv.Error as error:
        raise InputError(f"{path}: not CSV: {error}") from error


def _records(path: Path, text: str) -> Iterator[tuple[str, Record]]:
    lines = text.splitlines()
    separator = ";" if lines and lines[0].count(";") > lines[0].count(",") else ","
    rows = csv.DictReader(lines, delimiter=separator)
    columns = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
    key = next((columns[name] for name in KEYS if name in columns), None)
    if key is None:
        raise InputError(
            f"{path}: the first line names no column 'submission'; it has {', '.join(columns) or 'nothing'}"
        )
    used = {name: columns[name] for name in COLUMNS if name in columns}
    seen: set[str] = set()
    for row in rows:
        name = (row[key] or "").strip()
        if name in seen:
            raise InputError(f"{path}, line {rows.line_num}: {name!r} stands there twice")
        seen.add(name)
        yield name, Record(**{column: _value(row, source) for column, source in used.items()})


def _value(row: Mapping[str, str | None], column: str) -> str | None:
    return (row[column] or "").strip() or None
