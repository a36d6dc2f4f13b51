"""Walk a file, a folder or an archive: yield every document, one at a time and always in the same order."""

import io
import os
from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Generic, NamedTuple

from whorl.formats.archives import gitignore, kinds
from whorl.formats.archives.decompression import decompress
from whorl.formats.archives.gitignore import Allowance
from whorl.formats.archives.kinds import FileKind, is_program
from whorl.formats.archives.names import (
    RefusedFileError,
    damage,
    is_folder,
    matchable,
    opened,
    printable,
    reason,
    shortened,
)
from whorl.formats.archives.rules import DEFAULT, Archive, ArchiveMember, Budget, Listed, M, Rules
from whorl.formats.archives.selection import DiskFolder, FileSelector, FolderEntry, SelectedFile
from whorl.formats.archives.tars import TarArchive
from whorl.formats.archives.zips import ZipArchive, is_document
from whorl.model import Document, Skipped


@dataclass(slots=True)
class ArchiveFolder(Generic[M]):
    archive: Archive[M]
    folders: "dict[str, ArchiveFolder[M]]" = field(default_factory=dict)
    files: dict[str, M] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def entries(self) -> list[FolderEntry[M]]:
        """Return the entries by name; a file goes before a folder of the same name."""
        children: list[FolderEntry[M]] = [FolderEntry(name, refused=why) for name, why in self.refused.items()]
        children += [FolderEntry(name, file=file) for name, file in self.files.items()]
        children += [FolderEntry(name, folder=folder) for name, folder in self.folders.items()]
        return sorted(children, key=lambda entry: matchable(entry.name))

    def has(self, name: str) -> bool:
        return name in self.files

    def ignore_file(self) -> bytes:
        """Return the content of its .gitignore."""
        return self.archive.read_small(self.files[gitignore.NAME], gitignore.MOST)

    def count(self) -> int:
        """Return the number of files below it."""
        total, open_folders = 0, [self]
        while open_folders:
            folder = open_folders.pop()
            total += len(folder.files)
            open_folders += folder.folders.values()
        return total

    def size(self, name: str) -> int:
        return self.files[name].size


class Contents(Generic[M]):
    """The tree of an archive. ``faults`` lists refused names with reasons; the name "" is the archive itself."""

    def __init__(self, archive: Archive[M], budget: Budget) -> None:
        self.root: ArchiveFolder[M] = ArchiveFolder(archive)
        self.members: list[M] = []
        self.faults: list[tuple[str, str]] = []
        self.archive = archive
        self._budget = budget
        for item in archive.listing():
            if isinstance(item, Listed):
                self._refuse(item)
            else:
                self._put(item)

    def _put(self, member: M) -> None:
        folder = self._folder(member.parts[:-1])
        if member.parts[-1] in folder.files:
            again = "/".join(member.parts)
            self.faults.append((again, "replaced by a later member of the same name in the archive"))
        folder.files[member.parts[-1]] = member
        self.members.append(member)

    def _refuse(self, item: Listed) -> None:
        if item.refused and item.parts:
            self._folder(item.parts[:-1]).refused[item.parts[-1]] = item.refused
        elif item.refused:
            self.faults.append((item.name, item.refused))
        else:
            self._folder(item.parts)

    def _folder(self, parts: tuple[str, ...]) -> ArchiveFolder[M]:
        """Return the folder of this path. New folders count as entries, because a long path makes many."""
        folder = self.root
        for part in parts:
            inner = folder.folders.get(part)
            if inner is None:
                self._budget.enter()
                inner = folder.folders[part] = ArchiveFolder(self.archive)
            folder = inner
        return folder


def archive(file: BinaryIO, size: int, kind: FileKind, name: str, budget: Budget) -> Archive[Any]:
    """Return the archive in an open file; raise ``RefusedFileError`` if a compressed file holds no archive."""
    if kind.what == "zip":
        return ZipArchive(file, size, budget)
    if kind.is_packed and not kinds.named_archive(name):
        _check_tar(file, kind)
    return TarArchive(partial(decompress, file, kind.what), budget)


