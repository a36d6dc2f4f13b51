/* Scanning windows of hashes: winnowing and robust winnowing. Specification: core.winnow, core.robust.
 *
 * The paper's Figure 5 looks at each hash once, and at a window of them when its minimum leaves it. So does this, but
 * it looks at sixteen at a time and finds the one that matters without a branch for each.
 */
#ifndef WHORL_WINDOWS_H
#define WHORL_WINDOWS_H

#include "order.h"

/* The first index in [from, to) whose value is at most `bound`, or `to`. Up to `length` there is something to read. */
static inline ptrdiff_t whorl_first_at_most32(const uint32_t *values, ptrdiff_t length, ptrdiff_t from, ptrdiff_t to,
                                              uint32_t bound) {
#if WHORL_VECTORS
    const whorl_v4 limit = WHORL_ALL(bound);
    for (; from < to && from + 16 <= length; from += 16) {
        const uint32_t *at = values + from;
        const uint64_t mask =
            whorl_mask((whorl_v4)(whorl_load(at) <= limit), (whorl_v4)(whorl_load(at + 4) <= limit),
                       (whorl_v4)(whorl_load(at + 8) <= limit), (whorl_v4)(whorl_load(at + 12) <= limit));
        if (mask) {
            from += whorl_first(mask);
            return from < to ? from : to;
        }
    }
#endif
    while (from < to && values[from] > bound) from++;
    return from < to ? from : to;
}

/* The last index of the smallest value in [from, to), which is not empty. */
static inline ptrdiff_t whorl_last_minimum32(const uint32_t *values, ptrdiff_t from, ptrdiff_t to) {
#if WHORL_VECTORS
    if (to - from >= 16) {
        const uint32_t *end = values + to;
        whorl_v4 a = whorl_load(end - 4), b = whorl_load(end - 8), c = whorl_load(end - 12), d = whorl_load(end - 16);
        for (ptrdiff_t i = from; i + 16 < to; i += 16) {
            a = whorl_lesser(a, whorl_load(values + i));
            b = whorl_lesser(b, whorl_load(values + i + 4));
            c = whorl_lesser(c, whorl_load(values + i + 8));
            d = whorl_lesser(d, whorl_load(values + i + 12));
        }
        const whorl_v4 least = whorl_least(whorl_lesser(whorl_lesser(a, b), whorl_lesser(c, d)));
        for (ptrdiff_t i = to - 16;; i = i - 16 < from ? from : i - 16) {
            const uint32_t *at = values + i;
            const uint64_t mask =
                whorl_mask((whorl_v4)(whorl_load(at) == least), (whorl_v4)(whorl_load(at + 4) == least),
                           (whorl_v4)(whorl_load(at + 8) == least), (whorl_v4)(whorl_load(at + 12) == least));
            if (mask) return i + whorl_last(mask);
        }
    }
#endif
    ptrdiff_t at = to - 1;
    for (ptrdiff_t i = to - 2; i >= from; i--)
        if (values[i] < values[at]) at = i;
    return at;
}

static inline ptrdiff_t whorl_last_minimum64(const uint64_t *values, ptrdiff_t from, ptrdiff_t to) {
    ptrdiff_t at = to - 1;
    for (ptrdiff_t i = to - 2; i >= from; i--)
        if (values[i] < values[at]) at = i;
    return at;
}

/* A sequence of hashes and how ties in it are broken. `keep` is robust winnowing; then `gram_bytes`, if not 0, says
 * that two hashes are the same only if these many bytes at their `grams` are, `stride` bytes a position. */
typedef struct {
    const uint32_t *values;
    ptrdiff_t length, w;
    int keep;
    const uint8_t *grams;
    ptrdiff_t stride, gram_bytes;
} whorl_sequence;

static inline int whorl_same(const whorl_sequence *s, ptrdiff_t left, ptrdiff_t right) {
    return s->gram_bytes == 0 ||
           memcmp(s->grams + left * s->stride, s->grams + right * s->stride, (size_t)s->gram_bytes) == 0;
}

/* All selections after `chosen` (all of them, if it is negative), in order; returns how many. `out` has room for one a
 * hash. */
WHORL_CLONES static ptrdiff_t whorl_select(whorl_sequence s, ptrdiff_t chosen, int64_t *out) {
    ptrdiff_t count = 0, at = s.w;
    if (chosen < 0) out[count++] = chosen = whorl_last_minimum32(s.values, 0, s.w);
    for (;;) {
        const uint32_t least = s.values[chosen];
        const ptrdiff_t leaves = chosen + s.w, until = leaves < s.length ? leaves : s.length;
        at = whorl_first_at_most32(s.values, s.length, at, until, least);
        if (at < until) {
            const ptrdiff_t found = at++;
            if (s.keep && s.values[found] == least && whorl_same(&s, found, chosen)) continue;
            chosen = found;
        } else {
            if (leaves >= s.length) return count;
            chosen = whorl_last_minimum32(s.values, chosen + 1, leaves + 1);
            at = leaves + 1;
        }
        out[count++] = chosen;
    }
}

/* Order values in blocks that stay in the nearest cache, each selected from as soon as it is made; the last w values of
 * a block are the first of the next. `values` has room for w + block of them. */
static ptrdiff_t whorl_winnow(const uint8_t *symbols, ptrdiff_t length, ptrdiff_t k, uint32_t base, uint32_t offset,
                              ptrdiff_t chosen, whorl_sequence s, uint32_t *values, ptrdiff_t block, int64_t *out) {
    const ptrdiff_t grams = length - k + 1;
    const uint8_t *first_gram = s.grams;
    ptrdiff_t count = 0, begin = 0, held = 0;
    s.values = values;
    while (begin + held < grams) {
        const ptrdiff_t from = begin + held, more = grams - from < block ? grams - from : block;
        whorl_order(symbols + from, more + k - 1, k, base, offset, values + held);
        s.length = held + more;
        s.grams = first_gram + begin * s.stride;
        const ptrdiff_t found = whorl_select(s, chosen < 0 ? chosen : chosen - begin, out + count);
        for (ptrdiff_t i = count; i < count + found; i++) out[i] += begin;
        count += found;
        if (count) chosen = out[count - 1];
        held = s.w;
        begin += s.length - held;
        memmove(values, values + s.length - held, (size_t)held * sizeof *values);
    }
    return count;
}

#endif
