/* How many hashes sorted sets have in common, for many pairs of sets. Specification: pairs.shared.
 *
 * Which of two hashes is smaller, no processor can guess, so a step has no branch: but then each step waits for the one
 * before. Several pairs are therefore gone through in turns, which is nearly three times as fast.
 */
#ifndef WHORL_MERGE_H
#define WHORL_MERGE_H

#include <stdint.h>

/* Pairs that are gone through in turns: their places fit into the registers of a 64-bit processor. */
#define WHORL_LANES 4

/* Steps after which it is asked whether a pair is done, or cannot be alike enough any more. */
#define WHORL_STEPS 64

/* A set so many times as large as the other is searched for each member of the other, not gone through. */
#define WHORL_FAR 16

/* Keeps the compiler from making a branch of two comparisons. */
#if defined(__GNUC__)
#define WHORL_OPAQUE(one, two) __asm__("" : "+r"(one), "+r"(two))
#else
#define WHORL_OPAQUE(one, two) (void)0
#endif

typedef struct {
    const uint64_t *hashes;
    const int64_t *bounds, *lefts, *rights;
    const double *needed;
    int64_t pairs;
    int64_t *out;
} whorl_merging;

/* A pair that is being gone through: both sets, how far they are behind, and what they shared so far. */
typedef struct {
    const uint64_t *left, *right;
    int64_t i, a, j, b, found, pair;
} whorl_lane;

static inline int64_t whorl_smaller(int64_t one, int64_t two) { return one < two ? one : two; }

/* Steps that are possible without looking beyond a set. */
static inline int64_t whorl_steps(const whorl_lane *lane) { return whorl_smaller(lane->a - lane->i, lane->b - lane->j); }

/* How many of a few hashes are among many: each is looked for from where the one before was, in growing steps. */
static int64_t whorl_found(const uint64_t *few, int64_t a, const uint64_t *many, int64_t b, double needed) {
    int64_t found = 0, low = 0;
    for (int64_t i = 0; i < a && found + a - i >= needed; i++) {
        int64_t high = low;
        for (int64_t step = 1; high < b && many[high] < few[i]; step *= 2) {
            low = high + 1;
            high += step;
        }
        high = whorl_smaller(high, b);
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            if (many[middle] < few[i]) low = middle + 1;
            else high = middle;
        }
        found += low < b && many[low] == few[i];
    }
    return found;
}

/* Puts the next pair that must be gone through into a lane; those before it are told at once. False if there is none. */
static int whorl_begin(const whorl_merging *m, int64_t *next, whorl_lane *lane) {
    for (; *next < m->pairs; ++*next) {
        const int64_t pair = *next, left = m->bounds[m->lefts[pair]], right = m->bounds[m->rights[pair]];
        const int64_t a = m->bounds[m->lefts[pair] + 1] - left, b = m->bounds[m->rights[pair] + 1] - right;
        const uint64_t *one = m->hashes + left, *two = m->hashes + right;
        if (a * WHORL_FAR < b) {
            m->out[pair] = whorl_found(one, a, two, b, m->needed[pair]);
        } else if (b * WHORL_FAR < a) {
            m->out[pair] = whorl_found(two, b, one, a, m->needed[pair]);
        } else if (a == 0) { /* then so is b */
            m->out[pair] = 0;
        } else {
            *lane = (whorl_lane){one, two, 0, a, 0, b, 0, pair};
            ++*next;
            return 1;
        }
    }
    return 0;
}

/* Whether nothing is left to do for a pair: a set is behind, or what is left cannot be enough. */
static int whorl_is_done(const whorl_merging *m, const whorl_lane *lane) {
    const int64_t left = whorl_steps(lane);
    return left == 0 || (double)(lane->found + left) < m->needed[lane->pair];
}

/* So many steps of every lane. */
static void whorl_advance(whorl_lane *lanes, int64_t steps) {
    int64_t i[WHORL_LANES], j[WHORL_LANES], found[WHORL_LANES];
    for (int k = 0; k < WHORL_LANES; k++) {
        i[k] = lanes[k].i;
        j[k] = lanes[k].j;
        found[k] = lanes[k].found;
    }
    for (; steps > 0; steps--) {
        for (int k = 0; k < WHORL_LANES; k++) {
            const uint64_t one = lanes[k].left[i[k]], two = lanes[k].right[j[k]];
            int64_t left_goes_on = one <= two, right_goes_on = two <= one;
            WHORL_OPAQUE(left_goes_on, right_goes_on);
            i[k] += left_goes_on;
            j[k] += right_goes_on;
            found[k] += left_goes_on & right_goes_on;
        }
    }
    for (int k = 0; k < WHORL_LANES; k++) {
        lanes[k].i = i[k];
        lanes[k].j = j[k];
        lanes[k].found = found[k];
    }
}

static void whorl_shared(const whorl_merging *m) {
    static const uint64_t nothing[WHORL_STEPS] = {0};
    /* A lane without a pair goes through a set of zeros, again and again. */
    const whorl_lane idle = {nothing, nothing, 0, WHORL_STEPS, 0, WHORL_STEPS, 0, -1};
    whorl_lane lanes[WHORL_LANES];
    int64_t next = 0, active = 0;
    for (int k = 0; k < WHORL_LANES; k++) {
        lanes[k] = idle;
        active += whorl_begin(m, &next, lanes + k);
    }
    while (active) {
        int64_t steps = WHORL_STEPS;
        for (int k = 0; k < WHORL_LANES; k++) steps = whorl_smaller(steps, whorl_steps(lanes + k));
        whorl_advance(lanes, steps);
        for (int k = 0; k < WHORL_LANES; k++) {
            if (lanes[k].pair < 0) {
                lanes[k] = idle;
            } else if (whorl_is_done(m, lanes + k)) {
                m->out[lanes[k].pair] = lanes[k].found;
                lanes[k] = idle;
                active += whorl_begin(m, &next, lanes + k) - 1;
            }
        }
    }
}

#endif
