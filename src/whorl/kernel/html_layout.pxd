# C declarations of the HTML kernels: the roles of constants.py, and records that their loops share.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memchr

cdef enum:
    BREAKS = 1
    RAW = 2
    UNSEEN = 4
    HIDES = 8
    VOID = 16
    ENDS = 128
    LONGEST = 10
    DIGITS = 27
    # Some ninety elements have a role: a fifth of the slots.
    SLOT_BITS = 9
    SLOTS = 512
    ROW = 4
    # So many decimal digits are no number; a code point from BEYOND on is none.
    NO_NUMBER = 64
    BEYOND = 0x110000
    REPLACEMENT = 0xFFFD

# The roles of elements by key, a hash table: 0 is no key.
cdef struct Elements:
    uint64_t keys[SLOTS]
    uint8_t roles[SLOTS]

# A page, and where its text and the rows of its tags go. The text is never longer than the page.
cdef struct Page:
    const uint8_t* data
    Py_ssize_t n
    uint8_t* text
    Py_ssize_t length
    int64_t* tags
    Py_ssize_t count
    Py_ssize_t room

# The names of entities in order, and what each stands for: number i from offset i to offset i + 1.
cdef struct Entities:
    const uint8_t* names
    const int32_t* name_offsets
    const uint8_t* values
    const int32_t* value_offsets
    Py_ssize_t count

# Where the byte stands next, or `n`.
cdef inline Py_ssize_t find(const uint8_t* data, Py_ssize_t at, Py_ssize_t n, uint8_t wanted) noexcept nogil:
    if at >= n:
        return n
    cdef const uint8_t* found = <const uint8_t*> memchr(data + at, wanted, n - at)
    return n if found == NULL else found - data