def _check_tar(file: BinaryIO, kind: FileKind) -> None:
    """Refuse a compressed file that holds no tar archive and is not named as one."""
    try:
        block = decompress(file, kind.what).read(512)
    except damage() as error:
        raise RefusedFileError(f"damaged: {reason(error)}") from error
    if not kinds.is_tar_header(block):
        raise RefusedFileError(f"binary: compressed by {kind.what}, but not a tar archive; unpack it")


Item = Document | Skipped

NOT_INCLUDED = "matches no include pattern"


def walk(path: Path, rules: Rules = DEFAULT) -> Iterator[Item]:
    """Yield every document of a file, a folder or an archive, and every skipped file with the reason.

    Names are relative to ``path``, separated by "/"; an archive is like a folder: ``class.zip/alice/a.py``. The content
    of a file is its path, that of a member is bytes. Folders and zip files come by name; a tar archive's members come
    in its own order. The skipped members of an archive come before its documents. Raises ``DocumentError`` if ``path``
    itself cannot be read.
    """
    return Walk(path, rules).items()


@dataclass(frozen=True, slots=True)
class _OpenArchive:
    """An archive to open: its name and kind, and its content in case it proves to be a document."""

    name: str
    kind: FileKind
    included: bool
    whole: Path | bytes
    level: int
    prefix: str


class Walk:
    """One walk. ``wrapper`` is the single folder that holds a whole archive, known once the first item is out; else "".

    Several walkers can share a folder: each opens the files whose positions in the walk are in its ``part``.
    """

    def __init__(self, path: Path, rules: Rules, part: Container[int] | None = None) -> None:
        self._path = path
        self._rules = rules
        self._part = part
        self._is_folder = is_folder(path)
        self.wrapper = ""

    def items(self) -> Iterator[Item]:
        """Yield every document and every skipped file."""
        if not self._is_folder:
            yield from self._file(SelectedFile(self._path.name, self._path, included=True), top=True)
            return
        for place, selected in enumerate(FileSelector[Path](self._rules, Allowance()).select(DiskFolder(self._path))):
            if self._part is not None and place not in self._part:
                continue
            if isinstance(selected, Skipped):
                yield selected
            else:
                yield from self._file(selected)

    def names(self) -> Iterator[str]:
        """Yield the names of the files on disk, opened or left out, that ``part`` counts. No file is opened. For a path
        that is a file, it is the only one."""
        if not self._is_folder:
            yield self._path.name
            return
        for selected in FileSelector[Path](self._rules, Allowance()).select(DiskFolder(self._path)):
            yield selected.name

    def _file(self, selected: SelectedFile[Path], top: bool = False) -> Iterator[Item]:
        """Read a file on disk: only its first bytes, unless it is an archive."""
        if not _may_contain_documents(selected):
            yield _skipped(selected.name, NOT_INCLUDED, _size(selected.file), expected=True)
            return
        try:
            with opened(selected.file, follow=top) as file:
                head = file.read(kinds.HEAD)
                kind = kinds.kind(selected.name, head)
                if kind.is_archive:
                    size = os.fstat(file.fileno()).st_size
                    prefix = "" if top else selected.name + "/"
                    source = _OpenArchive(selected.name, kind, selected.included, selected.file, 0, prefix)
                    yield from self._open(source, file, size, Budget(size, self._rules))
                    return
        except (OSError, RefusedFileError) as error:
            yield _skipped(selected.name, reason(error), _size(selected.file))
            return
        yield _plain(selected, head, kind, selected.file)

    def _open(self, source: _OpenArchive, file: BinaryIO, size: int, budget: Budget) -> Iterator[Item]:
        """Open an archive: read and judge its directory as a whole, then its members one by one."""
        try:
            contents = Contents(archive(file, size, source.kind, source.name, budget), budget)
        except RefusedFileError as refusal:
            yield _skipped(source.name, str(refusal), size)
            return
        except damage() as error:
            yield _skipped(source.name, f"damaged: {reason(error)}", size)
            return
        if source.kind.what == "zip" and is_document(contents.members):
            yield _document(source.name, source.included, source.whole)
            return
        if not source.prefix:
            self.wrapper = FileSelector[ArchiveMember](self._rules, Allowance()).only_folder(contents.root)
        yield from self._members(source, contents, budget)

    def _members(self, source: _OpenArchive, contents: Contents[ArchiveMember], budget: Budget) -> Iterator[Item]:
        for name, why in contents.faults:
            yield _skipped(source.prefix + shortened(name) if name else source.name, why)
        chosen: dict[tuple[str, ...], SelectedFile[ArchiveMember]] = {}
        included = source.included and source.prefix != ""  # naming an archive is no pattern: those select its members
        for selected in FileSelector[ArchiveMember](self._rules, budget.patterns, source.prefix, included).select(
            contents.root
        ):
            if isinstance(selected, Skipped):
                yield selected
            elif _may_contain_documents(selected):
                chosen[selected.file.parts] = selected
            else:
                yield _skipped(selected.name, NOT_INCLUDED, selected.file.size, expected=True)
        for member, content in contents.archive.read([selected.file for selected in chosen.values()]):
            if isinstance(content, RefusedFileError):
                yield _skipped(chosen[member.parts].name, str(content), member.size)
            else:
                yield from self._member(chosen[member.parts], content, budget, source.level)

    def _member(
        self, selected: SelectedFile[ArchiveMember], content: bytes, budget: Budget, level: int
    ) -> Iterator[Item]:
        head = content[: kinds.HEAD]
        kind = kinds.kind(selected.name, head)
        if not kind.is_archive:
            yield _plain(selected, head, kind, content)
        elif level >= self._rules.nesting:
            why = f"an archive inside {level + 1} others; unpack the outer one"
            yield _skipped(selected.name, why, len(content))
        else:
            source = _OpenArchive(selected.name, kind, selected.included, content, level + 1, selected.name + "/")
            yield from self._open(source, io.BytesIO(content), len(content), budget)


