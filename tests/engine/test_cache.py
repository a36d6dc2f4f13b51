"""What was read is read once: the cache gives the same readings, and never those of other content, code or settings."""

import os
import resource
import sqlite3
import sys
import time
from contextlib import closing, contextmanager
from dataclasses import replace
from threading import Thread

import numpy as np
import pytest
from click.testing import CliRunner

import whorl
from tests.comparison.planting import samples
from whorl import Document, InputError, Key, ReadCache
from whorl.cli import main
from whorl.comparison import compare
from whorl.comparison.export import as_json
from whorl.engine import cache as module
from whorl.engine import documents
from whorl.engine.cache import CacheEntry
from whorl.engine.documents import read_wholes
from whorl.scheme import preset

CODE, TEXT = preset("code"), preset("text")
SOURCES = [each.text for each in samples("python")[:3]]
PROGRAMS = [Document(f"{number}.py", source.encode()) for number, source in enumerate(SOURCES)]
PAGE = Document("page.html", b"<p>A page with <b>some</b> words that are shown, and a few more of them.</p>")


def read(contents, scheme=CODE, cache=None, **settings):
    return list(read_wholes(contents, scheme, Key.PUBLIC, cache=cache, **settings))


def facts(whole):
    normal = whole.normal_form
    streams = [whole.stream, *([] if normal is None else [normal.stream, normal.standing])]
    prints = [whole.fingerprints, *([] if normal is None else [normal.fingerprints])]
    arrays = [array for stream in streams for array in (stream.symbols, stream.starts, stream.ends)]
    arrays += [array for each in prints for array in (each.hashes, each.positions, each.spans.starts, each.spans.ends)]
    arrays += [] if normal is None else [normal.marks, normal.standing_marks]
    plain = whole.format, whole.text, whole.digest, whole.marks, [each.symbols for each in prints]
    return plain, [(array.dtype, array.tolist()) for array in arrays]


@pytest.fixture
def cache(tmp_path):
    with ReadCache(tmp_path / "cache") as cache:
        yield cache


@pytest.fixture
def nothing_is_read(monkeypatch):
    def fail(*_arguments, **_options):
        raise AssertionError("it was read again")

    def forbid():
        monkeypatch.setattr(documents, "_whole", fail)

    return forbid


@pytest.mark.parametrize("normal_form", [False, True])
def test_programs_are_the_same_the_second_time(cache, nothing_is_read, normal_form):
    expected = list(map(facts, read(PROGRAMS, normal_form=normal_form)))
    assert list(map(facts, read(PROGRAMS, cache=cache, normal_form=normal_form))) == expected
    assert cache.use().entries == 3
    nothing_is_read()
    assert list(map(facts, read(PROGRAMS, cache=cache, normal_form=normal_form))) == expected


def test_so_are_extracted_texts(cache, nothing_is_read):
    expected = list(map(facts, read([PAGE], TEXT)))
    read([PAGE], TEXT, cache)
    nothing_is_read()
    assert list(map(facts, read([PAGE], TEXT, cache))) == expected


def test_arrays_can_be_written_to(cache):
    read(PROGRAMS, cache=cache)
    assert all(whole.stream.symbols.flags.writeable for whole in read(PROGRAMS, cache=cache))


@pytest.mark.parametrize("scheme", [replace(CODE, k=7), TEXT])
def test_another_scheme_is_cache_of_its_own(cache, scheme):
    read(PROGRAMS, cache=cache)
    assert list(map(facts, read(PROGRAMS, scheme, cache))) == list(map(facts, read(PROGRAMS, scheme)))


def test_so_has_another_format(cache):
    text = b"int main() { return 1 + 2; }"
    given = [Document("a.c", text), Document("a.java", text)]
    assert [whole.format for whole in read(given, cache=cache)] == ["c", "java"]
    assert [whole.format for whole in read(given, cache=cache)] == ["c", "java"]


def test_so_has_another_version_of_the_code(cache, tmp_path, monkeypatch):
    read(PROGRAMS, cache=cache)
    package = tmp_path / "whorl"
    for name in module.READING:
        (package / name).mkdir(parents=True)
    (package / "engine" / "winnowing.py").write_text("changed")
    monkeypatch.setattr(module, "PACKAGE", package)
    with ReadCache(tmp_path / "cache") as other:
        read(PROGRAMS, cache=other)
    assert cache.use().entries == 6


