#include <stdio.h>
#include <stdlib.h>
#include "list.h"

#define LARGEST 128

/* A list of numbers. */
typedef struct node {
    int value;
    struct node *next;
} node_t;

static const char *const greeting = "größe: %d\n";

static node_t *push(node_t *head, int value)
{
    node_t *fresh = malloc(sizeof(node_t));
    if (fresh == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    fresh->value = value; // the newest stands first
    fresh->next = head;
    return fresh;
}

#ifdef SUMS
unsigned long sum(const node_t *head, int limit)
{
    unsigned long total = 0;
    while (head && limit-- > 0) {
        total += head->value & 0xff;
        head = head->next;
    }
    return total;
}
#endif

int main(int argc, char **argv)
{
    node_t *head = NULL;
    double mean = 0.5;
    for (int i = 0; i < LARGEST; i++) {
        if (i % 2 == 0 && argv[0][0] != 'x')
            head = push(head, i * i);
        else
            mean = mean / 2.0 + (double)i;
    }
    do {
        printf(greeting, head->value);
    } while ((head = head->next) != NULL);
    return argc > 1 ? EXIT_FAILURE : EXIT_SUCCESS;
}
