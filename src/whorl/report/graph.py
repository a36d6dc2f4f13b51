"""The graph of submissions: a deterministic layout, a node for each submission, an edge for each pair."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import floor
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.comparison.result import Cluster, Comparison
from whorl.components import Components
from whorl.report.markup import plain
from whorl.report.plots import labels

Points: TypeAlias = NDArray[np.float64]

# Steps of the simulation: the forces settle in some tens.
STEPS = 80

# Sample size of the nodes that push each node in large components: a step costs n times this and not n squared.
PUSHERS = 300

# Side of the square that each node takes, in units of the picture.
CELL = 42.0

# Minimum distance of two nodes' centres: a little more than the width of a node.
APART = 19.0

# Maximum size of a component whose nodes are kept apart: in larger ones, dots touch on any screen.
SEPARATE_UP_TO = 500

# Width to height of the picture, as of screens.
ASPECT = 1.7


class LayoutLink(NamedTuple):
    """Two nodes that attract each other."""

    left: int
    right: int
    weight: float


def layout(nodes: int, links: Sequence[LayoutLink]) -> tuple[Points, float, float]:
    """Return the position of each node, and the width and height of the picture."""
    linked = [component for component in components(nodes, links) if len(component) > 1]
    linked.sort(key=lambda component: (-len(component), component[0]))
    lonely = sorted(set(range(nodes)).difference(*linked)) if linked else list(range(nodes))
    boxes = [(component, _box(component, links_of)) for component, links_of in _with_links(linked, links)]
    boxes += [([node], np.full((1, 2), CELL / 2)) for node in lonely]
    return _pack(nodes, boxes)


def components(nodes: int, links: Sequence[LayoutLink]) -> list[list[int]]:
    """Return the nodes that links connect, each list sorted."""
    lefts, rights = (np.array([link[side] for link in links], np.int32) for side in (0, 1))
    return Components.of(nodes, lefts, rights).members()


def _with_links(linked: list[list[int]], links: Sequence[LayoutLink]) -> Iterable[tuple[list[int], list[LayoutLink]]]:
    """Return each component with its links."""
    home = {node: number for number, component in enumerate(linked) for node in component}
    inside: list[list[LayoutLink]] = [[] for _ in linked]
    for link in links:
        inside[home[link.left]].append(link)
    return zip(linked, inside, strict=True)


def _box(component: list[int], links: list[LayoutLink]) -> Points:
    """Lay out a component in its own box, wider than high, with a margin of half a cell."""
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
    """Push overlapping nodes apart, and shift the coordinates to begin at 0."""
    if len(points) > SEPARATE_UP_TO:
        return points
    for _ in range(STEPS):
        away = points[:, None, :] - points[None, :, :]
        distances = np.maximum(np.linalg.norm(away, axis=2), 1e-6)
        overlaps = np.maximum(APART - distances, 0) / distances / 4
        points = points + (away * overlaps[:, :, None]).sum(axis=1)
    return np.asarray(points - points.min(axis=0))


def _strengths(nodes: int, ends: NDArray[np.int64], links: list[LayoutLink]) -> Points:
    """Return the strength of links: by their weight, divided by the degree of their ends, so that cliques do not
    shrink."""
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
    """Return the repulsion of nodes: 1/distance, in units of the ideal distance."""
    count = len(points)
    chosen = np.arange(count) if count <= PUSHERS else random.choice(count, PUSHERS, replace=False)
    others = points[chosen]
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2 * points @ others.T
    nearness = 1 / np.maximum(squares, 1e-4)
    return np.asarray((points * nearness.sum(axis=1, keepdims=True) - nearness @ others) * (count / len(chosen)))


def _pulls(points: Points, ends: NDArray[np.int64], weights: Points) -> Points:
    """Return the attraction of links: the squared distance times their strength."""
    apart = points[ends[:, 1]] - points[ends[:, 0]]
    pull = apart * np.linalg.norm(apart, axis=1, keepdims=True) * weights[:, None]
    moves = np.zeros_like(points)
    np.add.at(moves, ends[:, 0], pull)
    np.add.at(moves, ends[:, 1], -pull)
    return moves


def _pack(nodes: int, boxes: Sequence[tuple[list[int], Points]]) -> tuple[Points, float, float]:
    """Pack boxes side by side in rows, each row as high as its highest box."""
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


# Maximum number of submissions to draw all of. Beyond it, draw linked ones only.
ALL_UP_TO = 400

# Number of colours in the style sheet; further labels and clusters share one grey.
LABEL_COLOURS = 7

# Size of a name in the picture: the height of its line, the mean width of a letter, and the gap to its node's centre.
NAME_HEIGHT, LETTER, NAME_GAP = 12.0, 6.2, 10.0

# Room for names left and right of the picture.
MARGIN = 24.0

# Maximum number of letters of a name in the picture.
NAME_LETTERS = 20


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A submission, by its number, with its position. ``colour`` is that of its cluster or label, if it has one.
    ``caption`` is its name where that fits beside the node."""

    submission: int
    name: str
    x: float
    y: float
    colour: int | None
    archived: bool
    caption: "Caption | None" = None


