"""Threads that share an index, and interrupts at any moment: nothing is stuck, nothing comes twice."""

import threading
import time
from functools import partial

import pytest

from tests.examples import count
from tests.index.corpus import prose
from tests.interrupts import interrupted
from whorl import Document, Scheme
from whorl.index.index import Index
from whorl.registry.registry import Registry
from whorl.storage import store
from whorl.storage.postings import Postings
from whorl.sweep.sweep import Sweep

SCHEME = Scheme(k=8, w=4)


def test_a_flush_and_a_search_at_once_leave_each_posting_once(tmp_path, monkeypatch):
    """Both bring the fresh postings into order: one waits for the other."""
    joined, slow = Postings.joined, threading.Event()

    def slowly(parts):
        slow.set()
        time.sleep(0.05)
        return joined(parts)

    with Index.create(tmp_path / "index", SCHEME) as index:
        for number in range(5):
            index.add(Document(f"{number}", prose(number)))
        index.refresh()
        count = len(index._snapshot.fresh)
        monkeypatch.setattr("whorl.storage.postings.Postings.joined", slowly)
        searching = threading.Thread(target=index.search, args=(prose(1),))
        searching.start()
        assert slow.wait(30)
        index.flush()
        searching.join()
        assert index.stats().postings == count
        index.verify()


def test_tombstones_are_cleared_by_themselves(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "FEW_TOMBSTONES", 4)
    with Index.create(tmp_path / "index", SCHEME) as index:
        for number in range(12):
            index.add(Document(f"{number}", prose(number)))
        index.flush()
        index.remove("0", "1", "2")
        assert index.stats().removed == 3
        index.remove("3")
        assert index.stats().removed == 0
        for number in range(4, 8):
            index.add(Document(f"{number}", prose(100 + number)))
        assert index.stats().removed == 0
        assert index.search(prose(104))[0].document.name == "4"
        assert not index.search(prose(4))
        index.verify()


def index_changes(folder):
    index = Index.create(folder, SCHEME)

    def change(number: int) -> None:
        index.add(Document(f"{number % 5}", prose(number)))
        index.search(prose(number), passages=False)
        if number % 11 == 0:
            index.flush()

    return index, change


def registry_changes(folder):
    registry = Registry.create(folder)

    def change(number: int) -> None:
        registry.add(Document(f"{number % 5}", prose(number, 200)))
        registry.search(prose(number, 200))

    return registry, change


def sweep_changes(folder):
    sweep = Sweep.create(folder)
    return sweep, lambda number: sweep.add([Document(f"{number % 5}", prose(number, 100))], "2026-01-01")


# A file that an interrupt lets drop is closed all the same, with a warning.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("changes", [index_changes, registry_changes, sweep_changes])
def test_interrupts_leave_nothing_open(tmp_path, changes):
    """After each one the same object can be written to, and others can write, too."""
    store, change = changes(tmp_path / "store")
    with store:
        change(0)
        started = time.perf_counter()
        change(1)
        usual = time.perf_counter() - started
        caught = 0
        rounds = count(150)
        for number in range(2, 2 + rounds):
            caught += interrupted(partial(change, number), max(1e-6, usual * (number % 37) / 37))
            assert not store._store._connection.sqlite.in_transaction
            change(number)
        assert caught > rounds // 8
        store.verify()


def test_an_interrupt_while_a_transaction_begins_leaves_none_open(tmp_path, monkeypatch):
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a", prose(1)))
        connection = index._store._connection

        def interrupt() -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(connection, "check_same", interrupt)
        with pytest.raises(KeyboardInterrupt):
            index.add(Document("b", prose(2)))
        monkeypatch.undo()
        assert not connection.sqlite.in_transaction
        with Index.open(tmp_path / "index", wait=0) as other:
            other.add(Document("c", prose(3)))
        index.add(Document("b", prose(2)))
        assert [entry.name for entry in index.entries()] == ["a", "c", "b"]
