"""The measures of text alignment by their published definitions, and the reading of the data."""

from math import log2

import pytest
from experiments.pan13.alignment import chosen, measure
from experiments.pan13.corpus import CLASSES, read
from experiments.pan13.measures import Passage, Quality, quality
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.matching.deep.prose import case

SPAN = st.tuples(st.integers(0, 12), st.integers(1, 6))
PASSAGES = st.lists(
    st.builds(lambda pair, a, b: Passage(pair, a[0], sum(a), b[0], sum(b)), st.sampled_from("xy"), SPAN, SPAN),
    max_size=5,
)


def characters(passage: Passage) -> set[tuple[str, str, int]]:
    """A passage as the set of its characters, in both documents."""
    there = {(passage.pair, "suspicious", at) for at in range(passage.start, passage.end)}
    return there | {(passage.pair, "source", at) for at in range(passage.source_start, passage.source_end)}


def shared(one: Passage, two: Passage) -> set[tuple[str, str, int]]:
    """What two passages share, nothing if that is in one document only."""
    both = characters(one) & characters(two)
    return both if len({side for _, side, _ in both}) == 2 else set()


def mean_share(passages: list[Passage], others: list[Passage]) -> float:
    shares = [
        len(set().union(*(shared(passage, other) for other in others))) / len(characters(passage))
        for passage in passages
    ]
    return sum(shares) / len(shares)


@given(PASSAGES, PASSAGES)
def test_measures_are_those_of_sets_of_characters(cases, detections):
    found = quality(cases, detections)
    counts = [sum(bool(shared(case, detection)) for detection in detections) for case in cases]
    detected = [count for count in counts if count]
    assert found.granularity == (pytest.approx(sum(detected) / len(detected)) if detected else 1)
    if cases and detections:
        assert found.precision == pytest.approx(mean_share(detections, cases))
        assert found.recall == pytest.approx(mean_share(cases, detections))


def test_a_case_in_two_pieces():
    whole = Passage("x", 0, 100, 0, 100)
    found = quality([whole], [Passage("x", 0, 50, 0, 50), Passage("x", 50, 100, 50, 100)])
    assert found == Quality(1.0, 1.0, 2.0)
    assert found.plagdet == pytest.approx(1 / log2(3))


def test_what_is_right_on_one_side_only_is_wrong():
    found = quality([Passage("x", 0, 100, 0, 100)], [Passage("x", 0, 100, 500, 600)])
    assert (found.precision, found.recall, found.plagdet) == (0, 0, 0)


def test_nothing_to_find():
    assert quality([], []).plagdet == 1
    assert quality([], [Passage("x", 0, 1, 0, 1)]).plagdet == 0
    assert quality([Passage("x", 0, 1, 0, 1)], []).plagdet == 0


@pytest.fixture
def data(tmp_path):
    for folder in ("susp", "src", *CLASSES):
        (tmp_path / folder).mkdir()
    for number in (1, 2, 3):
        each = case(number, 0.5)
        (tmp_path / "susp" / f"suspicious-document{number:05}.txt").write_text(each.left, encoding="utf-8")
        (tmp_path / "src" / f"source-document{number:05}.txt").write_text(each.right, encoding="utf-8")
        name = f"suspicious-document{number:05}-source-document{number:05}.xml"
        (start, end), (source_start, source_end) = each.spans
        feature = (
            f'<feature name="plagiarism" this_offset="{start}" this_length="{end - start}" '
            f'source_offset="{source_start}" source_length="{source_end - source_start}"/>'
        )
        (tmp_path / CLASSES[2] / name).write_text(f'<document><feature name="about"/>{feature}</document>')
    (tmp_path / CLASSES[0] / "suspicious-document00001-source-document00003.xml").write_text("<document/>")
    return tmp_path


def test_pairs_are_read_and_measured(data):
    pairs = chosen(data, [1], 2)
    assert [(pair.kind, pair.number, len(pair.cases)) for pair in pairs] == [
        (CLASSES[0], 1, 0),
        (CLASSES[2], 1, 1),
        (CLASSES[2], 3, 1),
    ]
    found = measure(pairs, whorl.PRESETS["text"], deep=True, summaries=False)
    assert set(found) == {*CLASSES, "all"}
    assert found["all"].plagdet > 0.9
    assert found["all"].plagdet > measure(pairs, whorl.PRESETS["text"], deep=False, summaries=False)["all"].plagdet
    assert found[CLASSES[0]].plagdet == found[CLASSES[1]].plagdet == 1


def test_a_file_with_another_name_is_refused(data):
    (data / CLASSES[1] / "pairs.xml").write_text("<document/>")
    with pytest.raises(ValueError, match=r"pairs\.xml"):
        list(read(data, CLASSES[1]))
