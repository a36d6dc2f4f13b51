"""Damage to an index: single bits flip, files end too early. What it answers then is right, or it says so."""

import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw

from tests.index.corpus import mixed, prose
from whorl import Document, Scheme
from whorl.errors import DamageError, StoreFormatError
from whorl.index.index import Index

SCHEME = Scheme(k=8, w=4)
TEXTS = {f"{number}": mixed((number, 20), (number + 1, 8)) for number in range(14)}
QUERIES = [prose(1), mixed((3, 15), (7, 15)), prose(12), prose(99)]

# Bytes of a page of the database, and of the header of a leaf.
PAGE, HEADER = 4096, 8

# What noticing damage looks like; anything else that is raised is a fault.
NOTICED = (DamageError, StoreFormatError)


def make(folder: Path) -> None:
    """An index with all that there can be: two segments, fresh postings, tombstones, sanctioned documents."""
    with Index.create(folder, SCHEME) as index:
        for name, text in TEXTS.items():
            index.add(Document(name, text, owner=f"owner {int(name) % 3}", labels=("x",)), sanctioned=name == "5")
            if name in ("5", "9"):
                index.flush()
        index.remove("2", "7")
        index.add(Document("3", prose(30)))


def answers(index: Index) -> Any:
    """All that can be asked: the documents, their texts, searches. What is noticed meanwhile is raised."""
    searched = [(hits.hits, hits.cost) for hits in (index.search(query) for query in QUERIES)]
    entries = list(index.entries())
    return searched, entries, [index.text(entry.name) for entry in entries], len(index)


def outcome(folder: Path, right: Any) -> str:
    """What an index does: ``noticed``, ``harmless``, or what it did wrong."""
    try:
        with Index.open(folder) as index:
            if answers(index) != right:
                return "a wrong answer"
            index.verify()
    except NOTICED:
        return "noticed"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "harmless"


def written(folder: Path) -> Any:
    """What an index answers after it was written to: without the moments at which documents were added."""
    with Index.open(folder) as index:
        index.add(Document("new", prose(50)))
        index.add(Document("4", prose(51)))
        index.flush()
        index.remove("6")
        index.compact()
        index.add(Document("5", TEXTS["5"], owner="another"), sanctioned=True)
        searched, entries, texts, count = answers(index)
    hits = [[replace(hit, document=replace(hit.document, added="")) for hit in found] for found, _ in searched]
    return hits, [replace(entry, added="") for entry in entries], texts, count


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


def flips(folder: Path, count: int, seed: int) -> Iterator[tuple[Path, int, int]]:
    """Bits to flip: a third of them in each of the database, the segments and the first page, where all begins."""
    draw = random.Random(f"flips {seed}")
    database = folder / "index.db"
    small = [path for path in files_of(folder) if path != database]
    for number in range(count):
        path = draw.choice(small) if number % 3 == 0 else database
        size = min(path.stat().st_size, 4096 if number % 3 == 1 else 1 << 40)
        yield path, draw.randrange(size), draw.randrange(8)


class Damaged:
    """A file with other bytes, until the block ends; what SQLite left beside it is removed."""

    def __init__(self, path: Path, data: bytes) -> None:
        self.path, self.data = path, data

    def __enter__(self) -> None:
        self.right = self.path.read_bytes()
        self.path.write_bytes(self.data)

    def __exit__(self, *_: object) -> None:
        for suffix in ("-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self.path.write_bytes(self.right)


def flipped(path: Path, at: int, bit: int) -> Damaged:
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    return Damaged(path, bytes(data))


def cut(path: Path, size: int) -> Damaged:
    return Damaged(path, path.read_bytes()[:size])


def used_bytes(folder: Path, name: str) -> list[int]:
    """Where in the database the root page of a small table, or of its index, has anything."""
    database = folder / "index.db"
    with closing(apsw.Connection(str(database), apsw.SQLITE_OPEN_READONLY)) as connection:
        root: Any = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).get
    start = PAGE * (root - 1)
    page = database.read_bytes()[start : start + PAGE]
    return [start + at for at in range(PAGE) if at < HEADER or page[at]]
