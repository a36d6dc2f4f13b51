"""The records that layers pass to each other: small, frozen, without I/O; and the base of what a block closes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from whorl.errors import DocumentError, InputError

Symbols: TypeAlias = NDArray[np.unsignedinteger[Any]]
Offsets: TypeAlias = NDArray[np.signedinteger[Any]]
Hashes: TypeAlias = NDArray[np.uint64]


class Span(NamedTuple):
    """A piece of a text: ``text[start:end]``, counted in code points."""

    start: int
    end: int


class Spans(Sequence[Span]):
    """Many spans, stored as two arrays; a sequence of ``Span``."""

    __slots__ = ("ends", "starts")

    def __init__(self, starts: Offsets, ends: Offsets) -> None:
        self.starts = starts
        self.ends = ends

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> Span: ...
    @overload
    def __getitem__(self, index: slice) -> "Spans": ...
    def __getitem__(self, index: int | slice) -> "Span | Spans":
        if isinstance(index, slice):
            return Spans(self.starts[index], self.ends[index])
        return Span(int(self.starts[index]), int(self.ends[index]))

    def __iter__(self) -> Iterator[Span]:
        return map(Span, self.starts.tolist(), self.ends.tolist())

    def __repr__(self) -> str:
        return f"Spans({len(self)})"


@dataclass(frozen=True, slots=True, eq=False)
class Stream:
    """The canonical form of a text: its symbols, and the span of the text that each comes from.

    ``symbols`` is an array of unsigned integers of 8, 16, 32 or 64 bits. The same values give the same fingerprints in
    any width. Spans do not decrease, and those of neighbouring symbols may coincide (one ligature, two letters). The
    stream of a piece of a text counts ``starts`` and ``ends`` from the piece's ``offset``. ``note`` is a remark on the
    reading for the user.
    """

    symbols: Symbols
    starts: Offsets
    ends: Offsets
    offset: int = 0
    note: str = ""

    def __len__(self) -> int:
        return len(self.symbols)

    @property
    def spans(self) -> Spans:
        """Span of each symbol in the whole text."""
        return Spans(self.starts + self.offset, self.ends + self.offset)


# The fields of a document that hold text. All but the name may be None.
_TEXTS = ("name", "url", "date", "contact", "owner", "format")


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes, text or a file to read, with a name and metadata. Refuses values of other types, which a store could not
    give back; any sequence of strings will do for the labels."""

    name: str
    content: bytes | str | Path
    url: str | None = None
    date: str | None = None
    contact: str | None = None
    owner: str | None = None
    labels: tuple[str, ...] = ()
    format: str | None = None
    """A name that ``whorl formats`` lists; None to detect the format from content and name."""

    def __post_init__(self) -> None:
        for field in _TEXTS:
            value = getattr(self, field)
            if type(value) is not str and (value is not None or field == "name"):
                object.__setattr__(self, field, _plain_text(value, field))
        if type(self.content) is not str and not isinstance(self.content, bytes | Path):
            object.__setattr__(self, "content", _plain_content(self.content))
        if type(self.labels) is not tuple or self.labels:
            object.__setattr__(self, "labels", _plain_labels(self.labels))


def _plain_text(value: object, field: str) -> str:
    """Return a text as ``str``, not a subclass such as NumPy's, which cannot be stored."""
    if not isinstance(value, str):
        raise InputError(f"{field}: {value!r} is no text, but {type(value).__name__}; give a string")
    return str.__str__(value)  # ``str(value)`` is the name of an enumeration's member, not its text


def _plain_content(value: object) -> str:
    if not isinstance(value, str):
        raise DocumentError(f"a document is a string, bytes or a path, not a {type(value).__name__}")
    return str.__str__(value)


def _plain_labels(labels: object) -> tuple[str, ...]:
    if isinstance(labels, str | bytes | Set | Mapping) or not isinstance(labels, Iterable):
        raise InputError(f"labels: {labels!r} is no list of strings; give one, such as ('draft', 'title=On copies')")
    return tuple(_plain_text(label, "labels") for label in labels)


def document_at(source: Document | Path | str) -> Document:
    """Return the document to store; a string is the path of a file."""
    if isinstance(source, Document):
        return source
    if not isinstance(source, str | Path):
        raise InputError(f"document: {type(source).__name__} is neither a Document nor a path")
    return Document(str(source), Path(source))


def checked_name(name: object) -> str:
    """Return the name of a stored document, to look it up."""
    return name if type(name) is str else _plain_text(name, "name")


def is_unicode(text: str) -> bool:
    """Return whether a text can be stored. Names of files that do not decode cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def checked_documents(documents: Iterable[Document], *, others: str = "") -> Iterator[Document]:
    """Yield the documents to store; raise InputError for anything else. ``others`` says what else to do with these."""
    if isinstance(documents, str | bytes | Path | Document | Mapping) or not isinstance(documents, Iterable):
        raise InputError(f"documents: {type(documents).__name__} is not a list of documents; give a list{others}")
    for number, document in enumerate(documents):
        if not isinstance(document, Document):
            raise InputError(f"documents: number {number} is {type(document).__name__}, not a Document{others}")
        yield document


# How the label begins that holds the title of a document.
TITLE = "title="


# How the names of records in WARC files begin. A number follows, which tells a reader nothing.
RECORD = "urn:uuid:"


def title_of(name: str, labels: Sequence[str], url: str | None = None) -> str:
    """Return what to call a document: the title in its label ``title=…``, or else its name; for a record of a crawl,
    its URL."""
    titles = (label.removeprefix(TITLE).strip() for label in labels if label.startswith(TITLE))
    return next(filter(None, titles), (url or name) if name.startswith(RECORD) else name)


class Skipped(NamedTuple):
    """A file or a folder that was skipped, and the reason in one line.

    ``files`` counts the files in it; ``size`` is their bytes, or None if it was not measured. ``expected`` is true if a
    rule skips it or it has no text, such as an image; otherwise something is wrong with it. ``submission`` is the
    submission it belongs to, if any.
    """

    name: str
    reason: str
    files: int = 1
    size: int | None = None
    expected: bool = False
    submission: str = ""


class Closing:
    """A context manager that closes its object at the end."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release all resources."""
