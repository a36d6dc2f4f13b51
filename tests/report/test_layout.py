"""Places in the graph: the same in every run, inside the picture, linked ones near."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from whorl.report.layout import Link, components, layout

GRAPHS = st.integers(1, 12).flatmap(
    lambda nodes: st.tuples(
        st.just(nodes),
        st.lists(
            st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1), st.floats(0.01, 1))
            .filter(lambda link: link[0] != link[1])
            .map(lambda link: Link(*link)),
            max_size=20,
        ),
    )
)


@settings(max_examples=25)
@given(GRAPHS)
def test_every_node_has_a_place_of_its_own_in_the_picture(graph):
    nodes, links = graph
    points, width, height = layout(nodes, links)
    assert points.shape == (nodes, 2)
    assert np.isfinite(points).all()
    assert (points >= 0).all()
    assert (points <= np.array([width, height])).all()
    distances = np.linalg.norm(points[:, None] - points[None], axis=2) + 100 * np.eye(nodes)
    assert distances.min() > 5


@settings(max_examples=25)
@given(GRAPHS)
def test_it_is_the_same_in_every_run(graph):
    assert np.array_equal(layout(*graph)[0], layout(*graph)[0])


def test_components():
    assert components(5, [Link(0, 3, 1.0), Link(3, 4, 1.0)]) == [[0, 3, 4], [1], [2]]


def test_linked_ones_are_nearer_than_others():
    links = [Link(i, j, 1.0) for block in (range(6), range(6, 12)) for i in block for j in block if i < j]
    points, _, _ = layout(12, [*links, Link(0, 6, 0.3)])
    middle, other = points[:6].mean(axis=0), points[6:].mean(axis=0)
    assert np.linalg.norm(points[:6] - middle, axis=1).mean() < np.linalg.norm(middle - other) / 2


def test_a_large_component_is_laid_out_with_a_sample_of_pushes():
    points, _, _ = layout(1_200, [Link(i, i + 1, 0.5) for i in range(1_199)])
    assert np.isfinite(points).all()


def test_nothing_to_draw():
    points, width, height = layout(0, [])
    assert len(points) == 0
    assert width > 0
    assert height == 0
