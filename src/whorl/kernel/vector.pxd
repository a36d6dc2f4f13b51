# What the kernel takes from C: the vector loops of vector.h, and the widths that a symbol or a hash may have.
from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t


cdef extern from "vector.h" nogil:
    void whorl_order(const uint8_t*, Py_ssize_t, Py_ssize_t, uint32_t, uint32_t, uint32_t*)
    Py_ssize_t whorl_first_at_most32(const uint32_t*, Py_ssize_t, Py_ssize_t, uint32_t)
    Py_ssize_t whorl_first_at_most64(const uint64_t*, Py_ssize_t, Py_ssize_t, uint64_t)
    Py_ssize_t whorl_last_minimum32(const uint32_t*, Py_ssize_t, Py_ssize_t)
    Py_ssize_t whorl_last_minimum64(const uint64_t*, Py_ssize_t, Py_ssize_t)
    uint64_t whorl_identity_bytes(const uint8_t*, Py_ssize_t, const uint32_t*, const uint64_t*)
    uint64_t whorl_identity_words(const uint32_t*, Py_ssize_t, const uint32_t*, const uint64_t*)

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
