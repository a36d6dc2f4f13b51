#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { BUCKETS = 4096, LONGEST = 64 };
typedef struct Word { char text[LONGEST]; unsigned long count; struct Word *chain; } Word;
static Word *table[BUCKETS];

static unsigned hash(const char *text) {
    unsigned value = 5381;
    while (*text) value = value * 33 ^ (unsigned char)*text++;
    return value % BUCKETS;
}

static Word *find(const char *text) {
    unsigned bucket = hash(text);
    Word *word = table[bucket];
    while (word != NULL && strcmp(word->text, text) != 0) word = word->chain;
    if (word == NULL) {
        word = calloc(1, sizeof(Word));
        if (!word) abort();
        strncpy(word->text, text, LONGEST - 1);
        word->chain = table[bucket];
        table[bucket] = word;
    }
    return word;
}

static size_t next(FILE *in, char *buffer) {
    size_t used = 0;
    int letter;
    do {
        letter = getc(in);
        if (letter == EOF) return 0;
    } while (!isalpha(letter));
    do {
        if (used + 1 < LONGEST) buffer[used++] = (char)tolower(letter);
    } while (isalpha(letter = getc(in)));
    buffer[used] = '\0';
    return used;
}

int main(int argc, char **argv) {
    char buffer[LONGEST];
    while (next(stdin, buffer) > 0) find(buffer)->count++;
    if (argc > 1) printf("%s: %lu\n", argv[1], find(argv[1])->count);
}
