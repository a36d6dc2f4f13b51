# What the pairs' loops take from their C header.
from libc.stdint cimport int64_t, uint64_t

cdef extern from "merge.h" nogil:
    ctypedef struct whorl_merging:
        const uint64_t* hashes
        const int64_t* bounds
        const int64_t* lefts
        const int64_t* rights
        const double* needed
        int64_t pairs
        int64_t* out

    void whorl_shared(const whorl_merging*)
