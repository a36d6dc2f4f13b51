class Polygon:
    def __init__(self, corners):
        self.corners = tuple(corners)


def area(polygon):
    doubled = 0.0
    previous_x, previous_y = polygon.corners[-1]
    for x, y in polygon.corners:
        doubled += previous_x * y - x * previous_y
        previous_x, previous_y = x, y
    return abs(doubled) / 2


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def half(points):
    chain: list[tuple[float, float]] = []
    for point in points:
        while len(chain) >= 2 and turn(chain[-2], chain[-1], point) <= 0:
            del chain[-1]
        chain.append(point)
    return chain[:-1]


def hull(points):
    ordered = sorted(set(points))
    if len(ordered) < 3:
        raise ValueError("three points are wanted")
    return Polygon(half(ordered) + half(ordered[::-1]))


def contains(polygon, point):
    corners = polygon.corners
    sides = zip(corners, corners[1:] + corners[:1], strict=True)
    return all(turn(start, end, point) >= 0 for start, end in sides)


def main():
    square = hull([(0, 0), (4, 0), (4, 4), (0, 4), (2, 2)])
    print(area(square), contains(square, (1, 1)))
