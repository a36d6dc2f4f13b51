"""Spans of the texts of a corpus: what was found in them, as rows of a file, and how to cut or mark it."""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.repeats import BOILERPLATE, REPEAT, raw
from whorl.corpus_output import JournaledFile
from whorl.corpus_sources import BATCH, CorpusTexts, Source, copied, file_writer, source_text
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora import tables
from whorl.formats.corpora.jsonl import is_encodable, object_of
from whorl.formats.corpora.parquet import arrow
from whorl.formats.corpora.parquet_rows import check_whole, values_of
from whorl.formats.corpora.records import BadRowError, Columns, Fault
from whorl.formats.corpora.streams import NumberedLine, edit_lines
from whorl.formats.text import TextFrontend

# Characters of a span: the number of its row among all that were found, start and end.
CHARACTERS = np.dtype([("number", "<i8"), ("start", "<i8"), ("end", "<i8")])

# Rows of a list that are written together.
STEP = 1 << 16


class TokenSpans:
    """Turn spans of the tokens of a text into spans of its characters."""

    def __init__(self, front: TextFrontend, text: str) -> None:
        stream = front.stream(text)
        self._starts, self._ends, self._length = stream.starts.tolist(), stream.ends.tolist(), len(text)

    def inside(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of tokens."""
        return self._starts[start], self._ends[end - 1]

    def cut(self, start: int, end: int) -> tuple[int, int]:
        """Return the characters of tokens with what is between them and the next token or the end of the text."""
        return self._starts[start], self._starts[end] if end < len(self._starts) else self._length


def union(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the union of spans, sorted."""
    merged = list[tuple[int, int]]()
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


class DocumentSpans:
    """Spans of tokens that were found, as rows in the order of their documents. ``log`` gets their characters when they
    are asked for. Memory grows by 16 bytes a document."""

    def __init__(self, texts: CorpusTexts, rows: NDArray[np.void], log: JournaledFile) -> None:
        self._texts, self._rows, self._log = texts, rows, log
        self._firsts = np.zeros(len(texts.records) + 1, np.int64)
        for start in range(0, len(rows), STEP):
            documents, counts = np.unique(rows["document"][start : start + STEP], return_counts=True)
            self._firsts[documents + 1] += counts
        np.cumsum(self._firsts, out=self._firsts)
        self._documents, self._numbers = range(0), np.empty(0, np.int64)

    def open(self, source: int) -> None:
        """Choose the source whose rows are asked for."""
        self._documents = documents = self._texts.documents(source)
        self._numbers = np.ascontiguousarray(self._texts.records["row"][documents.start : documents.stop])

    def has(self, row: int) -> bool:
        """Return whether there are spans in a row."""
        first, last = self._bounds(row)
        return first < last

    def _bounds(self, row: int) -> tuple[int, int]:
        place = int(np.searchsorted(self._numbers, row))
        if place == len(self._numbers) or self._numbers[place] != row:
            return 0, 0
        document = self._documents.start + place
        return int(self._firsts[document]), int(self._firsts[document + 1])

    def located(self, row: int, text: str) -> tuple[TokenSpans, list[dict[str, Any]]]:
        """Return the spans of a row, and what turns them into characters, which are noted."""
        (first, last), spans = self._bounds(row), TokenSpans(self._texts.front, text)
        rows = [
            dict(zip(self._rows.dtype.names or (), values, strict=True)) for values in self._rows[first:last].tolist()
        ]
        characters = np.empty(last - first, CHARACTERS)
        characters["number"] = np.arange(first, last)
        for each, found in zip(characters, rows, strict=True):
            each["start"], each["end"] = spans.inside(found["start"], found["end"])
        self._log.write(raw(characters))
        return spans, rows

    def of(self, source: int) -> NDArray[np.void]:
        """Return what was found in a source."""
        documents = self._texts.documents(source)
        return self._rows[self._firsts[documents.start] : self._firsts[documents.stop]]

    def listed(self) -> Iterator[tuple[NDArray[np.void], NDArray[np.void]]]:
        """Yield what was found with its characters, some rows at a time."""
        for characters in self._log.read(CHARACTERS, STEP):
            yield self._rows[characters["number"]], characters

    def note(self) -> list[int]:
        """Bring the characters to the disk; return what the journal notes of them."""
        return self._log.note()


class SpanEditing(ABC):
    """The content written in place of each file: texts without the spans that were found, or their attributes."""

    kinds: Sequence[str]

    def __init__(
        self, texts: CorpusTexts, spans: DocumentSpans, columns: Columns, rules: Rules, shortest: int, mark: bool
    ) -> None:
        self.texts, self.spans, self.mark = texts, spans, mark
        self._columns, self._most, self._shortest = columns, rules.member, shortest
        self.faults, self.documents = texts.faults, len(texts.records)
        self._counts = Counter[str]()

    @abstractmethod
    def cuts(self, row: int, text: str) -> list[tuple[int, int]]:
        """Return the spans of a row to cut."""

    @abstractmethod
    def attributes(self, row: int, text: str) -> Mapping[str, list[list[float]]]:
        """Return the spans of a row by kind, each with a score."""

    @abstractmethod
    def counted(self, rows: NDArray[np.void]) -> dict[str, int]:
        """Return how many of the spans are of which kind."""

    @abstractmethod
    def table(self) -> tuple[str, Iterable[dict[str, Any]], Mapping[str, str]]:
        """Return a list of the changes: the name of its file, its rows and its columns."""

    @property
    def row_faults(self) -> Sequence[Fault]:
        """Nothing more: all texts were read before."""
        return ()

    def target(self, source: Source) -> Path:
        return source.attributes if self.mark else source.target

    def writer(self, number: int, source: Source) -> Callable[[Path], str] | None:
        self._counts, kind = Counter(), source.kind
        self.spans.open(number)
        if not self.texts.was_searched(number):
            return None if self.mark else lambda target: copied(source, target)
        if self.mark:
            columns = self._columns.id or "id", self._columns.text
            return lambda target: write_attributes(source, target, columns, self._most, self.attributes)
        editor = tables.RowEditor(self.cuts, self._shortest, self._columns.text, self._most, self.spans.has)
        self._counts = editor.counts
        if kind is None:
            return file_writer(source, editor)
        return lambda target: editor.write(kind, source.path, target, source.name)

    def changes(self, number: int) -> tuple[Counter[str], dict[str, int]]:
        return self._counts, self.counted(self.spans.of(number))

    def note(self) -> list[int]:
        return self.spans.note()


class PassageEditing(SpanEditing):
    """Cut repeated passages, or mark them."""

    FILE: ClassVar = "passages.parquet"
    KINDS: ClassVar = {REPEAT: "passage", BOILERPLATE: "boilerplate"}

    # Columns of the list of passages: a span of a row, its kind, and the row with the first copy.
    COLUMNS: ClassVar = {
        "file": "string",
        "row": "int64",
        "start": "int64",
        "end": "int64",
        "kind": "string",
        "kept_file": "string",
        "kept_row": "int64",
    }

    kinds = tuple(KINDS.values())

    def cuts(self, row: int, text: str) -> list[tuple[int, int]]:
        spans, passages = self.spans.located(row, text)
        return union(spans.cut(passage["start"], passage["end"]) for passage in passages)

    def attributes(self, row: int, text: str) -> dict[str, list[list[float]]]:
        """Return the spans by kind, each with the score 1: every repeat is verified."""
        named: dict[str, list[list[float]]] = {f"whorl__{kind}": [] for kind in self.KINDS.values()}
        if self.spans.has(row):
            spans, passages = self.spans.located(row, text)
            for passage in passages:
                span = spans.inside(passage["start"], passage["end"])
                named[f"whorl__{self.KINDS[passage['kind']]}"].append([*span, 1.0])
        return named

    def counted(self, rows: NDArray[np.void]) -> dict[str, int]:
        counts = np.bincount(rows["kind"], minlength=len(self.KINDS)).tolist()
        return {self.KINDS[kind]: count for kind, count in enumerate(counts) if count or kind == REPEAT}

    def table(self) -> tuple[str, Iterable[dict[str, Any]], Mapping[str, str]]:
        return self.FILE, map(self._listed, self.spans.listed()), self.COLUMNS

    def _listed(self, part: tuple[NDArray[np.void], NDArray[np.void]]) -> dict[str, Any]:
        rows, characters = part
        (file, row), (kept_file, kept_row) = (self.texts.located(rows[name]) for name in ("document", "source"))
        return {
            "file": file,
            "row": row,
            "start": characters["start"],
            "end": characters["end"],
            "kind": [self.KINDS[kind] for kind in rows["kind"].tolist()],
            "kept_file": kept_file,
            "kept_row": kept_row,
        }


# Spans of a text by attribute, given the number of its row: start, end and score.
Attributes = Callable[[int, str], Mapping[str, list[list[float]]]]


def write_attributes(source: Source, target: Path, columns: tuple[str, str], most: int, attributes: Attributes) -> str:
    """Write a line for each row of a table: its id and the attributes of its text, as Dolma's tools read them; return
    what is damaged. ``columns`` are those of ids and texts. JSONL keeps its compression. A text file is one row, with
    its name as id."""
    identity, column = columns

    def attributed(row: int, values: Mapping[str, Any]) -> bytes:
        text = tables.text_in(values.get(column))
        name = values.get(identity)
        name = name.object if isinstance(name, UnicodeDecodeError) else name
        name = name.decode("utf-8", "backslashreplace") if isinstance(name, bytes) else name
        line = {"id": name, "attributes": {} if text is None else attributes(row, text)}
        written = json.dumps(line, ensure_ascii=False, default=str)
        # Half a surrogate pair in an id can only be escaped.
        return (written if is_encodable(written) else json.dumps(line, default=str)).encode()

    if source.kind == "parquet":
        return _parquet_attributes(source.path, target, columns, attributed)

    if source.kind is None:
        target.write_bytes(attributed(0, {identity: source.name, column: source_text(source)}) + b"\n")
        return ""

    def line_of(line: NumberedLine) -> bytes:
        try:
            return attributed(line.number, object_of(line, most) or {})
        except BadRowError:
            return attributed(line.number, {})

    return edit_lines(source.path, target, line_of, most, keeps_long=False)


def _parquet_attributes(
    path: Path, target: Path, columns: tuple[str, str], attributed: Callable[[int, Mapping[str, Any]], bytes]
) -> str:
    (_, pq), lost, last = arrow(), list[str](), 0
    check_whole(path)
    with pq.ParquetFile(path) as file, target.open("wb") as sink:
        names = [name for name in columns if name in file.schema_arrow.names]
        for number in range(file.metadata.num_row_groups):
            row, last = last, last + file.metadata.row_group(number).num_rows
            for values in _rows(file, number, names):
                if isinstance(values, str):
                    lost.append(f"row group {number}: {values}")
                    break
                row += 1
                sink.write(attributed(row, values) + b"\n")
            for lost_row in range(row, last):
                sink.write(attributed(lost_row + 1, {}) + b"\n")
    return f"damaged: {'; '.join(lost)}" if lost else ""


def _rows(file: Any, group: int, names: Sequence[str]) -> Iterator[dict[str, Any] | str]:
    """Yield the rows of a row group. If it is damaged, yield the reason and stop."""
    try:
        for batch in file.iter_batches(row_groups=[group], columns=names, batch_size=BATCH):
            for values in zip(*map(values_of, batch.columns), strict=True):
                yield dict(zip(batch.schema.names, values, strict=True))
    except (OSError, arrow()[0].ArrowException) as error:
        yield " ".join(str(error).split())[:160]
