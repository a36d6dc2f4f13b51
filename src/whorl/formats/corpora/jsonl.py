"""Read JSONL and JSON arrays, plain or compressed: rows as records, or many rows together as sheets of columns."""

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, groupby, islice, pairwise
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from whorl.formats.archives.names import damage, opened, reason
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora.records import BadRowError, Columns, CorpusRecord, Fault, RowPlace, fault, record, row_id
from whorl.formats.corpora.streams import Chunks, NumberedLine, Plain, blocks, chunks, lines
from whorl.formats.detection import TEXT
from whorl.kernel import native_jsonl
from whorl.kernel.constants import ELSE, EMPTY, ESCAPED, INTEGER, MISSING, NULL, READ, STRING
from whorl.model import Document


class Column(Sequence[str | None]):
    """Texts in UTF-8, concatenated in ``data`` and divided at ``bounds``. A missing text has no bytes."""

    def __init__(self, data: NDArray[np.uint8], bounds: NDArray[np.int64], is_there: NDArray[np.bool_]) -> None:
        self._data, self._bounds, self._is_there = data, bounds, is_there

    @classmethod
    def of(cls, texts: Iterable[str | None]) -> Self:
        encoded = [None if text is None else text.encode() for text in texts]
        bounds = np.cumsum([0, *(len(part or b"") for part in encoded)], dtype=np.int64)
        data = np.frombuffer(b"".join(filter(None, encoded)), np.uint8)
        return cls(data, bounds, np.array([part is not None for part in encoded], np.bool_))

    @classmethod
    def empty(cls, count: int) -> Self:
        """Return a column of missing texts."""
        return cls(np.empty(0, np.uint8), np.zeros(count + 1, np.int64), np.zeros(count, np.bool_))

    def __len__(self) -> int:
        return len(self._is_there)

    @overload
    def __getitem__(self, index: int) -> str | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[str | None]: ...
    def __getitem__(self, index: int | slice) -> str | list[str | None] | None:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        number = range(len(self))[index]
        if not self._is_there[number]:
            return None
        return self._data[self._bounds[number] : self._bounds[number + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str | None]:
        there = self._is_there.tolist()
        return (part.decode() if is_there else None for part, is_there in zip(self.encoded(), there, strict=True))

    @property
    def is_whole(self) -> bool:
        """Whether no text is missing or empty."""
        return bool((np.diff(self._bounds) > 0).all())

    def encoded(self) -> Iterator[bytes]:
        """Yield each text in UTF-8; b"" if it is missing."""
        data = self._data[: self._bounds[-1]].tobytes()
        return (data[start:end] for start, end in pairwise(self._bounds.tolist()))

    def packed(self) -> tuple[NDArray[np.int64], bytes]:
        """Return the lengths of all texts in bytes, -1 for missing ones, and the bytes."""
        lengths = np.where(self._is_there, np.diff(self._bounds), -1)
        return lengths, self._data[: self._bounds[-1]].tobytes()

    def chosen(self, rows: NDArray[np.bool_]) -> "Column":
        return Column.of([self[number] for number in np.flatnonzero(rows).tolist()])


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Consecutive documents of a file, by column.

    The texts are JSON strings from ``starts`` to ``ends`` in ``data``. ``path``, ``rows`` and ``offset`` are as in a
    ``CorpusRecord``. ``is_integer``: which ids are integers in the file. ``lines``: where in the file the lines begin;
    None if that is not known, because the file is compressed.
    """

    path: str
    rows: Sequence[int]
    ids: Column
    urls: Column
    dates: Column
    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    offset: int
    is_integer: NDArray[np.bool_]
    lines: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def texts(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return all texts in UTF-8, concatenated, and their bounds. Releases the interpreter's lock."""
        text, bounds = native_jsonl.unescaped(self.data, self.starts, self.ends)
        return text, bounds

    def documents(self) -> Iterator[Document]:
        """Yield the documents one at a time."""
        text, bounds = self.texts()
        columns = zip(pairwise(bounds.tolist()), self.ids, self.urls, self.dates, strict=True)
        for (start, end), identity, url, date in columns:
            yield Document(identity or "", text[start:end].tobytes().decode(), url, date, format=TEXT)

    def chosen(self, chosen_rows: NDArray[np.bool_]) -> "Sheet":
        return replace(
            self,
            rows=list(compress(self.rows, chosen_rows.tolist())),
            ids=self.ids.chosen(chosen_rows),
            urls=self.urls.chosen(chosen_rows),
            dates=self.dates.chosen(chosen_rows),
            starts=self.starts[chosen_rows],
            ends=self.ends[chosen_rows],
            is_integer=self.is_integer[chosen_rows],
            lines=None if self.lines is None else self.lines[chosen_rows],
        )


# Lines that are searched for column names. A column may be absent where it has no value.
_LOOKED_AT = 100

_MARK = b"\xef\xbb\xbf"  # a byte order mark, which some editors write


def names(path: Path, rules: Rules) -> list[str] | None:
    """Return the columns of the first lines, in order; None if no line is an object."""
    columns: dict[str, None] = {}
    objects = 0
    with opened(path, follow=True) as file:
        try:
            for line in islice(lines(chunks(file, path.name), rules.member), _LOOKED_AT):
                try:
                    columns.update(dict.fromkeys(object_of(line, rules.member) or ()))
                    objects += 1
                except BadRowError:
                    continue  # reading reports it
        except damage():
            pass  # reading reports it
    return list(columns) if objects and columns else None


def rows(path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[CorpusRecord | Fault]:
    """Yield every line as a record or a fault; skip empty lines."""
    row = 0
    with opened(path, follow=True) as file:
        source = chunks(file, path.name)
        try:
            for line in lines(source, rules.member):
                row = line.number
                yield from _row(line, RowPlace(name, row), columns, rules.member, prefix, source.offset)
        except damage() as error:
            yield Fault(name, row + 1, _DAMAGED.format(reason(error)))


def sheets(
    path: Path, name: str, columns: Columns, rules: Rules, prefix: str
) -> Iterator[CorpusRecord | Fault | Sheet]:
    """Yield the lines in sheets. Faulty lines, and those that need a full parser, come singly, as from ``rows``."""
    row = 0
    with opened(path, follow=True) as file:
        source = chunks(file, path.name)
        start = 0 if isinstance(source, Plain) else None
        try:
            for block in blocks(source, rules.member):
                block_lines = _Lines(block, row + 1, name, columns, rules.member, prefix, source.offset, start)
                row += len(block_lines)
                start = None if start is None or block is None else start + len(block)
                yield from block_lines.items()
        except damage() as error:
            yield Fault(name, row + 1, _DAMAGED.format(reason(error)))


class LineMark(NamedTuple):
    """The number of a line, and where in the file it begins."""

    row: int
    offset: int


def chosen_rows(
    path: Path, name: str, columns: Columns, rules: Rules, prefix: str, chosen: Mapping[int, LineMark]
) -> Iterator[CorpusRecord | Fault]:
    """Yield some lines, by their numbers. Each has the mark of an earlier line, from which on it is looked for; a
    compressed file is read from its beginning on."""
    row, last = 0, max(chosen, default=0)
    with opened(path, follow=True) as file:
        source = chunks(file, path.name)
        is_plain = isinstance(source, Plain)
        try:
            for line in _marked_lines(file, chosen, rules.member) if is_plain else lines(source, rules.member):
                row = line.number
                if row in chosen:
                    yield from _row(line, RowPlace(name, row), columns, rules.member, prefix, source.offset)
                if row >= last:
                    return
        except damage() as error:
            yield Fault(name, row + 1, _DAMAGED.format(reason(error)))


def _marked_lines(file: BinaryIO, chosen: Mapping[int, LineMark], most: int) -> Iterator[NumberedLine]:
    """Yield the chosen lines of an uncompressed file, and none behind its end."""
    row = 0
    for number, mark in sorted(chosen.items()):
        if not mark.row <= row <= number:
            file.seek(mark.offset)
            row = mark.row
        for _ in range(row, number):
            _line(file, most)
        content = _line(file, most)
        row = number + 1
        if content == b"":
            return
        yield NumberedLine(number, content and content.removesuffix(b"\n"))


def _line(file: BinaryIO, most: int) -> bytes | None:
    """Return the next line with its end, b"" at the end of the file; None if it has more than ``most`` bytes."""
    line = file.readline(most + 1)
    if len(line) <= most or line.endswith(b"\n"):
        return line
    while (more := file.readline(most)) and not more.endswith(b"\n"):
        pass
    return None


_DAMAGED = "damaged: {}; the rest of the file is not read"


def _row(
    line: NumberedLine, place: RowPlace, columns: Columns, most: int, prefix: str, offset: int
) -> Iterator[CorpusRecord | Fault]:
    try:
        values = object_of(line, most)
        if values is not None:
            yield record(values, columns, place, offset, prefix)
    except BadRowError as error:
        yield fault(place, error)


# Kinds of JSON values allowed for an id, URL or date, and for a text.
_WORD = np.isin(range(ELSE + 1), (MISSING, STRING, ESCAPED, INTEGER, NULL))
_TEXT = np.isin(range(ELSE + 1), (STRING, ESCAPED))

# Kinds that are present.
_SAID = np.isin(range(ELSE + 1), (STRING, ESCAPED, INTEGER))


class _Lines:
    """The lines of a block, whose values the kernel locates."""

    def __init__(
        self,
        block: bytes | None,
        first: int,
        name: str,
        columns: Columns,
        most: int,
        prefix: str,
        offset: int,
        start: int | None,
    ) -> None:
        self._name, self._columns, self._most, self._prefix, self._offset = name, columns, most, prefix, offset
        self._first, self._block = first, block or b""
        self._is_long = block is None
        self._start = start
        if self._first == 1 and self._block.startswith(_MARK):
            self._block = self._block.removeprefix(_MARK)
            self._start = None if start is None else start + len(_MARK)
        names = (columns.id, columns.text, columns.url, columns.date)
        wanted = [(name or "").encode() for name in names]
        self._data = np.frombuffer(self._block, np.uint8)
        self._states, self._line_ends, self._kinds, self._starts, self._ends = native_jsonl.fields(
            self._data, np.frombuffer(b"".join(wanted), np.uint8), np.cumsum([0, *map(len, wanted)], dtype=np.int64)
        )

        self._kinds[:, [place for place, name in enumerate(names) if name is None]] = MISSING

    def __len__(self) -> int:
        return 1 if self._is_long else len(self._states)

    def items(self) -> Iterator[CorpusRecord | Fault | Sheet]:
        """Yield runs of plain lines as sheets, and the lines between them."""
        if self._is_long:
            yield from self._single(0)
        for is_plain, places in groupby(range(len(self._states)), self._plain().tolist().__getitem__):
            if is_plain:
                yield self._sheet(list(places))
            else:
                for place in places:
                    yield from self._single(place)

    def _plain(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        kinds = self._kinds
        words = _WORD[kinds[:, [0, 2, 3]]].all(axis=1)
        lengths = np.diff(self._line_ends, prepend=-1) - 1
        is_plain: np.ndarray[Any, np.dtype[np.bool_]] = (
            (self._states == READ) & words & _TEXT[kinds[:, 1]] & (lengths <= self._most)
        )
        return is_plain

    def _single(self, place: int) -> Iterator[CorpusRecord | Fault]:
        """One line, read slowly, so that what is wrong with it can be said."""
        if not self._is_long and self._states[place] == EMPTY:
            return
        start = int(self._line_ends[place - 1]) + 1 if place else 0
        content = None if self._is_long else self._block[start : self._line_ends[place]]
        long = content is None or len(content) > self._most
        row = self._first + place
        yield from _row(
            NumberedLine(row, None if long else content), RowPlace(self._name, row), self._columns, self._most,
            self._prefix, self._offset,
        )  # fmt: skip

    def _sheet(self, places: list[int]) -> Sheet:
        rows = [self._first + place for place in places]
        ids, urls, dates = (self._words(column, places) for column in (0, 2, 3))
        if not ids.is_whole:
            named = zip(ids, rows, strict=True)
            ids = Column.of(
                word or row_id(self._prefix, RowPlace(self._name, row), self._columns) for word, row in named
            )
        starts, ends = self._starts[places, 1], self._ends[places, 1]
        is_integer = self._kinds[places, 0] == INTEGER
        lines = None if self._start is None else self._start + np.append(0, self._line_ends[:-1] + 1)[places]
        return Sheet(self._name, rows, ids, urls, dates, self._data, starts, ends, self._offset, is_integer, lines)

    def _words(self, column: int, places: list[int]) -> Column:
        """Return a column whose values are strings, integers or missing."""
        kinds = self._kinds[places, column]
        starts, ends = self._starts[places, column], self._ends[places, column]
        is_there = _SAID[kinds]
        if not is_there.any():
            return Column.empty(len(places))
        data, bounds = native_jsonl.unescaped(self._data, starts, np.where(is_there, ends, starts))
        words = Column(data, bounds, is_there)
        if (kinds == INTEGER).any():  # a minus before a zero is not kept
            numbers = zip(words, (kinds == INTEGER).tolist(), strict=True)
            return Column.of(str(int(word)) if word and is_number else word for word, is_number in numbers)
        return words


def with_text(line: bytes, column: str, text: str) -> bytes:
    """Return a line, which ``object_of`` reads, whose value of a column of texts is replaced; all other bytes stay."""
    name = column.encode()
    data = np.frombuffer(line + b"\n", np.uint8)
    bounds = np.array([0, len(name)], np.int64)
    states, _, kinds, starts, ends = native_jsonl.fields(data, np.frombuffer(name, np.uint8), bounds)
    if states[0] == READ and _TEXT[kinds[0, 0]]:
        start, end = int(starts[0, 0]) - 1, int(ends[0, 0]) + 1
    else:
        start, end = _value_span(line, column)
    return line[:start] + json.dumps(text, ensure_ascii=False).encode() + line[end:]


def _value_span(line: bytes, column: str) -> tuple[int, int]:
    """Return start and end of the bytes of a value. Of several values of one name the last counts, as in ``json``."""
    content, span = line.decode("utf-8"), (0, 0)
    at = _skipped(content, content.index("{") + 1)
    while content[at] != "}":
        name, at = _PARSER.raw_decode(content, at)
        start = _skipped(content, _skipped(content, at) + 1)  # behind the colon
        _, at = _PARSER.raw_decode(content, start)
        if name == column:
            span = start, at
        at = _skipped(content, at)
        at = _skipped(content, at + 1) if content[at] == "," else at
    start = len(content[: span[0]].encode())
    return start, start + len(content[slice(*span)].encode())


def _skipped(content: str, at: int) -> int:
    """Return the place behind white space."""
    return _BLANKS.match(content, at).end()  # type: ignore[union-attr]  # it matches everywhere


def object_of(line: NumberedLine, most: int) -> dict[str, Any] | None:
    """Return the object of a line; None if the line is empty."""
    content = line.content
    if content is None:
        raise BadRowError(f"a line of more than {most:,} bytes")
    if line.number == 1:
        content = content.removeprefix(_MARK)
    if not content or content.isspace():
        return None
    value = _parsed(content)
    if not isinstance(value, dict):
        raise BadRowError("not a JSON object")
    return value


def _parsed(content: bytes) -> Any:
    try:
        value = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadRowError(f"not UTF-8: byte {error.start + 1} of the line") from error
    except json.JSONDecodeError as error:
        raise BadRowError(f"not JSON, from character {error.pos + 1} on: {error.msg.removesuffix(' at')}") from error
    except RecursionError as error:
        raise BadRowError("not read: brackets nested too deep") from error
    except ValueError as error:  # an integer of thousands of digits
        raise BadRowError("not read: a number of too many digits") from error
    if b"\\ud" in content or b"\\uD" in content:
        _check_pairs(value)
    return value


def _check_pairs(value: Any) -> None:
    r"""Refuses half a surrogate pair in a string of the object (``\ud83d`` alone), which is no character."""
    if isinstance(value, dict):
        for name, part in value.items():
            for text in (name, *(part if isinstance(part, list) else (part,))):
                if isinstance(text, str) and not is_encodable(text):
                    raise BadRowError("not Unicode: half of a surrogate pair")


def is_encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


# The bytes between the elements of an array, and the white space of JSON.
_BETWEEN, _BLANKS = re.compile(r"[\s,]*"), re.compile(r"[ \t\n\r]*")
_PARSER = json.JSONDecoder()


def array_names(path: Path, rules: Rules) -> list[str] | None:
    """Return the columns of the first elements of a JSON array, in order; None if none of them is an object."""
    columns: dict[str, None] = {}
    with opened(path, follow=True) as file:
        try:
            for element in islice(_elements(chunks(file, path.name), rules.member), _LOOKED_AT):
                columns.update(dict.fromkeys(element if isinstance(element, dict) else ()))
        except BadRowError:
            pass  # reading reports it
        except damage():
            pass  # and this
    return list(columns) or None


def array_rows(path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[CorpusRecord | Fault]:
    """Yield every object of a JSON array as a record or a fault. Nothing is read behind an element that is no JSON."""
    row = 0
    with opened(path, follow=True) as file:
        source = chunks(file, path.name)
        try:
            for element in _elements(source, rules.member):
                row += 1
                place = RowPlace(name, row)
                try:
                    if not isinstance(element, dict):
                        raise BadRowError("not a JSON object")
                    _check_pairs(element)
                    yield record(element, columns, place, source.offset, prefix)
                except BadRowError as error:
                    yield fault(place, error)
        except BadRowError as error:
            yield Fault(name, row + 1, _DAMAGED.format(error))
        except damage() as error:
            yield Fault(name, row + 1, _DAMAGED.format(reason(error)))


def _elements(source: Chunks, most: int) -> Iterator[Any]:
    """Yield the elements of a JSON array, holding one at a time."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    text, at, is_open = "", 0, False

    def more() -> bool:
        """Read at least as much again as the element in hand has, so that long ones are not parsed too often."""
        nonlocal text, at
        text, at = text[at:], 0
        if len(text) > most:
            raise BadRowError(f"an element of more than {most:,} characters")
        before, wanted = len(text), 2 * len(text) + 1
        while len(text) < wanted and (chunk := source.chunk()):
            try:
                text += decoder.decode(chunk)
            except UnicodeDecodeError as error:
                raise BadRowError("not UTF-8") from error
        return len(text) > before

    while True:
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]  # it matches everywhere
        if at == len(text):
            if not more():
                raise BadRowError("the array has no end")
        elif not is_open:
            if text[at] != "[":
                raise BadRowError("not an array")
            is_open, at = True, at + 1
        elif text[at] == "]":
            return
        else:
            element, end = _element(text, at)
            if end and end < len(text):  # a number may go on behind the end of the text
                at = end
                yield element
            elif not more():
                raise BadRowError("not JSON, or the array has no end")


def _element(text: str, at: int) -> tuple[Any, int]:
    """Return the element at a place and its end; 0 if it is not complete."""
    try:
        element, end = _PARSER.raw_decode(text, at)
    except json.JSONDecodeError:
        return None, 0
    except (RecursionError, ValueError) as error:  # an integer of thousands of digits
        raise BadRowError("brackets nested too deep, or a number of too many digits") from error
    return element, end
