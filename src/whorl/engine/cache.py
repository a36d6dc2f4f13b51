"""A cache of what was read of documents: the next comparison of a class reads only what is new.

An entry is a file that is named after everything the reading depends on: the content, its format, the scheme, the code
of Whorl and all installed packages. It is written beside its place and renamed, and it has a checksum: two runs may
share a cache, and a damaged entry counts as none.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from whorl.errors import InputError

# Bytes of all entries before the least recently used ones are removed, and the share of it that remains then.
MOST, REMAINS = 1 << 30, 0.8

# An entry that was used in the last hour is not marked as used again.
FRESH_SECONDS = 3600

# The parts of Whorl that a reading depends on.
PACKAGE = Path(__file__).parents[1]
READING = ("comparison/evidence", "engine", "formats", "kernel", "sandbox")

SUFFIX = ".read"
_CHECKSUM, _LENGTH = 16, 8
_ALIGNED = 8


def default_folder() -> Path:
    """Return the user's folder for caches, by the rules of the desktop (XDG)."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "whorl"


class CacheEntry(NamedTuple):
    """One reading: facts that JSON can hold, and arrays."""

    facts: dict[str, Any]
    arrays: list[NDArray[Any]]


class CacheUse(NamedTuple):
    """The number of entries of a cache, and their bytes."""

    entries: int
    size: int


class ReadCache:
    """The readings of documents in a folder that only its owner can read. ``faults`` says why something was not
    kept."""

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._folder, self._most = folder, most
        self.faults: dict[str, None] = {}
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot make the cache {folder}: {error.strerror}") from error

    def path(self, content: str | bytes, *facts: object) -> Path:
        """Return the place of what was read of a content. The facts are all else that the reading depends on."""
        name = blake2b(repr((self._environment, type(content).__name__, facts)).encode(), digest_size=20)
        name.update(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
        digits = name.hexdigest()
        return self._folder / digits[:2] / (digits[2:] + SUFFIX)

    def get(self, path: Path) -> CacheEntry | None:
        """Return the entry in a place; None if there is none, or a damaged one."""
        try:
            with path.open("rb") as file:
                data = bytearray(os.fstat(file.fileno()).st_size)
                file.readinto(data)
                if time.time() - os.fstat(file.fileno()).st_mtime > FRESH_SECONDS:
                    os.utime(file.fileno())
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note("read", error)
            return None
        body = memoryview(data)[_CHECKSUM:]
        if len(data) < _CHECKSUM + _LENGTH or _checksum(body) != data[:_CHECKSUM]:
            return None
        return _unpacked(body)

    def put(self, path: Path, entry: CacheEntry) -> None:
        """Keep an entry."""
        temporary = path.with_name(f"{uuid4().hex}.new")
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            body = _packed(entry)
            temporary.write_bytes(_checksum(body) + body)
            temporary.replace(path)
        except OSError as error:
            self._note("write", error)
            with suppress(OSError):
                temporary.unlink(missing_ok=True)

    def use(self) -> CacheUse:
        """Return how many entries there are, and their bytes."""
        sizes = [entry.stat().st_size for entry in self._entries()]
        return CacheUse(len(sizes), sum(sizes))

    def trim(self) -> None:
        """Remove the least recently used entries if there are too many, and what interrupted runs left."""
        entries = [(entry.stat(), entry.path) for entry in self._entries(left=True)]
        size, keep = sum(status.st_size for status, _ in entries), self._most
        for status, path in sorted(entries, key=lambda entry: entry[0].st_mtime):
            is_left = not path.endswith(SUFFIX) and time.time() - status.st_mtime > FRESH_SECONDS
            if size > keep or is_left:
                keep = int(self._most * REMAINS) if size > keep else keep
                Path(path).unlink(missing_ok=True)
                size -= status.st_size

    def clear(self) -> CacheUse:
        """Remove all entries, and return what there was."""
        before = self.use()
        for entry in self._entries(left=True):
            Path(entry.path).unlink(missing_ok=True)
        return before

    def _entries(self, *, left: bool = False) -> Iterator["os.DirEntry[str]"]:
        """Yield the entries, and what interrupted runs left if asked for."""
        for folder in self._folder.glob("[0-9a-f][0-9a-f]"):
            with os.scandir(folder) as listing:
                for entry in listing:
                    if entry.name.endswith(SUFFIX) or (left and entry.name.endswith(".new")):
                        yield entry

    @cached_property
    def _environment(self) -> str:
        """A digest of the code that reads: files of Whorl by size and time, installed packages by name and version."""
        facts: list[object] = [sys.version]
        for name in READING:
            facts += sorted(_files(PACKAGE / name))
        for place in sys.path:
            facts += sorted(package.name for package in Path(place).glob("*.dist-info"))
        return blake2b(repr(facts).encode(), digest_size=16).hexdigest()

    def _note(self, action: str, error: OSError) -> None:
        self.faults.setdefault(
            f"the cache {self._folder} is not used fully: cannot {action} an entry: {error.strerror}"
        )


def _files(folder: Path | str) -> Iterator[tuple[str, int, int]]:
    """Yield the files below a folder: name, size and time. Leave out what Python compiles by itself."""
    with os.scandir(folder) as listing:
        for entry in listing:
            if entry.is_file():
                status = entry.stat()
                yield entry.name, status.st_size, status.st_mtime_ns
            elif entry.name != "__pycache__":
                yield from _files(entry.path)


def _checksum(body: bytes | memoryview) -> bytes:
    return blake2b(body, digest_size=_CHECKSUM).digest()


def _packed(entry: CacheEntry) -> bytes:
    """Return a header in JSON with its length before it, then the arrays, each at a multiple of eight bytes."""
    shapes = [[array.dtype.str, len(array)] for array in entry.arrays]
    head = json.dumps([entry.facts, shapes]).encode()
    parts = [len(head).to_bytes(_LENGTH, "little"), head + bytes(-len(head) % _ALIGNED)]
    for array in entry.arrays:
        data = np.ascontiguousarray(array).tobytes()
        parts.append(data + bytes(-len(data) % _ALIGNED))
    return b"".join(parts)


def _unpacked(body: memoryview) -> CacheEntry:
    size = int.from_bytes(body[:_LENGTH], "little")
    facts, shapes = json.loads(bytes(body[_LENGTH : _LENGTH + size]))
    at, arrays = _LENGTH + size + -size % _ALIGNED, []
    for kind, count in shapes:
        array = np.frombuffer(body, kind, count, at)
        at += array.nbytes + -array.nbytes % _ALIGNED
        arrays.append(array)
    return CacheEntry(facts, arrays)
