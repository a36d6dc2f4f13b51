"""The folder that a database of postings and its segments live in, under a secret key of its own."""

import os
from pathlib import Path

from whorl.errors import InputError
from whorl.hashing.key import Key
from whorl.index import files
from whorl.index.faults import DamageError, IndexIOError
from whorl.index.keyfile import read_key, write_key
from whorl.index.place import KEY, SEGMENTS
from whorl.index.points import point
from whorl.scheme import Scheme, resolve


def begin(folder: Path, scheme: Scheme | str) -> tuple[Scheme, Key]:
    """Make the folder, which must be new or empty, and a key; the scheme under that key."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: there is something of this name already: choose another, or remove it")
    key = Key.random()
    recipe = resolve(scheme).with_key(key.id)
    try:
        (folder / SEGMENTS).mkdir(parents=True, exist_ok=True)
        point("create.folder")
        write_key(folder / KEY, key)
    except OSError as error:
        raise IndexIOError(folder, "create", error.strerror or str(error)) from error
    point("create.key")
    return recipe, key


def settle(folder: Path) -> None:
    """Bring the folder to the disk, once its database is made."""
    files.fsync_folder(folder)
    files.fsync_folder(folder.parent)
    point("create.done")


def key_of(folder: Path, scheme: Scheme, what: str) -> Key:
    """The key in the folder, which must be the scheme's. ``what`` is in the folder: an index, a registry."""
    key = read_key(folder / KEY)
    if key.id != scheme.key:
        raise DamageError(folder / KEY, f"it is not the key that this {what} was made with")
    return key


def size_of(folder: Path) -> int:
    """Bytes of all files; what another process removes meanwhile counts nothing."""
    return sum(_size(Path(inner) / name) for inner, _, names in os.walk(folder) for name in names)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:
        return 0
