"""A store in use: several processes, places that are seen again, what is refused, what is left behind."""

import os
import threading
from pathlib import Path

import pytest

from tests.index.corpus import prose
from tests.sweep.world import SCHEME
from whorl import Document, DocumentError, InputError, WhorlError
from whorl.errors import StoreFormatError, StoreIOError
from whorl.stores import SEGMENTS, SWEEP_DATABASE
from whorl.sweep.sweep import Sweep, is_sweep


@pytest.fixture
def sweep(tmp_path):
    with Sweep.create(tmp_path / "sweeps", SCHEME, modulus=1) as made:
        yield made


def pages(*numbers: int, more: str = "") -> list[Document]:
    return [Document(f"http://x/{number}", prose(number, 30) + more) for number in numbers]


class TestPlaces:
    def test_the_same_date_adds_to_the_same_sweep(self, sweep):
        sweep.add(pages(1), "2026-01-01")
        done = sweep.add(pages(2), "2026-01-01")
        assert (done.sweeps, done.pages, done.contents) == (1, 2, 1)
        assert sweep.stats().sweeps[0].pages == 2

    def test_what_was_added_twice_is_there_once(self, sweep):
        sweep.add(pages(1, 2), "2026-01-01")
        before = sweep.stats()
        assert sweep.add(pages(1, 2), "2026-01-01").contents == 0
        assert sweep.stats() == before
        assert len(sweep.history("http://x/1").versions) == 1

    def test_a_page_that_shows_several_things_in_one_sweep_showed_the_last_one(self, sweep):
        one, two = pages(1), pages(1, more="something else")
        sweep.add([*one, *two], "2026-01-01")
        assert sweep.find("http://x/1").content == sweep.history("http://x/1").versions[1].content
        sweep.add(one, "2026-01-01")
        assert sweep.find("http://x/1").content == sweep.history("http://x/1").versions[1].content
        assert [version.first for version in sweep.history("http://x/1").versions] == ["2026-01-01"] * 2

    def test_an_older_date_may_come_later(self, sweep):
        sweep.add(pages(1, more="new words at the end"), "2026-02-01")
        sweep.add(pages(1, 2), "2026-01-01")
        assert sweep.sweeps() == ["2026-01-01", "2026-02-01"]
        assert [version.first for version in sweep.history("http://x/1").versions] == ["2026-01-01", "2026-02-01"]
        assert sweep.history("http://x/2").gone == "2026-02-01"

    def test_own_dates_are_days(self, sweep):
        documents = [Document(f"{number}", "a b c", date=date) for number, date in enumerate(OWN)]
        done = sweep.add(documents, "2026-03-01", own_dates=True)
        assert sweep.sweeps() == ["2026-01-01", "2026-01-02", "2026-03-01"]
        assert [item.name for item in done.skipped] == ["3"]
        assert "is not a date" in done.skipped[0].reason

    def test_without_any_date(self, sweep):
        (item,) = sweep.add(pages(1), own_dates=True).skipped
        assert "name the date of the sweep" in item.reason

    def test_the_newest_contact_stays_when_none_is_given(self, sweep):
        sweep.add([Document("a", "a b c", contact="first@x")], "2026-01-01")
        sweep.add([Document("a", "a b c", contact="second@x")], "2026-02-01")
        sweep.add([Document("a", "a b c")], "2026-02-01")
        sweep.add([Document("a", "a b c")], "2026-03-01")
        (holder,) = sweep.contacts("a").holders
        assert (holder.contact, holder.first, holder.last) == ("second@x", "2026-01-01", "2026-03-01")

    @pytest.mark.parametrize("name", ["", "http://x/\udc80"])
    def test_a_place_that_is_none(self, sweep, name):
        done = sweep.add([Document(name, "a b c"), *pages(1)], "2026-01-01")
        assert (len(done.skipped), done.documents) == (1, 1)

    def test_hostile_texts_and_addresses(self, sweep):
        names = ["http://[", "\0", "'; DROP TABLE pages; --", "x" * 100_000, "é" * 300]
        sweep.add([Document(name, f"{name[:9]} \0 \udc80 a b c d") for name in names], "2026-01-01")
        for name in names:
            assert sweep.find(name).places[0].url
            assert sweep.contacts(name).stored
        assert sweep.stats().pages == len(names)
        sweep.verify()

    def test_documents_without_a_word_are_alike_only_if_they_are_the_same(self, sweep):
        sweep.add([Document("a", "!!!"), Document("b", "!!!"), Document("c", "???")], "2026-01-01")
        assert [len(group) for group in sweep.clusters()] == [1, 1]
        assert {place.url for place in sweep.find("a").places} == {"a", "b"}


OWN = ["2026-01-01T23:59:59Z", "2026-01-02", None, "yesterday"]


