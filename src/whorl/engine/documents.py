"""Read a document whole: its text, stream and fingerprints, and the text of each fingerprint."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from whorl.engine.cache import CacheEntry, ReadCache
from whorl.engine.fingerprints import Fingerprints, select_stream, select_streams
from whorl.engine.hashing import Key
from whorl.errors import DocumentError
from whorl.formats.code.frontend import LEXED, CodeFrontend, Program
from whorl.formats.code.tokens import NormalForm
from whorl.formats.documents.extraction import Extracted, SectionMark
from whorl.formats.encoding import TextReader, decode, load_content
from whorl.formats.reading import Choice, choose, is_extracting
from whorl.model import Document, Spans, Stream
from whorl.scheme import Scheme
from whorl.threads import Prefetch

# Documents that are open when many are read, and their bytes: enough to keep the parsers of several cores busy, and
# little beside the memory of a parser.
MOST_OPEN, MOST_BYTES = 256, 8 << 20

T = TypeVar("T")

_LONE_RETURN = re.compile(r"\r(?!\n)")


@dataclass(frozen=True, slots=True, eq=False)
class NormalFormStream:
    """The normal form of a program.

    ``marks`` has a bit for each rewrite that touched a symbol of ``stream``, whose spans may go back and forth.
    ``standing`` holds the statements as written; its marks tell where each begins. ``missing`` says why the normal form
    is empty; ``seconds`` is the time it took.
    """

    stream: Stream
    marks: NDArray[np.uint32]
    fingerprints: Fingerprints
    standing: Stream
    standing_marks: NDArray[np.uint32]
    missing: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class WholeDocument:
    """A document's format, the text that spans point into, its stream and its fingerprints.

    ``normal_form`` is None unless it was requested and the document is a program or a notebook. ``digest`` is the
    SHA-256 of the original. ``marks`` are the parts of the text in a format that has pages, slides, chapters or cells.
    """

    format: str
    text: str
    stream: Stream
    fingerprints: Fingerprints
    normal_form: NormalFormStream | None = None
    digest: str = ""
    marks: tuple[SectionMark, ...] = ()

    @property
    def cells(self) -> tuple[SectionMark, ...]:
        """The cells of a notebook."""
        return tuple(mark for mark in self.marks if mark.kind == "cell")


@dataclass(frozen=True, slots=True, eq=False)
class OpenedDocument:
    """A document with its content in memory, and the front-end that will read it."""

    document: Document
    content: str | bytes
    choice: Choice


def read_whole(document: Document, scheme: Scheme, key: Key) -> WholeDocument:
    """Read a document of any format."""
    return _read(_opened(document, scheme), scheme, key)


def read_stream(document: Document, scheme: Scheme) -> tuple[str, Stream]:
    """Read the text of a document of any format and its symbols, without fingerprints."""
    text, streams, _ = _streams(_opened(document, scheme))
    return text, joined(streams)


def read_wholes(
    documents: Iterable[Document],
    scheme: Scheme,
    key: Key,
    threads: int = 1,
    *,
    normal_form: bool = False,
    cache: ReadCache | None = None,
) -> Iterator[WholeDocument | DocumentError]:
    """Read many documents, in order; yield the error of one that cannot be read.

    Small programs go to the parsers together, at half the cost. ``normal_form`` adds the normal form of programs.
    Documents in the cache are not read again.
    """
    readings = _Readings(cache, scheme, key, normal_form=normal_form)
    opened = _Opened(_items(documents, scheme, readings))
    with Prefetch(threads) as ahead:
        streams = _Resumed(lambda: CodeFrontend().read_both(map(_program, opened.programs()), normal=normal_form))
        wholes = _Resumed(
            lambda: ahead.map(lambda item: _read_or_error(item, scheme, key, normal_form), opened.others())
        )
        for item in opened:
            if not isinstance(item, OpenedDocument):
                yield item
            elif _is_program(item):
                stream, normal = streams.next()
                form = None if normal is None else _normal_form(normal, scheme, key)
                yield readings.kept(item, _whole(item, _text(item.content), [stream], scheme, key, normal_form=form))
            else:
                yield readings.kept(item, wholes.next())


Item: TypeAlias = OpenedDocument | WholeDocument | DocumentError


class _Opened:
    """Documents, opened as they are asked for: all of them in order, and programs and others apart for those who read
    them ahead. No more are opened while many wait for their turn."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self._waiting: deque[Item] = deque()
        self._programs: deque[OpenedDocument] = deque()
        self._others: deque[OpenedDocument] = deque()
        self._size = 0

    def __iter__(self) -> Iterator[Item]:
        while self._waiting or self._open():
            item = self._waiting.popleft()
            self._size -= _size(item)
            yield item

    def programs(self) -> Iterator[OpenedDocument]:
        """Yield programs, until too many documents are open."""
        return self._each(self._programs)

    def others(self) -> Iterator[OpenedDocument]:
        """Yield documents that are no programs, until too many are open."""
        return self._each(self._others)

    def _each(self, queue: deque[OpenedDocument]) -> Iterator[OpenedDocument]:
        while queue or self._open():
            if queue:
                yield queue.popleft()

    def _open(self) -> bool:
        """Open one more document. Return whether there is one, and room for it."""
        if len(self._waiting) >= MOST_OPEN or self._size >= MOST_BYTES:
            return False
        item = next(self._items, None)
        if item is None:
            return False
        self._waiting.append(item)
        self._size += _size(item)
        if isinstance(item, OpenedDocument):
            (self._programs if _is_program(item) else self._others).append(item)
        return True


