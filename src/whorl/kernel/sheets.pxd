# What the kernel takes from C to read lines of JSON.
from libc.stdint cimport int64_t, uint8_t

cdef extern from "jsonl.h" nogil:
    int64_t WHORL_SLACK
    ctypedef struct whorl_sheet:
        const uint8_t* data
        const uint8_t* names
        const int64_t* bounds
        int64_t count
        uint8_t* kinds
        int64_t* starts
        int64_t* ends

    uint8_t whorl_line(const whorl_sheet*, const uint8_t*, const uint8_t*)
    uint8_t* whorl_unescape(const uint8_t*, const uint8_t*, uint8_t*)
