/* How many bits two rows of bits have in common. */
#ifndef WHORL_BITS_H
#define WHORL_BITS_H

#include "vectors.h"

/* Words of 64 bits that are looked at together: a row has a multiple of it. */
#define WHORL_WIDTH 2

#if WHORL_VECTORS && defined(__aarch64__)

/* Vectors whose counts, 8 a byte at the most, fit into the bytes of one. */
#define WHORL_BYTES 31

static inline int64_t whorl_both(const uint64_t *one, const uint64_t *two, int64_t words) {
    uint64x2_t found = vdupq_n_u64(0);
    for (int64_t at = 0; at < words;) {
        const int64_t end = words - at > 2 * WHORL_BYTES ? at + 2 * WHORL_BYTES : words;
        uint8x16_t counts = vdupq_n_u8(0);
        for (; at < end; at += WHORL_WIDTH) {
            const uint64x2_t both = vandq_u64(vld1q_u64(one + at), vld1q_u64(two + at));
            counts = vaddq_u8(counts, vcntq_u8(vreinterpretq_u8_u64(both)));
        }
        found = vpadalq_u32(found, vpaddlq_u16(vpaddlq_u8(counts)));
    }
    return (int64_t)vaddvq_u64(found);
}

#else

/* As ``whorl_ones``, in steps that a compiler makes vectors of. */
static inline uint64_t whorl_summed(uint64_t word) {
    word -= (word >> 1) & 0x5555555555555555;
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (word * 0x0101010101010101) >> 56;
}

static inline int64_t whorl_both(const uint64_t *one, const uint64_t *two, int64_t words) {
    uint64_t found = 0;
    for (int64_t at = 0; at < words; at++) found += whorl_summed(one[at] & two[at]);
    return (int64_t)found;
}

#endif

#endif
