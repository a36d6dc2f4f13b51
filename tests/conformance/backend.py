"""What every backend must do, wherever it runs: the clusters, pairs and evidence that the definitions ask for."""

import random
from collections.abc import Sequence
from typing import Any

import pytest

import whorl
from whorl.backends.local import cluster as reference
from whorl.clustering.result import Clustering
from whorl.corpus.records import Fault

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
    assert (list(one.urls), list(one.dates), one.sizes.tolist()) == (
        list(two.urls),
        list(two.dates),
        two.sizes.tolist(),
    )


class BackendConformance:
    """Inherit, and say how rows of a table are clustered."""

    def clustered(self, rows: Sequence[Row], scheme=SCHEME, **settings) -> tuple[Clustering, list[Fault]]:
        raise NotImplementedError

    def test_pairs_are_all_that_reach_the_threshold(self):
        rows = corpus(1)
        found, _ = self.clustered(rows, threshold=0.3, modulus=1)
        sets = shingled(rows)
        names = [member.id for member in found.members if member.kind not in ("identical", "lexical", "shingle")]
        stands = {frozenset(sets[name]): name for name in reversed(names)}
        told = {
            (one, two)
            for one in stands.values()
            for two in stands.values()
            if one != two and len(sets[one] & sets[two]) >= 0.3 * len(sets[one] | sets[two])
        }
        pairs = zip(found.pairs.left.tolist(), found.pairs.right.tolist(), found.pairs.shared.tolist(), strict=True)
        evidence = {(found.ids[one], found.ids[two]): shared for one, two, shared in pairs}
        assert set(evidence) == {(one, two) for one, two in told if int(one[1:]) < int(two[1:])}
        assert all(len(sets[one] & sets[two]) == shared for (one, two), shared in evidence.items())
        assert len(evidence) > 20

    def test_equal_documents_are_set_aside_for_the_first(self):
        texts = ["a b c d", "x y z", "A b, c d!", "a b c d", "d c", "a b a b a", "b a b a"]
        found, _ = self.clustered([{"id": f"d{number}", "text": text} for number, text in enumerate(texts)])
        kinds = [(member.representative, member.kind) for member in found.members]
        assert kinds[:5] == [
            ("d0", "unique"),
            ("d1", "unique"),
            ("d0", "lexical"),
            ("d0", "identical"),
            ("d4", "unique"),
        ]
        assert kinds[5:] == [("d5", "unique"), ("d5", "shingle")]

    @pytest.mark.parametrize("features", [False, True])
    def test_empty_and_damaged_rows_are_told_and_take_no_number(self, features):
        content: list[Any] = [None, ["a", "b"], [], ["a", "b"]] if features else [None, "a b c", " ", "a b c"]
        name = "features" if features else "text"
        rows = [{"id": f"d{number}", name: value, "url": f"u{number}"} for number, value in enumerate(content)]
        found, faults = self.clustered(rows)
        assert [(member.id, member.cluster, member.kind) for member in found.members] == [
            ("d1", 0, "unique"),
            ("d3", 0, "identical"),
        ]
        assert [fault.reason for fault in faults] == [f"no {name!r}", f"{name!r} is empty"]
        assert list(found.urls) == ["u1", "u3"]

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
        ],
        ids=lambda settings: "-".join(map(str, settings)),
    )
    def test_the_same_as_on_one_machine(self, settings):
        rows = corpus(2)
        expected, _ = reference(rows, SCHEME, **settings)
        assert len(expected.pairs) > 10
        assert expected.common > 0
        same(self.clustered(rows, **settings)[0], expected)
