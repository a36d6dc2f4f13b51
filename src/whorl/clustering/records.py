"""The records of clustering: documents, features, fixed-size rows and columns of texts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass, replace
from decimal import Decimal
from hashlib import blake2b
from itertools import chain, islice
from math import isnan
from pathlib import Path
from typing import Any, TypeAlias, cast, overload

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.formats.corpora.records import (
    BadRowError,
    Columns,
    CorpusRecord,
    Fault,
    RowPlace,
    checked_columns,
    fault,
    record,
    word,
)
from whorl.kernel import native_shingles
from whorl.model import Document, Hashes

Feature = int | str


@dataclass(frozen=True, slots=True)
class Features:
    """An object and its set of features: integers or strings, in any order."""

    name: str
    features: Sequence[Feature]
    url: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class UnreadDocument(Document):
    """A row that gives no document, and why. It keeps its place, so that results stay in the order of the rows."""

    reason: str = ""


def identities(features: Sequence[Feature]) -> Hashes:
    """Return a 64-bit number for each feature. Integers that fit stand for themselves; 5 and "5" differ."""
    if set(map(type, features)) == {int}:
        try:
            return np.array(features, np.int64).view(np.uint64)
        except OverflowError:
            pass  # some need all 64 bits, or more: one at a time
    return np.array([_identity(feature) for feature in features], np.uint64)


def _identity(feature: Feature) -> int:
    if isinstance(feature, str):
        return _hashed(b"s" + feature.encode("utf-8", "surrogatepass"))
    if isinstance(feature, bool) or not isinstance(feature, int | np.integer):
        raise InputError(f"features are integers or strings, not {type(feature).__name__}")
    number = int(feature)
    # Negative integers in two's complement. Larger ones are hashed like strings.
    return number % (1 << 64) if -(1 << 63) <= number < 1 << 64 else _hashed(b"i%d" % number)


def _hashed(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


Item: TypeAlias = Document | Features


def item_of(record: CorpusRecord) -> Item:
    """Return what is clustered of a record of a corpus."""
    document = record.document
    if record.features is not None:
        return Features(record.id, record.features, document.url, document.date)
    return document if document.name == record.id else replace(document, name=record.id)


def item_of_row(values: Mapping[str, Any], columns: Columns, place: RowPlace) -> Item | Fault:
    """Return what is clustered of a row of a table, or why the row gives no document."""
    try:
        return item_of(record({name: plain(values.get(name)) for name in columns.needed()}, columns, place, 0))
    except BadRowError as error:
        return fault(place, error)


def plain(value: Any) -> Any:
    """Return a value of a row in memory as a file would have it: numbers of NumPy as Python's, moments as ISO 8601, and
    what stands for a missing value as None. Values of other kinds stay as they are."""
    if value is None or isinstance(value, str | bytes | int | list | dict):
        return value
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else str(value)
    if isinstance(value, np.floating):
        value = float(value)
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float | Decimal):
        return None if isnan(value) else value
    if hasattr(value, "isoformat"):
        return None if value != value else value.isoformat()
    # pandas is not imported. Its missing value is not even equal to itself.
    return None if type(value).__name__ == "NAType" else value


def rows_of(table: Any) -> Iterable[Any]:
    """Return the rows of an Arrow table, of a frame of pandas or Polars, or of a Hugging Face dataset as dictionaries;
    anything else as it is.

    None of these packages is imported: their objects are recognised by their methods.
    """
    if hasattr(table, "iter_rows"):  # Polars
        return cast(Iterable[Any], table.iter_rows(named=True))
    if hasattr(table, "to_batches") and hasattr(table, "schema"):  # Arrow
        return (row for batch in table.to_batches() for row in batch.to_pylist())
    if hasattr(table, "to_pylist") and hasattr(table, "schema"):  # a batch of Arrow
        return cast(Iterable[Any], table.to_pylist())
    if hasattr(table, "itertuples") and hasattr(table, "iloc"):  # pandas
        starts = range(0, len(table), _FRAME_ROWS)
        return (row for at in starts for row in table.iloc[at : at + _FRAME_ROWS].to_dict("records"))
    return cast(Iterable[Any], unformatted(table))


def unformatted(table: Any) -> Any:
    """Return a Hugging Face dataset that gives rows as dictionaries of Python's values, whatever its format gives, such
    as frames or tensors; anything else as it is. A transformation by the user stays: it may make the texts."""
    if isinstance(table, Mapping) or not hasattr(table, "with_format") or not hasattr(table, "column_names"):
        return table  # a dictionary of datasets has the methods, too
    its_format = getattr(table, "format", None)
    return table if its_format and its_format["type"] in (None, "custom") else table.with_format(None)


def refuse_twice(table: Any, wanted: Iterable[str | None], name: str) -> None:
    """Raise InputError if an Arrow table or a pandas frame has a wanted column twice: a row has only one of them."""
    names = getattr(getattr(table, "schema", None), "names", None)  # of Polars a method, and its columns are names
    there = list(getattr(table, "columns", ()) if names is None or callable(names) else names)
    for column in wanted:
        if column is not None and there.count(column) > 1:
            raise InputError(f"{name}: {there.count(column)} columns are called {column!r}; rename all but one")


# Rows in which the column of the texts is looked for, as in JSONL.
LOOKED_AT = 100

# Rows of a frame that are dictionaries at a time.
_FRAME_ROWS = 4096


def item_of_values(values: Mapping[str, Any], columns: Columns, number: int) -> Item:
    """Return what is clustered of a row in memory; without an id, its number is its name."""
    item = item_of_row(values, columns, RowPlace("", number + 1))
    identity = None if columns.id is None else plain(values.get(columns.id))
    if isinstance(item, Fault):
        return UnreadDocument(_id_of(identity, columns) or str(number), "", reason=item.reason)
    has_id = identity is not None
    return item if has_id else replace(item, name=str(number))


def _id_of(value: Any, columns: Columns) -> str | None:
    """Return the id of a row that gives no document, perhaps because of its id."""
    try:
        return word(value, columns.id)
    except BadRowError:
        return None if isinstance(value, int) else str(value)  # an integer of too many digits


def items_of(
    documents: Iterable[Any], columns: Columns, report: Callable[[int, int | None], object] = lambda done, total: None,
    *, name: str = "documents",
) -> Iterator[Item]:  # fmt: skip
    """Return what is clustered of texts, paths, documents and rows; ``report`` gets the number done, and of all if it
    is known. Errors call the argument by its ``name``."""
    rows, content = rows_of(documents), checked_columns(columns).content
    if isinstance(documents, str | bytes | Path | Document | Mapping) or not isinstance(rows, Iterable):
        raise InputError(
            f"{name}: {type(documents).__name__} is not a list of documents; give a list of texts, paths or rows; "
            "cluster_corpus and dedup take files"
        )
    refuse_twice(documents, columns.needed(), name)
    total = len(documents) if isinstance(documents, Sized) else None

    def items() -> Iterator[Item]:
        for number, document in enumerate(_checked(iter(rows), content, name)):
            report(number, total)
            yield _item(document, columns, number, name)

    return items()


def _checked(documents: Iterator[Any], column: str, name: str) -> Iterator[Any]:
    """Yield documents; raise InputError if the first rows have no such column. Only then is more than one of them
    awaited: documents may come in a stream."""
    first = list(islice(documents, 1))
    if first and isinstance(first[0], Mapping) and column not in first[0]:
        first += islice(documents, LOOKED_AT - 1)
        there = dict.fromkeys(each for row in first if isinstance(row, Mapping) for each in row)
        if column not in there:
            raise InputError(
                f"{name}: no column {column!r}; there are {', '.join(map(repr, there))}. Name the right one with "
                "columns=Columns(text=...)"
            )
    return chain(first, documents)


def _item(document: Any, columns: Columns, number: int, name: str) -> Item:
    if isinstance(document, Document | Features):
        return document
    if isinstance(document, Mapping):
        return item_of_values(document, columns, number)
    if not isinstance(document, str | bytes | Path):
        raise InputError(
            f"{name}: number {number} is {type(document).__name__}; give texts, paths, Documents, Features or rows "
            "as dictionaries"
        )
    return Document(str(document) if isinstance(document, Path) else str(number), document)


# Texts of a document: its id, URL and date, and why it could not be read.
TEXTS = ("id", "url", "date", "reason")

# Digests of the content, of its symbols and of its set of shingles; bytes read; characters of the text, or features, 0
# if an earlier document has the same content; number of distinct shingles; bytes of each text, -1 if there is none.
RECORD = np.dtype(
    [
        ("content", "<u8", 2),
        ("lexical", "<u8", 2),
        ("shingle", "<u8", 2),
        ("size", "<i8"),
        ("length", "<i8"),
        ("shingles", "<i8"),
        *((field, "<i4") for field in TEXTS),
    ]
)

Records: TypeAlias = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class DocumentBatch:
    """Documents read together: their rows, their texts by column, and all their shingles."""

    records: Records
    texts: dict[str, bytes]
    shingles: Hashes

    def __len__(self) -> int:
        return len(self.records)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Sorted hashes of each document: those of document i are ``hashes[bounds[i] : bounds[i + 1]]``.

    ``path`` is the file that they are mapped from. Mapped pages count as memory of this process, and the system maps
    more than is read; to stay within a budget, read from the file.
    """

    hashes: Hashes
    bounds: NDArray[np.int64]
    path: Path | None = None

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        return np.diff(self.bounds)

    def spans(self, step: int) -> Iterator[tuple[int, int]]:
        """Yield first and last of consecutive documents with about ``step`` hashes together; at least one document."""
        return spans(self.bounds, step)

    def part(self, first: int, last: int) -> "Rows":
        """Return consecutive documents, in memory."""
        start, end = self.bounds[first], self.bounds[last]
        bounds = self.bounds[first : last + 1] - start
        if self.path is None:
            return Rows(self.hashes[start:end], bounds)
        return Rows(_read(self.path, self.bounds[first : first + 1], bounds[[0, -1]]), bounds)

    def fits(self, memory: int) -> bool:
        """Return whether reading any document in place takes at most this memory."""
        return self.path is None or self.hashes.nbytes <= memory

    def gathered(self, documents: NDArray[np.int64]) -> "Rows":
        """Return any documents, in memory, concatenated."""
        bounds = np.zeros(len(documents) + 1, np.int64)
        starts = self.bounds[documents]
        np.cumsum(self.bounds[documents + 1] - starts, out=bounds[1:])
        if self.path is None:
            places = np.repeat(starts - bounds[:-1], np.diff(bounds)) + np.arange(bounds[-1])
            return Rows(self.hashes[places], bounds)
        return Rows(_read(self.path, starts, bounds), bounds)


