/* The identity of one k-gram: NH over pairs of 32-bit words, twice, each sum closed to 32 bits by multiply-shift.
 *
 * Specification: core.identity. The second sum uses the same keys two words later (a Toeplitz key), so `keys` holds two
 * words more than the k-gram. docs/decisions/0003-keyed-hashing.md proves the bound.
 */
#ifndef WHORL_IDENTITY_H
#define WHORL_IDENTITY_H

#include "vectors.h"

/* The two sums so far, and the two keys that the second sum used last: the first sum uses them next. */
typedef struct {
    uint64_t first, second;
    uint32_t key_x, key_y;
} whorl_sums;

static inline whorl_sums whorl_open(const uint32_t *keys) { return (whorl_sums){0, 0, keys[0], keys[1]}; }

/* `next` are the keys of the second sum. */
static inline void whorl_add_pair(whorl_sums *sums, uint32_t x, uint32_t y, const uint32_t *next) {
    sums->first += (uint64_t)(uint32_t)(x + sums->key_x) * (uint32_t)(y + sums->key_y);
    sums->key_x = next[0];
    sums->key_y = next[1];
    sums->second += (uint64_t)(uint32_t)(x + sums->key_x) * (uint32_t)(y + sums->key_y);
}

/* `closing`: two odd multipliers, then the summands of this width. */
static inline uint64_t whorl_close(whorl_sums sums, const uint64_t *closing) {
    const uint64_t high = (sums.first + closing[2]) * closing[0], low = (sums.second + closing[3]) * closing[1];
    return (high >> 32 << 32) | (low >> 32);
}

static inline uint64_t whorl_load64(const uint8_t *at) {
#if WHORL_VECTORS
    uint64_t loaded;
    memcpy(&loaded, at, 8);
    return loaded;
#else
    return whorl_load32(at) | (uint64_t)whorl_load32(at + 4) << 32;
#endif
}

/* The last k % 8 bytes of a gram, filled up with zeros: a shifted load of its last eight where it has as many. */
static inline uint64_t whorl_rest(const uint8_t *gram, ptrdiff_t k) {
    const ptrdiff_t rest = k % 8;
    uint64_t packed = 0;
    if (k > 8) return whorl_load64(gram + k - 8) >> (64 - 8 * rest);
    for (ptrdiff_t j = 0; j < rest; j++) packed |= (uint64_t)gram[j] << (8 * j);
    return packed;
}

static inline uint64_t whorl_identity_bytes(const uint8_t *gram, ptrdiff_t k, const uint32_t *keys,
                                            const uint64_t *closing) {
    whorl_sums sums = whorl_open(keys);
    const ptrdiff_t whole = k / 8;
    for (ptrdiff_t j = 0; j < whole; j++) {
        const uint64_t eight = whorl_load64(gram + 8 * j);
        whorl_add_pair(&sums, (uint32_t)eight, (uint32_t)(eight >> 32), keys + 2 * j + 2);
    }
    if (k % 8) {
        const uint64_t rest = whorl_rest(gram, k);
        whorl_add_pair(&sums, (uint32_t)rest, (uint32_t)(rest >> 32), keys + 2 * whole + 2);
    }
    return whorl_close(sums, closing);
}

static inline uint64_t whorl_identity_words(const uint32_t *gram, ptrdiff_t words, const uint32_t *keys,
                                            const uint64_t *closing) {
    whorl_sums sums = whorl_open(keys);
    ptrdiff_t j = 0;
    for (; j + 2 <= words; j += 2) whorl_add_pair(&sums, gram[j], gram[j + 1], keys + j + 2);
    if (j < words) whorl_add_pair(&sums, gram[j], 0, keys + j + 2);
    return whorl_close(sums, closing);
}

/* Grams whose sums are taken together: each step is then the same for all of them, and the compiler makes vectors of it. */
#define WHORL_TOGETHER 4

/* The identities of `count` successive grams of 64-bit symbols, which come in halves: as whorl_identity_words of `2 * k`
 * words has them, the lower half of each symbol first. */
static inline void whorl_identities_wide(const uint32_t *low, const uint32_t *high, ptrdiff_t count, ptrdiff_t k,
                                         const uint32_t *keys, const uint64_t *closing, uint64_t *out) {
    for (ptrdiff_t at = 0; at < count; at += WHORL_TOGETHER) {
        const ptrdiff_t lanes = count - at < WHORL_TOGETHER ? count - at : WHORL_TOGETHER;
        uint64_t first[WHORL_TOGETHER] = {0}, second[WHORL_TOGETHER] = {0};
        for (ptrdiff_t j = 0; j < k; j++) {
            const uint32_t *x = low + at + j, *y = high + at + j, *key = keys + 2 * j;
            for (int i = 0; i < WHORL_TOGETHER; i++) {
                first[i] += (uint64_t)(uint32_t)(x[i] + key[0]) * (uint32_t)(y[i] + key[1]);
                second[i] += (uint64_t)(uint32_t)(x[i] + key[2]) * (uint32_t)(y[i] + key[3]);
            }
        }
        for (ptrdiff_t i = 0; i < lanes; i++) out[at + i] = whorl_close((whorl_sums){first[i], second[i], 0, 0}, closing);
    }
}

#endif
