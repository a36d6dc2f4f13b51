"""The loops of segments: the compiled ones equal their specification, on sound blocks and on any bytes."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.kernel.specification import segments as specification
from whorl.kernel import native_segments

KERNELS = (native_segments, specification)
LAST = 2**64 - 1

# Few hashes, so that they repeat; the ends of every range; and any.
hashes = (
    st.integers(0, 5) | st.integers(LAST - 5, LAST) | st.integers(0, LAST) | st.integers(0, 63).map(lambda n: n << 58)
)
numbers = st.integers(0, 3) | st.integers(0, 2**32 - 1)
runs = st.lists(st.tuples(hashes, numbers, numbers), max_size=60)
bytestrings = st.binary(max_size=200).map(lambda data: np.frombuffer(data, np.uint8))


def columns(rows):
    return unsorted(sorted(rows))


def listed(decoded):
    return [column.tolist() for column in decoded]


def encoded(rows, bits):
    """The file as the kernel sees it: blocks, then at least 16 bytes; its directory; and the shape of it."""
    all_hashes, documents, places = columns(rows)
    least = int(documents.min()) if len(documents) else 0
    width = (int(documents.max()) - least).bit_length() if len(documents) else 0
    directory, packed, offset = np.zeros((1 << bits, 6), np.uint32), [], 0
    numbers_of_blocks = [one >> (64 - bits) for one in all_hashes.tolist()]
    for block in range(1 << bits):
        mine = np.array([number == block for number in numbers_of_blocks], bool)
        directory[block, 0] = offset
        if mine.any():
            args = all_hashes[mine], documents[mine], places[mine], bits, width, least
            data, distinct, place_width = native_segments.encode(*args)
            again, *rest = specification.encode(*args)
            assert data.tolist() == again.tolist()
            assert [distinct, place_width] == rest
            for kernel in KERNELS:
                assert kernel.size(mine.sum(), distinct, bits, width, place_width) == len(data)
            directory[block, 2:] = mine.sum(), distinct, native_segments.checksum(data), place_width
            packed.append(data)
            offset += len(data)
    return np.concatenate([*packed, np.zeros(16, np.uint8)]), directory, (bits, width, least)


def none_verified(directory):
    return np.zeros(len(directory), np.uint8)


@given(bytestrings, st.integers(0, 2**32 - 1))
def test_checksums_are_equal(data, before):
    expected = specification.checksum(data, before)
    assert native_segments.checksum(data, before) == expected
    assert native_segments.plain_checksum(data, before) == expected


def test_the_checksum_is_the_one_of_the_standard():
    """The check value of CRC-32C, and of 32 zeros as in RFC 3720."""
    for kernel in KERNELS:
        assert kernel.checksum(np.frombuffer(b"123456789", np.uint8)) == 0xE3069283
        assert kernel.checksum(np.zeros(32, np.uint8)) == 0x8A9136AA
        assert kernel.checksum(np.empty(0, np.uint8)) == 0


@given(bytestrings, st.integers(0, 200))
def test_a_checksum_goes_on(data, cut):
    whole = native_segments.checksum(data)
    assert native_segments.checksum(data[cut:], native_segments.checksum(data[:cut])) == whole


@given(runs, st.integers(0, 6))
@examples(300)
@example([(7, 1, 1)] * 40, 0)
@example([(0, 0, 0), (LAST, 2**32 - 1, 2**32 - 1)], 0)
def test_what_is_encoded_is_decoded(rows, bits):
    data, directory, shape = encoded(rows, bits)
    for kernel in KERNELS:
        verified = none_verified(directory)
        damaged, decoded = kernel.decode(data, directory, 0, 1 << bits, *shape, verified)
        assert damaged == -1
        assert listed(decoded) == listed(columns(rows))
        assert verified.tolist() == (directory[:, 2] > 0).tolist()


@given(runs, st.integers(0, 6), st.lists(hashes, max_size=20), st.integers(0, 4))
@examples(300)
def test_what_is_encoded_is_found(rows, bits, others, most):
    data, directory, (bits, width, least) = encoded(rows, bits)
    wanted = sorted({row[0] for row in rows} | set(others))
    hashes_wanted = np.array(wanted, np.uint64)
    for kernel in KERNELS:
        damaged, starts, counts = kernel.find(data, directory, bits, width, hashes_wanted, none_verified(directory))
        assert damaged == -1
        assert counts.tolist() == [sum(row[0] == one for row in rows) for one in wanted]
        limited = np.minimum(counts, most)
        which, documents, places = kernel.gather(data, directory, bits, width, least, hashes_wanted, starts, limited)
        expected = [
            (number, *row[1:])
            for number, one in enumerate(wanted)
            for row in sorted(row for row in rows if row[0] == one)[:most]
        ]
        assert list(zip(which.tolist(), documents.tolist(), places.tolist(), strict=True)) == expected
        assert [decoded.dtype for decoded in (which, documents, places)] == [np.int32, np.uint32, np.uint32]


@given(runs.filter(bool), st.data())
@examples(300)
def test_any_bytes_with_a_right_checksum_are_read_alike_and_safely(rows, data):
    """Whoever makes such a file on purpose gets refused or gets nonsense, but no more than the block is read."""
    content, directory, (bits, width, least) = encoded(rows, 0)
    changes = data.draw(st.lists(st.tuples(st.integers(0, len(content) - 17), st.integers(0, 255)), max_size=8))
    for place, value in changes:
        content[place] = value
    directory[0, 4] = native_segments.checksum(content[:-16])
    answers = []
    hashes_wanted = np.array(sorted({row[0] for row in rows}), np.uint64)
    for kernel in KERNELS:
        damaged, decoded = kernel.decode(content, directory, 0, 1, bits, width, least, none_verified(directory))
        damaged_too, starts, counts = kernel.find(
            content, directory, bits, width, hashes_wanted, none_verified(directory)
        )
        assert damaged == damaged_too
        got = (
            kernel.gather(content, directory, bits, width, least, hashes_wanted, starts, counts)
            if damaged_too < 0
            else ()
        )
        answers.append((damaged, listed(decoded), counts.sum() if _in_order(decoded[0]) else None, len(got)))
    assert answers[0] == answers[1]


def _in_order(decoded):
    return bool((decoded[1:] >= decoded[:-1]).all())


@given(runs.filter(bool), st.data())
@examples(200)
def test_a_flipped_bit_is_found(rows, data):
    content, directory, (bits, width, least) = encoded(rows, 0)
    bit = data.draw(st.integers(0, 8 * (len(content) - 16) - 1))
    content[bit // 8] ^= 1 << bit % 8
    hashes_wanted = columns(rows)[0]
    for kernel in KERNELS:
        assert kernel.find(content, directory, bits, width, hashes_wanted, none_verified(directory))[0] == 0
        assert kernel.decode(content, directory, 0, 1, bits, width, least, none_verified(directory))[0] == 0


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("rows", "bits", "complaint"),
    [
        ([(2, 0, 0), (1, 0, 0)], 0, "order"),
        ([(1, 2, 0), (1, 1, 0)], 0, "order"),
        ([(1, 1, 2), (1, 1, 1)], 0, "order"),
        ([(1, 0, 0), (LAST, 0, 0)], 1, "more than one block"),
        ([(1, 4, 0)], 0, "not among"),
    ],
)
def test_what_would_be_read_wrongly_is_not_written(kernel, rows, bits, complaint):
    decoded = np.array(rows, np.uint64)
    with pytest.raises(ValueError, match=complaint):
        kernel.encode(
            decoded[:, 0].copy(), decoded[:, 1].astype(np.uint32), decoded[:, 2].astype(np.uint32), bits, 2, 0
        )


@pytest.mark.parametrize("count", [65_535, 65_536])
def test_a_block_with_many_hashes(count):
    decoded = np.arange(count, dtype=np.uint64) << np.uint64(44), np.zeros(count, np.uint32), np.zeros(count, np.uint32)
    data, distinct, place_width = native_segments.encode(*decoded, 0, 0, 0)
    directory = np.array([[0, 0, count, distinct, native_segments.checksum(data), place_width]], np.uint32)
    content = np.append(data, np.zeros(16, np.uint8))
    damaged, again = native_segments.decode(content, directory, 0, 1, 0, 0, 0, np.zeros(1, np.uint8))
    assert damaged == -1
    assert [column.tolist() for column in decoded] == [column.tolist() for column in again]
    _, _, counts = native_segments.find(content, directory, 0, 0, decoded[0] + np.uint64(1), np.ones(1, np.uint8))
    assert not counts.any()
    _, starts, counts = native_segments.find(content, directory, 0, 0, decoded[0][::97].copy(), np.ones(1, np.uint8))
    assert counts.tolist() == [1] * len(counts)
    assert starts.tolist() == list(range(0, count, 97))


def unsorted(rows):
    shaped = np.array(rows, np.uint64).reshape(-1, 3)
    return shaped[:, 0].copy(), shaped[:, 1].astype(np.uint32), shaped[:, 2].astype(np.uint32)
