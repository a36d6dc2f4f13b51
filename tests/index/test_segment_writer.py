"""Writing a segment: whole or not at all, whatever fails, and at whatever moment the process dies."""

import errno
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests import forks
from tests.index.segments import answers, kill_writers, postings, random_rows, rows_of, write
from whorl.errors import StoreIOError
from whorl.storage import files, segment_writer
from whorl.storage.segments import Segment

ROWS = random_rows(9000)

DEATHS = [name for name in files.POINTS if name.startswith("segment.")]


class System:
    """The calls of ``os``, counted; the one with a certain number fails, and all after it if the disk is gone."""

    CALLS = ("open", "write", "pwrite", "fsync", "close", "replace", "unlink", "stat")

    def __init__(self, fails_at: int, error: int, is_gone: bool = False) -> None:
        self.fails_at, self.error, self.is_gone, self.calls = fails_at, error, is_gone, 0

    def __getattr__(self, name):
        real = getattr(os, name)
        return self._watched(name, real) if name in self.CALLS else real

    def _watched(self, name, real):
        def call(*args, **options):
            self.calls += 1
            if self.calls == self.fails_at or (self.is_gone and self.calls > self.fails_at):
                if name == "close":
                    real(*args)
                raise OSError(self.error, os.strerror(self.error))
            return real(*args, **options)

        return call


def fail(monkeypatch, *args, **options) -> System:
    system = System(*args, **options)
    monkeypatch.setattr(files, "os", system)
    return system


def calls_of_a_write(folder: Path, monkeypatch) -> int:
    system = fail(monkeypatch, 0, 0)
    write(folder / "counted.seg", ROWS)
    (folder / "counted.seg").unlink()
    return system.calls


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
@pytest.mark.parametrize("is_gone", [False, True])
def test_every_call_may_fail(tmp_path, monkeypatch, error, is_gone):
    monkeypatch.setattr(segment_writer, "BUFFERED", 9000)
    old = write(tmp_path / "old.seg", ROWS)
    calls = calls_of_a_write(tmp_path, monkeypatch)
    assert calls > 15
    for number in range(1, calls + 1):
        fail(monkeypatch, number, error, is_gone=is_gone)
        with pytest.raises(StoreIOError, match=os.strerror(error)):
            write(tmp_path / "new.seg", ROWS)
        monkeypatch.setattr(files, "os", os)
        left = {path.name for path in tmp_path.iterdir()} - {"old.seg"}
        assert left <= {"new.seg", "new.seg.new"} if is_gone else not left
        with Segment.open(old) as segment:
            assert answers(segment, ROWS) == ROWS
        for name in left:
            (tmp_path / name).unlink()
    write(tmp_path / "new.seg", ROWS)


def test_short_writes_are_finished(tmp_path, monkeypatch):
    class Short(System):
        def write(self, descriptor, data):
            return os.write(descriptor, data[: max(1, len(data) // 2)])

        def pwrite(self, descriptor, data, offset):
            return os.pwrite(descriptor, data[:7], offset)

    monkeypatch.setattr(files, "os", Short(0, 0))
    with Segment.open(write(tmp_path / "made.seg", ROWS)) as segment:
        segment.verify()
        assert rows_of(segment.scan()) == ROWS


def test_an_interrupt_leaves_nothing(tmp_path):
    def parts():
        yield postings(ROWS[:5000])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "made.seg", ROWS, parts=parts())
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """Return a folder for each point, with the files of a writer that was killed there."""
    folder = tmp_path_factory.mktemp("killed")
    forks.run(kill_writers, folder, DEATHS)
    return folder


@pytest.mark.parametrize("name", DEATHS)
def test_death_at_every_point(killed, name):
    folder = killed / name
    left = {path.name for path in folder.iterdir()} - {"old.seg"}
    is_renamed = name in ("segment.renamed", "segment.durable")
    assert left == {"new.seg" if is_renamed else "new.seg.new"}
    for path in (folder / "old.seg", *([folder / "new.seg"] if is_renamed else [])):
        with Segment.open(path) as segment:
            segment.verify()
            assert rows_of(segment.scan()) == ROWS
    if not is_renamed:
        write(folder / "new.seg", ROWS)
        assert {path.name for path in folder.iterdir()} == {"old.seg", "new.seg"}


def test_a_point_counts_and_knows_its_names(monkeypatch):
    killed = []
    monkeypatch.setattr(os, "kill", lambda *args: killed.append(args))
    monkeypatch.setattr(files, "_passed", Counter())
    monkeypatch.setenv(files.VARIABLE, "segment.written:2")
    for expected in (0, 0, 1, 1):
        assert len(killed) == expected
        files.point("segment.written")
        files.point("segment.synced")
    assert len(set(files.POINTS)) == len(files.POINTS)
    with pytest.raises(ValueError, match=r"segment\.typo"):
        files.point("segment.typo")


def test_parts_may_be_cut_anywhere(tmp_path):
    whole = postings(ROWS)
    for step in (1, 7, 1000):
        parts = (whole[start : start + step] for start in range(0, len(whole), step))
        path = write(tmp_path / f"{step}.seg", ROWS, parts=parts)
        assert path.read_bytes() == (tmp_path / "1.seg").read_bytes()


@pytest.mark.parametrize("parts", [[[(9, 0, 0)], [(8, 0, 0)]], [[(2**63, 0, 0)], [(8, 0, 0)]], [[(1, 7, 0)]]])
def test_what_cannot_be_read_back_is_not_written(tmp_path, parts):
    with pytest.raises(ValueError, match="not"):
        write(tmp_path / "made.seg", [], parts=map(postings, parts), expected=5000)
    assert list(tmp_path.iterdir()) == []


def test_a_segment_is_never_overwritten(tmp_path):
    path = write(tmp_path / "made.seg", ROWS)
    with pytest.raises(StoreIOError, match="never change"):
        write(path, ROWS[:5])
    with Segment.open(path) as segment:
        assert len(segment) == len(ROWS)


@pytest.mark.parametrize(
    "wrong",
    [{"scheme": ""}, {"key": "x" * 33}, {"scheme": "ü"}, {"documents": (3, 2)}, {"documents": (0, 2**32)}],
)
def test_a_header_that_cannot_be_written(tmp_path, wrong):
    settings = {"expected": 0, "documents": (0, 0), "scheme": "s", "key": "k", **wrong}
    with pytest.raises(ValueError, match=r"an id is|documents are"):
        segment_writer.write_segment(tmp_path / "made.seg", [], **settings)
    assert list(tmp_path.iterdir()) == []


def test_places_and_documents_are_as_narrow_as_they_can_be(tmp_path):
    """The hash less 6 bits for the block and 6 for the slot, one bit for the first, 1000 documents, 128 places."""
    draw = np.random.default_rng(3)
    rows = [(int(one), 70_000 + i % 1000, i % 128) for i, one in enumerate(draw.integers(0, 2**64, 50_000, np.uint64))]
    size = write(tmp_path / "made.seg", rows).stat().st_size
    bits = (64 - 6 - 6) + 1 + 10 + 7
    assert 8 * size / len(rows) < bits + 2
