/* What the blocks of a segment file are made of: little-endian words, runs of bits, and the checksum CRC-32C.
 *
 * Specification: segments. The checksum has three paths with equal results: the instructions of 64-bit ARM, those
 * of x86-64 from SSE4.2 on, and tables. Which one runs is asked of the machine, once. No I/O, no Python here.
 */
#ifndef WHORL_BLOCKS_H
#define WHORL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "bit.h"

#if defined(WHORL_SCALAR) /* the tests ask for it, to compare */
#define WHORL_CRC_NONE 1
#elif defined(__aarch64__) && (defined(__ARM_FEATURE_CRC32) || (defined(__linux__) && !defined(__clang__)))
#include <arm_acle.h>
#define WHORL_CRC_ARM 1
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#elif defined(__x86_64__) && defined(__GNUC__)
#include <nmmintrin.h>
#define WHORL_CRC_X86 1
#else
#define WHORL_CRC_NONE 1
#endif

/* Eight bytes as a little-endian number, on every machine. */
static inline uint64_t whorl_word(const uint8_t *at) {
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&word, at, 8);
#else
    for (int i = 0; i < 8; i++) word |= (uint64_t)at[i] << (8 * i);
#endif
    return word;
}

static inline void whorl_store(uint8_t *at, uint64_t word) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(at, &word, 8);
#else
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(word >> (8 * i));
#endif
}

/* Value `index` of a column with `width` bits a value, at most 58. It reads eight bytes past the value's word. */
static inline uint64_t whorl_bits(const uint8_t *column, uint64_t index, unsigned width) {
    const uint64_t bit = index * width;
    const uint8_t *at = column + (bit >> 6) * 8;
    const unsigned shift = bit & 63;
    const uint64_t both = whorl_word(at) >> shift | whorl_word(at + 8) << 1 << (63 - shift);
    return both & (((uint64_t)1 << width) - 1);
}

/* Put a value into a column of zeros. */
static inline void whorl_put(uint8_t *column, uint64_t index, unsigned width, uint64_t value) {
    const uint64_t bit = index * width;
    uint8_t *at = column + (bit >> 6) * 8;
    const unsigned shift = bit & 63;
    if (!width) return;
    whorl_store(at, whorl_word(at) | value << shift);
    if (shift + width > 64) whorl_store(at + 8, value >> (64 - shift));
}

/* CRC-32C by tables, eight bytes at a time. */
static uint32_t whorl_crc_tables[8][256];
static int whorl_crc_fast;

static uint32_t whorl_crc_plain(uint32_t crc, const uint8_t *at, size_t length) {
    for (; length >= 8; at += 8, length -= 8) {
        const uint64_t word = whorl_word(at) ^ crc;
        crc = 0;
        for (int i = 0; i < 8; i++) crc ^= whorl_crc_tables[7 - i][(word >> (8 * i)) & 255];
    }
    for (; length; at++, length--) crc = crc >> 8 ^ whorl_crc_tables[0][(crc ^ *at) & 255];
    return crc;
}

#if defined(WHORL_CRC_ARM)
#if !defined(__ARM_FEATURE_CRC32)
__attribute__((target("+crc")))
#endif
static uint32_t whorl_crc_machine(uint32_t crc, const uint8_t *at, size_t length) {
    for (; length >= 8; at += 8, length -= 8) crc = __crc32cd(crc, whorl_word(at));
    for (; length; at++, length--) crc = __crc32cb(crc, *at);
    return crc;
}
#elif defined(WHORL_CRC_X86)
__attribute__((target("sse4.2")))
static uint32_t whorl_crc_machine(uint32_t crc, const uint8_t *at, size_t length) {
    for (; length >= 8; at += 8, length -= 8) crc = (uint32_t)_mm_crc32_u64(crc, whorl_word(at));
    for (; length; at++, length--) crc = _mm_crc32_u8(crc, *at);
    return crc;
}
#endif

/* Once, before the first checksum: fill the tables and ask the machine what it can do. */
static void whorl_crc_prepare(void) {
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0x82F63B78u : crc >> 1;
        whorl_crc_tables[0][i] = crc;
    }
    for (int row = 1; row < 8; row++)
        for (int i = 0; i < 256; i++) {
            const uint32_t before = whorl_crc_tables[row - 1][i];
            whorl_crc_tables[row][i] = before >> 8 ^ whorl_crc_tables[0][before & 255];
        }
#if defined(WHORL_CRC_ARM) && defined(__ARM_FEATURE_CRC32)
    whorl_crc_fast = 1;
#elif defined(WHORL_CRC_ARM)
    whorl_crc_fast = (getauxval(AT_HWCAP) & (1 << 7)) != 0; /* HWCAP_CRC32 */
#elif defined(WHORL_CRC_X86)
    whorl_crc_fast = __builtin_cpu_supports("sse4.2") != 0;
#endif
}

/* `before` is the checksum of what comes before these bytes; zero when nothing does. */
static uint32_t whorl_crc(uint32_t before, const uint8_t *at, size_t length) {
#if !defined(WHORL_CRC_NONE)
    if (whorl_crc_fast) return ~whorl_crc_machine(~before, at, length);
#endif
    return ~whorl_crc_plain(~before, at, length);
}

#endif
