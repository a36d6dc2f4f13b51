"""Postings in the stores that were the second choices: LMDB, and plain rows of SQLite."""

import json
import sqlite3
import struct
from collections.abc import Iterable
from pathlib import Path

import lmdb
import numpy as np
from numpy.typing import NDArray

from whorl.storage.postings import Postings

# SQLite's integers are signed.
SIGN = np.uint64(1 << 63)

TABLE = """
CREATE TABLE postings (hash INTEGER, document INTEGER, place INTEGER, PRIMARY KEY (hash, document, place)) WITHOUT ROWID
"""
QUESTION = "SELECT hash, document, place FROM json_each(?) JOIN postings ON hash = value"


class LmdbStore:
    """A key for each hash, with its postings as sorted values of eight bytes."""

    name = f"LMDB {lmdb.__version__}"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environment = lmdb.open(str(folder), map_size=1 << 36, max_dbs=1)
        self._postings = self._environment.open_db(b"postings", dupsort=True, dupfixed=True)

    def fill(self, parts: Iterable[Postings]) -> None:
        """Append, which is the fastest way in; the postings come in order."""
        pack, key = struct.Struct(">II").pack, struct.Struct(">Q").pack
        for part in parts:
            rows = zip(part.hashes.tolist(), part.documents.tolist(), part.places.tolist(), strict=True)
            with self._environment.begin(self._postings, write=True) as transaction, transaction.cursor() as cursor:
                cursor.putmulti(((key(one), pack(*rest)) for one, *rest in rows), append=True)

    def look_up(self, hashes: NDArray[np.uint64]) -> int:
        """Return all postings of the hashes: how many bytes they are."""
        keys = [one.to_bytes(8, "big") for one in hashes.tolist()]
        with self._environment.begin(self._postings) as transaction, transaction.cursor() as cursor:
            return len(cursor.getmulti(keys, dupdata=True, dupfixed_bytes=8, keyfixed=True))

    def scan(self) -> int:
        """Go through all."""
        with self._environment.begin(self._postings) as transaction, transaction.cursor() as cursor:
            return sum(1 for _ in cursor)

    def size(self) -> int:
        """Bytes on the disk."""
        return (self._folder / "data.mdb").stat().st_blocks * 512

    def close(self) -> None:
        """Done."""
        self._environment.close()


class SqliteStore:
    """One row a posting, in the order of the primary key."""

    name = f"SQLite {sqlite3.sqlite_version}, rows"

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows = sqlite3.connect(path)
        self._rows.execute(TABLE)

    def fill(self, parts: Iterable[Postings]) -> None:
        """One transaction a part. A posting that is there twice is there once."""
        for part in parts:
            columns = _signed(part.hashes), part.documents.tolist(), part.places.tolist()
            with self._rows:
                self._rows.executemany("INSERT OR IGNORE INTO postings VALUES (?, ?, ?)", zip(*columns, strict=True))

    def look_up(self, hashes: NDArray[np.uint64]) -> int:
        """Return all postings of the hashes: how many."""
        return len(self._rows.execute(QUESTION, (json.dumps(_signed(hashes)),)).fetchall())

    def scan(self) -> int:
        """Go through all."""
        return sum(1 for _ in self._rows.execute("SELECT hash, document, place FROM postings ORDER BY hash"))

    def size(self) -> int:
        """Bytes on the disk."""
        return self._path.stat().st_size

    def close(self) -> None:
        """Done."""
        self._rows.close()


def _signed(hashes: NDArray[np.uint64]) -> list[int]:
    found: list[int] = (hashes ^ SIGN).view(np.int64).tolist()
    return found
