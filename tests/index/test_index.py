"""``whorl.Index`` on disk: making and opening one, what is refused, and what readers with old files open see."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from tests.index.corpus import prose
from whorl import Document, Scheme
from whorl.engine import documents as whole_module
from whorl.errors import DamageError, DocumentError, InputError, StoreFormatError
from whorl.index import prepare
from whorl.index.index import Index
from whorl.index.store import COLUMNS
from whorl.storage.checksums import seal
from whorl.storage.folder import size_of

SCHEME = Scheme(k=8, w=4)


def test_it_is_made_once(tmp_path):
    Index.create(tmp_path / "index", SCHEME).close()
    with pytest.raises(InputError, match="already exists"):
        Index.create(tmp_path / "index", SCHEME)
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="already exists"):
        Index.create(tmp_path / "file")


def test_an_empty_folder_may_become_one(tmp_path):
    Index.create(tmp_path, SCHEME).close()
    with Index.open(tmp_path) as index:
        assert index.scheme == SCHEME.with_key(index._key.id)


def test_an_opened_one_has_its_documents_before_the_first_search(tmp_path):
    with Index.create(tmp_path, SCHEME) as index:
        index.add(Document("a", prose(1)))
        index.add(Document("b", prose(2)), sanctioned=True)
    with Index.open(tmp_path) as index:
        assert index.documents == 2
    with Index.open(tmp_path) as index:
        assert len(index.sanctioned) == 1


@pytest.mark.parametrize("where", ["nothing", "."])
def test_what_is_none_is_not_opened(tmp_path, where):
    with pytest.raises(DocumentError, match="no index: create one with 'whorl index create"):
        Index.open(tmp_path / where)


def test_a_newer_format_is_refused(tmp_path):
    with Index.create(tmp_path / "index", SCHEME) as index:
        index._store._execute("UPDATE meta SET value = '99', seal = ? WHERE name = 'version'", (seal("version", "99"),))
    with pytest.raises(StoreFormatError, match="index format 99 is newer than this Whorl's, 1: update Whorl"):
        Index.open(tmp_path / "index")


def test_fingerprints_of_an_earlier_version_are_refused(tmp_path):
    """Words were hashed in another way once: what was made then would find nothing."""
    with Index.create(tmp_path / "index", "web") as index:
        index._store._execute("DELETE FROM meta WHERE name = 'revision'")
    with pytest.raises(StoreFormatError, match="revision 1 of this scheme; this version makes revision 2"):
        Index.open(tmp_path / "index")
    with Index.create(tmp_path / "other", SCHEME) as index:
        index._store._execute("DELETE FROM meta WHERE name = 'revision'")
    with Index.open(tmp_path / "other") as index:
        assert index.scheme.revision == 1


def test_what_another_process_removes_counts_nothing(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"123")
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "file").write_bytes(b"12")
    scandir = os.scandir

    def scanned(path):
        if Path(path).name == "gone":
            raise FileNotFoundError(path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", scanned)
    assert size_of(tmp_path) == 3


def test_segments_of_another_index_are_refused(tmp_path):
    for name in "ab":
        with Index.create(tmp_path / name, SCHEME) as index:
            index.add(Document("x", prose(1)))
            index.flush()
    segment = "segments/00000001.segment"
    shutil.copy(tmp_path / "a" / segment, tmp_path / "b" / segment)
    with Index.open(tmp_path / "b") as index, pytest.raises(DamageError, match="it belongs to another store"):
        index.search(prose(1))


def test_a_reader_with_old_files_open_sees_the_new_ones(tmp_path):
    """No file name is used twice: a reader would take what it has open for the new one."""
    with Index.create(tmp_path / "index", SCHEME) as index, Index.open(tmp_path / "index") as reader:
        for number in (1, 2):
            index.add(Document("a", prose(number)))
            index.flush()
            names = {path.name for path in (tmp_path / "index" / "segments").iterdir()}
            assert reader.search(prose(number))[0].resemblance == 1
            index.remove("a")
            index.compact()
            assert not list((tmp_path / "index" / "segments").iterdir())
            index.add(Document("b", prose(9)))
            index.flush()
            assert not names & {path.name for path in (tmp_path / "index" / "segments").iterdir()}
            assert not reader.search(prose(number))
            index.remove("b")


def test_documents_without_postings(tmp_path):
    """They leave no segment, and no tombstone for ever."""
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a", "short"))
        index.flush()
        assert not list((tmp_path / "index" / "segments").iterdir())
        index.remove("a")
        index.compact()
        stats = index.stats()
        assert (stats.documents, stats.segments, stats.removed, stats.fresh) == (0, 0, 0, 0)
        index.verify()


@pytest.mark.parametrize("labels", ["abc", "5", "null"])
def test_labels_that_are_no_list_are_damage(tmp_path, labels):
    """An earlier version took one text for the labels and wrote it as it was, with a right checksum."""
    with Index.create(tmp_path, SCHEME) as index:
        index.add(Document("a", prose(1)))
        *values, old = next(index.entries()).row()
        values[COLUMNS.index("labels")] = labels
        store = index._store
        with store.transaction():
            store._execute("UPDATE documents SET labels = ?, seal = ?", (labels, seal(*values)))
            store._count("documents", 0, old ^ seal(*values))
        for use in (index.verify, lambda: list(index.entries()), lambda: index.entry("a"), lambda: index.remove("a")):
            with pytest.raises(DamageError, match="the row of document 1"):
                use()


def test_a_closed_one_says_so(tmp_path):
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a", prose(1)))
    for use in (
        lambda: index.search(prose(1)),
        lambda: index.add(Document("b", prose(2))),
        lambda: list(index.add_all([Document("b", prose(2))])),
        lambda: index.remove("a"),
        lambda: list(index.entries()),
        lambda: len(index),
        index.stats,
        index.compact,
        index.verify,
    ):
        with pytest.raises(InputError, match="index: the index is closed; open it again"):
            use()
    index.close()


def test_what_a_crash_left_is_swept(tmp_path):
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("a", prose(1)))
        index.flush()
    for name in ("00000007.segment", "00000008.segment.new"):
        (tmp_path / "index" / "segments" / name).write_bytes(b"half")
    with Index.open(tmp_path / "index") as index:
        assert index.search(prose(1))
        assert len(list((tmp_path / "index" / "segments").iterdir())) == 3, "a reader removes nothing"
        index.add(Document("b", prose(2)))
        assert [path.name for path in (tmp_path / "index" / "segments").iterdir()] == ["00000001.segment"]


def test_a_name_that_is_damaged_is_not_missing(tmp_path):
    """Whether in the table or in the table's index of names: a document that is there is not said to be missing."""
    path = tmp_path / "index" / "index.db"
    with Index.create(tmp_path / "index", SCHEME) as index:
        index.add(Document("unmistakable", prose(1)))
    right = path.read_bytes()
    places = [at for at in range(len(right)) if right.startswith(b"unmistakable", at)]
    assert len(places) == 2
    for at in places:
        path.write_bytes(right[:at] + b"o" + right[at + 1 :])
        with Index.open(tmp_path / "index") as index:
            with suppress(DamageError):
                assert index.text("unmistakable") == prose(1)
            with pytest.raises(DamageError):
                index.verify()


def test_a_file_that_is_saved_while_it_is_read_is_not_unchanged_for_ever(tmp_path, monkeypatch):
    """Text and digest are of the same bytes, so that the next run sees the newer ones."""
    path = tmp_path / "essay.txt"
    path.write_text(prose(1))
    whole = whole_module.read_whole

    def saved_after(*arguments):
        result = whole(*arguments)
        path.write_text(prose(2))
        return result

    with Index.create(tmp_path / "index", SCHEME) as index:
        monkeypatch.setattr(prepare, "read_whole", saved_after)
        index.add(path)
        monkeypatch.undo()
        assert index.text(str(path)) == prose(1)
        assert index.add(path).state == "replaced"
        assert index.text(str(path)) == prose(2)
