/* The winnowing paper's Figure 5 with its rolling 64-bit hash (section 2.2), robust: the yardstick.
 *
 * `figure5_printed` is the loop as printed, but for (r-1)%w, which C evaluates to -1 for r = 0 and which is meant as
 * (r-1+w)%w. `figure5_wrapped` is the same with the divisions taken out, as a good compiler engineer would write it.
 */
#include <stddef.h>
#include <stdint.h>

typedef uint64_t hash_t;

typedef struct {
    const uint8_t *symbols;
    int k;
    hash_t base, power, value;
    ptrdiff_t next;
} rolling;

static rolling start(const uint8_t *symbols, int k) {
    rolling r = {symbols, k, 0x9E3779B97F4A7C15u, 1, 0, 0};
    for (int i = 0; i < k - 1; ++i) r.power *= r.base;
    for (int i = 0; i < k - 1; ++i) r.value = r.value * r.base + symbols[i];
    return r;
}

static inline hash_t next_hash(rolling *r) {
    if (r->next) r->value -= r->symbols[r->next - 1] * r->power;
    r->value = r->value * r->base + r->symbols[r->next + r->k - 1];
    r->next++;
    return r->value;
}

ptrdiff_t figure5_printed(const uint8_t *symbols, ptrdiff_t length, int k, int w, hash_t *hashes, int64_t *positions) {
    rolling source = start(symbols, k);
    ptrdiff_t count = 0;
    hash_t h[w];
    for (int i = 0; i < w; ++i) h[i] = UINT64_MAX;
    int r = 0, min = 0;
    for (ptrdiff_t at = 0; at < length - k + 1; ++at) {
        r = (r + 1) % w;
        h[r] = next_hash(&source);
        if (min == r) {
            for (int i = (r - 1 + w) % w; i != r; i = (i - 1 + w) % w)
                if (h[i] < h[min]) min = i;
            hashes[count] = h[min];
            positions[count++] = at - (r - min + w) % w;
        } else if (h[r] < h[min]) {
            min = r;
            hashes[count] = h[min];
            positions[count++] = at;
        }
    }
    return count;
}

ptrdiff_t figure5_wrapped(const uint8_t *symbols, ptrdiff_t length, int k, int w, hash_t *hashes, int64_t *positions) {
    rolling source = start(symbols, k);
    ptrdiff_t count = 0;
    hash_t h[w];
    for (int i = 0; i < w; ++i) h[i] = UINT64_MAX;
    int r = 0, min = 0;
    for (ptrdiff_t at = 0; at < length - k + 1; ++at) {
        if (++r == w) r = 0;
        h[r] = next_hash(&source);
        if (min == r) {
            for (int i = r - 1; i >= 0; --i)
                if (h[i] < h[min]) min = i;
            for (int i = w - 1; i > r; --i)
                if (h[i] < h[min]) min = i;
            hashes[count] = h[min];
            positions[count++] = at - (r >= min ? r - min : r - min + w);
        } else if (h[r] < h[min]) {
            min = r;
            hashes[count] = h[min];
            positions[count++] = at;
        }
    }
    return count;
}
