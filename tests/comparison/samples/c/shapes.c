#include <math.h>
#include <stdio.h>
#include <stdlib.h>
typedef struct { float x, y, z; } Vec;
typedef struct { Vec a, b, c; } Triangle;

static Vec minus(Vec p, Vec q) {
    Vec r = { p.x - q.x, p.y - q.y, p.z - q.z };
    return r;
}

static Vec cross(Vec p, Vec q) {
    return (Vec){ .x = p.y * q.z - p.z * q.y, .y = p.z * q.x - p.x * q.z, .z = p.x * q.y - p.y * q.x };
}

static float length(Vec v) {
    return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
}

static float surface(const Triangle *mesh, size_t count) {
    float total = 0.0f;
    const Triangle *end = mesh + count;
    while (mesh != end) {
        Vec normal = cross(minus(mesh->b, mesh->a), minus(mesh->c, mesh->a));
        total += 0.5f * length(normal);
        mesh++;
    }
    return total;
}

static int compare(const void *left, const void *right) {
    const Triangle *one = left, *two = right;
    float difference = one->a.z + one->b.z + one->c.z - two->a.z - two->b.z - two->c.z;
    return (difference > 0) - (difference < 0);
}

int main(void) {
    Triangle mesh[2] = { { {0, 0, 0}, {1, 0, 0}, {0, 1, 0} }, { {0, 0, 2}, {3, 0, 2}, {0, 4, 2} } };
    qsort(mesh, 2, sizeof mesh[0], compare);
    printf("%.3f\n", surface(mesh, sizeof mesh / sizeof *mesh));
}
