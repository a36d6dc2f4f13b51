"""The graph of submissions: circles that have a place, and a line for each pair."""

from collections.abc import Mapping
from dataclasses import dataclass

from whorl.comparison.result import Comparison
from whorl.report.layout import Link, layout

# With more submissions than this, those without a link would fill the picture: only linked ones are in it.
ALL_UP_TO = 400

# Colours that labels can have (those of the style sheet); the labels beyond share one grey.
LABEL_COLOURS = 7


@dataclass(frozen=True, slots=True)
class Node:
    """A submission, by its number, and where it stands. ``colour`` is None without a label that has one."""

    submission: int
    name: str
    x: float
    y: float
    colour: int | None
    archived: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A pair, by its number, from one place to another."""

    pair: int
    left: Node
    right: Node
    score: float


@dataclass(frozen=True, slots=True)
class Graph:
    """A picture of so much width and height. ``whole`` tells whether all submissions are in it."""

    nodes: tuple[Node, ...]
    lines: tuple[Line, ...]
    width: float
    height: float
    whole: bool


def graph(comparison: Comparison, labels: Mapping[str, int]) -> Graph:
    """The submissions in their places; weak lines first, so that strong ones are drawn over them."""
    whole = len(comparison.submissions) <= ALL_UP_TO
    drawn = range(len(comparison.submissions)) if whole else _linked(comparison)
    place = {submission: number for number, submission in enumerate(drawn)}
    links = [Link(place[pair.left], place[pair.right], max(pair.score, 0.01)) for pair in comparison.pairs]
    points, width, height = layout(len(drawn), links)
    nodes = tuple(
        _node(comparison, submission, x, y, labels) for submission, (x, y) in zip(drawn, points.tolist(), strict=True)
    )
    lines = tuple(
        Line(number, nodes[place[pair.left]], nodes[place[pair.right]], pair.score)
        for number, pair in reversed(list(enumerate(comparison.pairs)))
    )
    return Graph(nodes, lines, round(width, 1), round(height, 1), whole)


def _linked(comparison: Comparison) -> list[int]:
    return sorted({end for pair in comparison.pairs for end in (pair.left, pair.right)})


def colour(label: str | None, labels: Mapping[str, int]) -> int | None:
    """The colour of a label, if it is one of the first that get one."""
    number = labels.get(label or "", LABEL_COLOURS)
    return number if number < LABEL_COLOURS else None


def _node(comparison: Comparison, submission: int, x: float, y: float, labels: Mapping[str, int]) -> Node:
    of = comparison.submissions[submission]
    return Node(submission, of.name, round(x, 1), round(y, 1), colour(of.label, labels), of.archived)
