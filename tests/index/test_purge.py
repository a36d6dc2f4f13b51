"""A purge leaves nothing of removed documents in any file, proves it, can be killed anywhere, and stops no reader."""

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import forks
from tests.examples import examples
from tests.index.corpus import prose
from tests.index.crash import SMALL
from tests.index.purging import (
    KEPT,
    POINTS,
    PURGED,
    check_purged,
    fill,
    killed,
    name_of,
    numbers,
    raw,
    read,
    searched,
    stored,
    text_of,
)
from whorl import Document, Scheme
from whorl.errors import InputError, StoreIOError
from whorl.index import purge, remains
from whorl.index.index import Index
from whorl.index.purge import Purger
from whorl.storage import connection, database

SCHEME = Scheme(k=8, w=4)


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """Return the folder of an index with something to purge, which is copied only."""
    folder = tmp_path_factory.mktemp("filled") / "index"
    fill(folder)
    return folder


@pytest.fixture
def folder(filled, tmp_path):
    return Path(shutil.copytree(filled, tmp_path / "index"))


@pytest.fixture(autouse=True)
def _searched_by_forks(monkeypatch):
    """Search files for remains without a new Python for each purge: to start it takes longer than the purge."""
    monkeypatch.setattr(purge, "search_files", searched)


def test_what_is_only_removed_is_still_there(folder):
    """Or the other tests here would prove nothing."""
    pieces = stored(folder)
    with Index.open(folder) as index:
        index.remove(*map(name_of, PURGED))
    data = raw(folder)
    assert any(piece in data for piece in pieces[4])


def test_samples_are_what_the_files_have(folder):
    """What is searched for after a purge is found before it: or finding nothing would prove nothing."""
    with Index.open(folder) as index:
        taken = [sample for number in numbers(index) for sample in index._writer.samples_of(index.numbered(number))]
        index._store.empty_log(10)
        assert len(taken) > 12
        found, _ = remains.search_file(folder / "index.db", taken)
        assert len(found) >= 0.8 * len(taken), "one that runs over the end of a page is in two pieces"
        assert remains.search_values(index._store.values(), taken) >= {each for each in taken if len(each) == 32}


@pytest.fixture
def searched_by_a_new_python(monkeypatch, _searched_by_forks):
    monkeypatch.setattr(purge, "search_files", remains.search_files)


@pytest.mark.usefixtures("searched_by_a_new_python")
def test_nothing_is_left_and_all_else_is_found(folder):
    pieces = stored(folder)
    with Index.open(folder) as index:
        gone = numbers(index)
        evidence = index.purge(gone)
        assert evidence.is_clean
        assert evidence.documents == evidence.removed == tuple(sorted(gone))
        assert len(evidence.dropped) == 3, "two of them, and the one that was removed before"
        assert evidence.samples >= 3 * len(gone)
        assert (evidence.free_pages, evidence.log_bytes, evidence.shared) == (0, 0, 0)
        assert evidence.searched_bytes > 4096
        assert index.stats().removed == 0
        assert all(index.find(number) is None for number in gone)
    check_purged(folder, pieces)


def test_what_was_removed_before_goes_too(folder):
    pieces = stored(folder)
    with Index.open(folder) as index:
        gone = numbers(index)
        index.remove(*map(name_of, PURGED))
        evidence = index.purge(gone)
        assert evidence.is_clean
        assert (evidence.removed, evidence.samples) == ((), 0)
        again = index.purge(gone)
        assert again.is_clean
        assert again.dropped == ()
        assert again.as_dict()["documents"] == sorted(gone)
        assert again.as_dict()["clean"] is True
    check_purged(folder, pieces)


def test_older_versions_of_a_document_go_too(tmp_path):
    with Index.create(tmp_path / "index", SCHEME) as index:
        for seed in (1, 2):
            index.add(Document("a name of some length", prose(seed)))
            index.flush()
        index.add(Document("another", prose(3)))
        evidence = index.purge([2])
        assert evidence.dropped == (1, 2)
        assert [entry.name for entry in index.entries()] == ["another"]
        assert not index.search(prose(1))


def test_numbers_of_nothing_are_no_fault(folder):
    with Index.open(folder) as index:
        evidence = index.purge([0, -1, 999, 2**40, 10**30])
        assert evidence.is_clean
        assert evidence.documents == (999,)
        assert len(index) == 6


