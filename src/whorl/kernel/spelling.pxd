# What the kernel takes from C to read UTF-8, and words of it.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

cdef extern from "utf8.h" nogil:
    Py_ssize_t whorl_sequence_length(const uint8_t*, Py_ssize_t)
    uint32_t whorl_code_point(const uint8_t*, Py_ssize_t)

cdef extern from "plain.h" nogil:
    ctypedef struct whorl_hashing:
        pass

    whorl_hashing whorl_begin_hashing()
    void whorl_take(whorl_hashing*, uint32_t)
    void whorl_take_byte(whorl_hashing*, uint32_t)
    uint64_t whorl_end_hashing(whorl_hashing*)

cdef extern from "words.h" nogil:
    ctypedef struct whorl_spelling:
        const uint32_t* entries
        uint64_t* hashes
        int32_t* firsts
        int64_t count
        int64_t* parts
        int64_t left

    void whorl_begin_spelling(whorl_spelling*)
    int whorl_spell(whorl_spelling*, const uint8_t*, Py_ssize_t)
