"""Detect tables (JSONL, JSON arrays, CSV, Parquet, Arrow, WARC), check, read and cut them; read CSV."""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from whorl.errors import DocumentError
from whorl.formats.archives.names import damage, opened, printable, reason
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora import jsonl
from whorl.formats.corpora.jsonl import LineMark, Sheet, is_encodable, object_of, with_text
from whorl.formats.corpora.records import (
    BadRowError,
    Columns,
    CorpusRecord,
    Fault,
    LabelledColumns,
    RowPlace,
    check_text,
    fault,
    record,
    without_spans,
)
from whorl.formats.corpora.streams import ENDINGS, Chunks, NumberedLine, chunks, edit_lines, lines

TableKind = Literal["jsonl", "json", "csv", "parquet", "arrow", "warc"]

_PACKED = ("", *ENDINGS)
_JSONL = tuple(name + packed for name in (".jsonl", ".ndjson") for packed in _PACKED)
# Common Crawl's texts (WET) and metadata (WAT) are WARC files.
_WARC = tuple(name + packed for name in (".warc", ".wet", ".wat") for packed in _PACKED)
_CSV = tuple(name + packed for name in (".csv", ".tsv") for packed in _PACKED)
_ARROW = (".arrow", ".feather")
# Ambiguous names: often JSONL or an array of objects, often other JSON.
_PERHAPS = tuple(".json" + packed for packed in _PACKED)

_PARQUET_MARK, _ARROW_MARK, _WARC_MARK = b"PAR1", b"ARROW1", b"WARC/"
_BOM = b"\xef\xbb\xbf"


def named(name: str) -> TableKind | None:
    """Return the kind of table that a name indicates."""
    lower = name.lower()
    if lower.endswith(_JSONL):
        return "jsonl"
    if lower.endswith(_WARC):
        return "warc"
    if lower.endswith(_ARROW):
        return "arrow"
    return "parquet" if lower.endswith((".parquet", ".pq")) else None


def kind(path: Path, name: str, columns: Columns, rules: Rules, *, any_name: bool = False) -> TableKind | None:
    """Return the kind of a file by its name; by its content if the name is ambiguous or ``any_name`` is set.

    In a folder, CSV and a JSON array without the column of texts are documents; ``any_name``: they are tables anyhow.
    """
    if promised := named(name):
        return promised
    if name.lower().endswith(_CSV):
        return "csv" if any_name or columns.content in (_header(path, rules) or ()) else None
    if not any_name and not name.lower().endswith(_PERHAPS):
        return None
    content = _by_content(path)
    if content == "json" and not any_name and columns.content not in (jsonl.array_names(path, rules) or ()):
        return None
    return content


def _by_content(path: Path) -> TableKind | None:
    with opened(path, follow=True) as file:
        mark = file.read(len(_ARROW_MARK))
        if mark.startswith(_PARQUET_MARK):
            return "parquet"
        if mark == _ARROW_MARK:
            return "arrow"
        try:
            head = chunks(file).chunk()
        except damage():
            return None  # whoever reads it reports it
    if head.startswith(_WARC_MARK):
        return "warc"
    if _is_array(head):
        return "json"
    return "jsonl" if _objects(head) else None


def _is_array(head: bytes) -> bool:
    """Return whether a file begins as an array of objects."""
    start = head.removeprefix(_BOM).lstrip()
    return start.startswith(b"[") and start[1:].lstrip().startswith(b"{")


def _objects(head: bytes) -> bool:
    """Return whether the first two lines are an object each. Formatted JSON has no two such lines."""
    lines = [line.strip() for line in head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 2)[:2]]
    return len(lines) == 2 and all(line.startswith(b'{"') for line in lines) and lines[0].endswith(b"}")


# Items of a corpus.
CorpusItem: TypeAlias = CorpusRecord | Fault | Sheet


def check(kind: TableKind, path: Path, columns: Columns, rules: Rules) -> None:
    """Raise DocumentError if a table lacks a required column."""
    if kind in ("parquet", "arrow"):
        _check_arrow(path, columns)
    elif kind == "csv":
        _check_columns(path, _header(path, rules), columns)
    elif kind != "warc":
        there = jsonl.array_names(path, rules) if kind == "json" else jsonl.names(path, rules)
        _check_columns(path, there, columns)


def _check_arrow(path: Path, columns: Columns) -> None:
    from whorl.formats.corpora import parquet_rows
    from whorl.formats.corpora.parquet import arrow

    arrow()
    schema = parquet_rows.schema(path)
    if schema is not None:
        _check_columns(path, list(schema.names), columns)
        parquet_rows.check_types(path, schema, columns)