def _may_contain_documents(selected: SelectedFile[Path] | SelectedFile[ArchiveMember]) -> bool:
    """Return whether to read a file: it is included, or it is an archive that may hold included files."""
    return selected.included or kinds.named_archive(selected.name) is not None


def _plain(
    selected: SelectedFile[Path] | SelectedFile[ArchiveMember], head: bytes, kind: FileKind, content: Path | bytes
) -> Item:
    """Return a file that is no archive as a document, or as skipped."""
    if not head:
        return _skipped(selected.name, "empty", 0, expected=True)
    if kind.what == "binary":
        is_expected = not kind.has_text and (kind.is_known or not is_program(selected.name))
        return _skipped(selected.name, kind.reason, _size(content), expected=is_expected)
    return _document(selected.name, selected.included, content)


def _document(name: str, included: bool, content: Path | bytes) -> Item:
    if included:
        return Document(printable(name), content)
    return _skipped(name, NOT_INCLUDED, _size(content), expected=True)


def _size(content: Path | bytes) -> int | None:
    """Return the bytes of a file; None if unknown."""
    if isinstance(content, bytes):
        return len(content)
    try:
        return content.lstat().st_size
    except OSError:
        return None


def _skipped(name: str, why: str, size: int | None = None, *, expected: bool = False) -> Skipped:
    return Skipped(printable(name), printable(why), 1, size, expected)


class ChildItem(NamedTuple):
    """An item of the walk, the child that it belongs to, and its name inside the child."""

    child: str
    inside: str
    item: Item


def children(path: Path, rules: Rules = DEFAULT, part: Container[int] | None = None) -> Iterator[ChildItem]:
    """Yield each item of the walk with the name of the child it belongs to.

    The sequence is flat, so an archive is read once even if the members of its children are mixed. In a folder or a zip
    file the items of a child follow each other; in a tar archive they may not. Every child has at least one item. A
    child that is a single file has its own name inside. ``part`` is that of ``Walk``.
    """
    the_walk = Walk(path, rules, part)
    return (_member(item, the_walk) for item in the_walk.items())


def _member(item: Item, the_walk: Walk) -> ChildItem:
    inner = item.name.removeprefix(f"{the_walk.wrapper}/") if the_walk.wrapper else item.name
    child, _, inside = (inner or item.name).partition("/")
    return ChildItem(child, inside or child, item)


class _Listing(NamedTuple):
    """The rules of a listing, and the files whose content it returns: wanted ones of at most this many bytes."""

    rules: Rules
    wanted: Callable[[str], bool]
    most: int


