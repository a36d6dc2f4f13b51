# What the segments' loops take from their C header.
from libc.stdint cimport uint8_t, uint32_t, uint64_t

cdef extern from "blocks.h" nogil:
    uint64_t whorl_word(const uint8_t*)
    uint64_t whorl_bits(const uint8_t*, uint64_t, unsigned int)
    void whorl_put(uint8_t*, uint64_t, unsigned int, uint64_t)
    int whorl_ones(uint64_t)
    int whorl_lowest(uint64_t)
    void whorl_crc_prepare()
    uint32_t whorl_crc_plain(uint32_t, const uint8_t*, size_t)
    uint32_t whorl_crc(uint32_t, const uint8_t*, size_t)
