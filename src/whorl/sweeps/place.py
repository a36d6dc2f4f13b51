"""Where the parts of a sweep store are in its folder, and whether one is there."""

from pathlib import Path

import apsw

from whorl.index.faults import DamageError

DATABASE, SEGMENTS, LOCK = "sweep.db", "segments", "lock"

# Bytes of a database to which nothing was written: its first page. What is larger is never taken for unfinished.
EMPTY = 4096

# All that making a store leaves if it is stopped before its commit.
UNFINISHED = frozenset({DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", SEGMENTS, LOCK})


def is_store(path: Path) -> bool:
    """Whether a sweep store is in this folder: one whose making was finished."""
    return (path / DATABASE).is_file() and not _is_unmade(path / DATABASE)


def is_free(path: Path) -> bool:
    """Whether a store can be made here: nothing is there, or what a crash left of making one."""
    if not path.exists():
        return True
    if not path.is_dir() or is_store(path):
        return False
    names = {each.name for each in path.iterdir()}
    segments = path / SEGMENTS
    return names <= UNFINISHED and not (segments.is_dir() and any(segments.iterdir()))


def remove_unfinished(path: Path) -> None:
    """Remove what a crash left of making a store."""
    for name in UNFINISHED - {SEGMENTS, LOCK}:
        (path / name).unlink(missing_ok=True)


def _is_unmade(database: Path) -> bool:
    """Whether a database has no table yet, and is as small as that."""
    if database.stat().st_size > EMPTY:
        return False
    try:
        connection = apsw.Connection(str(database), apsw.SQLITE_OPEN_READWRITE)
        try:
            return bool(connection.execute("SELECT count(*) FROM sqlite_schema").get == 0)
        finally:
            connection.close()
    except apsw.Error as error:
        raise DamageError(database, f"the database: {error}") from error
