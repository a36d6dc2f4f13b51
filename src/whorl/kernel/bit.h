/* What the bits of a word tell. */
#ifndef WHORL_BIT_H
#define WHORL_BIT_H

#include <stdint.h>

/* How many are set. */
static inline int whorl_ones(uint64_t word) {
#if defined(__GNUC__)
    return __builtin_popcountll(word);
#else
    int count = 0;
    for (; word; word &= word - 1) count++;
    return count;
#endif
}

/* The place of the lowest bit of a word that is not zero. */
static inline int whorl_lowest(uint64_t word) {
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    return whorl_ones((word & (0 - word)) - 1);
#endif
}

#endif
