"""Corpora in object stores: copy the files of addresses such as s3://bucket/folder to this machine.

The rest of Whorl reads files of this machine: it goes back in them, maps them, and reads some of them twice. A copy has
a time that stands for the version of its object, so an unchanged object is the same corpus when it is copied again.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from hashlib import blake2b
from importlib.util import find_spec
from inspect import signature
from itertools import chain
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from whorl.errors import InputError

P = ParamSpec("P")
R = TypeVar("R")

FETCH = "fetch"

# An address. ``Path`` makes one slash of two. A drive has a single letter.
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]+):/", re.IGNORECASE)

_MISSING = 'needs fsspec; install it with: pip install "whorl[remote]"'

# Nanoseconds from which the time of a copy is drawn: 30 years from 1990 on.
_FIRST_TIME, _TIMES = 631_152_000 * 10**9, 30 * 365 * 86_400 * 10**9


def is_address(path: Path | str) -> bool:
    """Return whether a path is the address of an object store. Only texts are: ``Path`` drops a slash."""
    return isinstance(path, str) and "://" in path and _ADDRESS.match(path) is not None


def check_local(out: Path | str | None) -> Path:
    """Return an output folder; raise InputError if there is none, or if it is the address of an object store."""
    if out is None:
        raise InputError("out: name the folder to write to; texts in memory are given as rows, such as {'text': ...}")
    if address := _ADDRESS.match(str(out)):
        raise InputError(f"{address[1]}: is not a folder of this machine; write to a folder, and copy it from there")
    return Path(out)


def copies_of(out: Path) -> Path:
    """Return the folder beside an output folder that gets copies of the corpus. It is removed when the run ends."""
    return out.absolute().with_name(f".{out.absolute().name}.input")


def fetching(*names: str, unless: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function that writes to a folder ``out``: addresses among the arguments of these names are copied.

    The copies lie beside the output folder. They are removed at the end; after a stop they stay, and a later run copies
    only what is missing or has changed. Addresses are refused if the argument ``unless`` is given, because it remembers
    the paths of files.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function)

        @wraps(function)
        def wrapper(*args: P.args, **keywords: P.kwargs) -> R:
            bound = parameters.bind(*args, **keywords)
            out = check_local(bound.arguments.get("out"))
            given = {name: _checked(name, bound.arguments[name]) for name in names if name in bound.arguments}
            if bound.arguments.get(unless) is not None and any(map(_is_copied, chain(*given.values()))):
                raise InputError(f"{unless}: knows rows by the paths of their files; copy the objects first")
            with _copies(out) as copies:
                for name, paths in given.items():
                    bound.arguments[name] = copies.of(paths, bound.arguments.get("progress"))
                return function(*bound.args, **bound.kwargs)

        return wrapper

    return decorated


def _is_copied(path: Path | str) -> bool:
    """Return whether a path is an address whose objects are copied to be read."""
    return is_address(path) and not str(path).startswith(("file:", "local:"))


def _checked(name: str, paths: Any) -> list[Path | str]:
    """Return a path, or several, as a list; raise InputError for anything else. The elements of a table would be the
    names of its columns."""
    is_table = isinstance(paths, Mapping) or hasattr(paths, "columns") or hasattr(paths, "column_names")
    given = [paths] if isinstance(paths, str | Path) or is_table or not isinstance(paths, Iterable) else list(paths)
    for path in given:
        if not isinstance(path, str | Path):
            raise InputError(
                f"{name}: {type(path).__name__} is not a path; write rows to a JSONL or Parquet file first"
            )
    return given


@contextmanager
def _copies(out: Path) -> Iterator["_Copies"]:
    """Give the copies of a run, which are removed unless it fails."""
    copies = _Copies(copies_of(out))
    yield copies
    if copies.folder.is_dir():
        shutil.rmtree(copies.folder)


class _Copies:
    """Copies of objects in a folder, under the names that they have in their store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of(self, paths: Iterable[Path | str], progress: Callable[..., object] | None) -> list[Path | str]:
        """Return paths with copies in place of addresses."""
        return [copy for path in paths for copy in self._of(path, progress)]

    def _of(self, path: Path | str, progress: Callable[..., object] | None) -> list[Path | str]:
        if not is_address(path):
            return [path]
        address = str(path)
        if find_spec("fsspec") is None:
            raise InputError(f"{address}: {_MISSING}")
        from fsspec import url_to_fs
        from fsspec.implementations.local import LocalFileSystem

        try:
            store, place = url_to_fs(address)
            if isinstance(store, LocalFileSystem):
                return [Path(each) for each in _matching(store, place)]
            return [*self._copied(address, store, place, progress)]
        except InputError:
            raise
        # Each store has errors of its own: no access, no network, no such bucket, no package for the protocol.
        except Exception as error:
            raise InputError(f"{address}: cannot be read: {error or type(error).__name__}") from error

    def _copied(self, address: str, store: Any, place: str, progress: Callable[..., object] | None) -> Iterator[Path]:
        objects = {root: _files(store, root) for root in _matching(store, place)}
        if not any(objects.values()):
            raise InputError(f"{address}: no such file or folder, or the folder is empty")
        total, done = sum(size for sizes in objects.values() for size in sizes.values()), 0
        for root, sizes in objects.items():
            for name, size in sizes.items():
                self._copy(store, name, size)
                done += size
                if progress is not None:
                    progress(FETCH, done, total)
            if sizes:
                yield self._target(store, root)

    def _target(self, store: Any, name: str) -> Path:
        parts = name.strip("/").split("/")
        if any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise InputError(f"{name!r}: an object of this name cannot be a file; copy it under another name")
        protocol = store.protocol if isinstance(store.protocol, str) else store.protocol[0]
        return self.folder.joinpath(protocol, *parts)

    def _copy(self, store: Any, name: str, size: int) -> None:
        """Copy an object unless this version of it is there. The copy has its name only when it is complete."""
        target = self._target(store, name)
        time = time_of(store.ukey(name))
        if target.is_file() and (target.stat().st_size, target.stat().st_mtime_ns) == (size, time):
            return
        part = self.folder / ".part"  # the name of the object could be too long with more letters
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            store.get_file(name, str(part))
            os.utime(part, ns=(time, time))
            part.replace(target)
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            raise InputError(f"{name}: is both an object and a folder; copy one of them under another name") from error
        if target.stat().st_size != size:
            target.unlink()
            raise InputError(f"{name}: has changed while it was copied; run the same command again")


def _matching(store: Any, place: str) -> list[str]:
    """Return what a pattern matches; a place without signs, and one that exists under this very name, as it is."""
    if not any(sign in place for sign in "*?[") or store.exists(place):
        return [place]
    if not (found := sorted(store.glob(place))):
        raise InputError(f"{place}: no such file or folder")
    return found


def _files(store: Any, root: str) -> dict[str, int]:
    """Return the objects at or below a place and their sizes, in order. Folders that some stores list as objects have
    a slash at the end."""
    found = store.find(root, detail=True)
    return {
        name: int(facts["size"])
        for name, facts in sorted(found.items())
        if facts["type"] == "file" and not name.endswith("/")
    }


def time_of(version: str) -> int:
    """Return a time that differs for another version of an object."""
    drawn = int.from_bytes(blake2b(str(version).encode(), digest_size=8, person=b"whorl version").digest(), "big")
    # Whole microseconds: not every file system keeps nanoseconds.
    return (_FIRST_TIME + drawn % _TIMES) // 1000 * 1000
