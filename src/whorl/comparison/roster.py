"""Who handed in what, and when: a CSV file beside the submissions."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from whorl.collection.names import printable
from whorl.comparison.intake import Entry
from whorl.errors import DocumentError, InputError
from whorl.frontends.encoding import decode
from whorl.model import Skipped

KEYS = ("submission", "filename")
LONGEST = 200  # characters of a file's first line that an error repeats
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
    head = text.partition("\n")[0]
    rows = csv.DictReader(StringIO(text, newline=""), delimiter=";" if head.count(";") > head.count(",") else ",")
    columns = {(name or "").strip().lower(): name for name in rows.fieldnames or ()}
    key = next((columns[name] for name in KEYS if name in columns), None)
    if key is None:
        told = printable(", ".join(columns))[:LONGEST] or "nothing"
        raise InputError(f"{path}: the first line names no column 'submission'; it has {told}")
    used = {name: columns[name] for name in COLUMNS if name in columns}
    seen: set[str] = set()
    shown: set[str] = set()
    for row in rows:
        name = (row[key] or "").strip()
        if not name:
            continue  # the empty rows at the end of a spreadsheet
        if name in seen:
            raise InputError(f"{path}, line {rows.line_num}: {name!r} stands there twice")
        seen.add(name)
        record = Record(**{column: _value(row, source) for column, source in used.items()})
        if record.name is not None and record.name in shown:
            raise InputError(f"{path}, line {rows.line_num}: two submissions are to be shown as {record.name!r}")
        shown.add(record.name or "")
        yield name, record


def _value(row: Mapping[str, str | None], column: str) -> str | None:
    return " ".join((row[column] or "").split()) or None


def records_of(entries: Sequence[Entry], roster: Mapping[str, Record]) -> tuple[dict[str, Record], list[Skipped]]:
    """The records of submissions by their names, and the rows that no submission has. A row names a submission as it is
    in its folder; if an archived one is named so too, the row is the new one's."""
    fresh = {entry.child for entry in entries if not entry.archived}
    found, used = {}, set()
    for entry in entries:
        names = [entry.name] if entry.archived and entry.child in fresh else [entry.name, entry.child]
        for name in names:
            if name in roster:
                found[entry.name] = roster[name]
                used.add(name)
                break
    strangers = [name for name in roster if name not in used]
    return found, [Skipped(name, "in the list of submissions, but not handed in") for name in strangers]
