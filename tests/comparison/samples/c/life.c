#include <stdio.h>
#include <string.h>
#define SIDE 24
static unsigned char board[SIDE][SIDE], other[SIDE][SIDE];

static int wrap(int at) {
    return at < 0 ? at + SIDE : at >= SIDE ? at - SIDE : at;
}

static int near(int y, int x) {
    int sum = -board[y][x];
    for (int i = y - 1; i <= y + 1; i++)
        for (int j = x - 1; j <= x + 1; j++)
            sum += board[wrap(i)][wrap(j)];
    return sum;
}

static void step(void) {
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) {
            switch (near(y, x)) {
            case 2: other[y][x] = board[y][x]; break;
            case 3: other[y][x] = 1; break;
            default: other[y][x] = 0;
            }
        }
    }
    memcpy(board, other, sizeof board);
}

static void show(FILE *out) {
    for (int y = 0; y < SIDE; y++) {
        for (int x = 0; x < SIDE; x++) fputc(board[y][x] ? '@' : ' ', out);
        fputc('\n', out);
    }
}

int main(void) {
    board[3][4] = board[4][5] = board[5][3] = board[5][4] = board[5][5] = 1;
    for (int turn = 0; turn < 100; turn++) step();
    show(stdout);
    return 0;
}
