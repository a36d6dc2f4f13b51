"""Merging segments: all postings in order, without those of dropped documents, a part at a time."""

from itertools import pairwise

import numpy as np
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.index.segments import numbers, postings, random_rows, rows_of, runs, write
from whorl.storage.segment_writer import merge
from whorl.storage.segments import Segment


def cut(rows, sizes):
    """A run in parts of these sizes, in turn, some of them empty."""
    whole, start, turn = postings(rows), 0, 0
    while start < len(rows):
        size = sizes[turn % len(sizes)]
        yield whole[start : start + size]
        start, turn = start + size, turn + 1


@given(st.lists(runs, max_size=6), st.sets(numbers, max_size=4), st.lists(st.integers(0, 9), min_size=1))
def test_runs_become_one(many, dropped, sizes):
    sizes = [*sizes, 1]
    drop = np.array(list(dropped), np.uint32)
    parts = list(merge([], drop, [cut(rows, sizes) for rows in many]))
    assert rows_of(parts) == sorted(row for rows in many for row in rows if row[1] not in dropped)
    assert all(len(part) for part in parts)
    assert all(one.hashes[-1] < two.hashes[0] for one, two in pairwise(parts))


@given(st.lists(runs, max_size=4))
@examples(30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_segments_become_one(tmp_path_factory, many):
    folder = tmp_path_factory.mktemp("merge")
    segments = [
        Segment.open(write(folder / f"{number}.seg", rows, expected=900 * number)) for number, rows in enumerate(many)
    ]
    everything = sorted(row for rows in many for row in rows)
    merged = write(folder / "merged.seg", everything, parts=merge(segments))
    with Segment.open(merged) as segment:
        segment.verify()
        assert rows_of(segment.scan()) == everything


def test_what_is_held_at_a_time_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr("whorl.storage.segments.SCANNED", 4000)
    sizes = [40_000, 20_000, 500]
    many = [random_rows(size, seed) for seed, size in enumerate(sizes)]
    segments = [Segment.open(write(tmp_path / f"{len(rows)}.seg", rows)) for rows in many]
    parts = list(merge(segments, np.array([7, 3, 7], np.uint32)))
    assert max(map(len, parts)) <= 4000 * len(sizes)
    assert len(parts) > 10
    assert rows_of(parts) == sorted(row for rows in many for row in rows if row[1] not in (3, 7))
