/* UTF-8, one sequence at a time. Specification: utf8. */
#ifndef WHORL_UTF8_H
#define WHORL_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the well-formed sequence here (Unicode, table 3-7), or 0. */
static inline ptrdiff_t whorl_sequence_length(const uint8_t *at, ptrdiff_t left) {
    const uint8_t first = at[0];
    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4) return 0;
    const ptrdiff_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (left < length) return 0;
    const uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (at[1] < low || at[1] > high) return 0;
    for (ptrdiff_t j = 2; j < length; j++)
        if ((at[j] & 0xC0) != 0x80) return 0;
    return length;
}

/* The code point of a well-formed sequence. */
static inline uint32_t whorl_code_point(const uint8_t *at, ptrdiff_t length) {
    if (length == 1) return at[0];
    uint32_t code = at[0] & (0x7F >> length);
    for (ptrdiff_t j = 1; j < length; j++) code = code << 6 | (at[j] & 0x3F);
    return code;
}

#endif
