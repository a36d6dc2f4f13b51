/* The three loops that want vectors: ordering k-grams, scanning windows for minima, and the identity of a k-gram.
 *
 * What each computes is said in whorl/kernel/twin.py, its specification; this file only computes it fast. Vectors are the
 * compiler's own (GCC and Clang), so the same source serves NEON, SSE and AVX2; any other compiler, and big-endian
 * machines, take the scalar path. No I/O, no allocation, no Python.
 */
#ifndef WHORL_VECTOR_H
#define WHORL_VECTOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if (defined(__GNUC__) || defined(__clang__)) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WHORL_VECTORS 1
#else
#define WHORL_VECTORS 0
#endif

/* On x86-64 the baseline has neither a 32-bit multiply nor a byte shuffle: let the loader pick at run time. */
#if WHORL_VECTORS && defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define WHORL_CLONES __attribute__((target_clones("avx2", "sse4.1", "default")))
#else
#define WHORL_CLONES
#endif

static inline uint32_t whorl_load32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* ---------------------------------------------------------------- order: a rolling hash over words of four symbols */

/* One value, straight from the definition: for the few grams at the end that the vectors must not read past, and for
 * compilers without vectors. */
static inline uint32_t whorl_order_one(const uint8_t *gram, ptrdiff_t k, uint32_t base, uint32_t offset) {
    uint32_t sum = 0, packed = 0;
    ptrdiff_t j;
    if (k < 4) {
        for (j = 0; j < k; j++) packed |= (uint32_t)gram[j] << (8 * j);
        return packed * base + offset;
    }
    for (j = 0; j + 4 <= k; j += 4) sum = (sum + whorl_load32(gram + j)) * base;
    if (k % 4) sum += whorl_load32(gram + k - 4);
    return sum + offset;
}

#if WHORL_VECTORS
typedef uint32_t whorl_v4 __attribute__((vector_size(16)));
typedef uint8_t whorl_b16 __attribute__((vector_size(16)));

#define WHORL_ALL(x) ((whorl_v4){(x), (x), (x), (x)})

static inline whorl_v4 whorl_loadv(const uint32_t *at) {
    whorl_v4 v;
    memcpy(&v, at, 16);
    return v;
}

static inline whorl_v4 whorl_lesser(whorl_v4 a, whorl_v4 b) {
    const whorl_v4 less = (whorl_v4)(a < b);
    return (a & less) | (b & ~less);
}

/* The four words of four symbols that begin at `at`, `at + 1`, `at + 2` and `at + 3`. Reads 16 bytes. */
static inline whorl_v4 whorl_words(const uint8_t *at) {
    whorl_b16 v;
    memcpy(&v, at, 16);
#if defined(__clang__)
    return (whorl_v4)__builtin_shufflevector(v, v, 0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6);
#else
    return (whorl_v4)__builtin_shuffle(v, (whorl_b16){0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6});
#endif
}

/* Four quarters of the input roll side by side: one chain alone would wait for its own multiplication. */
#define WHORL_CHAINS 4

WHORL_CLONES static void whorl_order_vectors(const uint8_t *symbols, ptrdiff_t quarter, ptrdiff_t k, uint32_t base,
                                             uint32_t offset, uint32_t *out) {
    const ptrdiff_t words = k / 4;
    const uint8_t *entering = symbols + 4 * words, *tail = symbols + k - 4;
    uint32_t power = 1;
    whorl_v4 rolling[WHORL_CHAINS];
    for (ptrdiff_t j = 0; j < words; j++) power *= base;
    const whorl_v4 vbase = WHORL_ALL(base), vpower = WHORL_ALL(power), voffset = WHORL_ALL(offset);
    for (int c = 0; c < WHORL_CHAINS; c++) {
        whorl_v4 sum = WHORL_ALL(0);
        for (ptrdiff_t j = 0; j < words; j++) sum = sum * vbase + whorl_words(symbols + c * quarter + 4 * j);
        rolling[c] = sum;
    }
    if (k % 4) {
        for (ptrdiff_t i = 0; i < quarter; i += 4)
            for (int c = 0; c < WHORL_CHAINS; c++) {
                const ptrdiff_t at = c * quarter + i;
                const whorl_v4 scaled = rolling[c] * vbase, value = scaled + whorl_words(tail + at) + voffset;
                memcpy(out + at, &value, 16);
                rolling[c] = scaled + (whorl_words(entering + at) - whorl_words(symbols + at) * vpower);
            }
    } else {
        for (ptrdiff_t i = 0; i < quarter; i += 4)
            for (int c = 0; c < WHORL_CHAINS; c++) {
                const ptrdiff_t at = c * quarter + i;
                const whorl_v4 scaled = rolling[c] * vbase, value = scaled + voffset;
                memcpy(out + at, &value, 16);
                rolling[c] = scaled + (whorl_words(entering + at) - whorl_words(symbols + at) * vpower);
            }
    }
}
#endif

static void whorl_order(const uint8_t *symbols, ptrdiff_t length, ptrdiff_t k, uint32_t base, uint32_t offset,
                        uint32_t *out) {
    const ptrdiff_t grams = length - k + 1;
    ptrdiff_t done = 0;
#if WHORL_VECTORS
    /* The last load of the last vector begins at most at gram `done - 4` + k and reads 16 bytes. */
    const ptrdiff_t quarter = (grams - 16) / (4 * WHORL_CHAINS) * 4;
    if (k >= 4 && quarter > 0) {
        whorl_order_vectors(symbols, quarter, k, base, offset, out);
        done = WHORL_CHAINS * quarter;
    }
#endif
    for (; done < grams; done++) out[done] = whorl_order_one(symbols + done, k, base, offset);
}

