"""The blocks of a segment file, in plain Python: the specification of ``native_segments``.

The hashes of a segment are divided into ``2**bits`` equal ranges, a block each; a block's range into 64 slots. Of a
hash, the block and the slot say the top bits, and its *low* bits are stored, once for all its postings. A block is five
columns, each filled up with zeros to a whole number of 64-bit words:

    starts      for each slot, the number of distinct hashes before it: 64 values of 16 bits, or of 32 in a large block
    lows        for each distinct hash, its low bits
    firsts      for each posting one bit: whether it is the first of its hash
    documents   for each posting, its document less the segment's least
    places      for each posting, its place, as wide as the block's greatest

Value i of a column of width w is bits ``w * i`` to ``w * (i + 1)``, where bit n is bit ``n % 8`` of byte ``n // 8``.
``docs/formats/segment.md`` has the rest of the file. A block without postings has no bytes.

``rows`` is the directory: a row of six numbers for each block, as COLUMNS names them. ``data`` is the whole file; the
compiled kernel may read up to 16 bytes past a block, and the directory and the footer are there. ``verified`` has a
byte for each block, not 0 once its checksum was found right. A function that meets a damaged block gives the block's
number in place of -1, and nothing that it gives with it is to be used.
"""

import numpy as np
from numpy.typing import NDArray

from whorl.kernel.constants import LARGE, POSTINGS, SLOT_BITS, SLOTS

Bytes = NDArray[np.uint8]
Rows = NDArray[np.uint32]
Columns = tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint32]]

# Castagnoli's polynomial, its bits reversed: the CRC that processors have an instruction for.
_POLYNOMIAL = 0x82F63B78


