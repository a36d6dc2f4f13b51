import sys
from collections import deque


def load():
    cells = {}
    for row, line in enumerate(sys.stdin):
        for column, sign in enumerate(line.rstrip("\n")):
            cells[row, column] = sign
    return cells


def neighbours(row, column):
    yield row - 1, column
    yield row + 1, column
    yield row, column - 1
    yield row, column + 1


def search(cells):
    queue = deque()
    distance = {}
    for spot, sign in cells.items():
        if sign == "S":
            queue.append(spot)
            distance[spot] = 0
    while queue:
        spot = queue.popleft()
        if cells[spot] == "E":
            return distance[spot]
        for other in neighbours(*spot):
            if cells.get(other, "#") == "#" or other in distance:
                continue
            distance[other] = distance[spot] + 1
            queue.append(other)
    return None


answer = search(load())
print("no way" if answer is None else f"steps: {answer}")
