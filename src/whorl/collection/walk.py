"""The walk: every document of a file, a folder or an archive, one at a time and always in the same order."""

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from whorl.collection import kinds
from whorl.collection.archives import archive
from whorl.collection.budget import Budget
from whorl.collection.contents import Contents
from whorl.collection.faults import RefusedError, damage, reason
from whorl.collection.files import is_folder, opened
from whorl.collection.folder import DiskFolder
from whorl.collection.ignores import Allowance
from whorl.collection.kinds import Kind
from whorl.collection.members import Member
from whorl.collection.names import printable, shortened
from whorl.collection.rules import DEFAULT, Rules
from whorl.collection.sift import Found, Sieve
from whorl.collection.zips import is_document
from whorl.model import Document, Skipped

Item = Document | Skipped


def walk(path: Path, rules: Rules = DEFAULT) -> Iterator[Item]:
    """Every document of a file, a folder or an archive, and what is left out, with the reason.

    Names are relative to ``path``, by "/"; an archive is like a folder: ``class.zip/alice/a.py``. A file's content is
    its path, a member's is bytes. Folders and zip files come by name; a tar archive's members come in its own order.
    What an archive leaves out comes before its documents. ``DocumentError`` if ``path`` itself cannot be read.
    """
    return Walk(path, rules).items()


@dataclass(frozen=True, slots=True)
class _Box:
    """An archive that is to be opened: its name and kind, and what to give out if it proves to be a document."""

    name: str
    kind: Kind
    included: bool
    whole: Path | bytes
    level: int
    prefix: str


class Walk:
    """One walk. ``wrapper`` is the one folder that all of an archive is in, once the first item is out; else "".

    Several walkers can share a folder: each opens the files whose places in the walk are in its ``part``.
    """

    def __init__(self, path: Path, rules: Rules, part: range | None = None) -> None:
        self._path = path
        self._rules = rules
        self._part = part
        self._is_folder = is_folder(path)
        self.wrapper = ""

    def items(self) -> Iterator[Item]:
        """Every document, and what is left out."""
        if not self._is_folder:
            yield from self._file(Found(self._path.name, self._path, included=True), top=True)
            return
        for place, found in enumerate(Sieve[Path](self._rules, Allowance()).sift(DiskFolder(self._path))):
            if self._part is not None and place not in self._part:
                continue
            if isinstance(found, Skipped):
                yield found
            else:
                yield from self._file(found)

    def names(self) -> Iterator[str]:
        """The names of the files of the disk that it opens or leaves out, whose places ``part`` counts. None is opened.
        A path that is a file is the only one."""
        if not self._is_folder:
            yield self._path.name
            return
        for found in Sieve[Path](self._rules, Allowance()).sift(DiskFolder(self._path)):
            yield found.name

    def _file(self, found: Found[Path], top: bool = False) -> Iterator[Item]:
        """A file on the disk: only the first bytes are read, unless it is an archive."""
        if not _worth_reading(found):
            yield _skipped(found.name, "not among the included patterns")
            return
        try:
            with opened(found.file, follow=top) as file:
                head = file.read(kinds.HEAD)
                kind = kinds.kind(found.name, head)
                if kind.is_archive:
                    size = os.fstat(file.fileno()).st_size
                    prefix = "" if top else found.name + "/"
                    box = _Box(found.name, kind, found.included, found.file, 0, prefix)
                    yield from self._open(box, file, size, Budget(size, self._rules))
                    return
        except (OSError, RefusedError) as error:
            yield _skipped(found.name, reason(error))
            return
        yield _plain(found, head, kind, found.file)

    def _open(self, box: _Box, file: BinaryIO, size: int, budget: Budget) -> Iterator[Item]:
        """What is in an archive. Its directory is read and judged as a whole, then the members one by one."""
        try:
            contents = Contents(archive(file, size, box.kind, box.name, budget), budget)
        except RefusedError as refusal:
            yield _skipped(box.name, str(refusal))
            return
        except damage() as error:
            yield _skipped(box.name, f"damaged: {reason(error)}")
            return
        if box.kind.what == "zip" and is_document(contents.members):
            yield _document(box.name, box.included, box.whole)
            return
        if not box.prefix:
            self.wrapper = Sieve[Member](self._rules, Allowance()).only_folder(contents.root)
        yield from self._members(box, contents, budget)

    def _members(self, box: _Box, contents: Contents[Member], budget: Budget) -> Iterator[Item]:
        for name, why in contents.faults:
            yield _skipped(box.prefix + shortened(name) if name else box.name, why)
        chosen: dict[tuple[str, ...], Found[Member]] = {}
        for found in Sieve[Member](self._rules, budget.patterns, box.prefix, box.included).sift(contents.root):
            if isinstance(found, Skipped):
                yield found
            elif _worth_reading(found):
                chosen[found.file.parts] = found
            else:
                yield _skipped(found.name, "not among the included patterns")
        for member, content in contents.archive.read([found.file for found in chosen.values()]):
            if isinstance(content, RefusedError):
                yield _skipped(chosen[member.parts].name, str(content))
            else:
                yield from self._member(chosen[member.parts], content, budget, box.level)

    def _member(self, found: Found[Member], content: bytes, budget: Budget, level: int) -> Iterator[Item]:
        head = content[: kinds.HEAD]
        kind = kinds.kind(found.name, head)
        if not kind.is_archive:
            yield _plain(found, head, kind, content)
        elif level >= self._rules.nesting:
            yield _skipped(found.name, f"an archive inside {level + 1} others; unpack the outer one")
        else:
            box = _Box(found.name, kind, found.included, content, level + 1, found.name + "/")
            yield from self._open(box, io.BytesIO(content), len(content), budget)


def _worth_reading(found: Found[Path] | Found[Member]) -> bool:
    """An archive may hold what is included though its own name is not."""
    return found.included or kinds.named_archive(found.name) is not None


def _plain(found: Found[Path] | Found[Member], head: bytes, kind: Kind, content: Path | bytes) -> Item:
    """A file that is no archive."""
    if not head:
        return _skipped(found.name, "empty")
    if kind.what == "binary":
        return _skipped(found.name, kind.reason)
    return _document(found.name, found.included, content)


def _document(name: str, included: bool, content: Path | bytes) -> Item:
    return Document(printable(name), content) if included else _skipped(name, "not among the included patterns")


def _skipped(name: str, why: str) -> Skipped:
    return Skipped(printable(name), printable(why))
