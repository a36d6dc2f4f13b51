"""Purges that are killed, readers beside them, and what either must leave."""

from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from tests import forks
from tests.index.corpus import prose
from tests.index.crash import SCHEME, small
from tests.killing import lived
from whorl import Document
from whorl.index.index import Index
from whorl.index.remains import search_file
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


def killed(folder: Path, point: str) -> bool:
    """Purge in a process that is killed at a point. Return whether it was killed."""

    def work(_: int) -> None:
        with Index.open(folder) as index:
            index.purge(numbers(index))

    small()
    return lived(work, point)[0]


def read(pipe: Connection, folder: Path) -> None:
    """Ask for what stays, again and again, until something comes on the pipe. Say when it begins, and at the end how
    many answers there were."""
    answers = 0
    with Index.open(folder) as index:
        while not pipe.poll():
            number = KEPT[answers % len(KEPT)]
            hits = index.search(text_of(number))
            assert (hits[0].document.name, hits[0].resemblance) == (name_of(number), 1.0)
            assert index.text(name_of(number)) == text_of(number)
            answers += 1
            if answers == 1:
                pipe.send("reading")
    pipe.send(answers)


def searched(paths: Sequence[Path], wanted: Sequence[bytes]) -> list[tuple[Path, set[bytes], int]]:
    """Search files as the process of a purge does, in one that need not import NumPy first."""
    return [(path, *hits) for path, hits in zip(paths, forks.run(_search, paths, wanted), strict=True)]


def _search(paths: Sequence[Path], wanted: Sequence[bytes]) -> list[tuple[set[bytes], int]]:
    return [search_file(path, wanted) for path in paths]
