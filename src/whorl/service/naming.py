"""Names of tenants, collections, documents and uploaded files, and their checks."""

import csv
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from whorl.index.store import Entry
from whorl.service.problems import Problem

# Tenants and collections: what is safe in a path, an address and a table.
SLUG = r"[a-z0-9][a-z0-9._-]{0,63}"
DEFAULT_COLLECTION = "main"

# Stands for the house where a tenant would stand: no slug begins so.
HOUSE = "-"

# Letters of a document's name: what the longest path may have is less, in bytes.
LONGEST_NAME = 500

_SLUG = re.compile(SLUG)
# What a name may not have: control characters, which forge lines in logs and headers, and halves of characters.
_FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """Tenant, collection and name of a document. ``tenant`` None is the house; ``collection`` None: none."""

    tenant: str | None
    collection: str | None
    name: str

    @property
    def index_name(self) -> str:
        """Return the name in the index."""
        if self.collection is None:
            return self.name
        return f"{prefix_of(self.tenant, self.collection)}{self.name}"


def prefix_of(tenant: str | None, collection: str) -> str:
    """Return the prefix of the index names of a collection."""
    return f"{tenant or HOUSE}/{collection}/"


def qualified_name_of(entry: Entry) -> QualifiedName:
    """Return tenant, collection and name of an entry of the index."""
    owner, _, rest = entry.name.partition("/")
    collection, _, name = rest.partition("/")
    if owner == (entry.owner or HOUSE) and name and _SLUG.fullmatch(collection):
        return QualifiedName(entry.owner, collection, name)
    return QualifiedName(entry.owner, None, entry.name)


def checked_slug(text: str, what: str) -> str:
    """Check the name of a tenant or a collection."""
    if not _SLUG.fullmatch(text):
        raise Problem(
            422, f"{what}: {text[:80]!r} is not a valid name. Use lower-case letters, digits, '.', '_' and '-'; "
            "begin with a letter or digit; at most 64 characters."
        )  # fmt: skip
    return text


def checked_name(text: str) -> str:
    """Check the name of a document. One of white space alone could not be seen on a page."""
    if not text.strip() or len(text) > LONGEST_NAME or _FORBIDDEN.search(text):
        raise Problem(
            422, f"name: {text[:80]!r} is not a valid document name. Give 1 to {LONGEST_NAME} characters, "
            "without control characters and not of white space alone."
        )  # fmt: skip
    return text


def checked_fact(text: str | None, what: str) -> str | None:
    """Check a URL, a date, a contact or a label: one line of text. An empty one counts as not given."""
    if text is not None and (len(text) > 2000 or _FORBIDDEN.search(text)):
        raise Problem(422, f"{what}: contains control characters or more than 2,000 characters. Give one line of text.")
    return text or None


# Folders inside each other: a class, a student, a project and some of its own.
DEEPEST = 20

# Bytes of one part of a path that every file system takes.
LONGEST_PART = 200


@dataclass(frozen=True, slots=True)
class Upload:
    """A file by the name that the client gives it, which may have folders before it; ``file`` is read once."""

    name: str
    file: IO[bytes]

    @property
    def size(self) -> int:
        """Return the bytes of the file that are not read yet."""
        here = self.file.tell()
        self.file.seek(0, os.SEEK_END)
        end = self.file.tell()
        self.file.seek(here)
        return end - here


def keep(uploads: Iterable[Upload], folder: Path) -> int:
    """Write uploads below a folder; return how many."""
    count = 0
    for upload in uploads:
        target = folder.joinpath(*safe_parts(upload.name))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with _free(target).open("xb") as written:
                shutil.copyfileobj(upload.file, written)
        except (FileExistsError, NotADirectoryError) as error:
            detail = f"{upload.name}: a file and a folder have the same name. Send one of them."
            raise Problem(422, detail) from error
        count += 1
    return count


def _free(path: Path) -> Path:
    """Return the path, or one with a number if the file exists: two people may send equal names."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem} ({number}){path.suffix}")
    return free


def safe_parts(name: str) -> tuple[str, ...]:
    """Return the parts of a path of a client. Refuse parts that lead out of the folder."""
    parts = PurePosixPath(checked_name(name).replace("\\", "/")).parts
    if not parts or len(parts) > DEEPEST:
        raise _unusable(name)
    for part in parts:
        if part in ("/", ".", "..") or len(part.encode()) > LONGEST_PART:
            raise _unusable(name)
    return parts


def _unusable(name: str) -> Problem:
    return Problem(422, f"{name[:80]!r} is not a valid file name. Give a plain name, optionally with folders.")


# The name of files that are in no folder, if each folder is a submission.
TOP = "top folder"


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A file on the disk, the parts of the name that the client gave it, and whether it is starter code."""

    path: Path
    parts: tuple[str, ...]
    is_base: bool


def arrange(files: Sequence[ReceivedFile], folder: Path, *, by_folder: bool) -> list[str]:
    """Move the files to ``base``, and to a folder of ``submissions`` for each submission. Return the names of the
    submissions, which ``roster.csv`` has, too: each file's path, or ``by_folder`` the path of its folder."""
    submitted = [file for file in files if not file.is_base]
    owners = _folder_owners([file.parts[:-1] for file in submitted]) if by_folder else {}
    start = _common([file.parts[:-1] for file in submitted])
    numbers: dict[object, int] = {}
    names: list[str] = []
    for at, file in enumerate(submitted):
        owner = owners[file.parts[:-1]] if by_folder else file.parts
        number = numbers.setdefault(owner if by_folder else at, len(numbers))
        if number == len(names):
            names.append("/".join(owner[start:]) or TOP)
        inside = file.parts[len(owner) :] if by_folder else file.parts[start:]
        _move(file.path, folder / "submissions" / f"{number:05d}", inside, at)
    for at, file in enumerate(file for file in files if file.is_base):
        _move(file.path, folder / "base" / str(at), file.parts[-1:], at)
    names = _distinct(names)
    with (folder / "roster.csv").open("w", encoding="utf-8", newline="") as written:
        rows = [[f"{number:05d}", name] for number, name in enumerate(names)]
        csv.writer(written).writerows([["submission", "name"], *rows])
    return names


def _folder_owners(folders: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return for each folder the one whose submission it belongs to: itself, or the outermost folder around it that
    has files, below the folder around all."""
    start, known = _common(folders), set(folders)
    return {
        each: next((each[:end] for end in range(start + 1, len(each)) if each[:end] in known), each) for each in known
    }


def _common(paths: Sequence[tuple[str, ...]]) -> int:
    """Return how many parts all paths begin with."""
    first, last = min(paths, default=()), max(paths, default=())
    return next((at for at, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))


def _distinct(names: Sequence[str]) -> list[str]:
    """Number the names that occur again."""
    times = Counter[str]()
    distinct: dict[str, None] = {}
    for name in names:
        free = name
        while free in distinct:
            times[name] += 1
            free = f"{name} ({times[name] + 1})"
        distinct[free] = None
    return list(distinct)


def _move(path: Path, place: Path, parts: tuple[str, ...], number: int) -> None:
    target = place.joinpath(*parts)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            target = target.with_name(f"{number}-{target.name}")
        path.rename(target)
    except (FileExistsError, NotADirectoryError) as error:
        raise Problem(422, f"{'/'.join(parts)[:80]!a}: a file and a folder have the same name.") from error
