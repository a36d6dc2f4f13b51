"""Read every document of a corpus: folders, archives, single documents and tables. Report every fault."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from whorl.errors import InputError
from whorl.formats.archives import kinds
from whorl.formats.archives.gitignore import Allowance
from whorl.formats.archives.names import RefusedFileError, is_folder, opened, printable, reason, shortened
from whorl.formats.archives.rules import DEFAULT, Rules
from whorl.formats.archives.selection import DiskFolder, FileSelector, SelectedFile
from whorl.formats.archives.walk import Item as Walked
from whorl.formats.archives.walk import Walk
from whorl.formats.corpora import tables
from whorl.formats.corpora.jsonl import LineMark, Sheet
from whorl.formats.corpora.records import DEFAULT as NAMES
from whorl.formats.corpora.records import Columns, CorpusRecord, DigestSet, Fault, Unchanged
from whorl.formats.corpora.tables import CorpusItem, TableKind
from whorl.model import Document, Skipped

# A function that reads a table.
TableReader: TypeAlias = Callable[[TableKind, Path, str, Columns, Rules, str], Iterator[CorpusItem]]


def read(
    path: Path,
    columns: Columns = NAMES,
    rules: Rules = DEFAULT,
    *,
    seen: DigestSet | None = None,
    prefix: str = "",
) -> Iterator[CorpusRecord | Fault]:
    """Yield every document of a folder, an archive, a single document, or a table (JSONL, a JSON array, CSV,
    Parquet, Arrow, WARC); lazily, in order.

    A folder may mix all of them. The first document with an id keeps it; ``seen`` extends that over several corpora.
    Ids made of file names begin with ``prefix``. Raises InputError before any work if the path cannot be read or a
    column is missing.
    """
    return cast(Iterator[CorpusRecord | Fault], _read(path, columns, rules, seen, prefix, tables.records))


def read_sheets(
    path: Path, columns: Columns = NAMES, rules: Rules = DEFAULT, *, seen: DigestSet | None = None, prefix: str = ""
) -> Iterator[CorpusItem]:
    """Like ``read``, but yield rows together in sheets where possible: faster for large corpora."""
    return _read(path, columns, rules, seen, prefix, tables.sheets)


def read_repeated(
    paths: Sequence[Path], unchanged: Sequence[Unchanged], columns: Columns, rules: Rules, seen: DigestSet
) -> Iterator[tuple[Unchanged, CorpusRecord | Fault]]:
    """Yield each page that is unchanged since a record in another file: with its document if one of the paths has that
    record, otherwise with the fault."""
    from whorl.formats.corpora import warc  # few corpora have such pages

    left = {id(each): each for each in unchanged}
    for table in (table for path in paths for table in _warc_files(path, columns, rules)):
        if not left:
            return
        for each, item in warc.repeated(table, left.values(), rules):
            del left[id(each)]
            yield each, item if isinstance(item, Fault) or seen.add(item.id) else _again(item.path, item.row, item.id)
    for each in left.values():
        yield each, each.as_fault()


def _warc_files(path: Path, columns: Columns, rules: Rules) -> Iterator[Path]:
    if path.is_dir():
        yield from (table for kind, table in _tables(path, columns, rules) if kind == "warc")
    elif tables.kind(path, path.name, columns, rules, any_name=True) == "warc":
        yield path


# The row of a document in a table that is read whole to find it.
UNKNOWN_ROW = -1


class ChosenPlace(NamedTuple):
    """Where a document is: the name of its table in the corpus, "" for any table, and its row; row 0 is a file that is
    no table. ``mark`` is that of an earlier line, for JSONL."""

    file: str
    row: int
    mark: LineMark = LineMark(1, 0)


def read_chosen(
    path: Path, chosen: Mapping[str, ChosenPlace], columns: Columns, rules: Rules, prefix: str
) -> Iterator[Document]:
    """Yield some documents that ``read`` gave, each under its id; read little else. ``chosen`` has their places."""
    tables_read = _ChosenRows(chosen)
    files = _files_on_disk(path, chosen, prefix)
    if files is None:
        items = _read(path, columns, rules, None, prefix, tables_read.read)
    else:
        items = _read_files(files, chosen, columns, rules, prefix, tables_read.read)
    for item in items:
        if isinstance(item, Sheet):
            yield from item.documents()
        elif isinstance(item, CorpusRecord) and item.id in chosen:
            yield replace(item.document, name=item.id)


class _ChosenRows:
    """Read the chosen rows of tables."""

    def __init__(self, chosen: Mapping[str, ChosenPlace]) -> None:
        self._ids = {identity.encode("utf-8", "surrogatepass") for identity in chosen}
        self._rows = dict[str, dict[int, LineMark]]()
        for file, row, mark in chosen.values():
            if row != 0:
                self._rows.setdefault(file, {})[row] = mark

    def read(
        self, kind: TableKind, table: Path, name: str, columns: Columns, rules: Rules, prefix: str
    ) -> Iterator[CorpusItem]:
        """Yield the chosen rows, and perhaps others that are no part of a sheet."""
        rows = {**self._rows.get("", {}), **self._rows.get(prefix + name, {})}
        if not rows:
            return
        if UNKNOWN_ROW not in rows:
            yield from tables.chosen_rows(kind, table, name, columns, rules, prefix, rows)
            return
        for item in tables.sheets(kind, table, name, columns, rules, prefix):
            if not isinstance(item, Sheet):
                yield item
                continue
            is_chosen = np.fromiter((identity in self._ids for identity in item.ids.encoded()), np.bool_, len(item))
            if is_chosen.any():
                yield item.chosen(is_chosen)


def _files_on_disk(path: Path, chosen: Mapping[str, ChosenPlace], prefix: str) -> dict[str, Path] | None:
    """Return the names of all chosen documents and tables of a folder, with their files; None if the folder must be
    walked to find one, such as a part of an archive."""
    if not path.is_dir():
        return None
    names = {identity if place.row == 0 else place.file for identity, place in chosen.items()}
    files = {name.removeprefix(prefix): path / name.removeprefix(prefix) for name in names}
    return files if "" not in files and all(map(Path.is_file, files.values())) else None


def _read_files(
    files: Mapping[str, Path],
    chosen: Mapping[str, ChosenPlace],
    columns: Columns,
    rules: Rules,
    prefix: str,
    reader: TableReader,
) -> Iterator[CorpusItem]:
    """Yield documents and rows of some files of a folder."""
    for name, file in sorted(files.items()):
        place = chosen.get(prefix + name)
        if place is not None and place.row == 0:
            yield CorpusRecord(prefix + name, Document(prefix + name, file), name, 0)
        elif kind := tables.kind(file, name, columns, rules):
            yield from _inner(
                kind, file, name, columns, rules, partial(reader, kind, file, name, columns, rules, prefix), 0
            )


def _read(
    path: Path, columns: Columns, rules: Rules, seen: DigestSet | None, prefix: str, reader: TableReader
) -> Iterator[CorpusItem]:
    kind = None if is_folder(path) else tables.kind(path, path.name, columns, rules, any_name=True)
    if kind is not None:
        tables.check(kind, path, columns, rules)
        return _once(reader(kind, path, printable(path.name), columns, rules, prefix), seen or DigestSet())
    return _once(_read_folder(path, columns, rules, prefix, reader), seen or DigestSet())


def prefixes(paths: Sequence[Path], columns: Columns = NAMES, rules: Rules = DEFAULT) -> list[str]:
    """Return for each path of a corpus what the ids made of its file names begin with; nothing for a single path.

    It is the name of a folder or an archive, with as many of its folders as tell it from the others. Before the name of
    a table or a single document are only the folders that tell it from the others.
    """
    if len(paths) < 2:
        return [""] * len(paths)
    parts = [path.resolve().parts for path in paths]
    is_one = [_is_one(path, columns, rules) for path in paths]
    # A file in b is no file of another folder b.
    around = {each[:length] for each, one in zip(parts, is_one, strict=True) if one for length in range(1, len(each))}
    endings = Counter(each[-length:] for each in {*parts, *around} for length in range(1, len(each) + 1))
    return [
        "".join(f"{part}/" for part in _told_apart(each, endings)[: -1 if one else None])
        for each, one in zip(parts, is_one, strict=True)
    ]


def _is_one(path: Path, columns: Columns, rules: Rules) -> bool:
    """Return whether a path is a table or a single document, which has its own name: no folder and no archive."""
    if is_folder(path):
        return False
    if tables.kind(path, path.name, columns, rules, any_name=True) is not None:
        return True
    with opened(path, follow=True) as file:
        return not kinds.kind(path.name, file.read(kinds.HEAD)).is_archive


def _told_apart(parts: tuple[str, ...], endings: Counter[tuple[str, ...]]) -> tuple[str, ...]:
    """Return as many of the last parts as no other path ends with. Without the root: output goes below a folder."""
    lengths = range(1, len(parts))
    return next((parts[-length:] for length in lengths if endings[parts[-length:]] == 1), parts[1:])


def size(path: Path, rules: Rules = DEFAULT) -> int:
    """Return the bytes on disk that ``read`` will pass: the final ``offset`` of its records."""
    if not is_folder(path):
        return path.stat().st_size
    return _folder_size(path, rules)


def described(path: Path, rules: Rules = DEFAULT) -> str:
    """Return a text that changes with the names, sizes and times of the files."""
    if not is_folder(path):
        status = path.stat()
        return f"{status.st_size} {status.st_mtime_ns}"
    return _described_folder(path, rules)


def _once(items: Iterator[CorpusItem], seen: DigestSet) -> Iterator[CorpusItem]:
    """Yield the first item of each id; a fault for the others."""
    for item in items:
        if isinstance(item, Sheet):
            yield from _once_each(item, seen)
        elif isinstance(item, Fault) or seen.add(item.id):
            yield item
        else:
            yield _again(item.path, item.row, item.id)


def _once_each(sheet: Sheet, seen: DigestSet) -> Iterator[CorpusItem]:
    new = seen.add_all(sheet.ids.encoded())
    if new.all():
        yield sheet
        return
    yield sheet.chosen(new)
    for place in np.flatnonzero(~new).tolist():
        yield _again(sheet.path, sheet.rows[place], sheet.ids[place] or "")


def _again(path: str, row: int, identity: str) -> Fault:
    return Fault(path, row, f"the id {printable(shortened(identity))!r} was there before; the first document keeps it")


# How the walk begins its reason for a damaged file. Other reasons come from rules.
_WRONG = ("damaged", "binary: compressed by", "too ", "perhaps a bomb", "permission", "no such", "input/output")


def skipped_fault(item: Skipped, prefix: str = "") -> Fault:
    """Return the fault of what the walk left out: because it is unreadable, or by a rule."""
    return Fault(prefix + item.name, 0, item.reason, not item.reason.lower().startswith(_WRONG))


def _read_folder(path: Path, columns: Columns, rules: Rules, prefix: str, reader: TableReader) -> Iterator[CorpusItem]:
    """Yield every document of a folder, an archive or a single document; tables by ``reader``.

    The first table of a folder is checked before any work.
    """
    first = next(_tables(path, columns, rules), None) if path.is_dir() else None
    if first is not None:
        tables.check(*first, columns, rules)
    return _walked(_CorpusWalk(path, columns, rules), columns, rules, prefix, reader)


def _folder_size(path: Path, rules: Rules) -> int:
    """Return the bytes on disk of the included files of a folder."""
    items = FileSelector[Path](rules, Allowance()).select(DiskFolder(path))
    return sum(_size(item.file) for item in items if not isinstance(item, Skipped) and item.included)


def _described_folder(path: Path, rules: Rules) -> str:
    """Return a digest of the names, sizes and times of all included files of a folder."""
    hashed = blake2b(digest_size=16, person=b"whorl corpus")
    for item in FileSelector[Path](rules, Allowance()).select(DiskFolder(path)):
        if not isinstance(item, Skipped) and item.included:
            size, changed = _facts(item.file)
            hashed.update(f"{item.name}\0{size}\0{changed}\n".encode("utf-8", "surrogateescape"))
    return hashed.hexdigest()


class _CorpusWalk(Walk):
    """A walk that yields tables as documents, though they are binary or compressed, and counts bytes passed."""

    def __init__(self, path: Path, columns: Columns, rules: Rules) -> None:
        super().__init__(path, rules)
        self._columns = columns
        self.offset = 0

    def _file(self, entry: SelectedFile[Path], top: bool = False) -> Iterator[Walked]:
        if entry.included and not top and _kind(entry, self._columns, self._rules):
            yield Document(printable(entry.name), entry.file)
        else:
            yield from super()._file(entry, top)
        self.offset += _size(entry.file) if entry.included else 0


def _kind(entry: SelectedFile[Path], columns: Columns, rules: Rules) -> TableKind | None:
    try:
        return tables.kind(entry.file, entry.name, columns, rules)
    except (OSError, RefusedFileError):
        return None  # the walk, which reads it next, says why


def _tables(path: Path, columns: Columns, rules: Rules) -> Iterator[tuple[TableKind, Path]]:
    """Yield the tables of a folder, in the order of the walk."""
    for item in FileSelector[Path](rules, Allowance()).select(DiskFolder(path)):
        if not isinstance(item, Skipped) and item.included and (kind := _kind(item, columns, rules)):
            yield kind, item.file


def _walked(
    walk: _CorpusWalk, columns: Columns, rules: Rules, prefix: str, reader: TableReader
) -> Iterator[CorpusItem]:
    for item in walk.items():
        if isinstance(item, Skipped):
            yield skipped_fault(item)
        elif isinstance(item.content, Path) and (kind := tables.kind(item.content, item.name, columns, rules)):
            read_it = partial(reader, kind, item.content, item.name, columns, rules, prefix)
            yield from _inner(kind, item.content, item.name, columns, rules, read_it, walk.offset)
        elif tables.named(item.name):
            yield Fault(item.name, 0, "a table in an archive; unpack the archive")
        else:
            document = Document(prefix + item.name, item.content)
            yield CorpusRecord(document.name, document, item.name, 0, None, walk.offset)


def _inner(
    kind: TableKind,
    path: Path,
    name: str,
    columns: Columns,
    rules: Rules,
    items: Callable[[], Iterator[CorpusItem]],
    behind: int,
) -> Iterator[CorpusItem]:
    """Read a table of a folder. If columns are missing, yield a fault, so that the other files are still read."""
    try:
        tables.check(kind, path, columns, rules)
        for item in items():
            yield item if isinstance(item, Fault) else replace(item, offset=item.offset + behind)
    except (InputError, OSError, RefusedFileError) as error:
        yield Fault(name, 0, reason(error))


def _size(path: Path) -> int:
    return _facts(path)[0]


def _facts(path: Path) -> tuple[int, int]:
    """Return size and time of a file; zeros if it has disappeared, which reading will report."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns
