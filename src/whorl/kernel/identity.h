/* The identity of one k-gram: NH over pairs of 32-bit words, twice, each sum closed to 32 bits by multiply-shift.
 *
 * Specification: twin.identity. The second sum uses the same keys two words later (a Toeplitz key), so `keys` holds two
 * words more than the k-gram. docs/decisions/0003-keyed-hashing.md proves the bound.
 */
#ifndef WHORL_IDENTITY_H
#define WHORL_IDENTITY_H

#include "vectors.h"

typedef struct {
    uint64_t first, second;
} whorl_sums;

static inline void whorl_add_pair(whorl_sums *sums, uint32_t x, uint32_t y, const uint32_t *keys) {
    sums->first += (uint64_t)(uint32_t)(x + keys[0]) * (uint32_t)(y + keys[1]);
    sums->second += (uint64_t)(uint32_t)(x + keys[2]) * (uint32_t)(y + keys[3]);
}

/* `closing`: two odd multipliers, then the summands of this width. */
static inline uint64_t whorl_close(whorl_sums sums, const uint64_t *closing) {
    const uint64_t high = (sums.first + closing[2]) * closing[0], low = (sums.second + closing[3]) * closing[1];
    return (high >> 32 << 32) | (low >> 32);
}

/* The last k % 8 bytes of a gram, filled up with zeros: a shifted load of its last eight where it has as many. */
static inline uint64_t whorl_rest(const uint8_t *gram, ptrdiff_t k) {
    const ptrdiff_t rest = k % 8;
    uint64_t packed = 0;
    if (k > 8) {
        const uint8_t *last = gram + k - 8;
        packed = whorl_load32(last) | (uint64_t)whorl_load32(last + 4) << 32;
        return packed >> (64 - 8 * rest);
    }
    for (ptrdiff_t j = 0; j < rest; j++) packed |= (uint64_t)gram[j] << (8 * j);
    return packed;
}

static inline uint64_t whorl_identity_bytes(const uint8_t *gram, ptrdiff_t k, const uint32_t *keys,
                                            const uint64_t *closing) {
    whorl_sums sums = {0, 0};
    ptrdiff_t j = 0;
    for (; j + 8 <= k; j += 8) whorl_add_pair(&sums, whorl_load32(gram + j), whorl_load32(gram + j + 4), keys + j / 4);
    if (j < k) {
        const uint64_t rest = whorl_rest(gram, k);
        whorl_add_pair(&sums, (uint32_t)rest, (uint32_t)(rest >> 32), keys + j / 4);
    }
    return whorl_close(sums, closing);
}

static inline uint64_t whorl_identity_words(const uint32_t *gram, ptrdiff_t words, const uint32_t *keys,
                                            const uint64_t *closing) {
    whorl_sums sums = {0, 0};
    ptrdiff_t j = 0;
    for (; j + 2 <= words; j += 2) whorl_add_pair(&sums, gram[j], gram[j + 1], keys + j);
    if (j < words) whorl_add_pair(&sums, gram[j], 0, keys + j);
    return whorl_close(sums, closing);
}

#endif