def checksum(data: Bytes, before: int = 0) -> int:
    """CRC-32C; ``before`` is the checksum of the bytes that come before these."""
    crc = before ^ 0xFFFFFFFF
    for byte in data.tolist():
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (_POLYNOMIAL if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def size(postings: int, distinct: int, bits: int, document_width: int, place_width: int) -> int:
    """How many bytes a block has."""
    if not postings:
        return 0
    columns = _columns(postings, distinct, bits, document_width, place_width)
    return sum(8 * -(-count * width // 64) for count, width in columns)


def _columns(postings: int, distinct: int, bits: int, document_width: int, place_width: int) -> list[tuple[int, int]]:
    """The number of values and the width of each column of a block."""
    return [
        (SLOTS, 16 if distinct < LARGE else 32),
        (distinct, 64 - bits - SLOT_BITS),
        (postings, 1),
        (postings, document_width),
        (postings, place_width),
    ]


def encode(
    hashes: NDArray[np.uint64],
    documents: NDArray[np.uint32],
    places: NDArray[np.uint32],
    bits: int,
    document_width: int,
    least: int,
) -> tuple[Bytes, int, int]:
    """A block of at least one posting, the number of its distinct hashes, and the width of its places.

    The postings are those of one block, in order; anything else is a ValueError.
    """
    postings = list(zip(hashes.tolist(), documents.tolist(), places.tolist(), strict=True))
    if postings != sorted(postings):
        raise ValueError("postings are not in order of hash, document and place")
    if len({one >> (64 - bits) for one, _, _ in postings}) != 1:
        raise ValueError("postings of more than one block")
    if not all(0 <= document - least < 1 << document_width for _, document, _ in postings):
        raise ValueError("a document is not among those that the segment is for")
    low = 64 - bits - SLOT_BITS
    distinct = sorted({one for one, _, _ in postings})
    slots = [one >> low & SLOTS - 1 for one in distinct]
    place_width = max(place for _, _, place in postings).bit_length()
    values = [
        [sum(slot < number for slot in slots) for number in range(SLOTS)],
        [one & (1 << low) - 1 for one in distinct],
        [int(i == 0 or postings[i - 1][0] != one) for i, (one, _, _) in enumerate(postings)],
        [document - least for _, document, _ in postings],
        [place for _, _, place in postings],
    ]
    shapes = _columns(len(postings), len(distinct), bits, document_width, place_width)
    packed = b"".join(_pack(column, width) for column, (_, width) in zip(values, shapes, strict=True))
    return np.frombuffer(packed, np.uint8).copy(), len(distinct), place_width


def _pack(values: list[int], width: int) -> bytes:
    number = sum(value << width * i for i, value in enumerate(values))
    return number.to_bytes(8 * -(-len(values) * width // 64), "little")


def _unpack(data: bytes, count: int, width: int) -> list[int]:
    number = int.from_bytes(data, "little")
    return [number >> width * i & (1 << width) - 1 for i in range(count)]


def _is_right(data: Bytes, rows: Rows, block: int, bits: int, document_width: int, verified: Bytes) -> bool:
    """Whether a block has the checksum that the directory says, and its first three columns agree; asked once."""
    if not verified[block]:
        start, postings, distinct, expected, place_width = _row(rows, block)
        end = start + size(postings, distinct, bits, document_width, place_width)
        verified[block] = checksum(data[start:end]) == expected and _is_sound(data, rows, block, bits, document_width)
    return bool(verified[block])


def _is_sound(data: Bytes, rows: Rows, block: int, bits: int, document_width: int) -> bool:
    """Whether the starts are in order, and as many postings are the first of a hash as there are hashes. The zeros that
    fill a column up count as no first, so a one among them is a fault too."""
    starts, lows, firsts, _, _ = _read(data, rows, block, bits, document_width)
    are_in_order = starts[0] == 0 and starts == sorted(starts) and starts[-1] <= len(lows)
    # A block of one posting in document 0 at place 0 has the first two columns and a word.
    at = _row(rows, block)[0] + size(1, len(lows), bits, 0, 0) - 8
    column = data[at : at + 8 * -(-len(firsts) // 64)]
    return are_in_order and firsts[0] == 1 and int.from_bytes(column.tobytes()).bit_count() == len(lows)


def _row(rows: Rows, block: int) -> tuple[int, int, int, int, int]:
    offset, high, *rest = rows[block].tolist()
    return (offset + (high << 32), *rest)


def _read(data: Bytes, rows: Rows, block: int, bits: int, document_width: int) -> list[list[int]]:
    """The five columns of a block."""
    at, postings, distinct, _, place_width = _row(rows, block)
    columns = []
    for count, width in _columns(postings, distinct, bits, document_width, place_width):
        end = at + 8 * -(-count * width // 64)
        columns.append(_unpack(data[at:end].tobytes(), count, width))
        at = end
    return columns


def _hashes(starts: list[int], lows: list[int], block: int, bits: int) -> list[int]:
    """The distinct hashes of a block, in order."""
    low = 64 - bits - SLOT_BITS
    ends = [*starts[1:], len(lows)]
    slots = [slot for slot in range(SLOTS) for _ in range(starts[slot], ends[slot])]
    return [(block << SLOT_BITS | slot) << low | rest for slot, rest in zip(slots, lows, strict=True)]


def decode(
    data: Bytes, rows: Rows, first: int, last: int, bits: int, document_width: int, least: int, verified: Bytes
) -> tuple[int, Columns]:
    """All postings of the blocks from ``first`` to before ``last``, in order."""
    decoded: list[tuple[int, int, int]] = []
    for block in range(first, last):
        if not rows[block, POSTINGS]:
            continue
        if not _is_right(data, rows, block, bits, document_width, verified):
            return block, _as_columns([])
        starts, lows, firsts, documents, places = _read(data, rows, block, bits, document_width)
        distinct = _hashes(starts, lows, block, bits)
        numbers = (np.cumsum(firsts) - 1).tolist()
        hashes = [distinct[number] for number in numbers]
        decoded += zip(hashes, [(least + document) % 2**32 for document in documents], places, strict=True)
    return -1, _as_columns(decoded)


def _as_columns(postings: list[tuple[int, int, int]]) -> Columns:
    hashes, documents, places = zip(*postings, strict=True) if postings else ((), (), ())
    return np.array(hashes, np.uint64), np.array(documents, np.uint32), np.array(places, np.uint32)


def find(
    data: Bytes, rows: Rows, bits: int, document_width: int, hashes: NDArray[np.uint64], verified: Bytes
) -> tuple[int, NDArray[np.int64], NDArray[np.int64]]:
    """For each hash, the number of its first posting within its block, and how many it has."""
    starts, counts = np.zeros(len(hashes), np.int64), np.zeros(len(hashes), np.int64)
    for i, wanted in enumerate(hashes.tolist()):
        block = wanted >> (64 - bits)
        if not rows[block, POSTINGS]:
            continue
        if not _is_right(data, rows, block, bits, document_width, verified):
            return block, starts, counts
        slot_starts, lows, firsts, _, _ = _read(data, rows, block, bits, document_width)
        distinct = _hashes(slot_starts, lows, block, bits)
        if wanted in distinct:
            beginnings = [*np.flatnonzero(firsts).tolist(), len(firsts)]
            number = distinct.index(wanted)
            starts[i], counts[i] = beginnings[number], beginnings[number + 1] - beginnings[number]
    return -1, starts, counts


def gather(
    data: Bytes,
    rows: Rows,
    bits: int,
    document_width: int,
    least: int,
    hashes: NDArray[np.uint64],
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int32], NDArray[np.uint32], NDArray[np.uint32]]:
    """For each hash, as many postings as ``counts`` says, from ``starts`` of its block on: what ``find`` gave, or less.

    The first array says which of the hashes a posting is for.
    """
    decoded: list[tuple[int, int, int]] = []
    for i, wanted in enumerate(hashes.tolist()):
        if counts[i]:
            _, _, _, owners, spots = _read(data, rows, wanted >> (64 - bits), bits, document_width)
            ones = range(int(starts[i]), int(starts[i] + counts[i]))
            decoded += [(i, (least + owners[one]) % 2**32, spots[one]) for one in ones]
    which, documents, places = _as_columns(decoded)
    return which.astype(np.int32), documents, places
