"""Select the files of a tree by the rules, on disk or in an archive."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from whorl.formats.archives import gitignore, kinds
from whorl.formats.archives.gitignore import Pattern
from whorl.formats.archives.names import RefusedFileError, matchable, opened, printable, reason, special
from whorl.formats.archives.rules import Rules
from whorl.model import Skipped
from whorl.stores import NO_DOCUMENT, kind_of

T = TypeVar("T")


class Folder(Protocol[T]):
    """A folder of a tree. Its methods may raise OSError or ``RefusedFileError``."""

    def entries(self) -> "Sequence[FolderEntry[T]]":
        """Return the entries, by name."""
        ...

    def has(self, name: str) -> bool:
        """Return whether it holds a file of this name."""
        ...

    def ignore_file(self) -> bytes:
        """Return the content of its .gitignore, which must exist."""
        ...

    def count(self) -> int | None:
        """Return the number of files below it, or None if unknown."""
        ...

    def size(self, name: str) -> int | None:
        """Return the bytes of a file in it, or None if unknown."""
        ...


@dataclass(frozen=True, slots=True)
class FolderEntry(Generic[T]):
    """A file, a folder, or a refused entry."""

    name: str
    file: T | None = None
    folder: Folder[T] | None = None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class SelectedFile(Generic[T]):
    """A file that the rules select. ``included``: it matches ``include``, or no ``include`` is given."""

    name: str
    file: T
    included: bool


@dataclass(frozen=True, slots=True)
class _FolderState(Generic[T]):
    """A folder on the way: its path from the root with a "/" at the end, and the patterns that apply in it."""

    folder: Folder[T]
    path: str
    included: bool
    ignores: gitignore.Ignores


@dataclass(frozen=True, slots=True)
class _UntrustedFolder(Generic[T]):
    """A tool's folder whose contents are checked, and the row that says what the tool puts there."""

    place: _FolderState[T]
    row: kinds.ToolFolder