def listing(path: Path, rules: Rules, wanted: Callable[[str], bool], most: int) -> tuple[list[str], dict[str, bytes]]:
    """Return the names of everything in a folder or an archive, as ``walk`` gives them, and the content of the wanted
    files that have at most this many bytes.

    Archives inside stay closed, except one that is alone in its folder or archive. What cannot be read is not listed:
    ``walk`` says why.
    """
    wishes = _Listing(rules, wanted, most)
    if not is_folder(path):
        return _archive_listing(path, "", wishes)
    selected = list(FileSelector[Path](rules, Allowance()).select(DiskFolder(path)))
    files = {printable(item.name): item.file for item in selected if isinstance(item, SelectedFile)}
    if len(files) == 1 and kinds.named_archive(only := next(iter(files))):
        return _archive_listing(files[only], f"{only}/", wishes)
    contents = {}
    for name, file in files.items():
        if wanted(name):
            try:
                with opened(file) as stream:
                    content = stream.read(most + 1)
            except (OSError, RefusedFileError):
                continue
            if len(content) <= most:
                contents[name] = content
    return [printable(item.name) for item in selected], contents


def _archive_listing(path: Path, prefix: str, wishes: _Listing) -> tuple[list[str], dict[str, bytes]]:
    try:
        with opened(path, follow=not prefix) as file:
            size = os.fstat(file.fileno()).st_size
            return _list_archive(file, size, path.name, prefix, wishes, Budget(size, wishes.rules), 0)
    except RefusedFileError:
        return [], {}
    except damage():
        return [], {}


def _list_archive(
    file: BinaryIO, size: int, name: str, prefix: str, wishes: _Listing, budget: Budget, level: int
) -> tuple[list[str], dict[str, bytes]]:
    """List an open archive, or the only archive in it. All levels share the budget."""
    kind = kinds.kind(name, file.read(kinds.HEAD))
    if not kind.is_archive:
        return [], {}
    contents = Contents(archive(file, size, kind, name, budget), budget)
    if kind.what == "zip" and is_document(contents.members):
        return [], {}
    selected = list(FileSelector[ArchiveMember](wishes.rules, budget.patterns, prefix).select(contents.root))
    files = [item for item in selected if isinstance(item, SelectedFile)]
    if len(files) == 1 and level < wishes.rules.nesting and kinds.named_archive(only := files[0].name):
        for _, content in contents.archive.read([files[0].file]):
            if isinstance(content, bytes):
                inside = io.BytesIO(content)
                return _list_archive(inside, len(content), only, f"{only}/", wishes, budget, level + 1)
    members = {item.file: item.name for item in files if wishes.wanted(item.name) and item.file.size <= wishes.most}
    return [printable(item.name) for item in selected], {
        printable(members[member]): content
        for member, content in contents.archive.read(list(members))
        if isinstance(content, bytes)
    }


class InnerListing(NamedTuple):
    """An archive in an archive: its name, and its listing."""

    name: str
    names: list[str]
    contents: dict[str, bytes]


def inner_listings(path: Path, rules: Rules, wanted: Callable[[str], bool], most: int) -> Iterator[InnerListing]:
    """Yield the listings of the archives in an archive that holds nothing else, one at a time; see ``listing``. They
    share its budget, and end at an archive that cannot be read."""
    try:
        with opened(path, follow=True) as file:
            size = os.fstat(file.fileno()).st_size
            yield from _list_inner(file, size, path.name, _Listing(rules, wanted, most), Budget(size, rules))
    except RefusedFileError:
        return
    except damage():
        return


def _list_inner(file: BinaryIO, size: int, name: str, wishes: _Listing, budget: Budget) -> Iterator[InnerListing]:
    kind = kinds.kind(name, file.read(kinds.HEAD))
    if not kind.is_archive or not wishes.rules.nesting:
        return
    contents = Contents(archive(file, size, kind, name, budget), budget)
    selected = FileSelector[ArchiveMember](wishes.rules, budget.patterns).select(contents.root)
    members = {item.file: item.name for item in selected if isinstance(item, SelectedFile)}
    if is_document(contents.members) or not all(map(kinds.named_archive, members.values())):
        return
    for member, content in contents.archive.read(list(members)):
        inner = members[member]
        if isinstance(content, RefusedFileError):
            return
        names, texts = _list_archive(io.BytesIO(content), len(content), inner, f"{inner}/", wishes, budget, 1)
        yield InnerListing(printable(inner), names, texts)
