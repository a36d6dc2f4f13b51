"""The files of a corpus that is written again: which they are, and the tokens of their texts."""

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Self, TypeVar
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from whorl.clustering.cluster import Progress
from whorl.clustering.repeats import raw
from whorl.clustering.store import PhaseStore
from whorl.errors import DocumentError, InputError
from whorl.formats.archives import kinds
from whorl.formats.archives.gitignore import Allowance
from whorl.formats.archives.names import LONGEST_NAME, RefusedFileError, is_folder, opened, printable, reason
from whorl.formats.archives.rules import Rules
from whorl.formats.archives.selection import DiskFolder, FileSelector
from whorl.formats.corpora import tables
from whorl.formats.corpora.jsonl import Sheet
from whorl.formats.corpora.read import prefixes, skipped_fault
from whorl.formats.corpora.records import Columns, CorpusRecord, Fault
from whorl.formats.detection import TEXT
from whorl.formats.reading import choose
from whorl.formats.text import TextFrontend
from whorl.model import Document, Hashes, Skipped
from whorl.scheme import Scheme
from whorl.threads import Prefetch

# Texts that are read together: as many rows or bytes as ``whorl.clustering.reading`` takes.
BATCH, BATCH_BYTES = 1024, 1 << 19

READ = "read"

# Formats with a front-end of their own whose files are text all the same: commands are searched and cut like words.
MARKUP = ("markdown", "latex")

# A document: the number of its source, its row, how many tokens it has, and a hash of its host.
DOCUMENT = np.dtype([("source", "<i8"), ("row", "<i8"), ("tokens", "<i8"), ("host", "<i8")])

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the corpus: its name in ids, what it is, and where its rows go."""

    name: str
    path: Path
    kind: tables.TableKind | None
    target: Path

    @property
    def attributes(self) -> Path:
        """Where the attributes of its rows go."""
        return self.target if self.kind == "jsonl" else self.target.with_name(f"{self.target.name}.jsonl")


def find_sources(
    paths: Sequence[Path], out: Path, columns: Columns, rules: Rules, *, mark: bool = False
) -> tuple[list[Source], list[Fault]]:
    """Return the files to write, and the files and folders that are left out. With ``mark``, attributes are written in
    place of the files. Raise InputError if one is of a kind that is not written, or two go to one place."""
    sources, left_out = list[Source](), list[Fault]()
    for path, prefix in zip(paths, prefixes(paths, columns, rules), strict=True):
        if not is_folder(path):
            kind = tables.kind(path, path.name, columns, rules, any_name=True)
            sources.append(Source(prefix + printable(path.name), path, kind, out / prefix / path.name))
            continue
        if path.resolve() in (out.resolve(), *out.resolve().parents):
            raise InputError(f"{out}: lies inside the corpus; choose another folder")
        for item in FileSelector[Path](rules, Allowance()).select(DiskFolder(path)):
            if isinstance(item, Skipped):
                left_out.append(skipped_fault(item, prefix))
                continue
            if not item.included:
                continue
            try:
                kind = tables.kind(item.file, item.name, columns, rules)
            except (OSError, RefusedFileError) as error:
                left_out.append(Fault(prefix + printable(item.name), 0, reason(error)))
                continue
            sources.append(Source(prefix + printable(item.name), item.file, kind, out / prefix / item.name))
    if refused := [source for source in sources if _is_refused(source)]:
        raise InputError(
            f"{printable(str(refused[0].path))}: neither JSONL nor Parquet nor a single document, which can be written "
            f"again ({len(refused):,} in all); convert or unpack them, or leave them out with --exclude"
        )
    check_targets([source.attributes if mark else source.target for source in sources])
    return sources, left_out


def check_targets(targets: Sequence[Path]) -> None:
    """Raise InputError if two files would be written to one place, or one has too long a name."""
    if twice := [path for path, count in Counter(targets).items() if count > 1]:
        raise InputError(
            f"{twice[0]}: two files of the corpus would be written there; name each path once, or rename one of the "
            "files"
        )
    if long := [path for path in targets if len(os.fsencode(path.name)) > LONGEST_NAME]:
        raise InputError(f"{long[0]}: a name of more than {LONGEST_NAME} bytes cannot be written; rename the file")


def table_fault(sources: Sequence[Source], number: int, columns: Columns, rules: Rules) -> Fault | None:
    """Return why a table is not searched, such as a missing column; raise InputError if the first table lacks one."""
    source = sources[number]
    if source.kind is None:
        return None
    try:
        tables.check(source.kind, source.path, columns, rules)
    except InputError as error:
        if all(other.kind is None for other in sources[:number]):
            raise
        return Fault(source.name, 0, reason(error))
    except (OSError, RefusedFileError) as error:
        return Fault(source.name, 0, reason(error))
    return None


def check_ids(sources: Iterable[Source], columns: Columns, rules: Rules) -> None:
    """Raise InputError if a table lacks the column of ids that attributes name its rows by."""
    for source in sources:
        if source.kind is not None:
            with suppress(OSError, RefusedFileError):  # reading says why
                tables.check(source.kind, source.path, columns, rules)


def _is_refused(source: Source) -> bool:
    if source.kind is not None:
        return source.kind not in ("jsonl", "parquet")
    try:
        with opened(source.path, follow=True) as file:
            return kinds.kind(source.path.name, file.read(kinds.HEAD)).is_archive
    except (OSError, RefusedFileError):
        return False  # reading says why


def copied(source: Source, target: Path) -> str:
    """Copy a file that is a document; return "", for nothing is damaged."""
    shutil.copyfile(source.path, target)
    return ""


def file_writer(source: Source, editor: tables.RowEditor) -> Callable[[Path], str] | None:
    """Return what writes a text file as it is edited, as row 0; None if too little is left of it."""
    if editor.stays(0):
        return lambda target: copied(source, target)
    rest = editor.edited(0, source_text(source))

    def write(target: Path) -> str:
        target.write_bytes((rest or "").encode())
        return ""

    return None if rest is None else write


def source_text(source: Source) -> str:
    """Return the text of a file that was searched."""
    with opened(source.path, follow=True) as file:
        return bytes(file.read()).decode()


def text_of(source: Source, scheme: Scheme) -> str | Fault:
    """Return the text of a file that is a document, or why it cannot be searched and cut."""
    name = source.path.name
    try:
        with opened(source.path, follow=True) as file:
            data = file.read()
        kind = kinds.kind(name, data[: kinds.HEAD])
        if kind.what == "binary":
            return Fault(source.name, 0, kind.reason, left_out=True)
        choice = choose(scheme, Document(name, source.path))
        if not isinstance(choice.frontend, TextFrontend) and choice.format not in MARKUP:
            why = f"{choice.format}: only plain text and tables are searched; extract the text of this file first"
            return Fault(source.name, 0, why)
        return data.decode()
    except UnicodeDecodeError:
        return Fault(source.name, 0, "not UTF-8: not searched; convert the file first")
    except (OSError, RefusedFileError, DocumentError) as error:
        return Fault(source.name, 0, reason(error))


def text_frontend(scheme: Scheme) -> TextFrontend:
    """Return what makes tokens of texts under a scheme."""
    front = choose(scheme, Document("", "", format=TEXT)).frontend
    if not isinstance(front, TextFrontend):
        raise InputError(f"{scheme.id}: this scheme does not read texts; choose one that does, such as pages")
    return front


@dataclass(frozen=True, slots=True, eq=False)
class TextBatch:
    """Texts of consecutive rows of a source, in UTF-8."""

    source: int
    rows: Sequence[int]
    urls: Sequence[str | None]
    texts: Callable[[], tuple[NDArray[np.uint8], NDArray[np.int64]]]

    def tokens(self, front: TextFrontend) -> tuple[Hashes, NDArray[np.int64]]:
        """Return the tokens of all texts and their bounds. Releases the interpreter's lock."""
        symbols, bounds = front.read_all(*self.texts())
        return np.ascontiguousarray(symbols, np.uint64), bounds


