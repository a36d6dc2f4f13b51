"""Records of a corpus: a document, a fault, the names of the columns, rows as records, and the set of seen ids."""

import mmap
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from hashlib import blake2b
from itertools import accumulate
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError
from whorl.formats.detection import TEXT
from whorl.kernel import native_seen
from whorl.model import Document

Feature = int | str


class RowPlace(NamedTuple):
    """Where a row is. ``row`` counts from 1: lines of JSONL, rows of tables, records of WARC; 0 is the whole file."""

    file: str
    row: int


@dataclass(frozen=True, slots=True)
class CorpusRecord:
    """One document of a corpus, with ``features`` instead of its text where the corpus has them.

    ``path`` is the file in the corpus, ``row`` is 0 if the document is the whole file. ``offset`` counts the bytes of
    the corpus passed so far, of the number that ``size`` returns. ``is_integer``: the id is an integer there.
    """

    id: str
    document: Document
    path: str
    row: int
    features: tuple[Feature, ...] | None = None
    offset: int = 0
    is_integer: bool = False


@dataclass(frozen=True, slots=True)
class Fault:
    """A row, a record or a file that gives no document, and why. ``row`` 0 is the whole file.

    ``left_out``: a rule leaves it out, such as a hidden file or an image; it is not damaged.
    """

    path: str
    row: int
    reason: str
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class UnchangedPage(Document):
    """A page that a crawler met unchanged and did not store again: it shows what the page ``of`` showed on the date
    ``since``, if that is known."""

    of: str = ""
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Unchanged(Fault):
    """A row without the content of its ``page``, because a record elsewhere has it; ``keys`` name that record."""

    page: UnchangedPage = UnchangedPage("", "")
    keys: tuple[tuple[str, ...], ...] = ()

    def as_fault(self) -> Fault:
        """Return the fault alone, for a page that is not found."""
        return Fault(self.path, self.row, self.reason, self.left_out)


# The parts in which two faults of one kind differ: quoted names, and numbers.
_PARTICULAR = re.compile(r"'(?:[^'\\]|\\.)*+'?|\"[^\"]*+\"?|[0-9][0-9,]*+")


@dataclass(frozen=True, slots=True)
class FaultKind:
    """Faults that differ only in names and numbers: how many there are, and the first of them."""

    count: int
    file: str
    row: int
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}, row {self.row:,}" if self.row else self.file
        return f"{place}: {self.reason}" if self.count == 1 else f"{self.count:,} times, first {place}: {self.reason}"


def kinds_of_faults(faults: Iterable[Mapping[str, Any]]) -> list[FaultKind]:
    """Return faults by kind, the most frequent first. Each has a file, a row and a reason."""
    kinds: dict[str, FaultKind] = {}
    for each in faults:
        key = _PARTICULAR.sub("…", each["reason"])
        known = kinds.get(key)
        kinds[key] = (
            replace(known, count=known.count + 1) if known else FaultKind(1, each["file"], each["row"], each["reason"])
        )
    return sorted(kinds.values(), key=lambda kind: -kind.count)


class BadRowError(Exception):
    """One row gives no document; the others do. Internal to this package."""


class LeftOutError(BadRowError):
    """A row that is valid, but no document. Internal to this package."""