class Caption(NamedTuple):
    """A name in the picture: its text, the place of its base line, and the SVG anchor of that place."""

    text: str
    x: float
    y: float
    anchor: str


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A pair, by its number, and the nodes of its submissions."""

    pair: int
    left: GraphNode
    right: GraphNode
    score: float


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph with the size of its picture. ``whole`` is true if all submissions are in it. Links below the score
    ``start``, in whole percent, are hidden at first."""

    nodes: tuple[GraphNode, ...]
    lines: tuple[GraphEdge, ...]
    width: float
    height: float
    whole: bool
    start: int


def whole_percent(score: float) -> int:
    """Return a score in whole percent, rounded down."""
    return floor(round(100 * score, 3))


def separation(comparison: Comparison) -> int:
    """Return the score, in whole percent, at which most clusters are separate: from the lowest score inside a cluster
    upwards, and the lowest of several. Without clusters, all pairs count; 0 without pairs."""
    links = [comparison.pairs[number] for cluster in comparison.clusters for number in cluster.pairs]
    links = links or list(comparison.pairs)
    percents = np.array([whole_percent(link.score) for link in links], np.int32)
    lefts, rights = (np.array([getattr(link, side) for link in links], np.int32) for side in ("left", "right"))
    joined = Components(len(comparison.submissions))
    start = most = 0
    for percent in np.unique(percents)[::-1].tolist():
        joined.add(lefts[percents == percent], rights[percents == percent])
        clusters = sum(len(members) > 1 for members in joined.members())
        if clusters >= most:
            start, most = percent, clusters
    return start


def graph(comparison: Comparison) -> Graph:
    """Lay out the graph of a class. Nodes have the colours of their clusters."""
    whole = len(comparison.submissions) <= ALL_UP_TO
    drawn = range(len(comparison.submissions)) if whole else _linked(comparison)
    pairs = range(len(comparison.pairs))
    return _draw(comparison, drawn, pairs, cluster_colours(comparison), separation(comparison), whole)


def cluster_graph(comparison: Comparison, members: Sequence[int], pairs: Sequence[int]) -> Graph:
    """Lay out members of a cluster, and the pairs between them, best first. Nodes have the colours of their labels."""
    numbers = labels(comparison.submissions)
    of_members = {member: numbers.get(comparison.submissions[member].label or "") for member in members}
    colours = {member: number for member, number in of_members.items() if number is not None and number < LABEL_COLOURS}
    return _draw(comparison, sorted(members), pairs, colours)


