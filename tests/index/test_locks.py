"""Locks that a process must not lose, and those of a folder that is not the one it was."""

import errno
import os
import shutil
from pathlib import Path

import apsw
import pytest

from tests import forks
from tests.index.corpus import prose
from tests.index.elsewhere import die_at_sync, die_sweeping, leave_open, names, stay
from whorl import Document, Scheme
from whorl.errors import DocumentError, InputError, ReplacedError
from whorl.formats.archives.walk import walk
from whorl.index.index import Index
from whorl.model import Skipped
from whorl.registry.registry import Registry
from whorl.storage.connection import Connection
from whorl.stores import refusal
from whorl.sweep.sweep import Sweep

SCHEME = Scheme(k=8, w=4)


def elsewhere(folder: Path) -> list[str]:
    """Return the documents that another process sees, which opens the index and closes it."""
    return forks.run(names, folder)


@pytest.fixture
def held_locks():
    """Whether SQLite's locks are there: another process that opens and closes the index leaves the log alone then."""

    def held(index: Index) -> bool:
        before = elsewhere(index.folder)
        index.add(Document(f"after-{len(before)}", prose(1000 + len(before))))
        return elsewhere(index.folder) == [entry.name for entry in index.entries()] and len(before) + 1 == len(index)

    return held


def test_a_purge_keeps_the_locks(tmp_path, held_locks):
    with Index.create(tmp_path / "index", SCHEME) as index:
        for number in range(4):
            index.add(Document(f"{number}", prose(number)))
        assert index.purge([1]).is_clean
        assert held_locks(index)
        index.add(Document("last", prose(20)))
        assert "last" in elsewhere(tmp_path / "index")


def test_an_index_inside_the_folder_that_is_added_is_left_alone(tmp_path, held_locks):
    (tmp_path / "essay.txt").write_text(prose(1))
    with Index.create(tmp_path / "my.index", SCHEME) as index:
        for _ in range(2):
            items = list(walk(tmp_path))
            list(index.add_all([item for item in items if isinstance(item, Document)]))
            skipped = [item for item in items if isinstance(item, Skipped)]
            assert skipped == [Skipped("my.index/", "a Whorl index: none of its files is a document", expected=True)]
            assert held_locks(index)
        assert {entry.name for entry in index.entries()} == {"essay.txt", "after-1", "after-2"}


@pytest.mark.parametrize("name", ["index.db", "index.db-wal", "index.db-shm", "secret.key"])
def test_no_file_of_a_store_is_a_document(tmp_path, held_locks, name):
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a", prose(1)))
        with pytest.raises(DocumentError, match="part of a Whorl index, not a document"):
            index.add(tmp_path / "index" / name)
        with pytest.raises(DocumentError, match="part of a Whorl index, not a document"):
            list(walk(tmp_path / "index" / name))
        assert held_locks(index)


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_a_database_that_is_open_is_no_document_under_another_name(tmp_path, held_locks, link):
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a", prose(1)))
        link(tmp_path / "index" / "index.db", tmp_path / "b.txt")
        with pytest.raises(DocumentError, match="a database that is in use, not a document"):
            index.add(tmp_path / "b.txt")
        assert held_locks(index)


def test_a_closed_database_is_no_longer_in_use_wherever_the_process_has_gone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    index = Index.create(Path("index"), SCHEME)
    os.link("index/index.db", "other.txt")
    assert refusal(Path("other.txt"))
    monkeypatch.chdir("index")
    index.close()
    assert refusal(tmp_path / "other.txt") == ""


@pytest.mark.parametrize("change", ["flush", "compact"])
def test_a_commit_that_nobody_saw_does_not_come_back_without_its_segment(tmp_path, change):
    folder = tmp_path / "index"
    with Index.create(folder, SCHEME) as index:
        for number in range(3):
            index.add(Document(f"{number}", prose(number)))
            if change == "compact":
                index.flush()
    reader = forks.start(stay, folder)
    assert reader.pipe.recv() == 3
    assert forks.run(die_at_sync, folder, change)
    assert forks.run(die_sweeping, folder)
    reader.kill()
    with Index.open(folder) as index:
        index.verify()
        assert [hit.document.name for hit in index.search(prose(1))] == ["1"]
        assert len(index) == 3


