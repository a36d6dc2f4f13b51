"""Where the submissions stand in the graph: connected ones near each other, the same in every run.

Each connected component is laid out by forces (Fruchterman and Reingold 1991: links pull, nodes push, a falling
temperature bounds the steps) and gets a box; the boxes are packed in rows, the largest first, and submissions
without any link stand in rows below.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Points: TypeAlias = NDArray[np.float64]

# The forces settle in some tens of steps; more only polish.
STEPS = 80

# Beyond so many nodes each is pushed by a sample of that size: a step then costs n times this and not n squared.
PUSHERS = 300

# The side of a node's share of the picture, in units of the picture; a component of n nodes has n of them.
CELL = 42.0

# How far apart the centres of two nodes should be: a little more than a node is wide.
APART = 19.0

# Beyond so many nodes in one component, their dots touch at any size of the screen.
SEPARATE_UP_TO = 500

# Wider than high, as screens are.
ASPECT = 1.7


class Link(NamedTuple):
    """Two nodes that pull each other."""

    left: int
    right: int
    weight: float


def layout(nodes: int, links: Sequence[Link]) -> tuple[Points, float, float]:
    """The place of each node, and the width and height of the picture."""
    linked = [component for component in components(nodes, links) if len(component) > 1]
    linked.sort(key=lambda component: (-len(component), component[0]))
    lonely = sorted(set(range(nodes)).difference(*linked)) if linked else list(range(nodes))
    boxes = [(component, _box(component, links_of)) for component, links_of in _with_links(linked, links)]
    boxes += [([node], np.full((1, 2), CELL / 2)) for node in lonely]
    return _pack(nodes, boxes)


def components(nodes: int, links: Iterable[Link]) -> list[list[int]]:
    """Nodes that links connect, each list sorted."""
    root = list(range(nodes))

    def find(node: int) -> int:
        while root[node] != node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for left, right, _ in links:
        low, high = sorted((find(left), find(right)))
        root[high] = low
    found: dict[int, list[int]] = {}
    for node in range(nodes):
        found.setdefault(find(node), []).append(node)
    return list(found.values())


def _with_links(linked: list[list[int]], links: Sequence[Link]) -> Iterable[tuple[list[int], list[Link]]]:
    """Each component with its own links."""
    home = {node: number for number, component in enumerate(linked) for node in component}
    inside: list[list[Link]] = [[] for _ in linked]
    for link in links:
        inside[home[link.left]].append(link)
    return zip(linked, inside, strict=True)


def _box(component: list[int], links: list[Link]) -> Points:
    """Places of a component's nodes in a box of its own, wider than high, with a margin of half a cell."""
    place = {node: number for number, node in enumerate(component)}
    ends = np.array([(place[link.left], place[link.right]) for link in links])
    points = _forces(len(component), ends, _strengths(len(component), ends, links))
    points -= points.min(axis=0)
    width, height = np.maximum(points.max(axis=0), 1e-9)
    if height > width:
        points, width, height = points[:, ::-1], height, width
    area = CELL**2 * len(component)
    scale = min(np.sqrt(area / (width * max(height, width / 8))), CELL * len(component) / width)
    return _separate(points * scale) + CELL / 2


def _separate(points: Points) -> Points:
    """Pushes nodes that overlap apart, and the whole back to where coordinates begin at 0."""
    if len(points) > SEPARATE_UP_TO:
        return points
    for _ in range(STEPS):
        away = points[:, None, :] - points[None, :, :]
        distances = np.maximum(np.linalg.norm(away, axis=2), 1e-6)
        overlaps = np.maximum(APART - distances, 0) / distances / 4
        points = points + (away * overlaps[:, :, None]).sum(axis=1)
    return np.asarray(points - points.min(axis=0))


def _strengths(nodes: int, ends: NDArray[np.int64], links: list[Link]) -> Points:
    """How strong links pull: by their weight, and the less the more links their ends have, or cliques would shrink."""
    degrees = np.bincount(ends.ravel(), minlength=nodes)
    weights = np.array([link.weight for link in links])
    return np.asarray(3 * weights**2 / np.minimum(degrees[ends[:, 0]], degrees[ends[:, 1]]))


def _forces(nodes: int, ends: NDArray[np.int64], weights: Points) -> Points:
    random = np.random.default_rng(nodes)
    angles = 2 * np.pi * np.arange(nodes) / nodes
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1) * np.sqrt(nodes) / 2
    for step in range(STEPS):
        moves = _pushes(points, random) + _pulls(points, ends, weights)
        lengths = np.linalg.norm(moves, axis=1, keepdims=True)
        heat = np.sqrt(nodes) * 0.2 * (1 - step / STEPS)
        points = points + moves / np.maximum(lengths, 1e-9) * np.minimum(lengths, heat)
    return np.asarray(points)


def _pushes(points: Points, random: np.random.Generator) -> Points:
    """Nodes push each other away by 1/distance, in units of the wanted distance."""
    count = len(points)
    chosen = np.arange(count) if count <= PUSHERS else random.choice(count, PUSHERS, replace=False)
    others = points[chosen]
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2 * points @ others.T
    nearness = 1 / np.maximum(squares, 1e-4)
    return np.asarray((points * nearness.sum(axis=1, keepdims=True) - nearness @ others) * (count / len(chosen)))


def _pulls(points: Points, ends: NDArray[np.int64], weights: Points) -> Points:
    """Links pull their ends together by distance squared, strong ones more."""
    apart = points[ends[:, 1]] - points[ends[:, 0]]
    pull = apart * np.linalg.norm(apart, axis=1, keepdims=True) * weights[:, None]
    moves = np.zeros_like(points)
    np.add.at(moves, ends[:, 0], pull)
    np.add.at(moves, ends[:, 1], -pull)
    return moves


def _pack(nodes: int, boxes: Sequence[tuple[list[int], Points]]) -> tuple[Points, float, float]:
    """Squares side by side in rows, each row as high as its highest."""
    sizes = [points.max(axis=0) + CELL / 2 for _, points in boxes]
    area = sum(float(size[0] * size[1]) for size in sizes)
    width = max([float(np.sqrt(area * ASPECT)), *(float(size[0]) for size in sizes), CELL])
    places = np.zeros((nodes, 2))
    x = y = height = 0.0
    for (members, points), size in zip(boxes, sizes, strict=True):
        if x + size[0] > width + 1e-6:
            x, y, height = 0.0, y + height, 0.0
        places[members] = points + np.array([x, y])
        x, height = x + float(size[0]), max(height, float(size[1]))
    return places, width, y + height
