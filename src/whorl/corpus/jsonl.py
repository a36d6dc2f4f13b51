"""JSONL: an object a line, as it is or compressed by gzip or zstd."""

import json
from collections.abc import Iterator
from itertools import groupby, islice
from pathlib import Path
from typing import Any

import numpy as np

from whorl import kernel
from whorl.collection.faults import damage, reason
from whorl.collection.files import opened
from whorl.collection.rules import Rules
from whorl.corpus.chunks import chunks
from whorl.corpus.columns import Column
from whorl.corpus.lines import Line, blocks, lines
from whorl.corpus.records import BadRowError, Columns, Fault, Place, Record
from whorl.corpus.rows import record
from whorl.corpus.sheets import Sheet
from whorl.kernel.kinds import ELSE, EMPTY, ESCAPED, INTEGER, MISSING, NULL, READ, STRING

# Lines whose names are taken for those of the columns. A column may be absent where it has no value.
_LOOKED_AT = 100

_MARK = b"\xef\xbb\xbf"  # a byte order mark, which some editors write


def names(path: Path, rules: Rules) -> list[str] | None:
    """The columns of the first lines, in their order; None if no line there is an object."""
    found: dict[str, None] = {}
    objects = 0
    with opened(path, follow=True) as file:
        try:
            for line in islice(lines(chunks(file, path.name), rules.member), _LOOKED_AT):
                try:
                    found.update(dict.fromkeys(_object(line, rules.member) or ()))
                    objects += 1
                except BadRowError:
                    continue  # reading reports it
        except damage():
            pass  # reading reports it
    return list(found) if objects and found else None


def rows(path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[Record | Fault]:
    """Every line as a record or a fault. Empty lines are none."""
    row = 0
    with opened(path, follow=True) as file:
        source = chunks(file, path.name)
        try:
            for line in lines(source, rules.member):
                row = line.number
                yield from _row(line, Place(name, row), columns, rules.member, prefix, source.offset)
        except damage() as error:
            yield Fault(name, row + 1, _DAMAGED.format(reason(error)))


def sheets(path: Path, name: str, columns: Columns, rules: Rules, prefix: str) -> Iterator[Record | Fault | Sheet]:
    """The same lines in sheets. One that is not plain, or faulty, stands alone, as ``rows`` has it."""
    row = 0
    with opened(path, follow=True) as file:
        source = chunks(file, path.name)
        try:
            for block in blocks(source, rules.member):
                found = _Lines(block, row + 1, name, columns, rules.member, prefix, source.offset)
                row += len(found)
                yield from found.items()
        except damage() as error:
            yield Fault(name, row + 1, _DAMAGED.format(reason(error)))


_DAMAGED = "damaged: {}; the rest of the file is not read"


def _row(line: Line, place: Place, columns: Columns, most: int, prefix: str, offset: int) -> Iterator[Record | Fault]:
    try:
        values = _object(line, most)
        if values is not None:
            yield record(values, columns, place, offset, prefix)
    except BadRowError as error:
        yield Fault(*place, str(error))


# Which kinds of values an id, an address or a date may have, and which a text.
_WORD = np.isin(range(ELSE + 1), (MISSING, STRING, ESCAPED, INTEGER, NULL))
_TEXT = np.isin(range(ELSE + 1), (STRING, ESCAPED))

# Which of those are there.
_SAID = np.isin(range(ELSE + 1), (STRING, ESCAPED, INTEGER))


class _Lines:
    """The lines of a block, whose values the kernel finds."""

    def __init__(
        self, block: bytes | None, first: int, name: str, columns: Columns, most: int, prefix: str, offset: int
    ) -> None:
        self._name, self._columns, self._most, self._prefix, self._offset = name, columns, most, prefix, offset
        self._first, self._block = first, block or b""
        self._is_long = block is None
        if self._first == 1:
            self._block = self._block.removeprefix(_MARK)
        wanted = [column.encode() for column in (columns.id, columns.text, columns.url, columns.date)]
        self._data = np.frombuffer(self._block, np.uint8)
        self._states, self._line_ends, self._kinds, self._starts, self._ends = kernel.jsonl().fields(
            self._data, np.frombuffer(b"".join(wanted), np.uint8), np.cumsum([0, *map(len, wanted)], dtype=np.int64)
        )

    def __len__(self) -> int:
        return 1 if self._is_long else len(self._states)

    def items(self) -> Iterator[Record | Fault | Sheet]:
        """Runs of plain lines as sheets, and what stands between them."""
        if self._is_long:
            yield from self._told(0)
        for is_plain, places in groupby(range(len(self._states)), self._plain().tolist().__getitem__):
            if is_plain:
                yield self._sheet(list(places))
            else:
                for place in places:
                    yield from self._told(place)

    def _plain(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        kinds = self._kinds
        words = _WORD[kinds[:, [0, 2, 3]]].all(axis=1)
        lengths = np.diff(self._line_ends, prepend=-1) - 1
        found: np.ndarray[Any, np.dtype[np.bool_]] = (
            (self._states == READ) & words & _TEXT[kinds[:, 1]] & (lengths <= self._most)
        )
        return found

    def _told(self, place: int) -> Iterator[Record | Fault]:
        """One line, read slowly, so that what is wrong with it can be said."""
        if not self._is_long and self._states[place] == EMPTY:
            return
        start = int(self._line_ends[place - 1]) + 1 if place else 0
        content = None if self._is_long else self._block[start : self._line_ends[place]]
        long = content is None or len(content) > self._most
        row = self._first + place
        yield from _row(
            Line(row, None if long else content), Place(self._name, row), self._columns, self._most, self._prefix,
            self._offset,
        )  # fmt: skip

    def _sheet(self, places: list[int]) -> Sheet:
        rows = [self._first + place for place in places]
        ids, urls, dates = (self._words(column, places) for column in (0, 2, 3))
        if not ids.is_whole:
            named = zip(ids, rows, strict=True)
            ids = Column.of(word or f"{self._prefix}{self._name}:{row}" for word, row in named)
        starts, ends = self._starts[places, 1], self._ends[places, 1]
        return Sheet(self._name, rows, ids, urls, dates, self._data, starts, ends, self._offset)

    def _words(self, column: int, places: list[int]) -> Column:
        """The values of a column whose values are strings, whole numbers or nothing."""
        kinds, starts, ends = (table[places, column] for table in (self._kinds, self._starts, self._ends))
        is_there = _SAID[kinds]
        if not is_there.any():
            return Column.empty(len(places))
        data, bounds = kernel.jsonl().unescaped(self._data, starts, np.where(is_there, ends, starts))
        found = Column(data, bounds, is_there)
        if (kinds == INTEGER).any():  # a minus before a zero is not kept
            numbers = zip(found, (kinds == INTEGER).tolist(), strict=True)
            return Column.of(str(int(word)) if word and is_number else word for word, is_number in numbers)
        return found


def _object(line: Line, most: int) -> dict[str, Any] | None:
    """The object of a line; None if the line is empty."""
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
                if isinstance(text, str) and not _encodable(text):
                    raise BadRowError("not Unicode: half of a surrogate pair")


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
