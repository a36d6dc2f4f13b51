"""Damage to a segment is found when it is opened, when a block is first read, or by ``verify``; no answer is wrong."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.examples import count
from tests.index.segments import answers, content, random_rows, rows_of, write
from whorl.errors import DamageError, StoreFormatError
from whorl.kernel import native_segments
from whorl.storage.postings import Postings
from whorl.storage.segments import FOOTER_SIZE, HEADER_SIZE, Segment, directory_start, pack_footer

PATH = Path("damaged.seg")


def is_noticed(data: bytes, rows) -> bool:
    """Whether opening, looking all up, scanning or verifying complains. What is answered before must be right."""
    try:
        segment = Segment(PATH, data)
        assert answers(segment, rows) == rows
        assert rows_of(segment.scan()) == rows
        segment.verify()
    except (DamageError, StoreFormatError) as error:
        return str(PATH) in str(error)
    return False


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize(("count", "expected"), [(12, 0), (5, 3000), (0, 0)])
def test_every_flipped_bit_of_a_small_file(tmp_path, count, expected):
    rows = random_rows(count)
    data = content(tmp_path, rows, expected)
    assert not is_noticed(data, rows)
    missed = [bit for bit in range(8 * len(data)) if not is_noticed(flipped(data, bit), rows)]
    assert missed == []


def test_flipped_bits_of_a_larger_file(tmp_path):
    rows = random_rows(3000)
    data = content(tmp_path, rows)
    draw = Random(5)
    for _ in range(count(500)):
        bit = draw.randrange(8 * len(data))
        assert is_noticed(flipped(data, bit), rows), bit


def test_a_damaged_block_leaves_the_others_readable(tmp_path):
    rows = random_rows(6000)
    data = content(tmp_path, rows)
    segment = Segment(PATH, flipped(data, 8 * (HEADER_SIZE + 500)))
    with pytest.raises(DamageError, match="block 0"):
        answers(segment, rows)
    later = [row for row in rows if row[0] >> (64 - segment.header.bits)]
    assert answers(segment, later) == later
    with pytest.raises(DamageError, match="block 0"):
        segment.verify()


def test_a_block_that_was_read_is_checked_again_by_verify(tmp_path):
    """The first touch of a block vouches for it in this process; ``verify`` does not rely on it."""
    rows = random_rows(3000)
    path = write(tmp_path / "made.seg", rows)
    with Segment.open(path) as segment:
        assert answers(segment, rows) == rows
        with path.open("r+b") as file:
            file.seek(HEADER_SIZE + 300)
            file.write(b"\xff\x00\xff\x00")
        with pytest.raises(DamageError):
            segment.verify()


def test_truncation_at_every_block_and_at_random(tmp_path):
    rows = random_rows(3000)
    data = content(tmp_path, rows, 8000)
    segment = Segment(PATH, data)
    start = directory_start(memoryview(data), PATH)
    table = np.frombuffer(data[start:-FOOTER_SIZE], "<u4").reshape(-1, 6)
    draw = Random(6)
    lengths = {0, 1, HEADER_SIZE, start, len(data) - FOOTER_SIZE, len(data) - 1, *table[:, 0].tolist()}
    lengths |= {draw.randrange(len(data)) for _ in range(count(200))}
    assert len(table) == segment.header.blocks == 8
    for length in lengths:
        assert is_noticed(data[:length], rows), length
    assert is_noticed(data + b"\0", rows)
    assert is_noticed(data + data, rows)


def resealed(data: bytes, change) -> bytes:
    """A file whose postings were changed and whose checksums are right: what a fault of the writer would leave."""
    segment = Segment(PATH, data)
    header, start = data[:HEADER_SIZE], directory_start(memoryview(data), PATH)
    table = np.frombuffer(data[start:-FOOTER_SIZE], "<u4").reshape(-1, 6).copy()
    blocks = np.frombuffer(data[HEADER_SIZE:start], np.uint8).copy()
    change(blocks, segment)
    table[0, 4] = native_segments.checksum(blocks)
    return header + blocks.tobytes() + table.tobytes() + pack_footer(header, table.tobytes(), start)


def test_verify_sees_postings_that_are_out_of_order(tmp_path):
    data = content(tmp_path, [(1, 0, 0), (2, 1, 1), (3, 2, 2)])

    def change(blocks, segment):
        # After the starts: three hashes of 58 bits each, here from the last to the first.
        turned = sum(value << 58 * number for number, value in enumerate((3, 2, 1)))
        blocks[128:152] = np.frombuffer(turned.to_bytes(24, "little"), np.uint8)

    with pytest.raises(DamageError, match="block 0: postings are not in order"):
        Segment(PATH, resealed(data, change)).verify()


def test_verify_sees_padding_that_is_not_zero(tmp_path):
    data = content(tmp_path, [(1, 0, 0), (2, 1, 1), (3, 2, 2)])

    def change(blocks, segment):
        blocks[-1] = 1

    sealed = resealed(data, change)
    assert len(Postings.joined(list(Segment(PATH, sealed).scan()))) == 3
    with pytest.raises(DamageError, match="differs from what was written"):
        Segment(PATH, sealed).verify()