def test_one_new_file_is_read_and_no_other(cache, monkeypatch):
    read(PROGRAMS[:2], cache=cache)
    texts: list[str] = []
    original = documents._whole

    def noted(item, text, *rest, **others):
        texts.append(text)
        return original(item, text, *rest, **others)

    monkeypatch.setattr(documents, "_whole", noted)
    names = [whole.digest for whole in read([PROGRAMS[0], PROGRAMS[2], PROGRAMS[1]], cache=cache)]
    assert texts == [SOURCES[2]]
    assert names == [whole.digest for whole in read([PROGRAMS[0], PROGRAMS[2], PROGRAMS[1]])]


def database(cache):
    return closing(sqlite3.connect(cache._file, isolation_level=None))


def entries(cache):
    """Return the entries, the most recently used first."""
    with database(cache) as opened:
        return opened.execute("SELECT name, used, body FROM entries ORDER BY used DESC").fetchall()


def test_every_flipped_bit_of_an_entry_is_noticed(cache):
    with cache:
        read(PROGRAMS[:1], cache=cache)
    expected = facts(read(PROGRAMS[:1])[0])
    ((name, _, sound),) = entries(cache)
    for place in np.random.default_rng(1).integers(0, len(sound), 40):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << (int(place) % 8)
        for body in (damaged, sound[:place]):
            with database(cache) as opened:
                opened.execute("UPDATE entries SET body = ?", (body,))
            assert cache.get(name) is None
    with cache:
        assert facts(read(PROGRAMS[:1], cache=cache)[0]) == expected
    assert [body for _, _, body in entries(cache)] == [sound]


def test_an_entry_under_the_name_of_another_is_none(cache):
    with cache:
        read(PROGRAMS[:1], cache=cache)
    ((name, _, _),) = entries(cache)
    other = name[::-1]
    with database(cache) as opened:
        opened.execute("UPDATE entries SET name = ?", (other,))
    assert cache.get(other) is None


def test_a_flipped_bit_of_the_database_never_shows(cache, tmp_path):
    expected = list(map(facts, read(PROGRAMS)))
    with cache:
        read(PROGRAMS, cache=cache)
    sound = cache._file.read_bytes()
    begun_anew = 0
    for place in [*range(0, 100, 3), *np.random.default_rng(2).integers(100, 8192, 60)]:
        damaged = bytearray(sound)
        damaged[place] ^= 1 << (int(place) % 8)
        cache._file.write_bytes(damaged)
        with ReadCache(cache._folder) as again:
            assert list(map(facts, read(PROGRAMS, cache=again))) == expected
        assert set(again.faults) <= {f"the cache {cache._folder} was damaged and begins anew"}
        begun_anew += len(again.faults)
        with ReadCache(cache._folder) as after:
            assert list(map(facts, read(PROGRAMS, cache=after))) == expected
        assert not after.faults
    assert begun_anew


def test_what_is_no_database_begins_anew(cache):
    cache._file.write_bytes(b"anything else" * 100)
    assert cache.use().entries == 0
    with cache:
        read(PROGRAMS, cache=cache)
    assert cache.use().entries == 3


def test_what_fell_short_is_not_kept(cache, monkeypatch):
    expected = read(PROGRAMS)
    monkeypatch.setattr(documents, "_fell_short", lambda whole: whole.digest == expected[1].digest)
    read(PROGRAMS, cache=cache)
    assert cache.use().entries == 2
    assert list(map(facts, read(PROGRAMS, cache=cache))) == list(map(facts, expected))


def test_a_program_that_no_parser_takes_is_read_again(cache):
    large = [Document("a.py", b"x" * (17 << 20))]
    (whole,) = read(large, cache=cache, normal_form=True)
    assert documents._fell_short(whole)
    assert cache.use().entries == 0


def test_a_broken_program_that_was_read_in_pieces_is_not(cache, nothing_is_read):
    broken = [Document("a.java", SOURCES[0].encode())]
    expected = read(broken, normal_form=True)
    assert expected[0].fingerprints.notes
    read(broken, cache=cache, normal_form=True)
    nothing_is_read()
    (again,) = read(broken, cache=cache, normal_form=True)
    assert facts(again) == facts(expected[0])
    assert again.fingerprints.notes == expected[0].fingerprints.notes


def age(cache, seconds):
    """Make the entries older, each by so many seconds more than the one before."""
    with database(cache) as opened:
        opened.execute("UPDATE entries SET used = used - rowid * ?", (seconds,))


