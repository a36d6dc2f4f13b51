# What the kernel takes from its C headers, and the widths that a symbol or a hash may have.
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "order.h" nogil:
    void whorl_order(const uint8_t*, Py_ssize_t, Py_ssize_t, uint32_t, uint32_t, uint32_t*)

cdef extern from "identity.h" nogil:
    uint64_t whorl_identity_bytes(const uint8_t*, Py_ssize_t, const uint32_t*, const uint64_t*)
    uint64_t whorl_identity_words(const uint32_t*, Py_ssize_t, const uint32_t*, const uint64_t*)
    void whorl_identities_wide(
        const uint32_t*, const uint32_t*, Py_ssize_t, Py_ssize_t, const uint32_t*, const uint64_t*, uint64_t*
    )
    Py_ssize_t WHORL_TOGETHER

cdef extern from "windows.h" nogil:
    ctypedef struct whorl_sequence:
        const uint32_t* values
        Py_ssize_t length
        Py_ssize_t w
        int keep
        const uint8_t* grams
        Py_ssize_t stride
        Py_ssize_t gram_bytes

    Py_ssize_t whorl_select(whorl_sequence, Py_ssize_t, int64_t*)
    Py_ssize_t whorl_winnow(
        const uint8_t*, Py_ssize_t, Py_ssize_t, uint32_t, uint32_t, Py_ssize_t, whorl_sequence, uint32_t*, Py_ssize_t, int64_t*
    )
    Py_ssize_t whorl_last_minimum32(const uint32_t*, Py_ssize_t, Py_ssize_t)
    Py_ssize_t whorl_last_minimum64(const uint64_t*, Py_ssize_t, Py_ssize_t)

ctypedef fused value_t:
    uint32_t
    uint64_t

ctypedef fused wide_t:
    uint16_t
    uint32_t
    uint64_t

ctypedef fused symbol_t:
    uint8_t
    uint16_t
    uint32_t
    uint64_t
