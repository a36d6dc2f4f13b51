"""Clusters: split by gaps on both sides in turn until stable, and the filters, by their definitions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whorl.matching.deep.seeds import around, boxes_of, clusters, points, split

GAP = 3
SEEDS = st.lists(st.tuples(*[st.integers(0, 40)] * 4, st.integers(0, 1)), min_size=1, max_size=25)
BOXES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9), st.integers(0, 40), st.integers(0, 9)), max_size=25)


def rows(found: list[tuple[int, ...]], width: int) -> "np.typing.NDArray[np.int64]":
    return np.array(found, np.int64).reshape(-1, width)


def parted(group: list[int], spans: list[tuple[int, int]]) -> list[list[int]]:
    out: list[list[int]] = []
    reached = 0
    for member in sorted(group, key=lambda i: spans[i][0]):
        if not out or spans[member][0] - reached > GAP:
            out.append([])
            reached = spans[member][1]
        out[-1].append(member)
        reached = max(reached, spans[member][1])
    return out


def brute(boxes: list[list[int]]) -> set[frozenset[int]]:
    lefts = [(box[0], box[1]) for box in boxes]
    rights = [(box[2], box[3]) for box in boxes]
    groups = [list(range(len(boxes)))] if boxes else []
    while True:
        new = [part for group in groups for half in parted(group, lefts) for part in parted(half, rights)]
        if len(new) == len(groups):
            return {frozenset(group) for group in new}
        groups = new


def as_sets(labels: "np.typing.NDArray[np.int64]") -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}


@given(BOXES)
def test_split_is_by_gaps_in_turn_until_stable(found):
    boxes = rows([(a, a + size, b, b + other) for a, size, b, other in found], 4)
    labels = split(boxes, GAP, np.zeros(len(boxes), np.int64))
    assert as_sets(labels) == brute(boxes.tolist())
    assert sorted(set(labels.tolist())) == list(range(len(set(labels.tolist()))))


@given(SEEDS)
def test_labels_are_never_joined(found):
    seeds = rows(found, 5)
    labels = split(points(seeds), GAP, seeds[:, 4])
    expected = {
        frozenset(np.flatnonzero(seeds[:, 4] == number)[list(group)].tolist())
        for number in (0, 1)
        for group in brute(points(seeds)[seeds[:, 4] == number].tolist())
    }
    assert as_sets(labels) == expected


@given(SEEDS, st.integers(0, 6), st.sampled_from([0.1, 0.2, 0.5, 1.0]))
def test_filters_by_words_covered_and_density(found, words, density):
    seeds = rows(found, 5)
    labels = split(points(seeds), GAP, np.zeros(len(seeds), np.int64))
    grouped = clusters(seeds, labels)
    is_dense = grouped.dense(np.full(len(grouped.boxes), words), density)
    for label in range(len(grouped.boxes)):
        members = [row for row, own in zip(found, labels.tolist(), strict=True) if own == label]
        sides = [{place for row in members for place in row[at : at + 2]} for at in (0, 2)]
        box = [min(sides[0]), max(sides[0]) + 1, min(sides[1]), max(sides[1]) + 1]
        assert grouped.boxes[label].tolist() == box
        assert is_dense[label] == all(
            len(side) >= words and len(side) >= density * (max(side) + 1 - min(side)) for side in sides
        )


def test_nothing_has_no_clusters():
    none = rows([], 5)
    assert len(split(points(none), GAP, none[:, 4])) == 0
    assert len(clusters(none, none[:, 4]).boxes) == len(around(boxes_of(none), none[:, 4])) == 0
