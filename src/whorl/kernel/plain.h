/* The hash of a word, and words of ASCII, 64 bytes at a time. Specification: words.
 *
 * Each byte is translated by a table: to what it is in a word, to 0 if it is a separator, or to WHORL_RARE if more must be known
 * of what stands around it. Where words begin and end is then a matter of bits, and a word's letters are loaded at once.
 */
#ifndef WHORL_PLAIN_H
#define WHORL_PLAIN_H

#include "bit.h"
#include "vectors.h"

#define WHORL_RARE 0xFF

/* Bytes that are translated together, and bytes that are translated before their room is used again. */
#define WHORL_BLOCK 64
#define WHORL_STRETCH 4096

/* Bytes of a word that are hashed at once, at the most; longer words are rare. */
#define WHORL_SHORT 16

typedef struct {
    uint8_t table[128];                         /* of ASCII; what is not is rare */
    uint8_t letters[WHORL_STRETCH + WHORL_SHORT]; /* translated */
} whorl_plain;

typedef struct {
    uint64_t state, block;
    int bits, blocks;
} whorl_hashing;

static inline uint64_t whorl_mixed(uint64_t state, uint64_t block) {
    state = (state ^ block) * UINT64_C(0x9E3779B97F4A7C15);
    return state ^ (state >> 32);
}

static inline uint64_t whorl_closed(uint64_t state) {
    state *= UINT64_C(0xD6E8FEB86659FD93);
    return state ^ (state >> 29);
}

static inline whorl_hashing whorl_begin_hashing(void) {
    return (whorl_hashing){UINT64_C(0x243F6A8885A308D3), 0, 0, 0};
}

static inline void whorl_flush(whorl_hashing *h) {
    h->state = whorl_mixed(h->state, h->block);
    h->block = 0;
    h->bits = 0;
    h->blocks++;
}

static inline void whorl_take_byte(whorl_hashing *h, uint32_t byte) {
    h->block |= (uint64_t)byte << h->bits;
    h->bits += 8;
    if (h->bits == 64) whorl_flush(h);
}

/* A letter of the word, in UTF-8. */
static inline void whorl_take(whorl_hashing *h, uint32_t letter) {
    if (letter < 0x80) {
        whorl_take_byte(h, letter);
        return;
    }
    if (letter < 0x800) {
        whorl_take_byte(h, 0xC0 | letter >> 6);
    } else {
        if (letter < 0x10000) {
            whorl_take_byte(h, 0xE0 | letter >> 12);
        } else {
            whorl_take_byte(h, 0xF0 | letter >> 18);
            whorl_take_byte(h, 0x80 | (letter >> 12 & 0x3F));
        }
        whorl_take_byte(h, 0x80 | (letter >> 6 & 0x3F));
    }
    whorl_take_byte(h, 0x80 | (letter & 0x3F));
}

static inline uint64_t whorl_end_hashing(whorl_hashing *h) {
    if (h->bits) whorl_flush(h);
    while (h->blocks < WHORL_SHORT / 8) whorl_flush(h);
    return whorl_closed(h->state);
}

