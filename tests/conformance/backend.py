"""What every backend must do, wherever it runs: the clusters, pairs and evidence that the definitions ask for."""

import random
from collections.abc import Sequence
from typing import Any, ClassVar

import pytest

import whorl
from tests.spark.reference import cluster as reference
from whorl.clustering.result import Clustering
from whorl.formats.corpora.records import Fault

SCHEME = whorl.Scheme(symbols="words", k=2, select="full")
Row = dict[str, Any]


def corpus(seed: int, families: int = 40) -> list[Row]:
    """Texts with copies that are equal, equal in words, edited, and parts; a third of them have the same menu."""
    chance = random.Random(seed)
    words = [f"w{number}" for number in range(400)]
    texts: list[str] = []
    for _ in range(families):
        base = chance.choices(words, k=chance.choice([1, 2, 12, 60]))
        texts.append(" ".join(base))
        texts += [_copy(chance, base, words) for _ in range(chance.randrange(4))]
    menu = " ".join(words[:12])
    texts = [f"{text} {menu}" if chance.random() < 0.3 else text for text in texts]
    chance.shuffle(texts)
    return [{"id": f"d{number}", "text": text} for number, text in enumerate(texts)]


def _copy(chance: random.Random, base: Sequence[str], words: Sequence[str]) -> str:
    kind, copy = chance.randrange(4), list(base)
    if kind == 0:
        return " ".join(copy)
    if kind == 1:
        return ", ".join(copy).upper() + "!"
    if kind == 2:
        return " ".join(copy[: len(copy) // 2 + 1])
    for _ in range(len(copy) // 8 + 1):
        copy[chance.randrange(len(copy))] = chance.choice(words)
    return " ".join(copy)


def shingled(rows: Sequence[Row]) -> dict[str, set[tuple[str, ...]]]:
    """The shingles of each text, by the definition; of a text that is shorter, all of it."""
    found = {}
    for row in rows:
        words = row["text"].lower().replace(",", "").replace("!", "").split()
        found[row["id"]] = {tuple(words[at : at + 2]) for at in range(max(1, len(words) - 1))}
    return found


def same(one: Clustering, two: Clustering) -> None:
    """Whether two clusterings tell the same, to the last number."""
    assert list(one.members) == list(two.members)
    for column in ("left", "right", "shared", "left_size", "right_size"):
        assert getattr(one.pairs, column).tolist() == getattr(two.pairs, column).tolist()
    assert (one.common, one.skipped, one.shingles) == (two.common, two.skipped, two.shingles)
    assert one.boilerplate == two.boilerplate
    assert (list(one.urls), list(one.dates), one.sizes.tolist()) == (
        list(two.urls),
        list(two.dates),
        two.sizes.tolist(),
    )


def damaged(name: str, content: Sequence[Any]) -> list[Row]:
    """Rows of which the first and the third give no document, and the others the same one."""
    return [{"id": f"n{number}", name: value, "url": f"u{number}"} for number, value in enumerate(content)]


EQUAL = ("a b c d", "x y z", "A b, c d!", "a b c d", "d c", "a b a b a", "b a b a")
MIXED = [
    *damaged("text", [None, "k l m", " ", "k l m"]),
    *({"id": f"d{number}", "text": text, "url": None} for number, text in enumerate(EQUAL)),
]


class BackendConformance:
    """Inherit, and say how rows of a table are clustered."""

    def clustered(self, rows: Sequence[Row], scheme=SCHEME, **settings) -> tuple[Clustering, list[Fault]]:
        raise NotImplementedError

    def test_pairs_are_all_that_reach_the_threshold(self):
        rows = corpus(2)
        found, _ = self.clustered(rows, threshold=0.3, modulus=1)
        sets = shingled(rows)
        names = [member.id for member in found.members if member.kind not in ("identical", "lexical", "shingle")]
        stands = {frozenset(sets[name]): name for name in reversed(names)}
        result = {
            (one, two)
            for one in stands.values()
            for two in stands.values()
            if one != two and len(sets[one] & sets[two]) >= 0.3 * len(sets[one] | sets[two])
        }
        pairs = zip(found.pairs.left.tolist(), found.pairs.right.tolist(), found.pairs.shared.tolist(), strict=True)
        evidence = {(found.ids[one], found.ids[two]): shared for one, two, shared in pairs}
        assert set(evidence) == {(one, two) for one, two in result if int(one[1:]) < int(two[1:])}
        assert all(len(sets[one] & sets[two]) == shared for (one, two), shared in evidence.items())
        assert len(evidence) > 20

    # The clustering of MIXED by each backend: a run costs more than all that is asserted of it.
    mixed: ClassVar[dict[type, tuple[Clustering, list[Fault]]]] = {}

    def clustered_mixed(self) -> tuple[Clustering, list[Fault]]:
        if type(self) not in self.mixed:
            self.mixed[type(self)] = self.clustered(MIXED)
        return self.mixed[type(self)]

    def test_equal_documents_are_set_aside_for_the_first(self):
        found, _ = self.clustered_mixed()
        kinds = [(member.representative, member.kind) for member in found.members if member.id not in ("n1", "n3")]
        assert kinds[:5] == [
            ("d0", "unique"),
            ("d1", "unique"),
            ("d0", "lexical"),
            ("d0", "identical"),
            ("d4", "unique"),
        ]
        assert kinds[5:] == [("d5", "unique"), ("d5", "shingle")]

    def test_empty_and_damaged_rows_are_reported_and_take_no_number(self):
        found, faults = self.clustered_mixed()
        self.check_damaged(found, faults, "text")
        assert len(found.members) == 9

    def test_empty_and_damaged_rows_of_features(self):
        found, faults = self.clustered(damaged("features", [None, ["a", "b"], [], ["a", "b"]]))
        self.check_damaged(found, faults, "features")
        assert len(found.members) == 2

    def check_damaged(self, found: Clustering, faults: list[Fault], name: str) -> None:
        assert [(member.id, member.cluster, member.kind) for member in found.members][:2] == [
            ("n1", 0, "unique"),
            ("n3", 0, "identical"),
        ]
        assert [fault.reason for fault in faults] == [f"no {name!r}", f"{name!r} is empty"]
        assert list(found.urls)[:2] == ["u1", "u3"]

    def test_nothing_at_all(self):
        found, faults = self.clustered([{"id": "a", "text": None}])
        assert (len(found.members), len(found.pairs), len(faults)) == (0, 0, 1)

    @pytest.mark.parametrize(
        "settings",
        [
            {"common": 9},
            {"common": 9, "closure": True, "threshold": 0.2},
            {"common": 9, "measure": "containment", "modulus": 2, "least": 4},
            {"common": 9, "estimate": True, "modulus": 4, "least": 4},
            {"common": 3, "super_shingles": True, "estimate": True},
            {"common": 3, "boilerplate": 9},
        ],
        ids=lambda settings: "-".join(map(str, settings)),
    )
    def test_the_same_as_on_one_machine(self, settings):
        rows = corpus(2)
        expected, _ = reference(rows, SCHEME, **settings)
        assert len(expected.pairs) > 10
        assert expected.common > 0
        assert (expected.boilerplate > 0) == ("boilerplate" in settings)
        same(self.clustered(rows, **settings)[0], expected)
