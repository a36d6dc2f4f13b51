import heapq


def parse(text):
    roads: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        start, end, length = line.split(",")
        roads.setdefault(start, {})[end] = float(length)
        roads.setdefault(end, {})[start] = float(length)
    return roads


def shortest(roads, start, goal):
    best = {start: 0.0}
    came_from: dict[str, str] = {}
    border = [(0.0, start)]
    while border:
        distance, town = heapq.heappop(border)
        if town == goal:
            return distance, came_from
        if distance > best[town]:
            continue
        for neighbour, length in roads[town].items():
            candidate = distance + length
            if candidate < best.get(neighbour, float("inf")):
                best[neighbour] = candidate
                came_from[neighbour] = town
                heapq.heappush(border, (candidate, neighbour))
    return None, came_from


def unwind(came_from, goal):
    path = [goal]
    while path[-1] in came_from:
        path.append(came_from[path[-1]])
    return path[::-1]


def main(text):
    roads = parse(text)
    distance, came_from = shortest(roads, "A", "Z")
    print(distance, " > ".join(unwind(came_from, "Z")))
