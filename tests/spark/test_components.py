"""Components of any number of edges: right, and in few rounds, however long the chains are."""

import itertools
import random

import pytest

pa = pytest.importorskip("pyarrow")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("length", "shuffled", "together", "parts"),
    # Tasks that join little by themselves leave the work to the rounds.
    [
        (1000, False, 20, 4),
        (100, True, 20, 2),
        (1000, True, 20, 4),
        (100_000, False, 16_000, 2),
        (100_000, True, 16_000, 2),
    ],
)
def test_chains_settle_in_at_most_twenty_rounds(spark, tmp_path, length, shuffled, together, parts):
    from whorl.spark.joining import components
    from whorl.spark.stages import Stages

    names = list(range(10**12, 10**12 + length))
    if shuffled:
        random.Random(length).shuffle(names)
    edges = spark.createDataFrame(pa.table({"left": names[:-1], "right": names[1:]})).repartition(parts)
    labels, rounds = components(edges, Stages(spark, str(tmp_path)), "chain", together)
    found = labels.toArrow()
    assert rounds <= 20
    assert sorted(found["number"].to_pylist()) == list(range(10**12 + 1, 10**12 + length))
    assert set(found["label"].to_pylist()) == {10**12}


@pytest.mark.parametrize("together", [10, 300])
def test_random_graphs_have_their_components(spark, tmp_path, together):
    from whorl.spark.joining import components
    from whorl.spark.stages import Stages

    chance = random.Random(3)
    pairs = [(chance.randrange(300), chance.randrange(300)) for _ in range(160)]
    pairs = [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]
    edges = spark.createDataFrame(pa.table({"left": [one for one, _ in pairs], "right": [two for _, two in pairs]}))
    labels, rounds = components(edges, Stages(spark, str(tmp_path)), "random", together)
    assert (rounds == 1) == (together >= len(pairs)), "what one task can join takes one round"
    found = {row["number"]: row["label"] for row in labels.collect()}
    expected = list(range(300))
    for _ in pairs:
        for one, two in pairs:
            expected[one] = expected[two] = min(expected[one], expected[two])
    inside = set(itertools.chain(*pairs))
    assert found == {number: expected[number] for number in inside if expected[number] != number}
