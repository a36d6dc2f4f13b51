#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>
#include <math.h>
typedef struct { uint32_t limb[32]; int used; } Big;

static void multiply(Big *big, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < big->used || carry; ++i) {
        uint64_t product = (i < big->used ? big->limb[i] : 0) * (uint64_t)factor + carry;
        big->limb[i] = (uint32_t)(product % 1000000000u);
        carry = product / 1000000000u;
        if (i == big->used) big->used = i + 1;
    }
}

static uint64_t root(uint64_t value) {
    uint64_t low = 0, high = UINT32_MAX;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (middle * middle <= value) low = middle;
        else high = middle - 1;
    }
    return low;
}

static int digits(uint64_t value, unsigned base) {
    int sum = 0;
    do sum += (int)(value % base); while (value /= base);
    return sum;
}

static double zeta(double s, long terms) {
    double total = 0.0;
    for (long n = terms; n > 0; --n) total += pow((double)n, -s);
    return total;
}

int main(void) {
    Big big = {{1}, 1};
    for (uint32_t n = 2; n <= 40; ++n) multiply(&big, n);
    printf("%" PRIu32, big.limb[big.used - 1]);
    for (int i = big.used - 2; i >= 0; --i) printf("%09" PRIu32, big.limb[i]);
    printf("\n%" PRIu64 " %d %f\n", root(1u << 20), digits(98765, 10), zeta(2.0, 1000));
}
