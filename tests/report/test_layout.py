"""Places in the graph: the same in every run, inside the picture, linked ones near."""

from dataclasses import replace
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.report.sample import classroom
from whorl.comparison.result import Cluster
from whorl.matching.score import ScorePart
from whorl.report.graph import LayoutLink, caption_box, cluster_colours, components, graph, layout, overlap, separation

GRAPHS = st.integers(1, 12).flatmap(
    lambda nodes: st.tuples(
        st.just(nodes),
        st.lists(
            st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1), st.floats(0.01, 1))
            .filter(lambda link: link[0] != link[1])
            .map(lambda link: LayoutLink(*link)),
            max_size=20,
        ),
    )
)


@examples(25)
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


@examples(25)
@given(GRAPHS)
def test_it_is_the_same_in_every_run(graph):
    assert np.array_equal(layout(*graph)[0], layout(*graph)[0])


def test_components():
    assert components(5, [LayoutLink(0, 3, 1.0), LayoutLink(3, 4, 1.0)]) == [[0, 3, 4], [1], [2]]


def test_linked_ones_are_nearer_than_others():
    links = [LayoutLink(i, j, 1.0) for block in (range(6), range(6, 12)) for i in block for j in block if i < j]
    points, _, _ = layout(12, [*links, LayoutLink(0, 6, 0.3)])
    middle, other = points[:6].mean(axis=0), points[6:].mean(axis=0)
    assert np.linalg.norm(points[:6] - middle, axis=1).mean() < np.linalg.norm(middle - other) / 2


def test_a_large_component_is_laid_out_with_a_sample_of_pushes():
    points, _, _ = layout(1_200, [LayoutLink(i, i + 1, 0.5) for i in range(1_199)])
    assert np.isfinite(points).all()


def test_nothing_to_draw():
    points, width, height = layout(0, [])
    assert len(points) == 0
    assert width > 0
    assert height == 0


def test_names_in_the_picture_overlap_neither_nodes_nor_each_other():
    drawn = graph(classroom(36))
    captions = [caption_box(node.caption) for node in drawn.nodes if node.caption is not None]
    nodes = [(node.x - 7, node.y - 7, node.x + 7, node.y + 7) for node in drawn.nodes]
    assert len(captions) > 3
    assert not any(overlap(one, other) for one, other in combinations(captions, 2))
    assert not any(overlap(caption, node) for caption in captions for node in nodes)


def scored(scores, members):
    """A comparison whose only cluster has these scores by pair."""
    comparison = classroom(members, threshold=0)
    first = comparison.pairs[0]
    pairs = tuple(
        replace(
            first, left=left, right=right, score_parts=replace(first.score_parts, parts=(part(score),), damping=1.0)
        )
        for (left, right), score in scores.items()
    )
    return replace(comparison, pairs=pairs, clusters=(Cluster(tuple(range(members)), tuple(range(len(pairs)))),))


def part(score):
    return ScorePart("tokens", score, score)


def test_the_graph_starts_where_most_clusters_are_separate():
    chain = {(0, 1): 0.9, (2, 3): 0.8, (4, 5): 0.7, (1, 2): 0.55, (3, 4): 0.5}
    assert separation(scored(chain, 6)) == 70
    assert separation(scored({(0, 1): 0.9, (1, 2): 0.6}, 3)) == 60
    weak = {(0, 1): 0.3, (2, 3): 0.25, **dict.fromkeys([(0, 2), (0, 3), (1, 2), (1, 3)], 0.04)}
    assert separation(replace(scored(weak, 4), clusters=())) == 25
    assert separation(replace(classroom(4), clusters=(), pairs=())) == 0
    assert graph(scored(chain, 6)).start == 70


def test_nodes_of_one_cluster_have_one_colour():
    comparison = classroom(12)
    colours = cluster_colours(comparison)
    for cluster in comparison.clusters:
        assert len({colours[member] for member in cluster.members}) == 1
    assert len(set(colours.values())) == len(comparison.clusters)
