"""Purges that are killed, and readers beside them: ``python -m tests.index.purging FOLDER points``, ``… reader``."""

import os
import select
import sys
from pathlib import Path

from tests.index.corpus import prose
from tests.index.crash import SCHEME, small
from tests.killing import lived
from whorl import Document
from whorl.index.index import Index
from whorl.storage.files import PURGE_POINTS

# Documents 1 to 6 are there; of them these are purged, the last one fresh in the delta, and 7 was removed before.
KEPT, PURGED = (1, 2, 3), (4, 5, 6)
BEFORE = 7

# What a purge passes beside its own points.
POINTS = (
    *PURGE_POINTS, "remove.document", "remove.delta", "remove.tombstone", "store.before-commit", "store.committed",
    "merge.begun", "segment.created", "segment.written", "segment.renamed", "segment.durable", "merge.written",
    "segments.swapped", "merge.listed", "merge.done", "merge.unlinked",
)  # fmt: skip


def name_of(number: int) -> str:
    return f"document of number {number}"


def text_of(number: int) -> str:
    return prose(3000 + number, 40)


def fill(folder: Path) -> None:
    """Two segments, a document that was removed, and fresh ones."""
    with Index.create(folder, SCHEME) as index:
        for number in (1, 4, 2, 7):
            index.add(Document(name_of(number), text_of(number)))
        index.flush()
        for number in (3, 5):
            index.add(Document(name_of(number), text_of(number)))
        index.flush()
        index.add(Document(name_of(6), text_of(6)))
        index.remove(name_of(BEFORE))


def numbers(index: Index) -> list[int]:
    """Of the documents that are to be purged, those that are there."""
    entries = [index.entry(name_of(number)) for number in PURGED]
    return [entry.id for entry in entries if entry is not None]


def raw(folder: Path) -> bytes:
    """The bytes of all files."""
    return b"\0".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def stored(folder: Path) -> dict[int, list[bytes]]:
    """What is on the disk of each document: its name, and pieces of its compressed text."""
    with Index.open(folder) as index:
        found = {}
        for entry in index.entries():
            _, data = index._store.text(entry.id) or ("", b"")
            pieces = [data[at : at + 24] for at in range(12, len(data) - 24, 24)]
            found[int(entry.name.split()[-1])] = [entry.name.encode(), entry.digest, *pieces]
        return found


def check_purged(folder: Path, pieces: dict[int, list[bytes]]) -> None:
    """Nothing of those, all of the others."""
    data = raw(folder)
    for number in PURGED:
        assert not any(piece in data for piece in pieces[number]), f"something of document {number} is left"
    with Index.open(folder) as index:
        index.verify()
        assert sorted(entry.name for entry in index.entries()) == [name_of(number) for number in KEPT]
        for number in KEPT:
            assert all(piece in data for piece in pieces[number][:2])
            assert index.text(name_of(number)) == text_of(number)
            assert index.search(text_of(number))[0].document.name == name_of(number)
        for number in PURGED:
            assert not index.search(text_of(number))


def at_every_point(base: Path) -> int:
    """A purge that is killed at each point; the next one ends what it began. How many kills."""
    for count, point in enumerate(POINTS):
        folder = base / str(count)
        fill(folder)
        pieces = stored(folder)

        def work(_: int, folder: Path = folder) -> None:
            with Index.open(folder) as index:
                index.purge(numbers(index))

        was_killed, _ = lived(work, point)
        assert was_killed, f"nothing passed {point}"
        with Index.open(folder) as index:
            index.verify()
            assert all(index.search(text_of(number))[0].document.name == name_of(number) for number in KEPT)
            evidence = index.purge(numbers(index))
            assert evidence.is_clean, evidence.remains
        check_purged(folder, pieces)
    return len(POINTS)


def read(folder: Path) -> int:
    """Ask for what stays, again and again, until the input ends. How many answers."""
    answers = 0
    with Index.open(folder) as index:
        while not select.select([sys.stdin], [], [], 0)[0]:
            number = KEPT[answers % len(KEPT)]
            hits = index.search(text_of(number))
            assert (hits[0].document.name, hits[0].resemblance) == (name_of(number), 1.0)
            assert index.text(name_of(number)) == text_of(number)
            answers += 1
            if answers == 1:
                os.write(1, b"reading\n")
    return answers


if __name__ == "__main__":
    small()
    if sys.argv[2] == "points":
        print(at_every_point(Path(sys.argv[1])))
    else:
        print(read(Path(sys.argv[1])))
