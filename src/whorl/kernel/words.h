/* The words of a text in UTF-8, without their places. Specification: words.spelled.
 *
 * Words of ASCII are found 64 bytes at a time (plain.h). Where anything else stands, between two separators, it is read one code
 * point after the other. One that is more than a value of its own (a mark, a ligature) is left to the general walk, with what
 * stands around it up to where a text may be divided.
 */
#ifndef WHORL_WORDS_H
#define WHORL_WORDS_H

#include "plain.h"
#include "utf8.h"

/* As in constants.py. */
#define WHORL_SYMBOL 0x1FFFFF
#define WHORL_NUMBER 0x200000
#define WHORL_SOLO 0x400000
#define WHORL_VALUE 0x7FFFFF
#define WHORL_BINDS 0x800000
#define WHORL_EXPANDS 0x1000000
#define WHORL_BREAK 0x20
#define WHORL_APOSTROPHE 0x27
#define WHORL_LAST_DIGIT 0x39

/* In the table of bytes: not ASCII. No value of ASCII is so large. */
#define WHORL_OTHER 0xFF

/* What a code point becomes, other than a value. */
#define WHORL_HARD 0xFFFFFFFF
#define WHORL_MALFORMED 0xFFFFFFFE

typedef struct {
    const uint32_t *entries;
    uint8_t bytes[256];
    whorl_plain plain;
    uint64_t *hashes;
    int32_t *firsts; /* where each word begins in its text */
    int64_t count;
    int64_t *parts; /* three numbers a part that is left: the words before it, its start and its end */
    int64_t left;
} whorl_spelling;

static void whorl_begin_spelling(whorl_spelling *s) {
    for (int byte = 0; byte < 256; byte++)
        s->bytes[byte] = byte < 128 && s->entries[byte] < WHORL_EXPANDS ? s->entries[byte] & 0xFF : WHORL_OTHER;
    for (int byte = 0; byte < 128; byte++) {
        const uint8_t item = s->bytes[byte];
        s->plain.table[byte] = item == WHORL_BREAK ? 0 : WHORL_APOSTROPHE < item && item < 128 ? item : WHORL_RARE;
    }
}

/* The value of the code point here, and its length. */
static inline uint32_t whorl_item(const whorl_spelling *s, const uint8_t *at, ptrdiff_t left, ptrdiff_t *length) {
    *length = 1;
    if (s->bytes[*at] != WHORL_OTHER) return s->bytes[*at];
    *length = whorl_sequence_length(at, left);
    if (*length == 0) return WHORL_MALFORMED;
    const uint32_t entry = s->entries[whorl_code_point(at, *length)];
    return entry < WHORL_EXPANDS ? entry & WHORL_VALUE : WHORL_HARD;
}

static inline int whorl_is_letter(uint32_t item) { return WHORL_LAST_DIGIT < item && item < WHORL_NUMBER; }

static inline int whorl_binds(const whorl_spelling *s, const uint8_t *at) {
    return (s->entries[whorl_code_point(at, whorl_sequence_length(at, 4))] & WHORL_BINDS) != 0;
}

/* The word that begins here with this item: hashes it, and gives back where it ends. `stop` is what stopped it, if that is no
 * value, and where. */
static inline ptrdiff_t whorl_word(const whorl_spelling *s, const uint8_t *text, ptrdiff_t at, ptrdiff_t n, uint32_t item,
                                   uint64_t *hash, uint32_t *stop) {
    whorl_hashing hashing = whorl_begin_hashing();
    uint32_t last = item;
    whorl_take(&hashing, item & WHORL_SYMBOL);
    while (last < WHORL_SOLO && at < n) {
        ptrdiff_t length;
        item = s->bytes[text[at]];
        if (WHORL_APOSTROPHE < item && item < WHORL_OTHER) { /* nearly always */
            whorl_take(&hashing, item);
            last = item;
            at++;
            continue;
        }
        item = whorl_item(s, text + at, n - at, &length);
        if (item == WHORL_APOSTROPHE && whorl_is_letter(last)) {
            ptrdiff_t ahead = at;
            do {
                ahead += length;
                item = ahead < n ? whorl_item(s, text + ahead, n - ahead, &length) : 0;
            } while (item == 0 && ahead < n);
            if (item >= WHORL_MALFORMED) at = ahead;
            else if (!whorl_is_letter(item)) break;
            else at = ahead;
        }
        if (item >= WHORL_MALFORMED) {
            *stop = item;
            break;
        }
        if (item != 0) {
            if (item <= WHORL_APOSTROPHE || item >= WHORL_SOLO) break;
            whorl_take(&hashing, item & WHORL_SYMBOL);
            last = item;
        }
        at += length;
    }
    *hash = whorl_end_hashing(&hashing);
    return at;
}

/* Leaves the part around the code point here to the general walk; gives back where it ends. */
static ptrdiff_t whorl_leave(whorl_spelling *s, const uint8_t *text, ptrdiff_t at, ptrdiff_t n, int64_t before) {
    ptrdiff_t start = at, end = at + whorl_sequence_length(text + at, n - at);
    while (start > 0 && whorl_binds(s, text + start))
        do start--;
        while ((text[start] & 0xC0) == 0x80);
    while (s->count > before && s->firsts[s->count - 1] >= start) s->count--;
    for (ptrdiff_t length; end < n; end += length) {
        length = whorl_sequence_length(text + end, n - end);
        if (length == 0 || !whorl_binds(s, text + end)) break;
    }
    int64_t *part = s->parts + 3 * s->left++;
    part[0] = s->count, part[1] = start, part[2] = end;
    return end;
}

/* Goes on one code point after the other, from the beginning of a token to behind the separators after it, and as long as the
 * next token begins with no ASCII. `before` is how many words there were before the text. -1 if it is not well-formed. */
static ptrdiff_t whorl_slowly(whorl_spelling *s, const uint8_t *text, ptrdiff_t at, ptrdiff_t n, int64_t before) {
    int is_parted = 0;
    while (at < n && !(is_parted && text[at] < 128 && s->bytes[text[at]] != WHORL_BREAK)) {
        ptrdiff_t length;
        uint32_t item = whorl_item(s, text + at, n - at, &length);
        is_parted = item == WHORL_BREAK;
        if (item <= WHORL_APOSTROPHE) {
            at += length;
            continue;
        }
        if (item < WHORL_MALFORMED) {
            uint32_t stop = 0;
            s->firsts[s->count] = (int32_t)at;
            at = whorl_word(s, text, at + length, n, item, s->hashes + s->count, &stop);
            s->count++;
            item = stop;
        }
        if (item == WHORL_MALFORMED) return -1;
        if (item == WHORL_HARD) at = whorl_leave(s, text, at, n, before);
    }
    return at;
}

/* The words of one text. False if it is not well-formed UTF-8. */
static int whorl_spell(whorl_spelling *s, const uint8_t *text, ptrdiff_t n) {
    const int64_t before = s->count;
    ptrdiff_t at = 0;
    while (at >= 0 && (at = whorl_plain_words(&s->plain, text, at, n, s->hashes, s->firsts, &s->count)) < n)
        at = whorl_slowly(s, text, at, n, before);
    return at >= 0;
}

#endif
