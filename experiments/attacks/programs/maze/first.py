"""The shortest way through a maze."""

import sys


def find(rows, sign):
    for y in range(0, len(rows)):
        for x in range(0, len(rows[y])):
            if rows[y][x] == sign:
                return (x, y)
    return None


def inside(rows, x, y):
    return y >= 0 and y < len(rows) and x >= 0 and x < len(rows[y])


def is_free(rows, x, y):
    return inside(rows, x, y) and rows[y][x] != "#"


def steps_between(rows, start, goal):
    seen = {start}
    edge = [start]
    steps = 0
    # One ring of places after the other.
    while len(edge) > 0:
        following = []
        for x, y in edge:
            if (x, y) == goal:
                return steps
            for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
                place = (x + dx, y + dy)
                if place not in seen and is_free(rows, place[0], place[1]):
                    seen.add(place)
                    following.append(place)
        edge = following
        steps += 1
    return -1


def main():
    rows = sys.stdin.read().split()
    start = find(rows, "S")
    goal = find(rows, "E")
    steps = steps_between(rows, start, goal)
    if steps < 0:
        print("no way")
    else:
        print("steps: " + str(steps))


main()