def fault(place: RowPlace, error: BadRowError) -> Fault:
    """Return the fault of a row that gives no document."""
    return Fault(*place, str(error), isinstance(error, LeftOutError))


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The names of the columns of JSONL, Parquet, Arrow and CSV. Checks itself.

    ``text`` is required, or ``features`` if it is named: lists of integers or of strings. The others may be absent
    under their default names; None does not read them, and without ids the place of a row is its id. ``contact`` is
    read only if it is named; its usual name is ``CONTACT``. ``rank`` is a column of numbers that is read in place of
    the date.
    """

    id: str | None = "id"
    text: str = "text"
    url: str | None = "url"
    date: str | None = "date"
    features: str | None = None
    contact: str | None = None
    rank: str | None = None

    def __post_init__(self) -> None:
        for role in ("id", "text", "url", "date", "features", "contact", "rank"):
            name = getattr(self, role)
            if (not isinstance(name, str) or not name) and not (role != "text" and name is None):
                raise InputError(f"{role}: {name!r} is not the name of a column")

    @property
    def content(self) -> str:
        """The column with the text or the features."""
        return self.text if self.features is None else self.features

    def needed(self) -> tuple[str, ...]:
        """Return every column to read, once."""
        columns = (self.id, self.content, self.url, self.date, self.contact, self.rank)
        return tuple(dict.fromkeys(name for name in columns if name is not None))

    def missing(self, there: "set[str]") -> Iterator[str]:
        """Yield each required column that is absent, with its option."""
        for role, usual in (
            ("id", DEFAULT.id),
            ("url", DEFAULT.url),
            ("date", DEFAULT.date),
            ("contact", CONTACT),
            ("rank", None),
        ):
            name = getattr(self, role)
            if name not in (usual, None) and name not in there:
                yield f"{name!r} (--{role})"
        if self.content not in there:
            yield f"{self.content!r} (--{'text' if self.features is None else 'features'})"

    def lists(self) -> tuple[str, ...]:
        """Return the columns that hold lists."""
        return () if self.features is None else (self.features,)

    def labels(self, values: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the labels of a row; raise BadRowError if they are none."""
        return ()


class OptionColumns(Columns):
    """Columns with options such as ``--text-column``, which messages name."""

    def missing(self, there: "set[str]") -> Iterator[str]:
        """Yield each required column that is absent, with its option."""
        yield from (f"{column.removesuffix(')')}-column)" for column in super().missing(there))