def _draw(
    comparison: Comparison,
    drawn: Sequence[int],
    pairs: Sequence[int],
    colours: Mapping[int, int],
    start: int = 0,
    whole: bool = True,
) -> Graph:
    """Draw submissions, and pairs, the best first. Weak edges come first, so that strong ones are drawn over them."""
    place = {submission: number for number, submission in enumerate(drawn)}
    links = [
        LayoutLink(place[pair.left], place[pair.right], max(pair.score, 0.01))
        for pair in (comparison.pairs[number] for number in pairs)
        if whole_percent(pair.score) >= start
    ]
    points, width, height = layout(len(drawn), links)
    bare = [
        _node(comparison, submission, x, y, colours.get(submission))
        for submission, (x, y) in zip(drawn, points.tolist(), strict=True)
    ]
    ends = [place[end] for number in pairs for end in (comparison.pairs[number].left, comparison.pairs[number].right)]
    captions = _captions(bare, ends, width)
    nodes = tuple(replace(node, caption=captions.get(number)) for number, node in enumerate(bare))
    lines = tuple(
        GraphEdge(number, nodes[place[pair.left]], nodes[place[pair.right]], pair.score)
        for number, pair in ((number, comparison.pairs[number]) for number in reversed(pairs))
    )
    return Graph(nodes, lines, round(width, 1), round(height, 1), whole, start)


def _linked(comparison: Comparison) -> list[int]:
    return sorted({end for pair in comparison.pairs for end in (pair.left, pair.right)})


def cluster_colours(comparison: Comparison) -> dict[int, int]:
    """Return the colour of each submission in one of the largest clusters."""
    return {member: number for member, number in cluster_numbers(comparison).items() if number < LABEL_COLOURS}


@lru_cache(maxsize=1)
def by_size(comparison: Comparison) -> tuple[Cluster, ...]:
    """Return the clusters, largest first: the order of their numbers."""
    return tuple(sorted(comparison.clusters, key=lambda cluster: -len(cluster.members)))


@lru_cache(maxsize=1)
def cluster_numbers(comparison: Comparison) -> dict[int, int]:
    """Return the number of each submission's cluster, from 0, for submissions that have one."""
    return {member: number for number, cluster in enumerate(by_size(comparison)) for member in cluster.members}


def _node(comparison: Comparison, submission: int, x: float, y: float, colour: int | None) -> GraphNode:
    facts = comparison.submissions[submission]
    return GraphNode(submission, facts.name, round(x, 1), round(y, 1), colour, facts.archived)


def _captions(nodes: Sequence[GraphNode], ends: Iterable[int], width: float) -> dict[int, Caption]:
    """Return the names that fit beside their nodes: those of the best pairs first, on any of four sides, over no node
    and no other name."""
    taken = [(node.x - 8, node.y - 8, node.x + 8, node.y + 8) for node in nodes]
    captions: dict[int, Caption] = {}
    for number in dict.fromkeys(ends):
        node = nodes[number]
        name = plain(node.name)
        text = name if len(name) <= NAME_LETTERS else f"{name[: NAME_LETTERS - 1]}…"
        for caption in _candidates(node, text):
            box = caption_box(caption)
            if (
                box[0] >= -MARGIN
                and box[2] <= width + MARGIN
                and box[1] >= 0
                and not any(overlap(box, other) for other in taken)
            ):
                captions[number] = caption
                taken.append(box)
                break
    return captions


def _candidates(node: GraphNode, text: str) -> Iterable[Caption]:
    """Yield the places of a name: below and above first, because most links run from side to side."""
    yield Caption(text, node.x, round(node.y + 17, 1), "middle")
    yield Caption(text, node.x, round(node.y - 11, 1), "middle")
    yield Caption(text, round(node.x + NAME_GAP, 1), round(node.y + 4, 1), "start")
    yield Caption(text, round(node.x - NAME_GAP, 1), round(node.y + 4, 1), "end")


def caption_box(caption: Caption) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a name in the picture."""
    length = LETTER * len(caption.text)
    left = caption.x - {"start": 0.0, "middle": length / 2, "end": length}[caption.anchor]
    return left, caption.y - NAME_HEIGHT + 3, left + length, caption.y + 3


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Return whether two boxes overlap."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
