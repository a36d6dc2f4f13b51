/* Lines of JSON: where the values of some names are, and what escaped strings say. Specification: jsonl.
 *
 * Nothing is built of an object: its grammar is checked, and the places of a few values are kept. What is sound but rare
 * (an escaped name, nesting that is deep, half a surrogate pair) is refused as what is wrong is: a slower reader tells.
 */
#ifndef WHORL_JSONL_H
#define WHORL_JSONL_H

#include <string.h>

#include "utf8.h"
#include "vectors.h"

/* Digits of a number that are gone over: some readers refuse more. */
#define WHORL_LONGEST 1000

/* Brackets within each other that are gone into. */
#define WHORL_DEEPEST 32

/* Bytes that may be written behind what an escaped string says. */
#define WHORL_SLACK 16

/* Kinds of values. */
enum { WHORL_MISSING, WHORL_STRING, WHORL_ESCAPED, WHORL_INTEGER, WHORL_NULL, WHORL_BLANK, WHORL_ELSE };

/* States of lines. */
enum { WHORL_EMPTY, WHORL_READ, WHORL_REFUSED };

typedef struct {
    const uint8_t *data;
    const uint8_t *names; /* one after the other */
    const int64_t *bounds;
    int64_t count;
    /* Of the line in hand: */
    uint8_t *kinds;
    int64_t *starts, *ends;
} whorl_sheet;

static const uint8_t *whorl_blank(const uint8_t *at, const uint8_t *end) {
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
    return at;
}

/* The number of four hexadecimal digits, or -1. */
static int32_t whorl_hexadecimal(const uint8_t *at) {
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const uint8_t digit = at[i], letter = digit | 0x20;
        if (digit >= '0' && digit <= '9') value = value << 4 | (digit - '0');
        else if (letter >= 'a' && letter <= 'f') value = value << 4 | (letter - 'a' + 10);
        else return -1;
    }
    return value;
}

/* Reads the escape that begins here: its code point, and where it ends; NULL if it is none. */
static const uint8_t *whorl_escape(const uint8_t *at, const uint8_t *end, uint32_t *code) {
    static const uint8_t meant[128] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                       ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
    if (end - at < 2 || at[1] >= 128) return NULL;
    if (at[1] != 'u') {
        *code = meant[at[1]];
        return *code ? at + 2 : NULL;
    }
    const int32_t first = end - at < 6 ? -1 : whorl_hexadecimal(at + 2);
    if (first < 0 || (first & 0xFC00) == 0xDC00) return NULL;
    *code = (uint32_t)first;
    if ((first & 0xFC00) != 0xD800) return at + 6;
    const int32_t second = end - at < 12 || at[6] != '\\' || at[7] != 'u' ? -1 : whorl_hexadecimal(at + 8);
    if (second < 0 || (second & 0xFC00) != 0xDC00) return NULL;
    *code = 0x10000 + (((uint32_t)first & 0x3FF) << 10 | ((uint32_t)second & 0x3FF));
    return at + 12;
}

#if WHORL_VECTORS && defined(__aarch64__)

/* Which of sixteen bytes is the first whose bits are set; 16 if none is. */
static inline int whorl_first_of(uint8x16_t hits) {
    const uint64_t nibbles = vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(hits), 4)), 0);
    return nibbles ? __builtin_ctzll(nibbles) >> 2 : 16;
}

/* Past the plain letters of a string that are found many at a time: no control characters, quotation marks or backslashes, and
 * ASCII. There may be more. */
static inline const uint8_t *whorl_letters(const uint8_t *at, const uint8_t *end) {
    for (int first; end - at >= 16; at += 16) {
        const uint8x16_t bytes = vld1q_u8(at);
        const uint8x16_t marks = vorrq_u8(vceqq_u8(bytes, vdupq_n_u8('"')), vceqq_u8(bytes, vdupq_n_u8('\\')));
        /* As signed numbers, what is not ASCII is below control characters. */
        const uint8x16_t others = vcltq_s8(vreinterpretq_s8_u8(bytes), vdupq_n_s8(0x20));
        if ((first = whorl_first_of(vorrq_u8(marks, others))) < 16) return at + first;
    }
    return at;
}