/* Eight bytes, the first of them lowest. */
static inline uint64_t whorl_eight(const uint8_t *at) {
    uint64_t eight;
    memcpy(&eight, at, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    eight = __builtin_bswap64(eight);
#endif
    return eight;
}

/* The first bytes of eight: so many, 0 to 8. */
static inline uint64_t whorl_begun(uint64_t eight, int64_t count) {
    static const uint64_t masks[] = {0,
                                     UINT64_C(0xFF),
                                     UINT64_C(0xFFFF),
                                     UINT64_C(0xFFFFFF),
                                     UINT64_C(0xFFFFFFFF),
                                     UINT64_C(0xFFFFFFFFFF),
                                     UINT64_C(0xFFFFFFFFFFFF),
                                     UINT64_C(0xFFFFFFFFFFFFFF),
                                     UINT64_C(0xFFFFFFFFFFFFFFFF)};
    return eight & masks[count];
}

/* The hash of a word of so many letters of ASCII. */
static inline uint64_t whorl_plain_hash(const uint8_t *letters, int64_t length) {
    uint64_t state = UINT64_C(0x243F6A8885A308D3);
    for (; length > WHORL_SHORT; letters += 8, length -= 8) state = whorl_mixed(state, whorl_eight(letters));
    const int64_t first = length < 8 ? length : 8;
    state = whorl_mixed(state, whorl_begun(whorl_eight(letters), first));
    return whorl_closed(whorl_mixed(state, whorl_begun(whorl_eight(letters + 8), length - first)));
}

/* Translates a block. Bit i of what comes back is whether byte i is no separator; of `rare`, whether more must be known. */
#if WHORL_VECTORS && defined(__aarch64__)

static inline uint64_t whorl_bits(const uint8x16_t bytes[4]) {
    const uint8x16_t places = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t one = vpaddq_u8(vandq_u8(bytes[0], places), vandq_u8(bytes[1], places));
    const uint8x16_t two = vpaddq_u8(vandq_u8(bytes[2], places), vandq_u8(bytes[3], places));
    const uint8x16_t all = vpaddq_u8(one, two);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

static inline uint64_t whorl_translate(const uint8_t table[128], const uint8_t *text, uint8_t *letters, uint64_t *rare) {
    const uint8x16x4_t low = vld1q_u8_x4(table), high = vld1q_u8_x4(table + 64);
    uint8x16_t is_there[4], is_rare[4];
    for (int i = 0; i < 4; i++) {
        const uint8x16_t bytes = vld1q_u8(text + 16 * i);
        uint8x16_t item = vqtbx4q_u8(vqtbl4q_u8(low, bytes), high, veorq_u8(bytes, vdupq_n_u8(64)));
        item = vorrq_u8(item, vcgeq_u8(bytes, vdupq_n_u8(128)));
        vst1q_u8(letters + 16 * i, item);
        is_there[i] = vtstq_u8(item, item);
        is_rare[i] = vcgeq_u8(item, vdupq_n_u8(128));
    }
    *rare = whorl_bits(is_rare);
    return whorl_bits(is_there);
}

#else

static inline uint64_t whorl_translate(const uint8_t table[128], const uint8_t *text, uint8_t *letters, uint64_t *rare) {
    uint64_t is_there = 0, is_rare = 0;
    for (int i = 0; i < WHORL_BLOCK; i++) letters[i] = text[i] < 128 ? table[text[i]] : WHORL_RARE;
#if WHORL_VECTORS
    for (int i = 0; i < WHORL_BLOCK; i += 16) {
        const __m128i items = _mm_loadu_si128((const __m128i *)(letters + i));
        const uint64_t are_parted = (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(items, _mm_setzero_si128()));
        is_there |= (are_parted ^ 0xFFFF) << i;
        is_rare |= (uint64_t)_mm_movemask_epi8(items) << i;
    }
#else
    for (int i = 0; i < WHORL_BLOCK; i++) {
        is_there |= (uint64_t)(letters[i] != 0) << i;
        is_rare |= (uint64_t)(letters[i] >> 7) << i;
    }
#endif
    *rare = is_rare;
    return is_there;
}

#endif

/* The words from here on, where no token begins before: up to the first token with something rare, whose beginning it gives
 * back, or n. */
static ptrdiff_t whorl_plain_words(whorl_plain *p, const uint8_t *text, ptrdiff_t at, ptrdiff_t n, uint64_t *hashes,
                                   int32_t *firsts, int64_t *count) {
    uint8_t last[WHORL_BLOCK] = {0};
    int64_t found = *count;
    while (at < n) {
        ptrdiff_t open = -1, base = 0; /* the token that is open, from `at` on as all places are; -1 if none is */
        for (; base < WHORL_STRETCH && at + base < n; base += WHORL_BLOCK) {
            const uint8_t *block = text + at + base;
            const ptrdiff_t left = n - at - base;
            if (left < WHORL_BLOCK) block = memcpy(last, block, (size_t)left);
            uint64_t rare, there = whorl_translate(p->table, block, p->letters + base, &rare);
            if (left < WHORL_BLOCK) { /* what is behind the end parts as a separator does */
                rare &= (UINT64_C(1) << left) - 1;
                there &= (UINT64_C(1) << left) - 1;
            }
            if (rare) there &= (rare & -rare) - 1;
            const uint64_t before = there << 1 | (open >= 0);
            uint64_t begin = there & ~before, end = ~there & before;
            if (rare) end &= (rare & -rare) - 1;
            while (end) {
                if (open < 0) {
                    open = base + whorl_lowest(begin);
                    begin &= begin - 1;
                }
                const ptrdiff_t stop = base + whorl_lowest(end);
                firsts[found] = (int32_t)(at + open);
                hashes[found++] = whorl_plain_hash(p->letters + open, stop - open);
                open = -1;
                end &= end - 1;
            }
            if (begin) open = base + whorl_lowest(begin);
            if (rare) {
                *count = found;
                return at + (open >= 0 ? open : base + whorl_lowest(rare));
            }
        }
        if (open == 0) break; /* it fills the whole stretch */
        at += open > 0 ? open : base;
    }
    *count = found;
    return at < n ? at : n;
}

#endif
