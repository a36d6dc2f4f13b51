#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
struct edge { int to; int cost; struct edge *next; };
struct graph { int size; struct edge **first; };

struct graph *create(int size) {
    struct graph *graph = malloc(sizeof *graph);
    graph->size = size;
    graph->first = calloc(size, sizeof *graph->first);
    return graph;
}

void join(struct graph *graph, int from, int to, int cost) {
    struct edge *edge = malloc(sizeof *edge);
    edge->to = to;
    edge->cost = cost;
    edge->next = graph->first[from];
    graph->first[from] = edge;
}

int *relax(const struct graph *graph, int start) {
    int *cost = malloc(graph->size * sizeof *cost);
    int changed = 1;
    for (int i = 0; i < graph->size; i++) cost[i] = INT_MAX;
    cost[start] = 0;
    while (changed) {
        changed = 0;
        for (int town = 0; town < graph->size; town++) {
            if (cost[town] == INT_MAX) continue;
            for (struct edge *edge = graph->first[town]; edge; edge = edge->next) {
                if (cost[town] + edge->cost < cost[edge->to]) {
                    cost[edge->to] = cost[town] + edge->cost;
                    changed = 1;
                }
            }
        }
    }
    return cost;
}

int main(void) {
    struct graph *graph = create(8);
    int a, b, c;
    while (scanf("%d %d %d", &a, &b, &c) == 3) join(graph, a, b, c);
    int *cost = relax(graph, 0);
    printf("%d\n", cost[7]);
    free(cost);
    return EXIT_SUCCESS;
}
