/* The vectors that the other headers share: four unsigned 32-bit lanes, in the types of GCC and Clang.
 *
 * For 64-bit ARM and x86; any other machine or compiler takes the scalar paths, which compute the same. No I/O, no
 * allocation, no Python in any of these headers.
 */
#ifndef WHORL_VECTORS_H
#define WHORL_VECTORS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(WHORL_SCALAR) /* the tests ask for it, to compare */
#define WHORL_VECTORS 0
#elif defined(__GNUC__) && defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#define WHORL_VECTORS 1
#elif defined(__GNUC__) && defined(__x86_64__)
#include <emmintrin.h>
#define WHORL_VECTORS 1
#else
#define WHORL_VECTORS 0
#endif

/* On x86-64 the baseline has neither a 32-bit multiply nor a byte shuffle: let the loader pick at run time. */
#if WHORL_VECTORS && defined(__x86_64__) && defined(__linux__) && !defined(__clang__)
#define WHORL_CLONES __attribute__((target_clones("avx2", "sse4.1", "default")))
#else
#define WHORL_CLONES
#endif

#if WHORL_VECTORS

typedef uint32_t whorl_v4 __attribute__((vector_size(16)));
typedef uint8_t whorl_b16 __attribute__((vector_size(16)));

#if defined(__clang__)
#define WHORL_SHUFFLE(type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define WHORL_SHUFFLE(type, a, b, ...) __builtin_shuffle(a, b, (type){__VA_ARGS__})
#endif

#define WHORL_ALL(x) ((whorl_v4){(x), (x), (x), (x)})

static inline whorl_v4 whorl_load(const uint32_t *at) {
    whorl_v4 v;
    memcpy(&v, at, 16);
    return v;
}

static inline whorl_v4 whorl_lesser(whorl_v4 a, whorl_v4 b) {
#if defined(__aarch64__)
    return (whorl_v4)vminq_u32((uint32x4_t)a, (uint32x4_t)b);
#else
    const whorl_v4 less = (whorl_v4)(a < b);
    return (a & less) | (b & ~less);
#endif
}

/* The least lane, in all lanes. */
static inline whorl_v4 whorl_least(whorl_v4 a) {
#if defined(__aarch64__)
    return (whorl_v4)vdupq_n_u32(vminvq_u32((uint32x4_t)a));
#else
    a = whorl_lesser(a, WHORL_SHUFFLE(whorl_v4, a, a, 2, 3, 0, 1));
    return whorl_lesser(a, WHORL_SHUFFLE(whorl_v4, a, a, 1, 0, 3, 2));
#endif
}

/* Sixteen answers of four comparisons, WHORL_BITS bits each, the first lane in the lowest. */
static inline uint64_t whorl_mask(whorl_v4 a, whorl_v4 b, whorl_v4 c, whorl_v4 d) {
#if defined(__aarch64__)
#define WHORL_BITS 4
    const uint16x8_t ab = vuzp1q_u16((uint16x8_t)a, (uint16x8_t)b), cd = vuzp1q_u16((uint16x8_t)c, (uint16x8_t)d);
    const uint8x16_t all = vuzp1q_u8((uint8x16_t)ab, (uint8x16_t)cd);
    return vget_lane_u64((uint64x1_t)vshrn_n_u16((uint16x8_t)all, 4), 0);
#else
#define WHORL_BITS 1
    const __m128i ab = _mm_packs_epi32((__m128i)a, (__m128i)b), cd = _mm_packs_epi32((__m128i)c, (__m128i)d);
    return (uint64_t)_mm_movemask_epi8(_mm_packs_epi16(ab, cd));
#endif
}

/* Which of the sixteen is the first, or the last, to say yes; one does. */
static inline ptrdiff_t whorl_first(uint64_t mask) { return __builtin_ctzll(mask) / WHORL_BITS; }
static inline ptrdiff_t whorl_last(uint64_t mask) { return (63 - __builtin_clzll(mask)) / WHORL_BITS; }

#endif

static inline uint32_t whorl_load32(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

#endif