def test_an_index_of_nothing_is_purged(tmp_path):
    with Index.create(tmp_path / "index", SCHEME) as index:
        assert index.purge([]).is_clean
        index.add(Document("a name of some length", prose(1)))
        assert index.purge([1]).is_clean
        assert len(index) == 0
        index.verify()


def test_pieces_that_other_documents_have_are_distinguished(tmp_path):
    """The same text under another name stays, and so does a name that others speak of."""
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a name of some length", prose(1)))
        index.add(Document("twin", prose(1), url="http://x/a name of some length"))
        evidence = index.purge([1])
        assert evidence.is_clean
        assert evidence.shared >= 2
        assert index.search(prose(1))[0].document.name == "twin"


@pytest.mark.parametrize("between", [None, 2])
def test_a_document_that_came_back_is_no_remains_of_itself(tmp_path, between):
    """Its row has the samples of the removed one, the name beside the digest too."""
    document = Document("a name of some length", prose(1))
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(document)
        known = dict.fromkeys(index.samples_of(index.numbered(1)), 1)
        if between is None:
            index.remove(document.name)
        else:
            index.add(Document(document.name, prose(between)))
        index.add(document)
        report = index.purge([1], known)
        assert report.is_clean, report.remains
        assert report.shared == len(known)
        assert index.search(prose(1))[0].document.name == document.name


def test_a_name_and_a_digest_of_different_documents_are_remains(tmp_path, monkeypatch):
    """Others have the name, and others the content, but nobody has both."""
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a name of some length", prose(1)))
        known = dict.fromkeys(index.samples_of(index.numbered(1)), 1)
        index.add(Document("twin", prose(1), url="http://x/a name of some length"))
        index.remove("a name of some length")
        monkeypatch.setattr(database.Database, "rewrite", lambda _: None)
        places = [line for line in index.purge([1], known).remains if "a piece of it" in line]
        assert places == ["document 1: a piece of it in index.db"]


def test_a_twin_that_is_removed_meanwhile_is_no_remains(tmp_path, monkeypatch):
    """Between the rewriting and the search somebody removes a document with the same text."""
    search = Purger._search

    def late(self, taken):
        monkeypatch.setattr(Purger, "_search", search)
        with Index.open(tmp_path / "index") as other:
            assert other.remove("twin") == ["twin"]
        return search(self, taken)

    monkeypatch.setattr(Purger, "_search", late)
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a name of some length", prose(1)))
        index.add(Document("twin", prose(1)))
        index.add(Document("another", prose(2)))
        assert index.purge([1]).is_clean
        assert [entry.name for entry in index.entries()] == ["another"]


@pytest.mark.usefixtures("searched_by_a_new_python")
@pytest.mark.parametrize("step", ["rewrite", "empty_log"])
def test_remains_are_reported(folder, monkeypatch, step):
    monkeypatch.setattr(database.Database, step, lambda *_: None)
    with Index.open(folder) as index:
        evidence = index.purge(numbers(index))
        assert not evidence.is_clean
        assert evidence.as_dict()["clean"] is False
        assert any("a piece of it in index.db" in each for each in evidence.remains)


def test_postings_that_remain_are_reported(folder, monkeypatch):
    monkeypatch.setattr("whorl.index.purge._may_hold_any", lambda *_: False)
    with Index.open(folder) as index:
        assert any("postings in 0000000" in each for each in index.purge(numbers(index)).remains)


def test_what_others_keep_in_the_folder_stays(folder):
    (folder / "service.sqlite").write_bytes(name_of(4).encode())
    (folder / "jobs").mkdir()
    with Index.open(folder) as index:
        assert index.purge(numbers(index)).is_clean
    assert (folder / "service.sqlite").read_bytes() == name_of(4).encode()


@pytest.fixture
def small_segments(monkeypatch):
    for setting in SMALL:
        monkeypatch.setattr(*setting)


@pytest.fixture
def filled_small(small_segments, tmp_path):
    """Return the folder of an index of small segments with something to purge, and what is stored in it."""
    fill(tmp_path / "filled")
    return tmp_path / "filled", stored(tmp_path / "filled")


def test_killed_at_every_point(tmp_path, filled_small):
    filled, pieces = filled_small
    for point in POINTS:
        folder = Path(shutil.copytree(filled, tmp_path / point))
        assert forks.run(killed, folder, point), f"nothing passed {point}"
        with Index.open(folder) as index:
            index.verify()
            assert all(index.search(text_of(number))[0].document.name == name_of(number) for number in KEPT)
            evidence = index.purge(numbers(index))
            assert evidence.is_clean, evidence.remains
        check_purged(folder, pieces)