class FileSelector(Generic[T]):
    """Applies the rules to one tree. ``prefix`` is the name of the tree itself: "" or ``class.zip/``."""

    def __init__(self, rules: Rules, allowance: gitignore.Allowance, prefix: str = "", included: bool = False) -> None:
        self._rules = rules
        self._allowance = allowance
        self._prefix = prefix
        self._include, self._exclude = rules.included(), rules.excluded()
        self._included = included or not self._include

    def select(self, root: Folder[T]) -> Iterator[SelectedFile[T] | Skipped]:
        """Yield every file of the tree, or why it or its folder is left out, by name."""
        stack = [self._inside(_FolderState(root, "", self._included, gitignore.Ignores()))]
        while stack:
            step = next(stack[-1], None)
            if step is None:
                stack.pop()
            elif isinstance(step, _FolderState):
                stack.append(self._inside(step))
            elif isinstance(step, _UntrustedFolder):
                stack.append(self._untrusted(step))
            else:
                yield step

    def only_folder(self, root: Folder[T]) -> str:
        """Return the name of the only folder at the top, ignoring what the rules leave out; "" if there is more."""
        steps = self._inside(_FolderState(root, "", self._included, gitignore.Ignores()))
        remaining = [step for step in steps if not isinstance(step, Skipped | _UntrustedFolder)]
        return remaining[0].path[:-1] if len(remaining) == 1 and isinstance(remaining[0], _FolderState) else ""

    def _inside(self, place: _FolderState[T]) -> "Iterator[_Step[T]]":
        try:
            entries = place.folder.entries()
        except (OSError, RefusedFileError) as error:
            yield self._skipped(place.path, reason(error))
            return
        if not entries:
            yield self._skipped(place.path, "empty", files=0, expected=True)
        names = {entry.name for entry in entries}
        if kind := kind_of(names, place.path.rstrip("/").rpartition("/")[2]):
            yield self._skipped(place.path, f"{kind}{NO_DOCUMENT}", expected=True)
            return
        layer, fault = self._ignores(place, names)
        if fault:
            yield self._skipped(place.path + gitignore.NAME, fault)
        for entry in entries:
            yield self._judge(entry, place, layer, names)

    def _ignores(self, place: _FolderState[T], names: set[str]) -> tuple[gitignore.Ignores, str]:
        if not self._rules.gitignore or gitignore.NAME not in names or not place.folder.has(gitignore.NAME):
            return place.ignores, ""
        try:
            data = place.folder.ignore_file()
        except (OSError, RefusedFileError) as error:
            return place.ignores, f"not applied: {reason(error)}"
        return place.ignores.within(matchable(place.path), data, self._allowance)

    def _judge(
        self, entry: FolderEntry[T], place: _FolderState[T], layer: gitignore.Ignores, names: set[str]
    ) -> "_FolderState[T] | _UntrustedFolder[T] | SelectedFile[T] | Skipped":
        path = place.path + entry.name
        is_folder = entry.folder is not None
        if entry.refused:
            return self._skipped(path, entry.refused)
        included = place.included or self._matches(self._include, path, is_folder)
        fault, row = self._exclusion(entry, path, layer, names)
        if entry.folder is not None:
            inner = _FolderState(entry.folder, path + "/", included, layer)
            if row is not None and self._rules.wary and self._is_in_submission(place):
                return _UntrustedFolder(inner, row)
            return self._excluded_folder(inner, fault, is_tool=row is not None) if fault else inner
        if fault:
            size = place.folder.size(entry.name) if self._rules.wary else None
            return self._skipped(path, fault, size=size, expected=True)
        assert entry.file is not None
        return SelectedFile(self._prefix + path, entry.file, included)

    def _is_in_submission(self, place: _FolderState[T]) -> bool:
        """Return whether a folder is part of a submission: tool folders beside submissions belong to the collector."""
        return bool(self._prefix or place.path)

    def _exclusion(
        self, entry: FolderEntry[T], path: str, layer: gitignore.Ignores, names: set[str]
    ) -> tuple[str, kinds.ToolFolder | None]:
        """Return why an entry is left out, or "", and the row of a tool's folder."""
        is_folder = entry.folder is not None
        if self._matches(self._exclude, path, is_folder):
            return "excluded by a pattern", None
        if not self._rules.generated:
            row = None if entry.folder is None else kinds.folder_row(entry.name, names, entry.folder)
            if meaning := kinds.file_meaning(entry.name) if entry.folder is None else row and row.meaning:
                return meaning, row
        if entry.name.startswith(".") and self._is_hidden(entry):
            return "hidden", None
        return ("ignored by a .gitignore" if layer.ignore(matchable(path), is_folder) else ""), None

    def _is_hidden(self, entry: FolderEntry[T]) -> bool:
        """Return whether a name that begins with a dot is left out."""
        if self._rules.wary and (entry.folder is not None or kinds.is_known(entry.name)):
            return False
        return not self._rules.hidden

    def _untrusted(self, tool: "_UntrustedFolder[T]") -> "Iterator[_Step[T]]":
        """Yield the programs in a tool's folder that the tool did not put there, and the rest as skipped."""
        files, faults = self._below(tool.place)
        foreign_programs = set(tool.row.foreign_programs(files))
        sizes = [
            place.folder.size(entry.name) or 0 for path, (place, entry) in files.items() if path not in foreign_programs
        ]
        yield from faults
        if sizes or not foreign_programs:
            reason = tool.row.meaning + "; programs that the tool did not put there are read" * bool(foreign_programs)
            yield self._skipped(tool.place.path, reason, len(sizes), sum(sizes), expected=True)
        for path in sorted(foreign_programs, key=matchable):
            place, entry = files[path]
            included = place.included or self._matches(self._include, place.path + entry.name, False)
            assert entry.file is not None
            yield SelectedFile(self._prefix + place.path + entry.name, entry.file, included)

    def _excluded_folder(self, place: _FolderState[T], why: str, *, is_tool: bool) -> Skipped:
        """Skip a whole folder; measure it if the rules are wary."""
        if not self._rules.wary:
            count = place.folder.count() if is_tool else None
            counted = why if count is None else f"{why}: {count:,} {'file' if count == 1 else 'files'}"
            return self._skipped(place.path, counted, expected=True)
        files, _ = self._below(place)
        sizes = [inner.folder.size(entry.name) or 0 for inner, entry in files.values()]
        return self._skipped(place.path, why, len(sizes), sum(sizes), expected=True)

    def _below(self, root: _FolderState[T]) -> tuple[dict[str, tuple[_FolderState[T], FolderEntry[T]]], list[Skipped]]:
        """Return all files below a folder by their paths in it, and the folders that cannot be read."""
        files: dict[str, tuple[_FolderState[T], FolderEntry[T]]] = {}
        faults: list[Skipped] = []
        waiting = [root]
        while waiting:
            place = waiting.pop()
            try:
                entries = place.folder.entries()
            except (OSError, RefusedFileError) as error:
                faults.append(self._skipped(place.path, reason(error)))
                continue
            for entry in entries:
                if entry.folder is not None:
                    waiting.append(replace(place, folder=entry.folder, path=f"{place.path}{entry.name}/"))
                elif entry.file is not None:
                    files[(place.path + entry.name)[len(root.path) :]] = place, entry
        return files, faults

    def _matches(self, patterns: tuple[Pattern, ...], path: str, is_folder: bool) -> bool:
        name = matchable(self._prefix + path) if patterns else b""
        return any(pattern.matches(name, is_folder) for pattern in patterns)

    def _skipped(
        self, path: str, why: str, files: int = 1, size: int | None = None, *, expected: bool = False
    ) -> Skipped:
        return Skipped(printable(self._prefix + path) or "./", why, files, size, expected)


_Step = _FolderState[T] | _UntrustedFolder[T] | SelectedFile[T] | Skipped


@dataclass(frozen=True, slots=True)
class DiskFolder:
    """A folder on disk, listed on demand."""

    path: Path

    def entries(self) -> list[FolderEntry[Path]]:
        """Return the entries in the byte order of their names, whatever the file system's order."""
        with os.scandir(self.path) as scan:
            return [self._entry(entry) for entry in sorted(scan, key=lambda entry: os.fsencode(entry.name))]

    def has(self, name: str) -> bool:
        try:
            return stat.S_ISREG((self.path / name).lstat().st_mode)
        except OSError:
            return False  # what cannot be asked is not there; listing the folder reports why

    def ignore_file(self) -> bytes:
        """Return its .gitignore, one byte more than could be applied at most."""
        with opened(self.path / gitignore.NAME) as file:
            return file.read(gitignore.MOST + 1)

    def count(self) -> None:
        """Return None: the number of files is unknown without listing them."""

    def size(self, name: str) -> int | None:
        try:
            return (self.path / name).lstat().st_size
        except OSError:
            return None

    def _entry(self, entry: os.DirEntry[str]) -> FolderEntry[Path]:
        path = self.path / entry.name
        if entry.is_dir(follow_symlinks=False):
            return FolderEntry(entry.name, folder=DiskFolder(path))
        if entry.is_file(follow_symlinks=False):
            return FolderEntry(entry.name, file=path)
        return FolderEntry(entry.name, refused=_why(entry))


def _why(entry: os.DirEntry[str]) -> str:
    try:
        return special(entry.stat(follow_symlinks=False).st_mode) or "refused: not a file"
    except OSError as error:
        return error.strerror or "cannot be read"