/* Copies up to a backslash, or until only a few bytes are left; may write a few more. Gives back what is to be copied next. */
static inline const uint8_t *whorl_copy(const uint8_t *at, const uint8_t *end, uint8_t **out) {
    for (int first; end - at >= 16; at += 16, *out += 16) {
        const uint8x16_t bytes = vld1q_u8(at);
        vst1q_u8(*out, bytes);
        if ((first = whorl_first_of(vceqq_u8(bytes, vdupq_n_u8('\\')))) < 16) {
            *out += first;
            return at + first;
        }
    }
    return at;
}

#else

/* The high bit of each of eight bytes that is no plain letter of a string: control characters, quotation marks, backslashes,
 * and what is not ASCII. Bits above the lowest that is set may be wrong. */
static inline uint64_t whorl_special(uint64_t eight) {
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = UINT64_C(0x8080808080808080);
    const uint64_t quoted = eight ^ ones * '"', slashed = eight ^ ones * '\\';
    return (((quoted - ones) & ~quoted) | ((slashed - ones) & ~slashed) | ((eight - ones * 0x20) & ~eight) | eight) & highs;
}

static inline const uint8_t *whorl_letters(const uint8_t *at, const uint8_t *end) {
    for (uint64_t eight; end - at >= 8; at += 8) {
        memcpy(&eight, at, 8);
        if (whorl_special(eight)) break;
    }
    return at;
}

static inline const uint8_t *whorl_copy(const uint8_t *at, const uint8_t *end, uint8_t **out) {
    const uint8_t *found = memchr(at, '\\', (size_t)(end - at)), *stop = found == NULL ? end : found;
    memcpy(*out, at, (size_t)(stop - at));
    *out += stop - at;
    return stop;
}

#endif

/* Past the string that begins after a quotation mark; NULL if it is not sound. */
static const uint8_t *whorl_string(const uint8_t *at, const uint8_t *end, uint8_t *kind) {
    uint32_t code;
    int is_blank = 1;
    *kind = WHORL_STRING;
    for (;;) {
        const uint8_t *first = at;
        at = whorl_letters(at, end);
        while (at < end && *at >= 0x20 && *at < 0x80 && *at != '"' && *at != '\\') at++;
        for (; is_blank && first < at; first++) is_blank = *first == ' ';
        if (at == end || *at < 0x20) return NULL;
        if (*at == '"') break;
        if (*at == '\\') {
            *kind = WHORL_ESCAPED;
            at = whorl_escape(at, end, &code);
            if (at == NULL) return NULL;
        } else {
            const ptrdiff_t length = whorl_sequence_length(at, end - at);
            if (length == 0) return NULL;
            code = whorl_code_point(at, length);
            is_blank &= !((code > 0xA0 && code < 0x1680) || code > 0x3000); /* no space of Unicode's is there */
            at += length;
        }
    }
    if (is_blank) *kind = WHORL_BLANK;
    return at + 1;
}

static const uint8_t *whorl_digits(const uint8_t *at, const uint8_t *end) {
    const uint8_t *first = at;
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at == first ? NULL : at;
}

static const uint8_t *whorl_number(const uint8_t *at, const uint8_t *end, uint8_t *kind) {
    *kind = WHORL_INTEGER;
    if (*at == '-') at++;
    const uint8_t *first = at;
    at = whorl_digits(at, end);
    if (at == NULL || (*first == '0' && at - first > 1) || at - first > WHORL_LONGEST) return NULL;
    if (at < end && *at == '.') {
        *kind = WHORL_ELSE;
        at = whorl_digits(at + 1, end);
    }
    if (at != NULL && at < end && (*at | 0x20) == 'e') {
        *kind = WHORL_ELSE;
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        at = whorl_digits(at, end);
    }
    return at;
}

static const uint8_t *whorl_literal(const uint8_t *at, const uint8_t *end, const char *word) {
    const ptrdiff_t length = (ptrdiff_t)strlen(word);
    return end - at >= length && memcmp(at, word, (size_t)length) == 0 ? at + length : NULL;
}

static const uint8_t *whorl_value(const uint8_t *at, const uint8_t *end, int depth, uint8_t *kind);

/* Past the members of an array or an object, whose bracket was read. */
static const uint8_t *whorl_members(const uint8_t *at, const uint8_t *end, int depth, uint8_t closing) {
    uint8_t kind;
    at = whorl_blank(at, end);
    if (at < end && *at == closing) return at + 1;
    while (depth > 0) {
        if (closing == '}') {
            if (at == end || *at != '"' || (at = whorl_string(at + 1, end, &kind)) == NULL) return NULL;
            at = whorl_blank(at, end);
            if (at == end || *at++ != ':') return NULL;
        }
        at = whorl_value(whorl_blank(at, end), end, depth - 1, &kind);
        if (at == NULL || (at = whorl_blank(at, end)) == end) return NULL;
        if (*at == closing) return at + 1;
        if (*at++ != ',') return NULL;
        at = whorl_blank(at, end);
    }
    return NULL;
}