def _size(item: Item) -> int:
    return len(item.content) if isinstance(item, OpenedDocument) else 0


class _Resumed(Generic[T]):
    """The results of an iterator that ends where too many documents are open, and is made again later."""

    def __init__(self, make: Callable[[], Iterator[T]]) -> None:
        self._make = make
        self._results = make()

    def next(self) -> T:
        """Return the next result. There must be one."""
        for result in self._results:
            return result
        self._results = self._make()
        return next(self._results)


class _Readings:
    """Documents that were read in earlier runs under the same settings; none without a cache."""

    def __init__(self, cache: ReadCache | None, scheme: Scheme, key: Key, *, normal_form: bool) -> None:
        self._cache, self._scheme = cache, scheme
        self._facts = scheme.id, key.id, normal_form

    def recalled(self, item: OpenedDocument) -> OpenedDocument | WholeDocument:
        """Return what was read of a document, or else the document."""
        entry = None if self._cache is None else self._cache.get(self._name(self._cache, item))
        return item if entry is None else _restored(entry, item, self._scheme)

    def kept(self, item: OpenedDocument, whole: WholeDocument | DocumentError) -> WholeDocument | DocumentError:
        """Keep what was read, and return it. What the parser did not read is not kept: one that was stopped may end in
        time in the next run."""
        if self._cache is not None and isinstance(whole, WholeDocument) and not _fell_short(whole):
            self._cache.put(self._name(self._cache, item), _entry(whole, item))
        return whole

    def _name(self, cache: ReadCache, item: OpenedDocument) -> bytes:
        frontend = type(item.choice.frontend).__name__
        return cache.name(item.content, *self._facts, item.choice.format, frontend)


def _fell_short(whole: WholeDocument) -> bool:
    return any(LEXED in note for note in whole.fingerprints.notes)


def _entry(whole: WholeDocument, item: OpenedDocument) -> CacheEntry:
    """Return what is kept of a document. The text of a program is not: its content gives it."""
    normal, streams, prints = whole.normal_form, [whole.stream], [whole.fingerprints]
    arrays: list[NDArray[Any]] = []
    if normal is not None:
        streams, prints = [*streams, normal.stream, normal.standing], [*prints, normal.fingerprints]
        arrays = [normal.marks, normal.standing_marks]
    for stream in streams:
        arrays += [stream.symbols, stream.starts, stream.ends]
    for each in prints:
        arrays += [each.hashes, each.positions, each.spans.starts, each.spans.ends]
    facts = {
        "text": None if _is_program(item) else whole.text,
        "offsets": [stream.offset for stream in streams],
        "notes": [stream.note for stream in streams],
        "symbols": [[each.symbols, each.notes] for each in prints],
        "missing": "" if normal is None else normal.missing,
        "digest": whole.digest,
        "marks": [[mark.kind, mark.number, mark.start, mark.end, mark.label] for mark in whole.marks],
    }
    return CacheEntry(facts, arrays)


def _restored(entry: CacheEntry, item: OpenedDocument, scheme: Scheme) -> WholeDocument:
    facts, arrays = entry.facts, iter(entry.arrays)
    has_normal_form = len(facts["symbols"]) > 1
    marks = [next(arrays), next(arrays)] if has_normal_form else []
    streams = [
        Stream(next(arrays), next(arrays), next(arrays), *rest)
        for rest in zip(facts["offsets"], facts["notes"], strict=True)
    ]
    prints = [
        Fingerprints(scheme, next(arrays), next(arrays), Spans(next(arrays), next(arrays)), symbols, tuple(notes))
        for symbols, notes in facts["symbols"]
    ]
    text = _text(item.content) if facts["text"] is None else facts["text"]
    sections = tuple(SectionMark(*mark) for mark in facts["marks"])
    normal = None
    if has_normal_form:
        normal = NormalFormStream(streams[1], marks[0], prints[1], streams[2], marks[1], facts["missing"])
    return WholeDocument(item.choice.format, text, streams[0], prints[0], normal, facts["digest"], sections)


