"""A segment gives back what was written: all of it, what is asked for, and nothing else."""

import threading
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.index.segments import LAST, answers, content, hashes, random_rows, rows_of, runs, write
from tests.kernel import specification
from whorl.errors import DamageError, StoreFormatError, StoreIOError
from whorl.storage.segments import Segment, bits_for

in_a_folder = examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture])


def opened(folder: Path, rows, expected=None) -> Segment:
    path = folder / "made.seg"
    path.unlink(missing_ok=True)
    return Segment.open(write(path, rows, expected=expected))


@given(runs, st.sampled_from([0, 3000, 100_000]))
@in_a_folder
@example([], 0)
@example([(0, 0, 0)], 0)
@example([(LAST, 2**32 - 1, 2**32 - 1)], 3000)
@example([(0, 1, 1), (LAST, 2, 2)], 100_000)
@example([(7, 7, 7)] * 50, 3000)
def test_all_is_given_back(tmp_path, rows, expected):
    with opened(tmp_path, rows, expected) as segment:
        assert rows_of(segment.scan()) == sorted(rows)
        assert answers(segment, rows) == sorted(rows)
        assert len(segment) == segment.header.postings == len(rows)
        assert segment.header.distinct == len({row[0] for row in rows})
        assert segment.header.bits == bits_for(expected)
        assert segment.size == segment.path.stat().st_size
        segment.verify()


def test_what_was_forgotten_is_read_again(tmp_path):
    rows = random_rows(500)
    with opened(tmp_path, rows) as segment:
        for _ in range(2):
            assert rows_of(segment.scan()) == sorted(rows)
            segment.forget()


def test_both_kernels_write_and_read_the_same(tmp_path, monkeypatch):
    rows = random_rows(60)
    made = {}
    for kernel in ("native", "specification"):
        if kernel == "specification":
            specification.replace_native(monkeypatch)
        folder = tmp_path / kernel
        folder.mkdir()
        made[kernel] = content(folder, rows, 3000)
        segment = Segment(folder, made["native"])
        segment.verify()
        assert answers(segment, rows) == rows_of(segment.scan()) == rows
    assert made["native"] == made["specification"]


@given(runs, hashes, hashes)
@in_a_folder
def test_a_range_is_scanned(tmp_path, rows, one, two):
    first, last = sorted((one, two))
    with opened(tmp_path, rows, 3000) as segment:
        assert rows_of(segment.scan(first, last)) == sorted(row for row in rows if first <= row[0] <= last)


@given(runs, st.lists(hashes, max_size=20), st.integers(0, 3))
@in_a_folder
def test_hashes_are_looked_up_in_any_order(tmp_path, rows, asked, most):
    asked = [*asked, *(row[0] for row in rows[:5])]
    with opened(tmp_path, rows, 3000) as segment:
        found = segment.look_up(np.array(asked, np.uint64), most)
        counts = [sum(row[0] == one for row in rows) for one in asked]
        assert found.counts.tolist() == counts == segment.count(np.array(asked, np.uint64)).tolist()
        assert len(found) == sum(min(count, most) for count in counts)
        expected = [
            (i, *row[1:]) for i, one in enumerate(asked) for row in sorted(r for r in rows if r[0] == one)[:most]
        ]
        assert list(zip(found.which.tolist(), found.documents.tolist(), found.places.tolist(), strict=True)) == expected


def test_a_hash_that_stands_everywhere(tmp_path):
    common = [(2**63, document, 5) for document in range(100_000)]
    rows = sorted([*random_rows(2000), *common])
    with opened(tmp_path, rows) as segment:
        asked = np.array([0, 2**63, LAST], np.uint64)
        assert segment.count(asked).tolist() == [0, 100_000, 0]
        found = segment.look_up(asked, most=3)
        assert found.documents.tolist() == [0, 1, 2]
        assert found.counts.tolist() == [0, 100_000, 0]
        assert segment.look_up(asked).documents.tolist() == list(range(100_000))
        assert rows_of(segment.scan()) == rows
        segment.verify()


def test_a_scan_comes_in_parts_that_divide_no_hash(tmp_path, monkeypatch):
    monkeypatch.setattr("whorl.storage.segments.SCANNED", 3000)
    rows = random_rows(20_000)
    with opened(tmp_path, rows) as segment:
        parts = list(segment.scan())
        assert rows_of(parts) == rows
        assert len(parts) >= 7
        assert max(map(len, parts)) <= 3000
        assert all(one.hashes[-1] < two.hashes[0] for one, two in pairwise(parts))


def test_it_outlives_its_file_but_not_its_closing(tmp_path):
    rows = random_rows(3000)
    with opened(tmp_path, rows) as segment:
        segment.path.unlink()
        assert answers(segment, rows) == rows
        segment.verify()
    with pytest.raises(ValueError, match="closed"):
        segment.count(np.zeros(1, np.uint64))


def test_several_threads_read_one_segment(tmp_path):
    rows = random_rows(20_000)
    with opened(tmp_path, rows) as segment:
        results: list[bool] = []

        def read():
            results.append(answers(segment, rows) == rows)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == [True] * 4


def test_a_newer_format_is_refused_with_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr("whorl.storage.segments.WHOLE_VERSION", 3)
    path = write(tmp_path / "made.seg", random_rows(10))
    monkeypatch.undo()
    with pytest.raises(StoreFormatError) as caught:
        Segment.open(path)
    assert str(caught.value) == f"{path}: segment format 3 is newer than this Whorl, which reads up to 2: update Whorl"


@pytest.mark.parametrize("data", [b"", b"x", b"PK" * 300, bytes(160)])
def test_another_file_is_no_segment(tmp_path, data):
    path = tmp_path / "other"
    path.write_bytes(data)
    with pytest.raises(DamageError, match="does not begin as a segment"):
        Segment.open(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(StoreIOError, match="nowhere: cannot read: No such file"):
        Segment.open(tmp_path / "nowhere")


def test_blocks_have_about_the_usual_size():
    for postings in (0, 1, 500, 1000, 5000, 123_456, 20_000_000, 10**9):
        bits = bits_for(postings)
        assert postings <= 1449 or 724 <= postings / 2**bits <= 1449
    assert bits_for(10**18) == 32


def test_the_format_is_frozen(tmp_path):
    """What other versions of Whorl have written is read by this one: so the bytes do not change unseen."""
    made = content(tmp_path, [(0, 3, 1), (5, 3, 70_000), (5, 9, 2), (2**64 - 1, 4, 0)])
    assert len(made) == 368
    assert blake2b(made, digest_size=16).hexdigest() == "097dc5ca77e73746e0802f001de350f6"