class CorpusTexts:
    """Read the texts of tables and text files, in order. A stopped search resumes from the files in ``folder``.

    ``names`` are the files that grow with the documents, beside their records. ``left_out`` are the files and folders
    that are no sources, and why.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        columns: Columns,
        rules: Rules,
        scheme: Scheme,
        folder: Path,
        names: Sequence[str],
        left_out: Sequence[Fault] = (),
    ) -> None:
        self._left_out = left_out
        self.sources, self._columns, self._rules, self._scheme = sources, columns, rules, scheme
        self.front = text_frontend(scheme)
        self.store = PhaseStore(folder, ("documents", *names), DOCUMENT.itemsize)
        # The faults of sources that are being read, and the first of these sources.
        self._faults: dict[int, list[Fault]] = {}
        self._noted = self._reached()[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            self.store.save()
        self.store.close()

    def search(
        self,
        function: Callable[[Hashes, NDArray[np.int64]], R],
        contents: Callable[[R], Mapping[str, memoryview]],
        threads: int,
        progress: Progress | None,
    ) -> None:
        """Append ``contents(function(tokens, bounds))`` of all texts to the store, in order; functions run on several
        threads. Texts that the store has are not searched again."""
        if self.store.state.get("read"):
            return

        def searched(batch: TextBatch) -> tuple[NDArray[np.void], R]:
            tokens, bounds = batch.tokens(self.front)
            return self._records(batch, np.diff(bounds)), function(tokens, bounds)

        def add(result: tuple[NDArray[np.void], R]) -> None:
            records, values = result
            self._note_faults(int(records["source"][0]))
            self.store.append({"documents": raw(records), **contents(values)}, len(records))

        with Prefetch(threads) as ahead:
            ahead.each(searched, self._batches(progress), add)
        self._note_faults(len(self.sources))
        self.store.save(read=True)

    def _records(self, batch: TextBatch, tokens: NDArray[np.int64]) -> NDArray[np.void]:
        records = np.empty(len(batch.rows), DOCUMENT)
        records["source"], records["row"], records["tokens"] = batch.source, batch.rows, tokens
        records["host"] = [_host(url) for url in batch.urls] if self._columns.url is not None else -1
        return records

    def _note_faults(self, source: int) -> None:
        """Note the faults of the sources before this one: they were all read."""
        more = [asdict(fault) for number in range(self._noted, source) for fault in self._faults.pop(number, ())]
        self.store.state["faults"] = [*self.store.state.get("faults", []), *more]
        self._noted = source

    @property
    def faults(self) -> list[Fault]:
        """The rows and files that gave no document, when all texts were searched."""
        return [*self._left_out, *(Fault(**fault) for fault in self.store.state["faults"])]

    @property
    def hosts(self) -> NDArray[np.int64] | None:
        """A hash of the host of each document, -1 if it has none; None if no column of URLs was read."""
        return None if self._columns.url is None else np.array(self.records["host"])

    @cached_property
    def records(self) -> NDArray[np.void]:
        """Source, row, number of tokens and host of each document."""
        return self.store.mapped("documents", DOCUMENT, self.store.documents)

    @property
    def bounds(self) -> NDArray[np.int64]:
        """The bounds of the documents among the tokens of all."""
        bounds = np.zeros(len(self.records) + 1, np.int64)
        np.cumsum(self.records["tokens"], out=bounds[1:])
        return bounds

    def documents(self, source: int) -> range:
        """Return the numbers of the documents of a source."""
        first, last = np.searchsorted(self.records["source"], [source, source + 1]).tolist()
        return range(first, last)

    def located(self, documents: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
        """Return file and row of each document."""
        records = self.records[documents]
        return [self.sources[source].name for source in records["source"].tolist()], records["row"]

    def was_searched(self, source: int) -> bool:
        """Return whether a source is a table, or a text file that could be read."""
        return self.sources[source].kind is not None or len(self.documents(source)) > 0

    def _batches(self, progress: Progress | None) -> Iterator[TextBatch]:
        """Yield the texts that the store does not have yet."""
        behind = [0, *accumulate(source.path.stat().st_size for source in self.sources)]
        source, row = self._reached()
        for number in range(source, len(self.sources)):
            for item in _grouped(self._items(number)):
                offset = item.offset if isinstance(item, Sheet) else item[-1].offset
                if progress is not None:
                    progress(READ, behind[number] + offset, behind[-1])
                batch = _of_sheet(number, item) if isinstance(item, Sheet) else _of_records(number, item)
                if number > source or batch.rows[0] > row:
                    yield batch

    def _reached(self) -> tuple[int, int]:
        """Return source and row of the last document in the store. Batches depend on nothing but the files, so all of
        its batch are there."""
        if not self.store.documents:
            return 0, -1
        last = self.store.mapped("documents", DOCUMENT, self.store.documents)[-1]
        return int(last["source"]), int(last["row"])

    def _items(self, number: int) -> Iterator[CorpusRecord | Sheet]:
        source, self._faults[number] = self.sources[number], []
        if source.kind is None:
            text = text_of(source, self._scheme)
            if isinstance(text, Fault):
                self._faults[number].append(text)
            else:
                yield CorpusRecord(source.name, Document(source.name, text), source.name, 0)
            return
        if fault := table_fault(self.sources, number, self._columns, self._rules):
            self._faults[number].append(fault)
            return
        for item in tables.sheets(source.kind, source.path, source.name, self._columns, self._rules, ""):
            if isinstance(item, Fault):
                self._faults[number].append(item)
            elif isinstance(item, Sheet):
                yield item
            else:
                content, column = item.document.content, self._columns.text
                if why := tables.text_fault(content, column):
                    self._faults[number].append(Fault(item.path, item.row, str(why)))
                else:
                    yield replace(item, document=replace(item.document, content=tables.text_in(content) or ""))


def _host(url: str | None) -> int:
    """Return a hash of the host of a URL; -1 if there is none."""
    try:
        host = urlsplit(url or "").hostname
    except ValueError:
        host = None  # no valid URL, so no host
    if host is None:
        return -1
    return int.from_bytes(blake2b(host.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big") >> 1


def _grouped(items: Iterable[CorpusRecord | Sheet]) -> Iterator[list[CorpusRecord] | Sheet]:
    batch, size = list[CorpusRecord](), 0
    for item in items:
        if not isinstance(item, Sheet):
            batch.append(item)
            size += len(str(item.document.content))
        if batch and (isinstance(item, Sheet) or len(batch) == BATCH or size >= BATCH_BYTES):
            yield batch
            batch, size = [], 0
        if isinstance(item, Sheet):
            yield item
    if batch:
        yield batch


def _of_sheet(source: int, sheet: Sheet) -> TextBatch:
    return TextBatch(source, sheet.rows, sheet.urls, sheet.texts)


def _of_records(source: int, records: Sequence[CorpusRecord]) -> TextBatch:
    def texts() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        encoded = [str(record.document.content).encode("utf-8", "surrogatepass") for record in records]
        bounds = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return np.frombuffer(b"".join(encoded), np.uint8), bounds

    return TextBatch(source, [record.row for record in records], [record.document.url for record in records], texts)
