# C declarations of the text kernel: the flags of constants.py, and the records that its loops share.
from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    SYMBOL = 0x1FFFFF
    NUMBER = 0x200000
    SOLO = 0x400000
    VALUE = 0x7FFFFF
    EXPANDS = 0x1000000
    JOINS = 0x2000000
    SPLITS = 0x4000000
    OPENS = 0x200000
    YPOGEGRAMMENI = 0x345
    IOTA = 0x3B9
    L_BASE = 0x1100
    V_BASE = 0x1161
    T_BASE = 0x11A7
    S_BASE = 0xAC00
    L_COUNT = 19
    V_COUNT = 21
    T_COUNT = 28
    S_COUNT = 11172
    BREAK = 0x20
    APOSTROPHE = 0x27
    LAST_DIGIT = 0x39
    # No starter absorbs more than three marks (checked by the tests): of one class, a fourth can change nothing.
    DEEPEST = 4
    CLASSES = 256

ctypedef fused item_t:
    uint8_t
    uint32_t

cdef struct Shapes:
    const uint32_t* entries
    const uint16_t* expansion
    const uint32_t* offsets
    const uint32_t* pool
    const uint64_t* pairs
    const uint32_t* composites
    Py_ssize_t pair_count

# Where values go. `count` may pass `room`: then nothing more is written, and the caller makes room and comes again.
# `widest` has every bit that any value has.
cdef struct Sink:
    uint32_t* values
    int32_t* starts
    int32_t* ends
    Py_ssize_t room
    Py_ssize_t count
    Py_ssize_t before
    uint32_t widest

# The starter that a segment has reached, and the marks that wait for it: at most DEEPEST of each class, in order.
cdef struct Starter:
    uint32_t code
    bint exists
    bint blocked
    Py_ssize_t waiting
    uint32_t marks[CLASSES * DEEPEST]
    uint8_t counts[CLASSES]

# Where words go.
cdef struct Words:
    uint64_t* hashes
    int32_t* firsts
    int32_t* ends
    Py_ssize_t room
    Py_ssize_t count
