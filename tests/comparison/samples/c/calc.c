#include <stdio.h>
#include <stdlib.h>
#include <ctype.h>
static const char *input;
static double expression(int lowest);

static void fail(const char *why) {
    fprintf(stderr, "%s before '%s'\n", why, input);
    exit(2);
}

static int skip(void) {
    while (isspace((unsigned char)*input)) ++input;
    return *input;
}

static double operand(void) {
    char *end;
    double value;
    if (skip() == '(') {
        ++input;
        value = expression(0);
        if (skip() != ')') fail("bracket");
        ++input;
        return value;
    }
    value = strtod(input, &end);
    if (end == input) fail("number");
    input = end;
    return value;
}

static int strength(int sign) {
    if (sign == '+' || sign == '-') return 1;
    return sign == '*' || sign == '/' ? 2 : -1;
}

static double expression(int lowest) {
    double left = operand();
    for (int sign = skip(); strength(sign) > lowest; sign = skip()) {
        ++input;
        double right = expression(strength(sign));
        if (sign == '+') left += right;
        else if (sign == '-') left -= right;
        else if (sign == '*') left *= right;
        else left /= right;
    }
    return left;
}

int main(int argc, char *argv[]) {
    for (int i = 1; i < argc; i++) {
        input = argv[i];
        printf("%g\n", expression(0));
    }
    return 0;
}