def test_a_file_that_a_killed_merge_left_is_swept(folder):
    """Even if this writer has looked before."""
    with Index.open(folder) as index:
        index.add(Document("one more", prose(9)))
        left = folder / "segments" / "00000099.segment"
        left.write_bytes(text_of(4).encode())
        assert index.purge(numbers(index)).is_clean
        assert not left.exists()


def test_readers_in_other_processes_go_on(folder):
    readers = [forks.start(read, folder) for _ in range(2)]
    assert [reader.pipe.recv() for reader in readers] == ["reading", "reading"]
    with Index.open(folder) as index:
        assert index.purge(numbers(index)).is_clean
        for number in PURGED:
            index.add(Document(name_of(number), text_of(number)))
            index.flush()
            assert index.purge(numbers(index)).is_clean
    for reader in readers:
        reader.pipe.send("end")
    assert all(reader.pipe.recv() > 0 for reader in readers)


def test_a_reader_of_an_old_state_keeps_it_and_is_named(folder, monkeypatch):
    monkeypatch.setattr(connection, "BUSY_MILLISECONDS", 50)
    with Index.open(folder, wait=0.1) as index, Index.open(folder) as reader:
        gone = numbers(index)
        with reader.reading():
            with pytest.raises(StoreIOError, match="a reader uses an older state: end it, and purge again"):
                index.purge(gone)
            assert reader.text(name_of(4)) == text_of(4)
            assert reader.search(text_of(4))[0].document.name == name_of(4)
        assert index.purge(gone).is_clean
        assert not reader.search(text_of(4))


def test_not_within_a_reading(folder):
    with Index.open(folder) as index:
        with index.reading(), pytest.raises(InputError, match="leave reading"):
            index.purge(numbers(index))
        assert len(index) == 6


# Without lone returns, which are read as the ends of lines.
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=12)
TEXTS = st.lists(WORDS, min_size=1, max_size=60).map(" ".join)


@examples(30)
@given(data=st.data())
def test_whatever_was_done_before(data):
    """Any documents, in segments and fresh, replaced and removed: a purge leaves nothing of those that go."""
    texts = data.draw(st.lists(TEXTS, min_size=1, max_size=6, unique=True))
    changed = data.draw(st.sets(st.sampled_from(range(len(texts)))))
    purged = data.draw(st.sets(st.sampled_from(range(len(texts))), min_size=1))
    flushes = data.draw(st.sets(st.sampled_from(range(len(texts)))))
    with tempfile.TemporaryDirectory() as base, Index.create(Path(base) / "index", SCHEME) as index:
        for number, text in enumerate(texts):
            index.add(Document(f"name of document {number}", f"{text} before {number}" if number in changed else text))
            if number in flushes:
                index.flush()
        for number in changed:
            index.add(Document(f"name of document {number}", texts[number]))
        gone = [f"name of document {number}" for number in sorted(purged)]
        entries = [entry for entry in index.entries() if entry.name in gone]
        pieces = {entry.name.encode() for entry in entries} | {entry.digest for entry in entries}
        pieces |= {(index._store.text(entry.id) or ("", b""))[1] for entry in entries}
        evidence = index.purge(entry.id for entry in entries)
        assert evidence.is_clean, evidence.remains
        kept = raw(index.folder)
        assert not [piece for piece in pieces if piece in kept]
        index.verify()
        for number in set(range(len(texts))) - purged:
            assert index.text(f"name of document {number}") == texts[number]
        found = {
            int(each) for segment in index._snapshot.segments() for part in segment.scan() for each in part.documents
        }
        assert not found & {entry.id for entry in entries}


@examples(50)
@given(data=st.binary(max_size=300), at=st.integers(0, 280), length=st.integers(8, 20), size=st.integers(16, 64))
def test_samples_are_found_wherever_they_stand(tmp_path_factory, data, at, length, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remains, "CHUNK", size)
        file = tmp_path_factory.getbasetemp() / "searched"
        file.write_bytes(data)
        wanted = [sample for sample in (data[at : at + length], b"never in random", data[:9]) if len(sample) >= 8]
        found, searched = remains.search_file(file, wanted)
        assert found == {sample for sample in wanted if sample in data}
        assert searched == len(data)