class TestErrors:
    def test_an_address_that_no_sweep_saw_names_the_one_that_is_meant(self, sweep):
        sweep.add([Document("a", "a b", url="https://www.example.org/a/")], "2026-01-01")
        for asked in (
            "http://www.example.org/a/",
            "https://example.org/a",
            "www.example.org/a",
            "HTTPS://WWW.example.org/A/",
        ):
            with pytest.raises(DocumentError, match=r"did you mean https://www\.example\.org/a/\?"):
                sweep.find(asked)
        with pytest.raises(DocumentError, match=r"in no sweep of \S+$"):
            sweep.history("http://elsewhere/")

    def test_a_folder_without_sweeps(self, tmp_path):
        with pytest.raises(DocumentError, match="no sweeps: add some with 'whorl sweep add"):
            Sweep.open(tmp_path)

    def test_a_folder_with_something_else(self, tmp_path):
        (tmp_path / "letter.txt").write_text("dear all")
        with pytest.raises(InputError, match="already exists"):
            Sweep.create(tmp_path)
        with Sweep.create(tmp_path / "a"), pytest.raises(InputError, match="already exists"):
            Sweep.create(tmp_path / "a")

    def test_a_store_without_sweeps(self, sweep):
        for ask in (sweep.stats, lambda: sweep.find("x"), lambda: sweep.history("x"), lambda: sweep.contacts("x")):
            with pytest.raises(InputError, match="no sweep yet"):
                ask()

    @pytest.mark.parametrize("date", ["", "yesterday", "2026-13-01", "2026-02-30", "01.02.2026", "2026-01-01T25:00"])
    def test_a_date_that_is_none(self, sweep, date):
        with pytest.raises(InputError, match="is not a date"):
            sweep.add(pages(1), date)

    def test_settings_that_are_none(self, tmp_path):
        with pytest.raises(InputError, match="not a setting of sweeps"):
            Sweep.create(tmp_path / "a", memory=5)
        with pytest.raises(InputError, match="out of range"):
            Sweep.create(tmp_path / "a", threshold=2)
        assert not (tmp_path / "a").exists()

    def test_a_newer_format(self, sweep, monkeypatch):
        from whorl.sweep.store import SweepStore

        monkeypatch.setattr(SweepStore, "version_of_format", 0)
        with pytest.raises(StoreFormatError, match="newer than this Whorl"):
            Sweep.open(sweep.folder)


class TestProcesses:
    def test_a_second_writer_is_refused_and_readers_go_on(self, sweep):
        sweep.add(pages(1, 2), "2026-01-01")
        before = sweep.stats()
        reached, go_on, done = threading.Event(), threading.Event(), []

        def slow():
            yield from pages(3)
            reached.set()
            go_on.wait(60)
            yield from pages(4)

        def write():
            with Sweep.open(sweep.folder) as own:
                done.append(own.add(slow(), "2026-02-01"))

        writer = threading.Thread(target=write)
        writer.start()
        assert reached.wait(60)
        with Sweep.open(sweep.folder) as reader:
            assert reader.stats() == before
            assert "http://x/3" not in reader
            with pytest.raises(StoreIOError, match="another process is writing"):
                reader.add(pages(5), "2026-02-01", wait=0)
            go_on.set()
            writer.join()
            assert [each.documents for each in done] == [2]
            assert reader.sweeps() == ["2026-01-01", "2026-02-01"]
            assert "http://x/4" in reader
            assert "http://x/5" not in reader

    def test_a_reader_in_one_state(self, sweep):
        sweep.add(pages(1, 2), "2026-01-01")
        with Sweep.open(sweep.folder) as reader, reader.reading():
            before = reader.find("http://x/1")
            for number in range(6):
                sweep.add(pages(1, 9 + number, more=f"{number}"), f"2026-02-{number + 1:02}")
            assert reader.find("http://x/1") == before
        with Sweep.open(sweep.folder) as reader:
            assert len(reader.history("http://x/1").versions) == 7
            assert reader.contacts(Document("q", prose(1, 30) + " q")).holders

    def test_what_fails_changes_nothing(self, sweep):
        sweep.add(pages(1, 2), "2026-01-01")
        before = sweep.stats(), sweep.clusters()

        def broken():
            yield from pages(3, 4)
            raise RuntimeError("the corpus broke")

        with pytest.raises(RuntimeError):
            sweep.add(broken(), "2026-02-01", memory=1)
        assert (sweep.stats(), sweep.clusters()) == before
        assert sweep.add(pages(3), "2026-02-01").contents == 1
        sweep.verify()
        assert len(list((sweep.folder / SEGMENTS).iterdir())) <= 2

    def test_a_full_disk_is_reported_and_changes_nothing(self, sweep, monkeypatch):
        sweep.add(pages(1), "2026-01-01")
        before = sweep.stats()

        def full(descriptor, data):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("whorl.storage.files.os.write", full)
        with pytest.raises(StoreIOError, match="No space left"):
            sweep.add(pages(2), "2026-02-01")
        monkeypatch.undo()
        assert sweep.stats() == before

    def test_making_that_was_stopped_is_begun_anew(self, tmp_path):
        folder = tmp_path / "sweeps"
        (folder / SEGMENTS).mkdir(parents=True)
        (folder / SWEEP_DATABASE).touch()
        assert not is_sweep(folder)
        with Sweep.create(folder) as sweep:
            assert sweep.sweeps() == []

    def test_a_database_that_lost_its_tables_is_never_made_anew(self, sweep, tmp_path):
        sweep.add(pages(1), "2026-01-01")
        sweep.close()
        os.truncate(sweep.folder / SWEEP_DATABASE, 0)
        with pytest.raises(WhorlError):
            Sweep.create(sweep.folder)
        assert any((sweep.folder / SEGMENTS).iterdir())


def test_segments_stay_few(sweep):
    for number in range(40):
        sweep.add(pages(100 + number), f"{2000 + number}-01-01")
    assert len(list((sweep.folder / SEGMENTS).iterdir())) <= 7
    sweep.verify()


def test_stores_can_be_moved(sweep, tmp_path):
    sweep.add(pages(1), "2026-01-01")
    sweep.close()
    moved = Path(sweep.folder).rename(tmp_path / "elsewhere")
    with Sweep.open(moved) as again:
        assert again.find("http://x/1").alive
