"""What was read is read once: the cache gives the same readings, and never those of other content, code or settings."""

import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import whorl
from tests.comparison.planting import samples
from whorl import Document, InputError, Key, ReadCache
from whorl.cli import main
from whorl.comparison.export import as_json
from whorl.engine import cache as module
from whorl.engine import documents
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
    return ReadCache(tmp_path / "cache")


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
def test_another_scheme_has_readings_of_its_own(cache, scheme):
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
    read(PROGRAMS, cache=ReadCache(tmp_path / "cache"))
    assert cache.use().entries == 6


def test_one_new_file_is_read_and_no_other(cache, monkeypatch):
    read(PROGRAMS[:2], cache=cache)
    texts: list[str] = []
    original = documents._whole

    def noted(item, text, *rest):
        texts.append(text)
        return original(item, text, *rest)

    monkeypatch.setattr(documents, "_whole", noted)
    names = [whole.digest for whole in read([PROGRAMS[0], PROGRAMS[2], PROGRAMS[1]], cache=cache)]
    assert texts == [SOURCES[2]]
    assert names == [whole.digest for whole in read([PROGRAMS[0], PROGRAMS[2], PROGRAMS[1]])]


def entries(cache):
    return sorted(cache._folder.rglob("*.read"))


def test_every_flipped_bit_is_noticed(cache):
    read(PROGRAMS[:1], cache=cache)
    expected = facts(read(PROGRAMS[:1])[0])
    (path,) = entries(cache)
    sound = path.read_bytes()
    for place in np.random.default_rng(1).integers(0, len(sound), 40):
        damaged = bytearray(sound)
        damaged[place] ^= 1 << (int(place) % 8)
        path.write_bytes(damaged)
        assert cache.get(path) is None
        path.write_bytes(sound[:place])
        assert cache.get(path) is None
    assert facts(read(PROGRAMS[:1], cache=cache)[0]) == expected
    assert path.read_bytes() == sound


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


def test_the_least_recently_used_go_first(tmp_path):
    cache = ReadCache(tmp_path, most=1)
    read(PROGRAMS, cache=cache)
    for age, path in enumerate(entries(cache)):
        os.utime(path, (time.time() - 9000 * age,) * 2)
    sizes = [path.stat().st_size for path in entries(cache)]
    newest, oldest = entries(cache)[0], entries(cache)[-1]
    ReadCache(tmp_path, most=sum(sizes) - 1).trim()
    assert newest.exists()
    assert not oldest.exists()


def test_using_an_entry_keeps_it(cache):
    read(PROGRAMS, cache=cache)
    for path in entries(cache):
        os.utime(path, (time.time() - 9000,) * 2)
    read(PROGRAMS, cache=cache)
    assert all(time.time() - path.stat().st_mtime < 3600 for path in entries(cache))


def test_what_an_interrupted_run_left_goes(cache):
    read(PROGRAMS, cache=cache)
    left = entries(cache)[0].with_name("0123.new")
    left.write_bytes(b"half")
    cache.trim()
    assert left.exists()  # perhaps somebody is writing it
    os.utime(left, (time.time() - 9000,) * 2)
    cache.trim()
    assert not left.exists()
    assert cache.use().entries == 3


def test_only_the_owner_can_look_into_it(cache):
    read(PROGRAMS, cache=cache)
    folders = [cache._folder, *(path.parent for path in entries(cache))]
    assert {folder.stat().st_mode & 0o777 for folder in folders} == {0o700}


def test_the_text_of_a_program_is_not_kept(cache):
    read(PROGRAMS, cache=cache, normal_form=True)
    kept = b"".join(path.read_bytes() for path in entries(cache))
    assert not any(source[:40].encode() in kept for source in SOURCES)


def test_a_disk_that_takes_nothing_is_reported_once(cache, monkeypatch):
    def full(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert list(map(facts, read(PROGRAMS, cache=cache))) == list(map(facts, read(PROGRAMS)))
    assert list(cache.faults) == [
        f"the cache {cache._folder} is not used fully: cannot write an entry: No space left on device"
    ]


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

    def test_a_folder_that_was_asked_for_is(self, homework, tmp_path):
        (tmp_path / "file").write_text("")
        assert self.run("compare", homework, "--cache", tmp_path / "file" / "x").exit_code != 0

    def test_contradictions_are_refused(self, homework, tmp_path):
        done = self.run("compare", homework, "--cache", tmp_path / "x", "--no-cache")
        assert done.exit_code == 2
        assert "exclude each other" in done.stderr
