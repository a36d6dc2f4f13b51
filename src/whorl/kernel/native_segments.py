"""The blocks of a segment file, compiled. Specification: ``tests/kernel/specification/segments.py``."""

import cython
import numpy as np
from cython.cimports.libc.stdint import int32_t, int64_t, uint8_t, uint32_t, uint64_t
from cython.cimports.whorl.kernel.blocks import (
    whorl_bits,
    whorl_crc,
    whorl_crc_plain,
    whorl_crc_prepare,
    whorl_lowest,
    whorl_ones,
    whorl_put,
    whorl_word,
)

SLOT_BITS = cython.declare(cython.int, 6)
SLOTS = cython.declare(int64_t, 64)
LARGE = cython.declare(int64_t, 65536)

# Hashes are looked up in batches, each step for all of them before the next step: so the processor waits for the memory
# of many at a time. Batches of 64 and of 256 were no faster.
BATCH = cython.declare(cython.Py_ssize_t, 16)

whorl_crc_prepare()

bytes_t = cython.typedef(cython.pointer[cython.const[uint8_t]])
row_t = cython.typedef(cython.pointer[cython.const[uint32_t]])

# Where the columns of a block are.
Block = cython.struct(
    postings=int64_t,
    distinct=int64_t,
    start_width=cython.uint,
    low=cython.uint,
    place_width=cython.uint,
    starts=bytes_t,
    lows=bytes_t,
    firsts=bytes_t,
    documents=bytes_t,
    places=bytes_t,
    end=bytes_t,
)


# Where a hash is looked for: the directory's row, the columns, and from which distinct hash to before which.
Spot = cython.struct(row=row_t, starts=bytes_t, lows=bytes_t, low=int64_t, high=int64_t, middle=uint64_t)


def checksum(data: cython.const[uint8_t][::1], before: uint32_t = 0):
    length: cython.Py_ssize_t = data.shape[0]
    if length == 0:
        return before
    crc: uint32_t
    with cython.nogil:
        crc = whorl_crc(before, cython.address(data[0]), length)
    return crc


def plain_checksum(data: cython.const[uint8_t][::1], before: uint32_t = 0):
    length: cython.Py_ssize_t = data.shape[0]
    if length == 0:
        return before
    return ~whorl_crc_plain(~before, cython.address(data[0]), length) & 0xFFFFFFFF


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _bytes(count: int64_t, width: int64_t) -> int64_t:
    return (count * width + 63) // 64 * 8


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _lay(
    at: bytes_t, postings: int64_t, distinct: int64_t, bits: cython.uint, document_width: cython.uint,
    place_width: cython.uint,
) -> Block:  # fmt: skip
    block = cython.declare(Block)
    block.postings = postings
    block.distinct = distinct
    block.start_width = 16 if distinct < LARGE else 32
    block.low = 64 - bits - SLOT_BITS
    block.place_width = place_width
    block.starts = at
    block.lows = block.starts + _bytes(SLOTS, block.start_width)
    block.firsts = block.lows + _bytes(distinct, block.low)
    block.documents = block.firsts + _bytes(postings, 1)
    block.places = block.documents + _bytes(postings, document_width)
    block.end = block.places + _bytes(postings, place_width)
    return block


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _at(data: bytes_t, row: row_t, bits: cython.uint, document_width: cython.uint) -> Block:
    offset: uint64_t = row[0] | cython.cast(uint64_t, row[1]) << 32
    return _lay(data + offset, row[2], row[3], bits, document_width, row[5])


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _block(one: uint64_t, bits: cython.uint) -> int64_t:
    return cython.cast(int64_t, one >> 1 >> (63 - bits))


def size(
    postings: int64_t, distinct: int64_t, bits: cython.uint, document_width: cython.uint, place_width: cython.uint
):
    block: Block
    if postings == 0:
        return 0
    block = _lay(cython.NULL, postings, distinct, bits, document_width, place_width)
    return block.end - block.starts


