"""Segments whose hashes have fewer than 64 bits: the same answers in fewer bytes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.index.segments import postings, rows_of
from whorl.errors import DamageError
from whorl.storage.segment_writer import merge, write_segment
from whorl.storage.segments import VERSION, Segment, SegmentHeader, bits_for


def written(path, rows, width, expected=None):
    return write_segment(
        path, [postings(rows)], expected=len(rows) if expected is None else expected,
        documents=(0, max((row[1] for row in rows), default=0)), scheme="s", key="k", width=width,
    )  # fmt: skip


@st.composite
def narrow(draw):
    width = draw(st.integers(16, 64))
    last = 2**width - 1
    hashed = st.integers(0, 5) | st.integers(last - 5, last) | st.integers(0, last)
    number = st.integers(0, 3) | st.integers(0, 2**20)
    return width, draw(st.lists(st.tuples(hashed, number, st.integers(0, 3)), max_size=60))


@given(narrow(), st.integers(0, 300_000))
def test_rows_come_back(tmp_path_factory, drawn, expected):
    width, rows = drawn
    path = tmp_path_factory.mktemp("s") / "x.segment"
    written(path, rows, width, expected)
    with Segment.open(path) as segment:
        segment.verify()
        assert segment.header.width == width
        assert rows_of(segment.scan()) == sorted(rows)
        asked = np.unique(np.array([row[0] for row in rows] + [0, 2**width - 1], np.uint64))
        found = segment.look_up(asked)
        got = zip(asked[found.which].tolist(), found.documents.tolist(), found.places.tolist(), strict=True)
        assert list(got) == sorted(rows)
        middle = 2 ** (width - 1)
        assert rows_of(segment.scan(middle)) == sorted(row for row in rows if row[0] >= middle)
        assert rows_of(merge([segment, segment])) == sorted([*rows, *rows])


def test_a_hash_that_is_too_wide_is_refused(tmp_path):
    with pytest.raises(ValueError, match="more than 28 bits"):
        written(tmp_path / "a", [(2**28, 0, 0)], 28)
    with pytest.raises(ValueError, match="16 to 64 bits"):
        written(tmp_path / "a", [(1, 0, 0)], 15)
    written(tmp_path / "b", [(5, 0, 0)], 28)
    with Segment.open(tmp_path / "b") as segment, pytest.raises(ValueError, match="28 bits"):
        segment.look_up(np.array([2**28], np.uint64))


def test_narrow_hashes_are_a_newer_format_and_whole_ones_are_not():
    whole = SegmentHeader("s", "k", 0, 0, 0, 9, 3)
    assert whole.pack()[8:12] == b"\x01\0\0\0"
    assert SegmentHeader("s", "k", 0, 0, 0, 9, 3, 28).pack()[8] == VERSION == 2


def test_they_take_what_they_are_wide(tmp_path):
    """100,000 postings of 2^16 documents: 36 bits less for each distinct hash."""
    draw = np.random.default_rng(1)
    sizes = {}
    for width in (28, 64):
        rows = zip(
            draw.integers(0, 2**width, 100_000, dtype=np.uint64).tolist(),
            draw.integers(0, 2**16, 100_000).tolist(),
            [0] * 100_000,
            strict=True,
        )
        written(tmp_path / f"{width}", list(rows), width)
        sizes[width] = (tmp_path / f"{width}").stat().st_size
    assert sizes[64] - sizes[28] == pytest.approx(36 * 100_000 / 8, rel=0.01)


@pytest.mark.parametrize("bit", range(8))
def test_a_width_that_is_damaged_is_noticed(tmp_path, bit):
    path = tmp_path / "a"
    written(path, [(5, 0, 0)], 28)
    data = bytearray(path.read_bytes())
    data[106] ^= 1 << bit
    path.write_bytes(data)
    with pytest.raises(DamageError):
        Segment.open(path)


def test_blocks_are_no_narrower_than_their_slots():
    assert bits_for(2**40, 28) == 22
    assert bits_for(2**40, 16) == 10
