"""Copies of stores that are in use: one state, checked, and a store like any other."""

import errno
import threading
from collections.abc import Callable

import pytest
from click.testing import CliRunner

from tests.index.corpus import prose
from whorl import Document, Registry, Scheme, Sweep
from whorl.cli import main
from whorl.errors import DamageError, InputError, WhorlError
from whorl.index.index import Index
from whorl.service.database import ServiceDatabase
from whorl.storage import folder

SCHEME = Scheme(k=8, w=4)


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)])


def test_a_copy_while_others_write(tmp_path):
    stop = threading.Event()
    with (
        Index.create(tmp_path / "index", SCHEME) as index,
        ServiceDatabase(tmp_path / "index" / "service.sqlite") as service,
    ):
        service.write("INSERT INTO collections VALUES ('', 'essays', NULL, 0)")
        for number in range(6):
            index.add(Document(f"{number}", prose(number)))
            if number % 2:
                index.flush()

        def write() -> None:
            number = 6
            while not stop.is_set():
                index.add(Document(f"{number}", prose(number)))
                index.remove(f"{number - 4}")
                number += 1
                if number % 5 == 0:
                    index.compact()

        writing = threading.Thread(target=write)
        writing.start()
        try:
            for turn in range(3):
                done = run("index", "backup", tmp_path / "index", tmp_path / f"copy{turn}")
                assert done.exit_code == 0, done.output
                assert "documents, all sound" in done.output
        finally:
            stop.set()
            writing.join()
        index.verify()
    with Index.open(tmp_path / "copy0") as copy:
        names = [entry.name for entry in copy.entries()]
        assert names == [f"{number}" for number in range(int(names[0]), int(names[-1]) + 1)] or len(names) >= 4
        copy.add(Document("new", prose(99)))
        assert copy.search(prose(99))[0].document.name == "new"
        copy.verify()
    with ServiceDatabase(tmp_path / "copy0" / "service.sqlite") as service:
        assert service.read("SELECT name FROM collections") == [("essays",)]
        service.write("DELETE FROM collections")
        service.verify()
    assert run("index", "verify", tmp_path / "copy0").exit_code == 0


def test_a_copy_replaces_nothing(tmp_path):
    Index.create(tmp_path / "index", SCHEME).close()
    (tmp_path / "copy").mkdir()
    done = run("index", "backup", tmp_path / "index", tmp_path / "copy")
    assert done.exit_code == 1
    assert "already exists" in done.output


def written_meanwhile(stop: threading.Event, write: Callable[[int], object]) -> threading.Thread:
    """A thread that writes until it is stopped."""

    def loop() -> None:
        number = 100
        while not stop.is_set():
            write(number)
            number += 1

    thread = threading.Thread(target=loop)
    thread.start()
    return thread


def test_a_copy_of_a_registry_while_others_write(tmp_path):
    stop = threading.Event()
    with Registry.create(tmp_path / "registry") as registry:
        for number in range(3):
            registry.add(Document(f"{number}", prose(number)))
        registry.flush()
        writing = written_meanwhile(stop, lambda number: registry.add(Document(f"{number}", prose(number))))
        try:
            done = run("registry", "backup", tmp_path / "registry", tmp_path / "copy")
        finally:
            stop.set()
            writing.join()
        assert done.exit_code == 0, done.output
        assert "documents, all sound" in done.output
        registry.verify()
    with Registry.open(tmp_path / "copy") as copy:
        assert {"0", "1", "2"} <= {entry.name for entry in copy.entries()}
        assert copy.search(Document("q", prose(1))).hits[0].document.name == "1"
        copy.add(Document("new", prose(99)))
        copy.verify()
    assert run("registry", "backup", tmp_path / "registry", tmp_path / "copy").exit_code == 1


def test_a_copy_of_sweeps(tmp_path):
    pages = [Document("a", prose(1), url="http://x/a"), Document("b", prose(2), url="http://x/b")]
    with Sweep.create(tmp_path / "sweep") as sweep:
        sweep.add(pages, "2026-01-01")
        done = run("sweep", "backup", tmp_path / "sweep", tmp_path / "copy")
        assert done.exit_code == 0, done.output
        assert "copy: 1 sweep, all sound" in done.output
        sweep.add(pages[:1], "2026-02-01")
    with Sweep.open(tmp_path / "copy") as copy:
        assert copy.sweeps() == ["2026-01-01"]
        copy.add(pages[1:], "2026-03-01")
        copy.verify()
        assert copy.sweeps() == ["2026-01-01", "2026-03-01"]
    with Sweep.open(tmp_path / "sweep") as sweep:
        sweep.verify()


@pytest.mark.parametrize("kind", ["registry", "sweep"])
def test_a_failed_copy_is_removed_and_can_be_tried_again(tmp_path, monkeypatch, kind):
    with (Registry if kind == "registry" else Sweep).create(tmp_path / "store"):
        pass

    def full(_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(folder, "sync_copy", full)
        done = run(kind, "backup", tmp_path / "store", tmp_path / "copy")
        assert (done.exit_code, "copy: cannot write: No space left on device" in done.output) == (1, True)
    assert not (tmp_path / "copy").exists()
    done = run(kind, "backup", tmp_path / "store", tmp_path / "copy")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("kind", [Index, Registry, Sweep])
@pytest.mark.parametrize("has_segments", [False, True])
def test_an_empty_database_in_a_store_is_damage(tmp_path, kind, has_segments):
    """Neither a new store nor no store: the documents were there, and a copy may have them."""
    folder = tmp_path / "store"
    with kind.create(folder) as store:
        if kind is Sweep:
            store.add([Document("a", prose(1), url="http://x/a")], "2026-01-01")
        else:
            store.add(Document("a", prose(1)))
            store.flush()
    database = folder / f"{kind.__name__.lower()}.db"
    for path in folder.glob(f"{database.name}-*"):
        if has_segments or not path.name.endswith("-commits"):
            path.unlink()
    if not has_segments:
        for path in (folder / "segments").iterdir():
            path.unlink()
    database.write_bytes(b"")
    for way in (kind.open, kind.create):
        with pytest.raises(DamageError if way == kind.open or not has_segments else WhorlError, match=r"empty|exists"):
            way(folder)
    assert database.stat().st_size == 0


@pytest.mark.parametrize("name", ["index.db", "service.sqlite"])
def test_verify_finds_a_flip_in_each_database(tmp_path, name):
    with Index.create(tmp_path / "index", SCHEME) as index, ServiceDatabase(tmp_path / "index" / "service.sqlite"):
        index.add(Document("a", prose(1)))
    path = tmp_path / "index" / name
    data = bytearray(path.read_bytes())
    data[4096 * 2 + 4000] ^= 1
    path.write_bytes(data)
    done = run("index", "verify", tmp_path / "index")
    assert done.exit_code == 1
    assert "damaged" in done.output


def test_no_store_is_copied_into_itself(tmp_path):
    with Registry.create(tmp_path / "registry") as registry, Sweep.create(tmp_path / "sweeps") as sweep:
        for store in (registry, sweep):
            with pytest.raises(
                InputError, match=r"is inside .*, of which it would be a copy: choose a folder elsewhere"
            ):
                store.back_up(store.folder / "copy")
            assert not (store.folder / "copy").exists()
    Index.create(tmp_path / "index", SCHEME).close()
    done = run("index", "backup", tmp_path / "index", tmp_path / "index" / "segments" / "copy")
    assert done.exit_code == 1
    assert "choose a folder elsewhere" in done.stderr