/* ------------------------------------------------------------------------------------------ scanning windows of hashes */

/* The first index in [from, to) whose value is at most `bound`, or `to`. */
static inline ptrdiff_t whorl_first_at_most32(const uint32_t *values, ptrdiff_t from, ptrdiff_t to, uint32_t bound) {
#if WHORL_VECTORS
    const whorl_v4 limit = WHORL_ALL(bound);
    for (; from + 16 <= to; from += 16) {
        const whorl_v4 hit = (whorl_v4)(whorl_loadv(values + from) <= limit) |
                             (whorl_v4)(whorl_loadv(values + from + 4) <= limit) |
                             (whorl_v4)(whorl_loadv(values + from + 8) <= limit) |
                             (whorl_v4)(whorl_loadv(values + from + 12) <= limit);
        uint64_t lanes[2];
        memcpy(lanes, &hit, 16);
        if (lanes[0] | lanes[1]) break;
    }
#endif
    while (from < to && values[from] > bound) from++;
    return from;
}

/* The last index of the smallest value in [from, to), which is not empty. */
static inline ptrdiff_t whorl_last_minimum32(const uint32_t *values, ptrdiff_t from, ptrdiff_t to) {
    uint32_t least = values[from];
    ptrdiff_t at = from;
#if WHORL_VECTORS
    if (to - from >= 8) {
        whorl_v4 even = whorl_loadv(values + from), odd = whorl_loadv(values + from + 4);
        for (at = from + 8; at + 8 <= to; at += 8) {
            const whorl_v4 a = whorl_loadv(values + at), b = whorl_loadv(values + at + 4);
            even = whorl_lesser(a, even);
            odd = whorl_lesser(b, odd);
        }
        even = whorl_lesser(odd, even);
        least = even[0];
        for (int lane = 1; lane < 4; lane++) least = even[lane] < least ? even[lane] : least;
    }
#endif
    for (; at < to; at++) least = values[at] < least ? values[at] : least;
    at = to - 1;
#if WHORL_VECTORS
    const whorl_v4 wanted = WHORL_ALL(least);
    for (; at - 7 >= from; at -= 8) {
        const whorl_v4 hit = (whorl_v4)(whorl_loadv(values + at - 3) == wanted) |
                             (whorl_v4)(whorl_loadv(values + at - 7) == wanted);
        uint64_t lanes[2];
        memcpy(lanes, &hit, 16);
        if (lanes[0] | lanes[1]) break;
    }
#endif
    while (values[at] != least) at--;
    return at;
}

static inline ptrdiff_t whorl_first_at_most64(const uint64_t *values, ptrdiff_t from, ptrdiff_t to, uint64_t bound) {
    while (from < to && values[from] > bound) from++;
    return from;
}

static inline ptrdiff_t whorl_last_minimum64(const uint64_t *values, ptrdiff_t from, ptrdiff_t to) {
    ptrdiff_t at = to - 1;
    for (ptrdiff_t i = to - 2; i >= from; i--)
        if (values[i] < values[at]) at = i;
    return at;
}

/* ------------------------------------------------------------------------------------------- identity of one k-gram */

/* NH over pairs of 32-bit words, twice with keys shifted by two words (a Toeplitz key), each sum reduced to 32 bits by
 * multiply-shift. `keys` holds 2 * pairs + 2 words. docs/decisions/0003-keyed-hashing.md proves the bound. */
static inline uint64_t whorl_identity_close(uint64_t first, uint64_t second, const uint64_t *closing) {
    const uint64_t high = (first + closing[2]) * closing[0], low = (second + closing[3]) * closing[1];
    return (high & 0xFFFFFFFF00000000u) | (low >> 32);
}

static inline uint64_t whorl_identity_bytes(const uint8_t *gram, ptrdiff_t k, const uint32_t *keys,
                                            const uint64_t *closing) {
    uint64_t first = 0, second = 0;
    for (; k >= 8; k -= 8, gram += 8, keys += 2) {
        const uint32_t x = whorl_load32(gram), y = whorl_load32(gram + 4);
        first += (uint64_t)(uint32_t)(x + keys[0]) * (uint32_t)(y + keys[1]);
        second += (uint64_t)(uint32_t)(x + keys[2]) * (uint32_t)(y + keys[3]);
    }
    if (k) {
        uint8_t rest[8] = {0};
        for (ptrdiff_t j = 0; j < k; j++) rest[j] = gram[j];
        const uint32_t x = whorl_load32(rest), y = whorl_load32(rest + 4);
        first += (uint64_t)(uint32_t)(x + keys[0]) * (uint32_t)(y + keys[1]);
        second += (uint64_t)(uint32_t)(x + keys[2]) * (uint32_t)(y + keys[3]);
    }
    return whorl_identity_close(first, second, closing);
}

static inline uint64_t whorl_identity_words(const uint32_t *gram, ptrdiff_t words, const uint32_t *keys,
                                            const uint64_t *closing) {
    uint64_t first = 0, second = 0;
    for (; words >= 2; words -= 2, gram += 2, keys += 2) {
        first += (uint64_t)(uint32_t)(gram[0] + keys[0]) * (uint32_t)(gram[1] + keys[1]);
        second += (uint64_t)(uint32_t)(gram[0] + keys[2]) * (uint32_t)(gram[1] + keys[3]);
    }
    if (words) {
        first += (uint64_t)(uint32_t)(gram[0] + keys[0]) * keys[1];
        second += (uint64_t)(uint32_t)(gram[0] + keys[2]) * keys[3];
    }
    return whorl_identity_close(first, second, closing);
}

#endif
