/* Prints a checksum of what the kernel's headers compute. It must not depend on the machine, nor on vectors. */
#include <stdio.h>
#include <stdlib.h>

#include "identity.h"
#include "windows.h"

#define LENGTH 5000

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
    printf("%016llx %d\n", (unsigned long long)sum, WHORL_VECTORS);
    return 0;
}