def joined(streams: list[Stream]) -> Stream:
    """Join consecutive streams."""
    if len(streams) == 1:
        return streams[0]
    return Stream(
        np.concatenate([stream.symbols for stream in streams]),
        np.concatenate([stream.spans.starts for stream in streams]),
        np.concatenate([stream.spans.ends for stream in streams]),
    )


def _items(documents: Iterable[Document], scheme: Scheme, readings: _Readings) -> Iterator[Item]:
    """Yield each document: opened, or what was read of it before, or why it cannot be opened."""
    for document in documents:
        try:
            yield readings.recalled(_opened(document, scheme))
        except DocumentError as error:
            yield error


def _opened(document: Document, scheme: Scheme) -> OpenedDocument:
    content = load_content(document.content)
    if content is not document.content:
        document = replace(document, content=content)
    return OpenedDocument(document, content, choose(scheme, document))


def _is_program(item: OpenedDocument) -> bool:
    return isinstance(item.choice.frontend, CodeFrontend)


def _program(item: OpenedDocument) -> Program:
    program: Program = next(item.choice.frontend.pieces(item.document))
    return program


def _read_or_error(item: OpenedDocument, scheme: Scheme, key: Key, normal_form: bool) -> WholeDocument | DocumentError:
    try:
        return _read(item, scheme, key, normal_form=normal_form)
    except DocumentError as error:
        return error


def _read(item: OpenedDocument, scheme: Scheme, key: Key, *, normal_form: bool = False) -> WholeDocument:
    text, streams, extracted = _streams(item)
    marks = () if extracted is None else extracted.marks
    normal = _normal_form_of_cells(item, extracted) if normal_form and extracted is not None else None
    form = None if normal is None else _normal_form(normal, scheme, key)
    return _whole(item, text, streams, scheme, key, marks, form)


def _normal_form_of_cells(item: OpenedDocument, extracted: Extracted) -> NormalForm | None:
    from whorl.formats.documents.frontend import CellsFrontend  # whoever reads no notebook starts without it

    front = item.choice.frontend
    return front.normal_form(extracted) if isinstance(front, CellsFrontend) else None


def _streams(item: OpenedDocument) -> tuple[str, list[Stream], Extracted | None]:
    front = item.choice.frontend
    if is_extracting(front):
        extracted = front.extract(item.document)
        streams = [front.read(piece) for piece in front.parts(extracted)]
        return extracted.text, streams, extracted if isinstance(extracted, Extracted) else None
    return _text(item.content), [front.read(piece) for piece in front.pieces(item.document)], None


def _whole(
    item: OpenedDocument,
    text: str,
    streams: list[Stream],
    scheme: Scheme,
    key: Key,
    marks: tuple[SectionMark, ...] = (),
    normal_form: NormalFormStream | None = None,
) -> WholeDocument:
    if len(streams) == 1:
        fingerprints = select_stream(streams[0], scheme, key)
    else:
        with Prefetch(1) as ahead:
            fingerprints = select_streams(streams, scheme, key, ahead)
    digest = _digest(item.content)
    return WholeDocument(item.choice.format, text, joined(streams), fingerprints, normal_form, digest, marks)


def _digest(content: str | bytes) -> str:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return sha256(data).hexdigest()


def _normal_form(normal: NormalForm, scheme: Scheme, key: Key) -> NormalFormStream:
    size = normal.size
    stream = Stream(normal.symbols[:size], normal.starts[:size], normal.ends[:size])
    standing = Stream(normal.symbols[size:], normal.starts[size:], normal.ends[size:])
    chosen = select_stream(stream, scheme, key)
    bits, standing_bits = normal.marks[:size], normal.marks[size:]
    return NormalFormStream(stream, bits, chosen, standing, standing_bits, normal.missing, normal.seconds)


def _text(content: str | bytes) -> str:
    """Return the text, with a lone carriage return as the end of a line."""
    text = content if isinstance(content, str) else decode(content).text
    return _LONE_RETURN.sub("\n", text) if "\r" in text else text


def excerpts(document: Document, fingerprints: Fingerprints) -> Iterator[str]:
    """Return the text of each fingerprint of a file, in order."""
    if isinstance(document.content, str):
        return _texts([document.content], fingerprints.spans)
    front = choose(fingerprints.scheme, document).frontend
    if is_extracting(front):
        return _texts([front.extract(document).text], fingerprints.spans)
    return _texts(TextReader(document.content), fingerprints.spans)


def _texts(chunks: Iterable[str], spans: Spans) -> Iterator[str]:
    """Yield the text of spans whose starts do not decrease, holding little more than a chunk at a time."""
    rest = iter(chunks)
    base, text = 0, ""
    for span in spans:
        while base + len(text) < span.end:
            if span.start > base:
                drop = min(span.start - base, len(text))
                base, text = base + drop, text[drop:]
            text += next(rest)
        yield text[span.start - base : span.end - base]