/* Past any value. */
static const uint8_t *whorl_value(const uint8_t *at, const uint8_t *end, int depth, uint8_t *kind) {
    if (at == end) return NULL;
    if (*at == '"') return whorl_string(at + 1, end, kind);
    if (*at == '-' || (*at >= '0' && *at <= '9')) return whorl_number(at, end, kind);
    *kind = WHORL_NULL;
    if (*at == 'n') return whorl_literal(at, end, "null");
    *kind = WHORL_ELSE;
    if (*at == 't') return whorl_literal(at, end, "true");
    if (*at == 'f') return whorl_literal(at, end, "false");
    if (*at == '{') return whorl_members(at + 1, end, depth, '}');
    if (*at == '[') return whorl_members(at + 1, end, depth, ']');
    return NULL;
}

/* The number of a name, or -1. */
static int64_t whorl_named(const whorl_sheet *s, const uint8_t *name, int64_t length) {
    for (int64_t i = 0; i < s->count; i++)
        if (s->bounds[i + 1] - s->bounds[i] == length && memcmp(s->names + s->bounds[i], name, (size_t)length) == 0) return i;
    return -1;
}

/* The values of one line. */
static uint8_t whorl_line(const whorl_sheet *s, const uint8_t *at, const uint8_t *end) {
    uint8_t kind;
    memset(s->kinds, WHORL_MISSING, (size_t)s->count);
    at = whorl_blank(at, end);
    if (at == end) return WHORL_EMPTY;
    if (*at++ != '{') return WHORL_REFUSED;
    at = whorl_blank(at, end);
    const int is_empty = at < end && *at == '}';
    while (!is_empty) {
        if (at == end || *at != '"') return WHORL_REFUSED;
        const uint8_t *name = at + 1;
        at = whorl_string(name, end, &kind);
        if (at == NULL || memchr(name, '\\', (size_t)(at - name)) != NULL) return WHORL_REFUSED;
        const int64_t number = whorl_named(s, name, at - 1 - name);
        at = whorl_blank(at, end);
        if (at == end || *at++ != ':') return WHORL_REFUSED;
        const uint8_t *value = at = whorl_blank(at, end);
        at = whorl_value(at, end, WHORL_DEEPEST, &kind);
        if (at == NULL) return WHORL_REFUSED;
        if (number >= 0) {
            const int is_string = *value == '"';
            s->kinds[number] = kind;
            s->starts[number] = value - s->data + is_string;
            s->ends[number] = at - s->data - is_string;
        }
        at = whorl_blank(at, end);
        if (at == end) return WHORL_REFUSED;
        if (*at == '}') break;
        if (*at++ != ',') return WHORL_REFUSED;
        at = whorl_blank(at, end);
    }
    return whorl_blank(at + 1, end) == end ? WHORL_READ : WHORL_REFUSED;
}

/* What a sound string says, in UTF-8; gives back where it ends in `out`. It is never longer than it was, but up to WHORL_SLACK
 * bytes behind it may be written. */
static uint8_t *whorl_unescape(const uint8_t *at, const uint8_t *end, uint8_t *out) {
    while (at < end) {
        at = whorl_copy(at, end, &out);
        while (at < end && *at != '\\') *out++ = *at++;
        if (at == end) break;
        uint32_t code = 0;
        at = whorl_escape(at, end, &code);
        if (code < 0x80) {
            *out++ = (uint8_t)code;
        } else if (code < 0x800) {
            *out++ = (uint8_t)(0xC0 | code >> 6);
            *out++ = (uint8_t)(0x80 | (code & 0x3F));
        } else if (code < 0x10000) {
            *out++ = (uint8_t)(0xE0 | code >> 12);
            *out++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
            *out++ = (uint8_t)(0x80 | (code & 0x3F));
        } else {
            *out++ = (uint8_t)(0xF0 | code >> 18);
            *out++ = (uint8_t)(0x80 | (code >> 12 & 0x3F));
            *out++ = (uint8_t)(0x80 | (code >> 6 & 0x3F));
            *out++ = (uint8_t)(0x80 | (code & 0x3F));
        }
    }
    return out;
}

#endif
