/* The order of k-grams: a rolling hash over words of four symbols. Specification: core.order. */
#ifndef WHORL_ORDER_H
#define WHORL_ORDER_H

#include "vectors.h"

/* One value, straight from the definition: for the few grams at the end that the vectors must not read past. */
static inline uint32_t whorl_order_one(const uint8_t *gram, ptrdiff_t k, uint32_t base, uint32_t offset) {
    uint32_t sum = 0;
    if (k < 4) {
        for (ptrdiff_t j = 0; j < k; j++) sum |= (uint32_t)gram[j] << (8 * j);
        return sum * base + offset;
    }
    for (ptrdiff_t j = 0; j + 4 <= k; j += 4) sum = (sum + whorl_load32(gram + j)) * base;
    if (k % 4) sum += whorl_load32(gram + k - 4);
    return sum + offset;
}

#if WHORL_VECTORS

/* The four words of four symbols that begin at `at`, `at + 1`, `at + 2` and `at + 3`. Reads 16 bytes. */
static inline whorl_v4 whorl_words(const uint8_t *at) {
    whorl_b16 v;
    memcpy(&v, at, 16);
    return (whorl_v4)WHORL_SHUFFLE(whorl_b16, v, v, 0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6);
}

/* Four quarters of the input roll side by side: one chain alone would wait for its own multiplication. */
#define WHORL_CHAINS 4

WHORL_CLONES static void whorl_order_vectors(const uint8_t *symbols, ptrdiff_t quarter, ptrdiff_t k, uint32_t base,
                                             uint32_t offset, uint32_t *out) {
    const ptrdiff_t words = k / 4;
    const uint8_t *entering = symbols + 4 * words, *tail = symbols + k - 4;
    const int has_tail = k % 4 != 0;
    uint32_t power = 1;
    whorl_v4 rolling[WHORL_CHAINS];
    for (ptrdiff_t j = 0; j < words; j++) power *= base;
    const whorl_v4 vbase = WHORL_ALL(base), vpower = WHORL_ALL(power), voffset = WHORL_ALL(offset);
    for (int c = 0; c < WHORL_CHAINS; c++) {
        rolling[c] = WHORL_ALL(0);
        for (ptrdiff_t j = 0; j < words; j++)
            rolling[c] = rolling[c] * vbase + whorl_words(symbols + c * quarter + 4 * j);
    }
    for (ptrdiff_t i = 0; i < quarter; i += 4)
        for (int c = 0; c < WHORL_CHAINS; c++) {
            const ptrdiff_t at = c * quarter + i;
            const whorl_v4 scaled = rolling[c] * vbase;
            whorl_v4 value = scaled + voffset;
            if (has_tail) value += whorl_words(tail + at);
            memcpy(out + at, &value, 16);
            rolling[c] = scaled + (whorl_words(entering + at) - whorl_words(symbols + at) * vpower);
        }
}

#endif

static void whorl_order(const uint8_t *symbols, ptrdiff_t length, ptrdiff_t k, uint32_t base, uint32_t offset,
                        uint32_t *out) {
    const ptrdiff_t grams = length - k + 1;
    ptrdiff_t done = 0;
#if WHORL_VECTORS
    /* The last load begins k symbols after gram `done - 4` at most, and reads 16 bytes: 16 grams are left for it. */
    const ptrdiff_t quarter = (grams - 16) / (4 * WHORL_CHAINS) * 4;
    if (k >= 4 && quarter > 0) {
        whorl_order_vectors(symbols, quarter, k, base, offset, out);
        done = WHORL_CHAINS * quarter;
    }
#endif
    for (; done < grams; done++) out[done] = whorl_order_one(symbols + done, k, base, offset);
}

#endif