def encode(
    hashes: cython.const[uint64_t][::1],
    documents: cython.const[uint32_t][::1],
    places: cython.const[uint32_t][::1],
    bits: cython.uint,
    document_width: cython.uint,
    least: uint32_t,
):
    count: cython.Py_ssize_t = hashes.shape[0]
    if count == 0 or documents.shape[0] != count or places.shape[0] != count:
        raise ValueError("a block is made of at least one posting, and of columns of one length")
    distinct: int64_t
    widest: uint32_t = 0
    place_width: cython.uint = 0
    with cython.nogil:
        distinct = _survey(hashes, documents, places, document_width, least, cython.address(widest))
    if distinct == -1:
        raise ValueError("postings are not in order of hash, document and place")
    if distinct == -2:
        raise ValueError("a document is not among those that the segment is for")
    if _block(hashes[0], bits) != _block(hashes[count - 1], bits):
        raise ValueError("postings of more than one block")
    while widest >> place_width if place_width < 32 else 0:
        place_width += 1
    block: Block = _lay(cython.NULL, count, distinct, bits, document_width, place_width)
    packed = np.zeros(block.end - block.starts, np.uint8)
    out: uint8_t[::1] = packed
    with cython.nogil:
        block = _lay(cython.address(out[0]), count, distinct, bits, document_width, place_width)
        _fill(hashes, documents, places, block, document_width, least)
    return packed, distinct, place_width


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _survey(
    hashes: cython.const[uint64_t][::1],
    documents: cython.const[uint32_t][::1],
    places: cython.const[uint32_t][::1],
    document_width: cython.uint,
    least: uint32_t,
    widest: cython.pointer[uint32_t],
) -> int64_t:
    """Return the number of distinct hashes, or the error; and a number as wide as the widest position."""
    i: cython.Py_ssize_t
    distinct: int64_t = 1
    most: uint64_t = (cython.cast(uint64_t, 1) << document_width) - 1
    strangers: cython.bint = False
    for i in range(hashes.shape[0]):
        widest[0] |= places[i]
        strangers |= documents[i] < least or documents[i] - least > most
        if i and hashes[i] != hashes[i - 1]:
            distinct += 1
            if hashes[i] < hashes[i - 1]:
                return -1
        elif i and documents[i] <= documents[i - 1]:
            if documents[i] < documents[i - 1] or places[i] < places[i - 1]:
                return -1
    return -2 if strangers else distinct


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _fill(
    hashes: cython.const[uint64_t][::1],
    documents: cython.const[uint32_t][::1],
    places: cython.const[uint32_t][::1],
    block: Block,
    document_width: cython.uint,
    least: uint32_t,
) -> cython.void:
    i: cython.Py_ssize_t
    number: int64_t = 0
    slot: int64_t = 0
    mine: int64_t
    mask: uint64_t = (cython.cast(uint64_t, 1) << block.low) - 1
    starts: cython.pointer[uint8_t] = cython.cast(cython.pointer[uint8_t], block.starts)
    lows: cython.pointer[uint8_t] = cython.cast(cython.pointer[uint8_t], block.lows)
    firsts: cython.pointer[uint8_t] = cython.cast(cython.pointer[uint8_t], block.firsts)
    document_column: cython.pointer[uint8_t] = cython.cast(cython.pointer[uint8_t], block.documents)
    place_column: cython.pointer[uint8_t] = cython.cast(cython.pointer[uint8_t], block.places)
    for i in range(block.postings):
        if i == 0 or hashes[i] != hashes[i - 1]:
            mine = cython.cast(int64_t, hashes[i] >> block.low) & (SLOTS - 1)
            while slot < mine:
                slot += 1
                whorl_put(starts, slot, block.start_width, number)
            whorl_put(lows, number, block.low, hashes[i] & mask)
            firsts[i >> 3] |= cython.cast(uint8_t, 1 << (i & 7))
            number += 1
        whorl_put(document_column, i, document_width, documents[i] - least)
        whorl_put(place_column, i, block.place_width, places[i])
    while slot < SLOTS - 1:
        slot += 1
        whorl_put(starts, slot, block.start_width, number)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _is_right(block: Block, expected: uint32_t, verified: cython.pointer[uint8_t]) -> cython.bint:
    if not verified[0]:
        verified[0] = whorl_crc(0, block.starts, block.end - block.starts) == expected and _is_sound(block)
    return verified[0] != 0


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _is_sound(block: Block) -> cython.bint:
    """Return whether no loop can leave the block: starts in order, and as many first postings as hashes."""
    slot: int64_t
    before: uint64_t = 0
    start: uint64_t
    ones: int64_t = 0
    for slot in range(SLOTS):
        start = whorl_bits(block.starts, slot, block.start_width)
        if start < before or (slot == 0 and start > 0):
            return False
        before = start
    if before > cython.cast(uint64_t, block.distinct) or not block.firsts[0] & 1:
        return False
    for slot in range(_bytes(block.postings, 1) // 8):
        ones += whorl_ones(whorl_word(block.firsts + 8 * slot))
    return ones == block.distinct


def decode(
    data: cython.const[uint8_t][::1],
    rows: cython.const[uint32_t][:, ::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    bits: cython.uint,
    document_width: cython.uint,
    least: uint32_t,
    verified: uint8_t[::1],
):
    total: int64_t = 0
    number: cython.Py_ssize_t
    for number in range(first, last):
        total += rows[number, 2]
    hashes = np.empty(total, np.uint64)
    documents = np.empty(total, np.uint32)
    places = np.empty(total, np.uint32)
    out_hashes: uint64_t[::1] = hashes
    out_documents: uint32_t[::1] = documents
    out_places: uint32_t[::1] = places
    at: int64_t = 0
    damaged: int64_t = -1
    block: Block
    with cython.nogil:
        for number in range(first, last):
            if rows[number, 2] == 0:
                continue
            block = _at(cython.address(data[0]), cython.address(rows[number, 0]), bits, document_width)
            if not _is_right(block, rows[number, 4], cython.address(verified[number])):
                damaged = number
                break
            _unpack_hashes(block, number, cython.address(out_hashes[at]))
            _unpack(block.documents, 0, block.postings, document_width, least, cython.address(out_documents[at]))
            _unpack(block.places, 0, block.postings, block.place_width, 0, cython.address(out_places[at]))
            at += block.postings
    if damaged >= 0:
        return damaged, (hashes[:0], documents[:0], places[:0])
    return -1, (hashes, documents, places)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _unpack_hashes(block: Block, number: int64_t, out: cython.pointer[uint64_t]) -> cython.void:
    """Unpack the distinct hashes of a block: as many as there are firsts, as ``_is_sound`` checked."""
    i: int64_t = 0
    slot: int64_t
    one: int64_t = 0
    end: int64_t
    prefix: uint64_t
    hashed: uint64_t
    for slot in range(SLOTS):
        end = whorl_bits(block.starts, slot + 1, block.start_width) if slot < SLOTS - 1 else block.distinct
        prefix = (cython.cast(uint64_t, number) << SLOT_BITS | cython.cast(uint64_t, slot)) << block.low
        while one < end:
            hashed = prefix | whorl_bits(block.lows, one, block.low)
            one += 1
            out[i] = hashed
            i += 1
            while i < block.postings and not block.firsts[i >> 3] >> (i & 7) & 1:
                out[i] = hashed
                i += 1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _unpack(
    column: bytes_t, start: int64_t, count: int64_t, width: cython.uint, least: uint32_t, out: cython.pointer[uint32_t]
) -> cython.void:
    i: int64_t
    for i in range(count):
        out[i] = least + cython.cast(uint32_t, whorl_bits(column, start + i, width))


def find(
    data: cython.const[uint8_t][::1],
    rows: cython.const[uint32_t][:, ::1],
    bits: cython.uint,
    document_width: cython.uint,
    hashes: cython.const[uint64_t][::1],
    verified: uint8_t[::1],
):
    wanted: cython.Py_ssize_t = hashes.shape[0]
    starts = np.zeros(wanted, np.int64)
    counts = np.zeros(wanted, np.int64)
    out_starts: int64_t[::1] = starts
    out_counts: int64_t[::1] = counts
    spots = cython.declare(Spot[16])
    i: cython.Py_ssize_t
    first: cython.Py_ssize_t = 0
    size_of_batch: cython.Py_ssize_t
    one: int64_t
    damaged: int64_t = -1
    block: Block
    with cython.nogil:
        while first < wanted:
            size_of_batch = min(BATCH, wanted - first)
            damaged = _locate(data, rows, bits, document_width, hashes, first, size_of_batch, verified, spots)
            if damaged >= 0:
                break
            _narrow(hashes, first, size_of_batch, 64 - bits - SLOT_BITS, spots)
            for i in range(size_of_batch):
                one = _number(cython.address(spots[i]), hashes[first + i], 64 - bits - SLOT_BITS)
                if one >= 0:
                    block = _at(cython.address(data[0]), spots[i].row, bits, document_width)
                    out_starts[first + i] = _select(block, one)
                    out_counts[first + i] = _next(block, out_starts[first + i]) - out_starts[first + i]
            first += size_of_batch
    return damaged, starts, counts


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _locate(
    data: cython.const[uint8_t][::1],
    rows: cython.const[uint32_t][:, ::1],
    bits: cython.uint,
    document_width: cython.uint,
    hashes: cython.const[uint64_t][::1],
    first: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    verified: uint8_t[::1],
    spots: cython.pointer[Spot],
) -> int64_t:
    """Find the row and the block of each hash; return the number of a damaged block, or -1."""
    i: cython.Py_ssize_t
    number: int64_t
    row: row_t
    for i in range(count):
        number = _block(hashes[first + i], bits)
        row = cython.address(rows[number, 0])
        spots[i].row = row
        spots[i].starts = cython.address(data[0]) + (row[0] | cython.cast(uint64_t, row[1]) << 32)
        if not verified[number] and row[2] != 0:
            if not _is_right(
                _at(cython.address(data[0]), row, bits, document_width), row[4], cython.address(verified[number])
            ):
                return number
    return -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _narrow(
    hashes: cython.const[uint64_t][::1],
    first: cython.Py_ssize_t,
    count: cython.Py_ssize_t,
    low: cython.uint,
    spots: cython.pointer[Spot],
) -> cython.void:
    """Between which distinct hashes of its block each hash would be, and what is in their middle."""
    i: cython.Py_ssize_t
    slot: int64_t
    width: cython.uint
    spot: cython.pointer[Spot]
    for i in range(count):
        spot = spots + i
        spot.low = 0
        spot.high = spot.row[3]
        width = 16 if spot.high < LARGE else 32
        slot = cython.cast(int64_t, hashes[first + i] >> low) & (SLOTS - 1)
        spot.lows = spot.starts
        if spot.high > 0:
            spot.lows += _bytes(SLOTS, width)
            spot.low = whorl_bits(spot.starts, slot, width)
            if slot < SLOTS - 1:
                spot.high = whorl_bits(spot.starts, slot + 1, width)
    for i in range(count):
        spot = spots + i
        spot.middle = whorl_bits(spot.lows, (spot.low + spot.high) >> 1, low)


@cython.cfunc
@cython.nogil
@cython.inline
@cython.exceptval(check=False)
def _number(spot: cython.pointer[Spot], wanted: uint64_t, width: cython.uint) -> int64_t:
    """Return the number of a hash among the distinct ones of its block, or -1."""
    low: int64_t = spot.low
    high: int64_t = spot.high
    middle: int64_t
    value_at: uint64_t = spot.middle
    rest: uint64_t = wanted & ((cython.cast(uint64_t, 1) << width) - 1)
    while low < high:
        middle = (low + high) >> 1
        if value_at < rest:
            low = middle + 1
        else:
            high = middle
        value_at = whorl_bits(spot.lows, (low + high) >> 1, width)
    return low if low < spot.high and value_at == rest else -1


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _select(block: Block, one: int64_t) -> int64_t:
    """Return the position of the bit number ``one`` among the firsts; ``_is_sound`` checked that it exists."""
    at: int64_t = 0
    word: uint64_t = whorl_word(block.firsts)
    ones: int64_t = whorl_ones(word)
    while one >= ones:
        one -= ones
        at += 64
        word = whorl_word(block.firsts + (at >> 3))
        ones = whorl_ones(word)
    while one > 0:
        word &= word - 1
        one -= 1
    return at + whorl_lowest(word)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _next(block: Block, start: int64_t) -> int64_t:
    """Return the position of the next first posting after one of them, or the end of all."""
    at: int64_t = (start + 1) & ~63
    word: uint64_t
    if at >= block.postings:
        return block.postings
    word = whorl_word(block.firsts + (at >> 3)) >> ((start + 1) & 63) << ((start + 1) & 63)
    while word == 0:
        at += 64
        if at >= block.postings:
            return block.postings
        word = whorl_word(block.firsts + (at >> 3))
    return at + whorl_lowest(word)


def gather(
    data: cython.const[uint8_t][::1],
    rows: cython.const[uint32_t][:, ::1],
    bits: cython.uint,
    document_width: cython.uint,
    least: uint32_t,
    hashes: cython.const[uint64_t][::1],
    starts: cython.const[int64_t][::1],
    counts: cython.const[int64_t][::1],
):
    total: int64_t = 0
    i: cython.Py_ssize_t
    j: int64_t
    number: int64_t
    for i in range(hashes.shape[0]):
        total += counts[i]
    which = np.empty(total, np.int32)
    documents = np.empty(total, np.uint32)
    places = np.empty(total, np.uint32)
    out_which: int32_t[::1] = which
    out_documents: uint32_t[::1] = documents
    out_places: uint32_t[::1] = places
    at: int64_t = 0
    block: Block
    with cython.nogil:
        for i in range(hashes.shape[0]):
            if counts[i] == 0:
                continue
            number = _block(hashes[i], bits)
            block = _at(cython.address(data[0]), cython.address(rows[number, 0]), bits, document_width)
            _unpack(block.documents, starts[i], counts[i], document_width, least, cython.address(out_documents[at]))
            _unpack(block.places, starts[i], counts[i], block.place_width, 0, cython.address(out_places[at]))
            for j in range(counts[i]):
                out_which[at + j] = cython.cast(int32_t, i)
            at += counts[i]
    return which, documents, places
