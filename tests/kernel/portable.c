/* Prints a checksum of what the kernel's headers compute. It must not depend on the machine, nor on vectors. */
#include <stdio.h>
#include <stdlib.h>

#include "bits.h"
#include "identity.h"
#include "windows.h"
#include "words.h"

#define LENGTH 5000
#define WORDS 128
#define TEXT 20000

static uint64_t state = 88172645463325252u;

static uint64_t draw(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static uint64_t mixed(uint64_t sum, uint64_t x) { return (sum ^ x) * 1099511628211u; }

static uint64_t winnowed(uint64_t sum, const uint8_t *symbols, int k, int w, int keep, const uint32_t *keys,
                         const uint64_t *closing) {
    static uint32_t values[16384];
    static int64_t out[LENGTH];
    const whorl_sequence sequence = {0, 0, w, keep, symbols, 1, k};
    const ptrdiff_t count = whorl_winnow(symbols, LENGTH, k, 0x9E3779B1u, 5, -1, sequence, values, 8192, out);
    for (ptrdiff_t i = 0; i < count; i++)
        sum = mixed(mixed(sum, (uint64_t)out[i]), whorl_identity_bytes(symbols + out[i], k, keys, closing));
    return sum;
}

/* What rows of bits have in common, of every length up to more than the bytes of a vector can count. */
static uint64_t compared(uint64_t sum) {
    uint64_t one[WORDS], two[WORDS];
    for (int i = 0; i < WORDS; i++) {
        one[i] = i % 3 ? draw() : UINT64_MAX;
        two[i] = i % 5 ? draw() : UINT64_MAX;
    }
    for (int words = 0; words <= WORDS; words += WHORL_WIDTH) sum = mixed(sum, (uint64_t)whorl_both(one, two, words));
    return mixed(sum, (uint64_t)whorl_both(one, one, WORDS));
}

static void tabulate(uint32_t *entries) {
    for (uint32_t code = 0; code < 0x110000; code++) entries[code] = code < 0x80 ? WHORL_BREAK : code | WHORL_BINDS;
    for (uint32_t code = 'a'; code <= 'z'; code++) entries[code] = entries[code - 0x20] = code | WHORL_BINDS;
    for (uint32_t code = '0'; code <= '9'; code++) entries[code] = code | WHORL_NUMBER | WHORL_BINDS;
    entries['\''] = WHORL_APOSTROPHE | WHORL_BINDS;
    entries[0xAD] = WHORL_BINDS;
    entries[0x301] = WHORL_EXPANDS | WHORL_BINDS;
    entries[0x4E00] = 0x4E00 | WHORL_SOLO;
}

/* Words of texts in which what is not plain is more or less rare: `rarity` pieces are, for one that is not. */
static uint64_t spelled(uint64_t sum, int rarity) {
    static const char *others[] = {"'", "n't", "\xC3\xA9", "\xCC\x81", "\xC2\xAD", "\xE4\xB8\x80", "\xF0\x9D\x84\x9E", "--"};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    static uint32_t entries[0x110000];
    static uint8_t text[TEXT + 6000];
    static uint64_t hashes[TEXT];
    static int32_t firsts[TEXT];
    static int64_t parts[3 * TEXT];
    static whorl_spelling spelling;
    ptrdiff_t n = 0;
    tabulate(entries);
    spelling = (whorl_spelling){.entries = entries, .hashes = hashes, .firsts = firsts, .parts = parts};
    whorl_begin_spelling(&spelling);
    while (n < TEXT) {
        const uint64_t longest = draw() % 9 ? 9 : 40;
        int length = draw() % 400 ? 1 + (int)(draw() % longest) : 4000 + (int)(draw() % 300);
        while (length--) text[n++] = (uint8_t)letters[draw() % 62];
        if (draw() % (uint64_t)rarity == 0)
            for (const char *at = others[draw() % 8]; *at; at++) text[n++] = (uint8_t)*at;
        if (draw() % 7) text[n++] = ' ';
    }
    for (ptrdiff_t end = n; end > 0; end = end * 3 / 4 - (ptrdiff_t)(draw() % 70)) {
        spelling.count = spelling.left = 0;
        sum = mixed(sum, (uint64_t)whorl_spell(&spelling, text, end));
        for (int64_t i = 0; i < spelling.count; i++) sum = mixed(mixed(sum, hashes[i]), (uint64_t)firsts[i]);
        for (int64_t i = 0; i < 3 * spelling.left; i++) sum = mixed(sum, (uint64_t)parts[i]);
    }
    return sum;
}

int main(void) {
    static const unsigned alphabets[] = {1, 2, 26, 256};
    static uint8_t symbols[LENGTH];
    uint32_t keys[64];
    uint64_t closing[4], sum = 14695981039346656037u;
    for (int i = 0; i < 64; i++) keys[i] = (uint32_t)(draw() >> 9);
    for (int i = 0; i < 4; i++) closing[i] = draw() | 1;
    for (int a = 0; a < 4; a++) {
        for (int i = 0; i < LENGTH; i++) symbols[i] = (uint8_t)(draw() >> 20) % alphabets[a];
        for (int k = 1; k < 70; k += 3)
            for (int w = 1; w < 130; w += 9)
                for (int keep = 0; keep < 2; keep++) sum = winnowed(sum, symbols, k, w, keep, keys, closing);
    }
    sum = compared(sum);
    for (int rarity = 1; rarity < 2000; rarity *= 6) sum = spelled(sum, rarity);
    printf("%016llx %d\n", (unsigned long long)sum, WHORL_VECTORS);
    return 0;
}