def test_a_process_does_not_write_into_a_rebuilt_index(tmp_path):
    folder = tmp_path / "index"
    with Index.create(folder, SCHEME) as stale, Index.open(folder) as reader:
        stale.add(Document("old", prose(1)))
        shutil.rmtree(folder)
        with Index.create(folder, SCHEME) as rebuilt:
            rebuilt.add(Document("new", prose(2)))
            rebuilt.flush()
            for change in (lambda: stale.add(Document("more", prose(3))), stale.compact, lambda: stale.purge([1])):
                with pytest.raises(ReplacedError, match="removed or replaced since it was opened"):
                    change()
            with pytest.raises(ReplacedError):
                reader.search(prose(1))
            assert rebuilt.search(prose(2))[0].document.name == "new"
            rebuilt.verify()
    assert elsewhere(folder) == ["new"]


def test_a_process_does_not_write_into_a_folder_that_is_gone(tmp_path):
    with Index.create(tmp_path / "index", SCHEME) as index:
        shutil.rmtree(tmp_path / "index")
        with pytest.raises(Exception, match="index"):
            index.add(Document("a", prose(1)))
        assert not (tmp_path / "index").exists()


def test_other_stores_that_were_rebuilt(tmp_path):
    registry, sweep = tmp_path / "registry", tmp_path / "sweep"
    text = prose(1, 400)
    with Registry.create(registry) as old, Sweep.create(sweep) as seen:
        shutil.rmtree(registry)
        shutil.rmtree(sweep)
        with Registry.create(registry) as new, Sweep.create(sweep) as other:
            with pytest.raises(ReplacedError):
                old.add(Document("a", text))
            with pytest.raises(ReplacedError):
                seen.add([Document("a", text)], "2026-01-01")
            new.add(Document("b", text))
            other.add([Document("b", text)], "2026-01-01")
        with Registry.open(registry) as new, Sweep.open(sweep) as other:
            assert [entry.name for entry in new.entries()] == ["b"]
            assert "b" in other


def test_writing_inside_reading_is_refused_and_nothing_is_damaged(tmp_path):
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a", prose(1)))
        with index.reading(), pytest.raises(InputError, match=r"leave reading\(\) before writing to it"):
            index.add(Document("b", prose(2)))
        index.add(Document("b", prose(2)))
        assert len(index) == 2


def test_a_database_says_when_its_log_lost_commits(tmp_path):
    folder = tmp_path / "index"
    forks.run(leave_open, folder)
    log = folder / "index.db-wal"
    data = bytearray(log.read_bytes())
    assert len(data) > 10_000
    data[-3000] ^= 4
    log.write_bytes(data)
    with pytest.raises(Exception, match="the log lost the last 1 of 6 commits"):
        Index.open(folder)
    (folder / "index.db-commits").unlink()
    with Index.open(folder) as index:
        assert len(index) == 4


def test_a_connection_is_closed_twice(tmp_path):
    connection = Connection(tmp_path / "a.db", create=True)
    connection.close()
    connection.close()
    with pytest.raises(apsw.ConnectionClosedError):
        connection.rows("SELECT 1")


def test_half_a_note_of_commits_is_no_note(tmp_path, monkeypatch):
    """A disk that takes half of the note, and no more, costs a check; the commit is durable, and nothing is damaged."""
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a", prose(1)))
        pwrite = os.pwrite

        def refused(descriptor, data, offset):
            if len(data) == 16:
                return pwrite(descriptor, data[:8], offset)
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "pwrite", refused)
        index.add(Document("b", prose(2)))
        monkeypatch.undo()
    with Index.open(tmp_path / "index") as index:
        assert [entry.name for entry in index.entries()] == ["a", "b"]
        index.verify()