def put(cache, name, size):
    cache.put(name, CacheEntry({}, [np.zeros(size, np.uint8)]))


def test_the_least_recently_used_go_first(cache):
    with cache:
        for number in range(20):
            put(cache, bytes([number]), 100_000)
    age(cache, 9000)
    with ReadCache(cache._folder, most=cache.use().size) as smaller:
        put(smaller, b"one more", 100_000)
    newest, *others = [name for name, _, _ in entries(cache)]
    assert newest == b"one more"
    assert others == [bytes([number]) for number in range(len(others))]
    assert 14 <= len(others) <= 15  # with the newest, 80%


def test_a_cache_stays_as_small_as_it_should(cache):
    most = 1 << 20
    for number in range(40):
        with ReadCache(cache._folder, most) as small:
            put(small, bytes([number]), 100_000)
            assert small.use().size <= most
        assert not small.faults
    assert 7 <= cache.use().entries <= 10
    assert cache._file.stat().st_size < 1.2 * most


def test_an_entry_that_would_fill_the_cache_is_not_kept(cache):
    with ReadCache(cache._folder, most=80_000_000) as small:
        put(small, b"large", 12_000_000)
        put(small, b"small", 8_000_000)
    assert list(small.faults) == [f"the cache {cache._folder} does not keep what is as large as 12 MB"]
    assert [name for name, _, _ in entries(cache)] == [b"small"]


def test_using_an_entry_keeps_it(cache):
    with cache:
        read(PROGRAMS, cache=cache)
    age(cache, 9000)
    with cache:
        read(PROGRAMS, cache=cache)
    assert all(time.time() - used < 3600 for _, used, _ in entries(cache))


def test_entries_are_found_before_they_are_written(cache, nothing_is_read):
    read(PROGRAMS, cache=cache)
    assert not cache._file.exists() or not entries(cache)
    nothing_is_read()
    read(PROGRAMS, cache=cache)


def test_many_entries_do_not_wait_for_the_end(cache, monkeypatch):
    monkeypatch.setattr(module, "WAITING", 1)
    read(PROGRAMS, cache=cache)
    assert len(entries(cache)) == 3


