# What the crowds' loops take from their C header.
from libc.stdint cimport int64_t, uint64_t

cdef extern from "bits.h" nogil:
    int64_t WHORL_WIDTH
    int64_t whorl_both(const uint64_t*, const uint64_t*, int64_t)