def _read(path: Path, starts: NDArray[np.int64], bounds: NDArray[np.int64]) -> Hashes:
    """Read stretches of hashes from a file, concatenated: the first becomes ``bounds[0]`` to ``bounds[1]``."""
    with path.open("rb") as file:
        return native_shingles.gather(file.fileno(), starts, bounds)


def spans(bounds: NDArray[np.int64], step: int) -> Iterator[tuple[int, int]]:
    """Yield first and last of consecutive items with about ``step`` units together, if item i has those between
    ``bounds[i]`` and the next; at least one item."""
    first = 0
    while first < len(bounds) - 1:
        last = max(first + 1, int(np.searchsorted(bounds, bounds[first] + step, "right")) - 1)
        yield first, last
        first = last


def packed(column: Sequence[str | None]) -> tuple[NDArray[np.int64], bytes]:
    """Return the lengths of texts in bytes, -1 for missing ones, and the bytes. Lone surrogates are escaped."""
    data = [None if text is None else text.encode("utf-8", "backslashreplace") for text in column]
    return np.array([-1 if part is None else len(part) for part in data], np.int64), b"".join(filter(None, data))


class TextColumn(Sequence[str | None]):
    """A column of texts, read in place. ``data`` holds their bytes, ``starts`` where each begins and the last ends."""

    def __init__(self, data: NDArray[np.uint8], lengths: NDArray[np.int32]) -> None:
        self.data = np.asarray(data)  # a mapped file's own class costs a microsecond each time it is cut
        self.is_there: NDArray[np.bool_] = lengths >= 0
        self.starts = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(np.maximum(lengths, 0), out=self.starts[1:])

    def __len__(self) -> int:
        return len(self.is_there)

    @overload
    def __getitem__(self, index: int) -> str | None: ...
    @overload
    def __getitem__(self, index: slice) -> list[str | None]: ...
    def __getitem__(self, index: int | slice) -> str | list[str | None] | None:
        if isinstance(index, slice):
            return [self[number] for number in range(len(self))[index]]
        if not self.is_there[index]:
            return None
        number = range(len(self))[index]
        return self.data[self.starts[number] : self.starts[number + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str | None]:
        return (self[number] for number in range(len(self)))

    def packed(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
        """Return the bytes of some texts, concatenated, and where each begins and the last ends."""
        starts = self.starts[numbers]
        lengths = self.starts[numbers + 1] - starts
        ends = np.zeros(len(numbers) + 1, np.int32)
        np.cumsum(lengths, out=ends[1:])
        return self.data[np.repeat(starts - ends[:-1], lengths) + np.arange(ends[-1])], ends

    def lines(self, numbers: NDArray[np.int64]) -> bytes:
        """Return some texts, one per line. A line break in a text is escaped."""
        data, ends = self.packed(numbers)
        if np.isin(data, (ord("\n"), ord("\r"))).any():
            texts = ((self[number] or "").replace("\n", "\\n").replace("\r", "\\r") for number in numbers.tolist())
            return "".join(f"{text}\n" for text in texts).encode()
        return np.insert(data, ends[1:], ord("\n")).tobytes()

    def in_memory(self) -> "TextColumn":
        """Copy the column from disk."""
        lengths = np.where(self.is_there, np.diff(self.starts), -1).astype(np.int32)
        return TextColumn(np.array(self.data), lengths)
