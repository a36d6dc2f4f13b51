"""Recognise Whorl's own stores, whose files are never documents.

Opening a database file beside SQLite is dangerous too: when a process closes any descriptor of a file, POSIX drops all
its locks on that file, including those of SQLite.
"""

import os
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from threading import RLock

from whorl.errors import DocumentError

# Suffixes of the files beside a database: the log, the index of the log, and the number of commits.
BESIDE = ("-wal", "-shm", "-commits")

# The database of each kind of store, and what else its folder holds.
INDEX_DATABASE, REGISTRY_DATABASE, SWEEP_DATABASE, SERVICE_DATABASE = (
    "index.db",
    "registry.db",
    "sweep.db",
    "service.sqlite",
)
SEGMENTS, KEY, LOCK = "segments", "secret.key", "lock"

# The file that marks a folder as a report.
REPORT_MARKER = "whorl-report.json"

# The kinds of stores: all of the first names are in the folder, and one of the others. A key comes before its database.
_MARKS: tuple[tuple[str, set[str], set[str]], ...] = (
    ("a Whorl index", {INDEX_DATABASE}, {KEY, SEGMENTS, LOCK}),
    ("a Whorl registry", {REGISTRY_DATABASE}, {KEY, SEGMENTS, LOCK}),
    ("a Whorl sweep store", {SWEEP_DATABASE}, {SEGMENTS, LOCK}),
    ("an unfinished Whorl store", {KEY, SEGMENTS}, {KEY}),
    ("a Whorl service's folder", {SERVICE_DATABASE}, {"service.lock", "jobs"}),
    ("a Whorl clustering", {"documents.parquet", "pairs.parquet"}, {"keep.txt", "summary.json"}),
    ("a Whorl report", {REPORT_MARKER, "index.html"}, {REPORT_MARKER}),
    ("the phases of a Whorl clustering", {"records", "shingles", LOCK}, {"id", "state.json"}),
)

# The subfolder with the report of a corpus that was written again, and a file in it. Readers of data folders ignore
# names that begin with _.
WORK, RECIPE_FILE = "_whorl", "recipe.json"

# Kind of store → the command that reads it, with its folder for {}.
_READERS = {
    "a Whorl index": "search {} FILES",
    "a Whorl registry": "registry search {} FILES",
    "a Whorl sweep store": "sweep find {} URL",
    "a Whorl clustering": "cluster -o {} --query ID",
}

# Kind of store → what is missing in a folder without one, and how to get it there.
_MAKERS = {
    "a Whorl index": "no index: create one with 'whorl index create {}'",
    "a Whorl registry": "no registry: create one with 'whorl registry create {}'",
    "a Whorl sweep store": "no sweeps: add some with 'whorl sweep add {} CORPUS'",
}

# Why a folder that is a store is skipped, behind its kind.
NO_DOCUMENT = ": none of its files is a document"

DATABASES = (INDEX_DATABASE, REGISTRY_DATABASE, SWEEP_DATABASE, SERVICE_DATABASE)
_PRIVATE = frozenset({KEY, *DATABASES, *(name + end for name in DATABASES for end in BESIDE)})

# The databases that this process has open, and how often. Python may collect one, and so close it, in the turn of any
# thread.
_in_use: Counter[Path] = Counter()
_turn = RLock()


def kind_of(names: Collection[str], folder: str = "") -> str:
    """Return the kind of store that a folder with these names is; "" if it is none. ``folder`` is its own name, if
    known."""
    if folder == WORK and RECIPE_FILE in names:
        return "the report of a corpus that Whorl wrote"
    for kind, all_of, any_of in _MARKS:
        if all(name in names for name in all_of) and any(name in names for name in any_of):
            return kind
    return ""


def store_in(folder: Path) -> str:
    """Return the kind of store that a folder is; "" if it is none, or if it cannot be read, which opening it says."""
    try:
        return kind_of(os.listdir(folder))  # noqa: PTH208  (names, not paths)
    except OSError:
        return ""


def missing_store(folder: Path, kind: str) -> DocumentError:
    """Return the error for a path without a store of a kind, such as "a Whorl index". It says which command reads the
    store that is there, or which one creates a store where there is nothing."""
    there, missing = store_in(folder), _MAKERS[kind]
    what, _, advice = missing.partition(": ")
    if there in _READERS and there != kind:
        command = _READERS[there].format(folder)
        return DocumentError(f"{folder}: {what}, but {there}: read it with 'whorl {command}'")
    # A store whose making was interrupted can be made again, so its files alone are no other files.
    others = {path.name for path in folder.iterdir()} - _PRIVATE - {SEGMENTS, LOCK} if folder.is_dir() else ()
    if others or folder.is_file():
        other = "a folder of other files" if others else "a file"
        return DocumentError(f"{folder}: {what}, but {other}: name {kind} first, or {advice.format('NAME')}")
    return DocumentError(f"{folder}: {missing.format(folder)}")


def is_index(path: Path) -> bool:
    """Return whether an index is in this folder."""
    return (path / INDEX_DATABASE).is_file()


def note_opened(database: Path) -> None:
    """Remember a database, by its absolute path, that SQLite opens in this process."""
    with _turn:
        _in_use[database] += 1


def note_closed(database: Path) -> None:
    """Forget a database that SQLite has closed."""
    with _turn:
        _in_use[database] -= 1
        if _in_use[database] <= 0:
            del _in_use[database]


def refusal(path: Path) -> str:
    """Return why a file must not be read as a document: it is a key or a database of a store, or SQLite has it open in
    this process, perhaps under another name. "" if it may be read."""
    if path.name in _PRIVATE and (kind := store_in(path.parent)):
        return f"part of {kind}, not a document"
    if _in_use and _is_in_use(path):
        return "a database that is in use, not a document"
    return ""


def refuse(path: Path) -> None:
    """Raise DocumentError for a file that must not be read as a document."""
    why = refusal(path)
    if why:
        raise DocumentError(why, str(path))


def _is_in_use(path: Path) -> bool:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return False  # opening the file says why
    with _turn:
        databases = list(_in_use)
    return any(_is_same(f"{database}{end}", status) for database in databases for end in ("", *BESIDE))


def _is_same(name: str, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(name), status)  # noqa: PTH116  (a name that was put together)
    except OSError:
        return False