def test_a_run_that_fails_keeps_what_it_read(tmp_path, cache, monkeypatch):
    (tmp_path / "class").mkdir()
    for name, source in zip("abc", SOURCES, strict=True):
        (tmp_path / "class" / f"{name}.py").write_text(source)
    monkeypatch.setattr(compare, "identical_groups", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        whorl.compare_all(tmp_path / "class", cache=cache)
    assert len(entries(cache)) == 3


@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_only_the_owner_can_look_into_it(tmp_path, mask):
    (tmp_path / "given").mkdir(mode=0o755)
    before = os.umask(mask)
    try:
        for folder in (tmp_path / "given", tmp_path / "made"):
            with ReadCache(folder) as cache:
                read(PROGRAMS, cache=cache)
            assert cache._file.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o700


def test_the_text_of_a_program_is_not_kept(cache):
    with cache:
        read(PROGRAMS, cache=cache, normal_form=True)
    kept = cache._file.read_bytes()
    assert not any(source[:40].encode() in kept for source in SOURCES)


def test_what_was_cleared_is_gone(cache):
    with cache:
        read([PAGE], TEXT, cache)
    assert b"words that are shown" in cache._file.read_bytes()
    assert cache.clear().entries == 1
    assert b"words that are shown" not in cache._file.read_bytes()


@contextmanager
def largest_file(size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_takes_nothing_is_reported_once(cache):
    expected = list(map(facts, read(PROGRAMS)))
    with largest_file(20_000), cache:
        assert list(map(facts, read(PROGRAMS, cache=cache))) == expected
        cache.close()
        assert list(map(facts, read(PROGRAMS, cache=cache))) == expected
    (fault,) = cache.faults
    assert fault.startswith(f"the cache {cache._folder} is no longer used: cannot write it: ")
    with ReadCache(cache._folder) as again:
        assert list(map(facts, read(PROGRAMS, cache=again))) == expected
    assert not again.faults
    assert again.use().entries == 3


def test_a_full_disk_has_back_what_was_taken_of_it(cache):
    with largest_file(4_000_000), cache:
        for number in range(6):
            put(cache, bytes([number]), 1_000_000)
    assert cache.faults
    assert [file.name for file in cache._folder.iterdir()] == [cache._file.name]
    assert cache._file.stat().st_size < 20_000


def test_a_run_that_never_ends_its_writing_is_done_without(cache, monkeypatch):
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.01)
    with cache:
        read(PROGRAMS, cache=cache)
    with database(cache) as other:
        other.execute("BEGIN EXCLUSIVE")
        with ReadCache(cache._folder) as stopped:
            assert list(map(facts, read(PROGRAMS, cache=stopped))) == list(map(facts, read(PROGRAMS)))
        with pytest.raises(InputError, match="cannot read it: database is locked"):
            stopped.use()
    assert list(stopped.faults) == [f"the cache {cache._folder} is no longer used: cannot read it: database is locked"]
    assert cache.use().entries == 3


def test_threads_and_runs_share_it(cache):
    """Each of four runs has two threads; all write and read the same entries at the same time."""
    expected = list(map(facts, read(PROGRAMS)))
    shared = [ReadCache(cache._folder) for _ in range(4)]
    got: list[bool] = []

    def use(mine):
        for _ in range(5):
            with mine:
                got.append(list(map(facts, read(PROGRAMS, cache=mine))) == expected)

    threads = [Thread(target=use, args=(mine,)) for mine in shared for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [True] * 40
    assert not any(mine.faults for mine in shared)
    assert cache.use().entries == 3


def test_a_place_that_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot make the cache"):
        ReadCache(tmp_path / "file" / "cache")


class TestCompare:
    @pytest.fixture
    def homework(self, tmp_path):
        folder = tmp_path / "class"
        folder.mkdir()
        for name, source in zip("abc", SOURCES, strict=True):
            (folder / f"{name}.py").write_text(source)
        (folder / "d.py").write_text(SOURCES[0] + "\nx = 1\n")
        return folder

    def run(self, *arguments):
        return CliRunner().invoke(main, list(map(str, arguments)), catch_exceptions=False)

    def test_the_result_is_the_same(self, homework, cache):
        plain, first, second = (as_json(whorl.compare_all(homework, cache=each)) for each in (None, cache, cache))
        assert plain == first == second
        assert plain["pairs"]

    def test_the_command_keeps_what_it_read(self, homework, tmp_path, nothing_is_read):
        folder = tmp_path / "kept"
        first = self.run("compare", homework, "--cache", folder, "--format", "csv")
        nothing_is_read()
        assert self.run("compare", homework, "--cache", folder, "--format", "csv").stdout == first.stdout
        assert f"{folder}: 8 entries in " in self.run("cache", "show", "--cache", folder).stdout
        assert f"{folder}: removed 8 entries, " in self.run("cache", "clear", "--cache", folder).stdout
        assert f"{folder}: 0 entries in 0.0 MB, " in self.run("cache", "show", "--cache", folder).stdout

    def test_nothing_is_kept_if_nobody_wants_it(self, homework, tmp_path, monkeypatch):
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
        assert self.run("compare", homework, "--no-cache").exit_code == 0
        assert not (tmp_path / "caches").exists()
        assert self.run("compare", homework).exit_code == 0
        assert ReadCache(tmp_path / "caches" / "whorl").use().entries == 8

    def test_a_home_that_cannot_be_written_to_is_no_obstacle(self, homework, tmp_path, monkeypatch):
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
        done = self.run("compare", homework)
        assert done.exit_code == 0
        assert "cannot make the cache" in done.stderr
        assert "every file is read" in done.stderr

    def test_nor_is_a_python_without_sqlite(self, homework, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "sqlite3", None)
        done = self.run("compare", homework)
        assert done.exit_code == 0
        assert "this Python has no sqlite3; every file is read" in done.stderr
        assert self.run("compare", homework, "--cache", tmp_path / "x").exit_code != 0

    def test_a_folder_that_was_asked_for_is(self, homework, tmp_path):
        (tmp_path / "file").write_text("")
        assert self.run("compare", homework, "--cache", tmp_path / "file" / "x").exit_code != 0

    def test_contradictions_are_refused(self, homework, tmp_path):
        done = self.run("compare", homework, "--cache", tmp_path / "x", "--no-cache")
        assert done.exit_code == 2
        assert "exclude each other" in done.stderr

    @pytest.mark.parametrize("action", ["show", "clear"])
    def test_looking_at_a_cache_that_is_not_there_makes_none(self, tmp_path, action):
        assert "0 entries" in self.run("cache", action, "--cache", tmp_path / "nowhere").stdout
        assert not (tmp_path / "nowhere").exists()