def _check_columns(path: Path, there: list[str] | None, columns: Columns) -> None:
    if there is None:
        return  # empty or damaged: reading says so
    if missing := list(columns.missing(set(there))):
        raise DocumentError(
            f"no column {' and no column '.join(missing)}; there are {', '.join(map(repr, there)) or 'none'}. Name the "
            "right one, or leave the file out.",
            printable(str(path)),
        )


def records(
    kind: TableKind, path: Path, name: str, columns: Columns, rules: Rules, prefix: str
) -> Iterator[CorpusRecord | Fault]:
    """Yield every row. Imports only the reader of this kind."""
    if kind == "jsonl":
        return jsonl.rows(path, name, columns, rules, prefix)
    if kind == "json":
        return jsonl.array_rows(path, name, columns, rules, prefix)
    if kind == "csv":
        return _csv_rows(path, name, columns, rules, prefix)
    if kind in ("parquet", "arrow"):
        from whorl.formats.corpora import parquet_rows

        read = parquet_rows.rows if kind == "parquet" else parquet_rows.arrow_rows
        return read(path, name, columns, rules, prefix)
    from whorl.formats.corpora import warc

    return warc.rows(path, name, rules, prefix)


def sheets(kind: TableKind, path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[CorpusItem]:
    """Yield every row, in sheets where possible: JSONL with texts and the common columns."""
    is_common = columns.features is columns.contact is columns.rank is None
    if kind == "jsonl" and is_common and not isinstance(columns, LabelledColumns):
        return jsonl.sheets(path, name, columns, rules, prefix)
    return records(kind, path, name, columns, rules, prefix)


def chosen_rows(
    kind: TableKind, path: Path, name: str, columns: Columns, rules: Rules, prefix: str, chosen: Mapping[int, LineMark]
) -> Iterator[CorpusRecord | Fault]:
    """Yield some rows, by their numbers, and read little else; other rows may be yielded, too. The marks are those of
    JSONL."""
    if kind == "jsonl":
        yield from jsonl.chosen_rows(path, name, columns, rules, prefix, chosen)
    elif kind in ("parquet", "arrow"):
        from whorl.formats.corpora import parquet_rows

        read = parquet_rows.rows if kind == "parquet" else parquet_rows.arrow_rows
        yield from read(path, name, columns, rules, prefix, np.array(sorted(chosen), np.int64))
    else:
        missing = set(chosen)
        for item in records(kind, path, name, columns, rules, prefix):
            if item.row in missing:
                missing.remove(item.row)
                yield item
            if not missing:
                return


# Characters that may separate the cells of a CSV file; the most frequent in its first line does.
_SEPARATORS = ",\t;|"


def _cells(source: Chunks, rules: Rules) -> Iterator[list[str] | str]:
    """Yield the cells of every row of a CSV file, the first of which names the columns; or why a row cannot be read.

    Bytes that are not UTF-8 become surrogates.
    """
    csv.field_size_limit(max(csv.field_size_limit(), rules.member))  # Python's own limit is 128 kB
    texts = map(_decoded, lines(source, rules.member))
    first = next(texts, "")
    reader = csv.reader(chain([first], texts), delimiter=max(_SEPARATORS, key=first.count), strict=True)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            yield f"not CSV: {error}"
            continue
        if row is None:
            return
        if row:
            yield row


def _decoded(line: NumberedLine) -> str:
    if line.content is None:
        raise OSError(f"line {line.number:,} is too long")
    content = line.content.removeprefix(_BOM) if line.number == 1 else line.content
    return content.decode("utf-8", "surrogateescape") + "\n"


def _header(path: Path, rules: Rules) -> list[str] | None:
    """Return the columns of a CSV file; None if it is empty or damaged."""
    with opened(path, follow=True) as file:
        try:
            header = next(_cells(chunks(file, path.name), rules), None)
        except damage():
            return None  # reading reports it
    return header if isinstance(header, list) else None


def _csv_rows(path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[CorpusRecord | Fault]:
    """Yield every row below the first as a record or a fault. An empty cell is a missing value."""
    row, header = 0, list[str]()
    with opened(path, follow=True) as file:
        source = chunks(file, path.name)
        try:
            for row, cells in enumerate(_cells(source, rules)):
                place = RowPlace(name, row)
                if row == 0:
                    header = cells if isinstance(cells, list) else []
                    continue
                try:
                    yield record(_named_cells(header, cells), columns, place, source.offset, prefix)
                except BadRowError as error:
                    yield fault(place, error)
        except damage() as error:
            yield Fault(name, row + 1, f"damaged: {reason(error)}; the rest of the file is not read")


def _named_cells(header: list[str], cells: list[str] | str) -> dict[str, str | None]:
    if isinstance(cells, str):
        raise BadRowError(cells)
    if len(cells) > len(header):
        raise BadRowError(f"{len(cells)} cells, but {len(header)} columns")
    if not all(map(is_encodable, cells)):
        raise BadRowError("not UTF-8")
    return {column: cell or None for column, cell in zip(header, cells, strict=False)}


# Start and end of each span of a text to cut, given the number of its row.
CutSpans: TypeAlias = Callable[[int, str], Sequence[tuple[int, int]]]


def text_in(value: Any) -> str | None:
    """Return a text, or the text of bytes in UTF-8; None if the value is neither. Cuts keep the type of the value."""
    if not isinstance(value, bytes):
        return value if isinstance(value, str) else None
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


def text_fault(value: Any, column: str) -> BadRowError | None:
    """Return why a value is not searched and cut; None if it is."""
    if isinstance(value, UnicodeDecodeError):
        return BadRowError(f"{column!r} is not UTF-8: byte {value.start + 1}")
    try:
        check_text(value, column)
    except BadRowError as error:
        return error
    is_read = text_in(value) is not None
    return None if is_read else BadRowError(f"{column!r} is not UTF-8: not searched; convert it first")


class RowEditor:
    """Cut spans from the texts of rows, in order. Rows that are no objects with a text stay as they are.

    A row goes if fewer than ``shortest`` characters are left of its text. Rows that ``is_cut`` excludes are not parsed.
    ``faults`` are the rows of the file that was written last that give no document.
    """

    def __init__(
        self, spans: CutSpans, shortest: int, column: str, most: int, is_cut: Callable[[int], bool] | None = None
    ) -> None:
        self.counts, self.faults = Counter[str](), list[Fault]()
        self._spans, self._shortest, self._column, self._most, self._is_cut = spans, shortest, column, most, is_cut
        self._name = ""

    def write(self, kind: TableKind, path: Path, target: Path, name: str) -> str:
        """Write JSONL or Parquet, called ``name``, without the spans; return what is damaged."""
        self.faults, self._name = [], name
        if kind == "jsonl":
            return edit_lines(path, target, self._line, self._most)
        from whorl.formats.corpora.parquet_copy import copy_parquet

        return copy_parquet(path, target, self._group)

    def edited(self, row: int, text: str) -> str | None:
        """Return what is left of a text; None if it is too little."""
        self.counts["documents"] += 1
        spans = self._spans(row, text)
        self.counts["units"] += len(spans)
        if not spans:
            return text
        rest = without_spans(text, spans)
        self.counts["characters"] += len(text) - len(rest)
        if len(rest.strip()) >= self._shortest:
            return rest
        self.counts["removed"] += 1
        return None

    def stays(self, row: int) -> bool:
        """Return whether nothing is cut from a row."""
        return self._is_cut is not None and not self._is_cut(row)

    def _line(self, line: NumberedLine) -> bytes | None:
        content = line.content or b""
        if self.stays(line.number):
            return content
        try:
            row = object_of(line, self._most)
        except BadRowError as error:
            self.faults.append(fault(RowPlace(self._name, line.number), error))
            return content
        if row is None:
            return content
        text = row.get(self._column)
        rest = self._value(line.number, text)
        return content if rest is text else None if rest is None else with_text(content, self._column, rest)

    def _value(self, row: int, value: Any) -> Any:
        """Return what is left of the value of a text, in its type; None if it is too little."""
        if why := text_fault(value, self._column):
            self.faults.append(fault(RowPlace(self._name, row), why))
            return value
        text = text_in(value) or ""
        rest = self.edited(row, text)
        return value if rest == text else rest.encode() if rest is not None and isinstance(value, bytes) else rest

    def _group(self, group: Any, first: int) -> Any:
        from whorl.formats.corpora.parquet_copy import with_values
        from whorl.formats.corpora.parquet_rows import values_of

        if all(self.stays(row) for row in range(first, first + len(group))):
            return group
        place = group.schema.get_field_index(self._column)
        texts = values_of(group.column(place))
        rests = [text if self.stays(row) else self._value(row, text) for row, text in enumerate(texts, first)]
        is_kept = [rest is not None or text is None for rest, text in zip(rests, texts, strict=True)]
        return with_values(group, place, rests).filter(np.array(is_kept, np.bool_))
