"""Several processes at once: readers are never blocked and see committed states alone; writers take turns."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests import forks
from tests.index.corpus import prose
from tests.index.crowd import SHARED, crowd, text_of
from whorl import Document, Scheme
from whorl.errors import StoreIOError
from whorl.index.index import Index
from whorl.storage.folder import writing
from whorl.stores import LOCK

SCHEME = Scheme(k=8, w=4)


def crowded(folder, commits: int) -> list[int]:
    """One writer of so many commits and four readers; how many answers each had."""
    with Index.create(folder, SCHEME) as index:
        list(index.add_all([Document("1", text_of(1)), Document("latest", text_of(1))]))
    return forks.run(crowd, folder, commits, 4)


def test_four_readers_and_a_writer(tmp_path):
    counts = crowded(tmp_path / "index", 120)
    assert len(counts) == 4
    assert min(counts) > 0
    with Index.open(tmp_path / "index") as index:
        index.verify()
        assert len(index) == len(index.search(SHARED))


@pytest.mark.slow
def test_four_readers_and_a_writer_for_about_a_minute(tmp_path):
    assert min(crowded(tmp_path / "index", 1500)) > 50


def test_a_second_writer_waits_or_says_why_not(tmp_path):
    with Index.create(tmp_path / "index", SCHEME) as index, Index.open(tmp_path / "index", wait=0) as hasty:
        with writing(tmp_path / "index" / LOCK, 0):
            with pytest.raises(StoreIOError, match="another process is writing; try again later"):
                hasty.add(Document("a", prose(1)))
            assert list(hasty.entries()) == []
            waiting = threading.Thread(target=index.add, args=(Document("b", prose(2)),))
            waiting.start()
        waiting.join(timeout=60)
        assert [entry.name for entry in hasty.entries()] == ["b"]
        hasty.add(Document("a", prose(1)))
        assert len(index) == 2


def test_a_reader_is_not_blocked_and_sees_no_half(tmp_path):
    """While another writes: in the middle of a commit, and while it holds the lock."""
    with Index.create(tmp_path / "index", SCHEME) as index, Index.open(tmp_path / "index") as reader:
        index.add(Document("a", prose(1)))
        prepared = index._prepared(Document("b", prose(2)), sanctioned=False)
        with index._writer._writing(), index._store.transaction():
            index._writer._put(prepared)
            assert [entry.name for entry in reader.entries()] == ["a"]
            assert not reader.search(prose(2))
            assert reader.search(prose(1))[0].document.name == "a"
        assert reader.search(prose(2))[0].document.name == "b"


def test_one_state_for_all_that_is_read(tmp_path):
    with Index.create(tmp_path / "index", SCHEME) as index, Index.open(tmp_path / "index") as reader:
        index.add(Document("a", prose(1)))
        index.flush()
        with reader.reading():
            index.remove("a")
            index.compact()
            index.add(Document("b", prose(2)))
            assert reader.text("a") == prose(1)
            assert reader.search(prose(1))[0].passages
            assert [entry.name for entry in reader.entries()] == ["a"]
        assert [entry.name for entry in reader.entries()] == ["b"]
        assert not reader.search(prose(1))


def test_threads_share_an_index(tmp_path):
    with Index.create(tmp_path / "index", SCHEME) as index, ThreadPoolExecutor(4) as threads:
        index.add(Document("0", text_of(0)))
        asked = [threads.submit(index.search, SHARED) for _ in range(20)]
        added = [threads.submit(index.add, Document(f"{number}", text_of(number))) for number in range(1, 9)]
        asked += [threads.submit(index.search, SHARED) for _ in range(20)]
        assert all(1 <= len(each.result()) <= 9 for each in asked)
        assert all(each.result().state == "added" for each in added)
        assert len(index.search(SHARED)) == 9
        index.verify()