@dataclass(frozen=True, kw_only=True)
class LabelledColumns(Columns):
    """Columns of a table whose rows have labels. ``listed`` holds lists of labels; each value of the columns ``valued``
    is a label with the name of its column, such as ``licence=MIT``."""

    listed: str | None = None
    valued: tuple[str, ...] = ()

    def needed(self) -> tuple[str, ...]:
        """Return every column to read, once."""
        return tuple(dict.fromkeys((*super().needed(), *self.lists(), *self.valued)))

    def missing(self, there: "set[str]") -> Iterator[str]:
        """Yield each required column that is absent, with its option."""
        yield from super().missing(there)
        if self.listed is not None and self.listed not in there:
            yield f"{self.listed!r} (--labels)"
        yield from (f"{name!r} (--label)" for name in self.valued if name not in there)

    def lists(self) -> tuple[str, ...]:
        """Return the columns that hold lists."""
        return (*super().lists(), *([] if self.listed is None else [self.listed]))

    def labels(self, values: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the labels of a row. A value that is missing or empty gives none."""
        listed = None if self.listed is None else values.get(self.listed)
        labels = list(map(str, _features(listed, self.listed or ""))) if listed is not None and listed != [] else []
        for name in self.valued:
            if value := word(values.get(name), name):
                labels.append(f"{name}={value}")
        return tuple(labels)


DEFAULT = Columns()


def checked_columns(columns: object) -> Columns:
    """Return the names of columns; raise InputError for anything else, such as one name."""
    if not isinstance(columns, Columns):
        name = columns if isinstance(columns, str) else "..."
        raise InputError(f"columns: {columns!r} is no Columns; name a column with columns=Columns(text={name!r})")
    return columns


# Usual name of the column with the contact address for a document.
CONTACT = "contact"


# Features are 64-bit numbers or become 64-bit hashes; larger numbers are mistakes.
_LEAST, _MOST = -(1 << 63), (1 << 64) - 1

# From here on, several whole numbers have the same float.
_WHOLE = 1 << 53


def record(values: Mapping[str, Any], columns: Columns, place: RowPlace, offset: int, prefix: str = "") -> CorpusRecord:
    """Return the record of a row; raise BadRowError if there is none.

    The content is always text: an id such as ``notes.c`` must not make it a program.
    """
    own = None if columns.id is None else values.get(columns.id)
    identity = word(own, columns.id) or row_id(prefix, place, columns)
    features = None if columns.features is None else _features(values.get(columns.features), columns.features)
    content = "" if features is not None else check_text(values.get(columns.text), columns.text)
    url, date, contact = (
        None if column is None else word(values.get(column), column)
        for column in (columns.url, columns.date, columns.contact)
    )
    if columns.rank is not None:
        date = _rank(values.get(columns.rank), columns.rank)
    return CorpusRecord(
        identity, Document(identity, content, url, date, contact, labels=columns.labels(values), format=TEXT), *place,
        features, offset, isinstance(own, int),
    )  # fmt: skip


# Between file and row in the id of a row of a corpus that is read without ids. No file name contains it.
ROW_MARK = "\0"


def row_id(prefix: str, place: RowPlace, columns: Columns) -> str:
    """Return the id of a row that has none."""
    return f"{prefix}{place.file}{':' if columns.id is not None else ROW_MARK}{place.row}"


def _rank(value: Any, column: str) -> str | None:
    """Return a number as a text; None if it is missing or not a number."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise BadRowError(f"{column!r} is {_kind(value)}, not a number")
    if isinstance(value, Decimal):
        return None if value.is_nan() else str(value)
    # Not as a float, which rounds integers of more than 53 bits: they would be equal.
    return None if value != value else _digits(value, column)


def _digits(value: int | float, column: str | None) -> str:
    try:
        return repr(value)
    except ValueError as error:  # Python refuses to write an integer of thousands of digits
        raise BadRowError(f"{column!r} is too large a number") from error


# More than any decimal of Arrow, which has 76 digits.
_LARGE = Decimal(10) ** 100


def word(value: Any, column: str | None) -> str | None:
    """Return an id, a URL or another fact as a text; raise BadRowError if it is none."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return _digits(value, column)
    if isinstance(value, UUID):
        return str(value)
    # Parquet of Impala and Hive has strings as bytes; Spark has large numbers as decimals.
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            raise BadRowError(f"{column!r} is bytes that are not UTF-8") from None
    if isinstance(value, Decimal) and value.is_finite() and abs(value) < _LARGE and value == value.to_integral_value():
        return _digits(int(value), column)
    # pandas makes whole numbers floats as soon as one of the column is missing.
    if isinstance(value, float) and value.is_integer() and abs(value) < _WHOLE:
        return str(int(value))
    raise BadRowError(f"{column!r} is {_kind(value)}, neither a string nor a whole number")


def check_text(value: Any, column: str) -> str | bytes:
    """Return the text of a row; raise BadRowError if there is none."""
    if value is None:
        raise LeftOutError(f"no {column!r}")
    if not isinstance(value, str | bytes):
        raise BadRowError(f"{column!r} is {_kind(value)}, not a text")
    if not value or value.isspace():
        raise LeftOutError(f"{column!r} is empty")
    return value


def _features(value: Any, column: str) -> tuple[Feature, ...]:
    if value is None:
        raise LeftOutError(f"no {column!r}")
    if not isinstance(value, list):
        raise BadRowError(f"{column!r} is {_kind(value)}, not a list of integers or strings")
    if not value:
        raise LeftOutError(f"{column!r} is empty")
    kinds = set(map(type, value))
    if kinds == {int}:
        if min(value) < _LEAST or max(value) > _MOST:
            raise BadRowError(f"{column!r} has a number that does not fit 64 bits")
    elif kinds != {str}:
        raise BadRowError(f"{column!r} is a list of other things than integers, or strings, alone")
    return tuple(value)


_KINDS = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object", str: "a text",
          bytes: "bytes", Decimal: "a number"}  # fmt: skip


def _kind(value: Any) -> str:
    return _KINDS.get(type(value), type(value).__name__)


_FIRST = 1 << 18  # cells of the first table: two megabytes, of which a small corpus touches few
_GROWTH = 2
# A table is full when this many of 8 cells are used: linear probing then reads about 5 cells for a new entry.
_FULL_EIGHTHS = 5
# Larger tables lie in a temporary file, which the system can write out when memory is short.
_IN_MEMORY = 64 << 20


class DigestSet:
    """A set of ids, or of 16-byte digests of anything else."""

    def __init__(self) -> None:
        self._tables = list[NDArray[np.uint64]]()
        self._room = 0

    def add(self, identity: str) -> bool:
        """Add an id; return whether it is new."""
        return bool(self.add_all([identity.encode("utf-8", "surrogatepass")])[0])

    def add_all(self, ids: Iterable[bytes]) -> NDArray[np.bool_]:
        """Add ids in UTF-8; return which are new."""
        return self.add_digests(_digests(ids))

    def known(self, digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which of the digests, one per row, are in the set."""
        return self._known(self._tables, np.ascontiguousarray(digests))

    def add_digests(self, digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Add digests; return which are new."""
        digests, behind = np.ascontiguousarray(digests), 0
        known = self._known(self._tables[:-1], digests)
        while True:
            if self._tables:
                behind, self._room = native_seen.insert(self._tables[-1], digests, known, behind, self._room)
            if behind == len(digests):
                return ~known
            self._enlarge()

    def _known(self, tables: Sequence[NDArray[np.uint64]], digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        known = np.zeros(len(digests), np.bool_)
        for table in tables:
            native_seen.find(table, digests, known)
        return known

    def _enlarge(self) -> None:
        count = len(self._tables[-1]) * _GROWTH if self._tables else _FIRST
        self._tables.append(_cells(count))
        self._room = count * _FULL_EIGHTHS // 8


def _digests(contents: Iterable[bytes]) -> NDArray[np.uint64]:
    digests = b"".join([blake2b(content, digest_size=16).digest() for content in contents])
    return np.frombuffer(digests, np.uint64).reshape(-1, 2)


def _cells(count: int) -> NDArray[np.uint64]:
    size = 8 * count
    if size <= _IN_MEMORY:
        return np.frombuffer(mmap.mmap(-1, size), np.uint64)
    with tempfile.TemporaryFile(prefix="whorl-ids-") as file:
        file.truncate(size)
        return np.frombuffer(mmap.mmap(file.fileno(), size), np.uint64)


# The end of each unit of a text; None is a line feed.
_SEPARATORS = {"paragraph": re.compile(r"\r?\n(?:[^\S\n]*\n)+"), "line": None}
UNITS = tuple(_SEPARATORS)


class RepeatFinder:
    """Find the paragraphs or lines of texts that occurred before, in an earlier text or in the same one.

    Two are equal if they differ only in white space. Those of fewer than ``shortest`` characters are not compared.
    """

    def __init__(self, unit: str, shortest: int) -> None:
        if unit not in UNITS:
            raise InputError(f"unit: {unit!r} is unknown; choose one of {', '.join(UNITS)}")
        if shortest < 1:
            raise InputError(f"shortest: {shortest} is out of range; give 1 or more")
        self._separator, self._shortest, self._seen = _SEPARATORS[unit], shortest, DigestSet()

    def remember(self, digests: NDArray[np.uint64]) -> None:
        """Add units that an earlier run saw, by their digests."""
        self._seen.add_digests(digests)

    def spans(self, text: str, note: Callable[[bytes], object]) -> list[tuple[int, int]]:
        """Return start and end of each repeated unit, with the line breaks behind it. ``note`` gets the digests of the
        others."""
        spans, contents, start, shortest = list[tuple[int, int]](), list[bytes](), 0, self._shortest
        for unit, behind in self._units(text):
            # Quicker than splitting; most lines of prose pass. The only white space that can be printed is the blank.
            is_normal = unit.isprintable() and "  " not in unit and unit[:1] != " " != unit[-1:]
            content = unit if is_normal else " ".join(unit.split())
            if len(content) >= shortest:
                spans.append((start, behind))
                contents.append(content.encode("utf-8", "surrogatepass"))
            start = behind
        if not contents:
            return []
        digests = _digests(contents)
        new = self._seen.add_digests(digests)
        note(digests[new].tobytes())
        return [span for span, is_new in zip(spans, new, strict=True) if not is_new]

    def _units(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield each unit of a text, and where the next one starts."""
        if self._separator is None:  # of lines: a carriage return at the end of one is white space
            units = text.split("\n")
            behind = accumulate(len(unit) + 1 for unit in units)
            yield from zip(units[:-1], behind, strict=False)
            yield units[-1], len(text)
            return
        start = 0
        for match in self._separator.finditer(text):
            yield text[start : match.start()], match.end()
            start = match.end()
        yield text[start:], len(text)


def without_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return a text without these spans, and without line breaks at the end unless it had them."""
    bounds = [0, *(bound for span in spans for bound in span), len(text)]
    rest = "".join(text[start:end] for start, end in zip(bounds[::2], bounds[1::2], strict=True))
    return rest if text.endswith("\n") else rest.rstrip("\r\n")
