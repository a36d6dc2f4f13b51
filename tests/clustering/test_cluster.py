"""Clusters against a brute-force reading of the paper: all pairs, by their full shinglings."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl import Document
from whorl.clustering import ClusterSettings, ClusterSettingsError, counting
from whorl.clustering.cluster import cluster
from whorl.clustering.counting import PairCounter, counted
from whorl.clustering.joining import MISSING_PAIRS
from whorl.clustering.records import Features, Rows
from whorl.clustering.sketching import sketched, sorted_postings
from whorl.errors import InputError
from whorl.formats.corpora.records import Columns

SCHEME = whorl.Scheme(symbols="words", k=2, select="full")
texts = st.lists(st.lists(st.sampled_from("abcd"), max_size=12).map(" ".join), max_size=9)


def alike(left: str, right: str, measure: str) -> float:
    if measure == "resemblance":
        return whorl.resemblance(left, right, SCHEME)
    return max(whorl.containment(left, right, SCHEME), whorl.containment(right, left, SCHEME))


@given(texts, st.sampled_from([0.1, 0.34, 0.5, 0.75, 1.0]), st.sampled_from(["resemblance", "containment"]))
@examples(150)
def test_closure_is_the_components_of_all_pairs(documents, threshold, measure):
    found = cluster(documents, SCHEME, threshold=threshold, measure=measure, modulus=1, closure=True)
    sets = [{number} for number in range(len(documents))]
    for a, b in combinations(range(len(documents)), 2):
        words = documents[a].split(), documents[b].split()
        if (all(words) and alike(documents[a], documents[b], measure) >= threshold) or words[0] == words[1]:
            both = sets[a] | sets[b]
            for one in both:
                sets[one] = both
    clusters = [member.cluster for member in found.members]
    for a, b in combinations(range(len(documents)), 2):
        assert (clusters[a] == clusters[b]) == (b in sets[a])


@given(texts, st.sampled_from([0.2, 0.5, 0.8]), st.randoms())
@examples(100)
def test_stars_are_as_alike_as_was_asked_in_any_order(documents, threshold, chance):
    found = cluster(documents, SCHEME, threshold=threshold, modulus=1)
    for number, member in enumerate(found.members):
        centre = documents[int(member.representative)]
        if member.kind in ("near", "contained"):
            exact = whorl.resemblance(documents[number], centre, SCHEME)
            assert member.similarity == pytest.approx(exact)
            assert exact >= threshold
        else:
            assert member.similarity == 1
    order = list(range(len(documents)))
    chance.shuffle(order)
    again = cluster([documents[number] for number in order], SCHEME, threshold=threshold, modulus=1)
    groups = {frozenset(documents[int(name)] for name in ids) for ids in found.clusters()}
    moved = {frozenset(documents[order[int(name)]] for name in ids) for ids in again.clusters()}
    assert groups == moved


def test_a_pair_is_as_alike_as_resemblance_says():
    first = " ".join(f"word{place % 37} and{place}" for place in range(200))
    second = first.replace("and50", "or50").replace("and90", "or90")
    similarity = min(member.similarity for member in whorl.cluster([first, second]).members)
    assert similarity == whorl.resemblance(first, second)
    assert similarity > whorl.resemblance(first, second, "web")  # shingles of ten words lose more by an edit


def test_equal_documents_are_set_aside_and_rejoin():
    song = "the keeper wrote down every evening what the sea had brought him and what it had taken again"
    twice = f"{song} {song}"
    documents = [song, song, song.upper() + "!", twice, f"{twice} {song}", "something else"]
    found = cluster(documents, SCHEME, threshold=1.0)
    assert [member.kind for member in found.members] == [
        "unique", "identical", "lexical", "unique", "shingle", "unique",
    ]  # fmt: skip
    assert [member.cluster for member in found.members] == [0, 0, 0, 3, 3, 5]
    assert len({member.cluster for member in cluster(documents, SCHEME, threshold=0.9).members[:5]}) == 1


def test_shingles_are_counted_alike_however_many_threads_read():
    documents = [Document(str(number), f"some words of page {number % 3} " * 400) for number in range(400)]
    counts = {whorl.cluster(documents, workers=workers).shingles for workers in (1, 2, 4)}
    assert len(counts) == 1


def test_shingles_that_too_many_have_are_common():
    documents = [f"all rights reserved by nobody at all {chr(97 + number) * 3} {number}" for number in range(6)]
    assert cluster(documents, SCHEME, common=5, modulus=1, threshold=0.2).clusters() == []
    assert len(cluster(documents, SCHEME, common=6, modulus=1, threshold=0.2).clusters()[0]) == 6


def test_a_part_is_found_by_containment():
    words = [f"word{number}" for number in range(2000)]
    part, other = " ".join(words[:500]), " ".join(words)
    assert cluster([part, other]).clusters() == []
    found = cluster([part, other], measure="containment", threshold=0.9)
    assert found.clusters() == [["0", "1"]]
    assert found.members[0].kind == "contained"
    assert found.members[0].representative == "1"


def test_a_menu_does_not_join_the_pages_that_have_it():
    menu = " ".join(f"link{number}" for number in range(30))
    pages = [f"{menu} {' '.join(f'page{page}word{number}' for number in range(300))}" for page in range(12)]
    found = cluster([menu, *pages], measure="containment")
    assert [len(one) for one in found.clusters()] == [2]


def test_sketches_find_what_resembles(tmp_path):
    chance = np.random.default_rng(5)
    base = [" ".join(f"w{number}" for number in chance.integers(0, 5000, 800)) for _ in range(30)]
    edited = []
    for text in base:
        words = text.split()
        for place in chance.integers(0, len(words), 8):
            words[place] = "edited"
        edited.append(" ".join(words))
    found = cluster(base + edited, "web", folder=tmp_path)
    assert sorted(map(sorted, found.clusters())) == sorted(
        sorted([str(number), str(30 + number)]) for number in range(30)
    )
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_read_is_left_out(tmp_path):
    (tmp_path / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    found = cluster([tmp_path / "image.png", "a b c d e f"], SCHEME)
    assert [Path(item.name).name for item in found.skipped] == ["image.png"]
    assert len(found.members) == 1


@given(
    st.lists(st.sets(st.integers(0, 30)), max_size=12), st.integers(1, 400), st.integers(2, 5), st.booleans(),
    st.integers(1, 2), st.integers(1, 9),
)  # fmt: skip
@examples(60)
def test_any_budget_of_memory_gives_the_same_pairs(tmp_path_factory, sets, memory, most, linear, threads, few):
    home = tmp_path_factory.mktemp("work")
    rows = Rows(np.array([value for one in sets for value in sorted(one)], np.uint64), np.cumsum([0, *map(len, sets)]))
    chosen = np.array([number % 5 < 4 for number in range(len(sets))], np.bool_)
    counter = PairCounter(home, len(sets), memory, most, linear, threads)
    for part in sorted_postings(sketched(rows, chosen, memory), home, memory):
        counter.add(part)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MERGE_STEP", few)
        written = counter.write(home / "pairs")
    found = {
        (left, right): count
        for part in counted(home / "pairs", 3)
        for left, right, count in zip(part.left.tolist(), part.right.tolist(), part.count.tolist(), strict=True)
    }
    holders = {
        value: [number for number, one in enumerate(sets) if value in one and chosen[number]] for value in range(31)
    }
    exact: dict[tuple[int, int], int] = {}
    for members in holders.values():
        for left, right in combinations(members, 2):
            if len(members) <= most or (linear and left == members[0]):
                exact[left, right] = exact.get((left, right), 0) + 1
    assert found == exact
    assert written == len(exact)
    assert counter.common.tolist() == [value for value, members in holders.items() if len(members) > most]
    assert [path.name for path in home.iterdir()] == ["pairs"]


def test_all_faults_of_settings_are_reported():
    with pytest.raises(ClusterSettingsError) as result:
        cluster([], threshold=2, measure="x", modulus=12, common=1)
    assert len(result.value.faults) == 4


def test_only_settings_that_were_given_are_reported():
    with pytest.raises(ClusterSettingsError) as result:
        cluster(["a text"], measure="x")
    assert result.value.faults == ("measure: 'x' is unknown; choose one of resemblance, containment",)


@pytest.mark.parametrize("threshold", ["0.5", None, [0.5], float("nan")])
def test_a_threshold_is_a_number(threshold):
    with pytest.raises(ClusterSettingsError, match=r"^threshold: .* is out of range; give a number above 0, up to 1$"):
        cluster(["a text"], threshold=threshold)


def test_numbers_of_numpy_are_numbers():
    settings = ClusterSettings.of({"threshold": np.float32(0.5), "modulus": np.int64(8)})
    assert settings == ClusterSettings(threshold=0.5, modulus=8)
    assert (type(settings.threshold), type(settings.modulus)) == (float, int)


def test_an_unknown_setting_is_named():
    with pytest.raises(InputError, match=r"unknown setting 'treshold': did you mean 'threshold'?"):
        cluster(["a text"], treshold=0.5)


def test_the_folder_of_temporary_data_exists(tmp_path):
    with pytest.raises(InputError, match="nosuch: no such folder; make it first"):
        cluster(["a text"], folder=tmp_path / "nosuch")
    assert list(cluster(["a text"], folder=str(tmp_path)).ids) == ["0"]


def test_any_objects_cluster_by_their_features():
    objects = [
        Features("one", list(range(40)), url="http://one"),
        Features("two", list(range(1, 41))),
        Features("three", [str(number) for number in range(40)]),
        Features("four", list(range(39, -1, -1))),
        Features("five", [-1, 1 << 80, "x"]),
        Features("six", []),
    ]
    found = cluster(objects)
    assert found.clusters() == [["four", "one", "two"]] or found.clusters() == [["one", "two", "four"]]
    assert found.pairs.shared.tolist() == [39.0]
    assert found.urls[0] == "http://one"
    with pytest.raises(whorl.InputError):
        cluster([Features("bad", [1.5])])  # type: ignore[list-item]


@given(texts, st.sampled_from([0.3, 0.5, 0.8]))
@examples(60)
def test_clusters_by_super_shingles_are_verified(documents, threshold):
    found = cluster(documents, SCHEME, threshold=threshold, super_shingles=True, closure=True)
    exact = cluster(documents, SCHEME, threshold=threshold, modulus=1, closure=True)
    pairs = set(zip(exact.pairs.left.tolist(), exact.pairs.right.tolist(), strict=True))
    assert set(zip(found.pairs.left.tolist(), found.pairs.right.tolist(), strict=True)) <= pairs


def test_super_shingles_find_what_is_alike_and_a_crowd_of_copies():
    chance = np.random.default_rng(7)
    base = [" ".join(f"w{number}" for number in chance.integers(0, 5000, 300)) for _ in range(40)]
    near = [f"{text} and some more" for text in base]
    found = cluster(base + near, "web", super_shingles=True, threshold=0.8)
    assert sorted(map(sorted, found.clusters())) == sorted(sorted([str(one), str(one + 40)]) for one in range(40))
    crowd = [f"{base[0]} and number {number}" for number in range(50)]
    assert len(cluster(crowd, "web", super_shingles=True, common=10).clusters()[0]) == 50


def test_super_shingles_and_containment_do_not_go_together():
    with pytest.raises(ClusterSettingsError, match="super shingles"):
        cluster([], super_shingles=True, measure="containment")


@given(texts, st.sampled_from([0.2, 0.5, 0.8]))
@examples(100)
def test_members_of_a_cluster_are_strangers_to_a_few_at_the_most(documents, threshold):
    found = cluster(documents, SCHEME, threshold=threshold, modulus=1)
    clusters = found.cluster.tolist()
    joined = combinations(range(len(documents)), 2)
    strangers = [
        (one, other)
        for one, other in joined
        if clusters[one] == clusters[other] and alike(documents[one], documents[other], "resemblance") < threshold
    ]
    for head in set(clusters):
        members = clusters.count(head)
        assert sum(clusters[one] == head for one, _ in strangers) <= MISSING_PAIRS * members


def test_templated_pages_are_not_chained():
    """Each page shares most of its words with the next, and the last none with the first."""
    words = [f"word{number}" for number in range(2000)]
    pages = [" ".join(words[start : start + 400]) for start in range(0, 1600, 40)]
    closed = cluster(pages, closure=True)
    assert [len(one) for one in closed.clusters()] == [40]
    guarded = cluster(pages)
    assert max(len(one) for one in guarded.clusters()) <= 2 * MISSING_PAIRS + 2
    assert all(member.similarity >= 0.4 for member in guarded.members)


def test_documents_without_a_word_are_equal_only_if_they_are_identical():
    found = cluster(["!!!", "???", "!!!", ""], SCHEME)
    assert found.clusters() == [["0", "2"]]


TEXTS = [" ".join(f"{word}{number}" for number in range(40)) for word in ("sea", "land")]
ROWS: list[dict[str, Any]] = [
    {"id": 10, "text": TEXTS[0], "more": [1]},
    {"id": 11, "text": None, "more": []},
    {"id": 12, "text": TEXTS[0] + " again", "more": None},
    {"id": 13, "text": TEXTS[1], "more": []},
]


class Polars:
    """What is used of a Polars frame."""

    def iter_rows(self, *, named: bool) -> Iterator[dict[str, Any]]:
        assert named
        return iter(ROWS)


class Pandas:
    """What is used of a pandas frame, in which a missing text is not a number."""

    itertuples = None

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def iloc(self) -> "Pandas":
        return self

    def __getitem__(self, part: slice) -> "Pandas":
        return Pandas(self._rows[part])

    def to_dict(self, form: str) -> list[dict[str, Any]]:
        assert form == "records"
        return [{**row, "text": float("nan") if row["text"] is None else row["text"]} for row in self._rows]


@pytest.mark.parametrize(
    "rows",
    [ROWS, iter(ROWS), pa.Table.from_pylist(ROWS), pa.RecordBatch.from_pylist(ROWS), Polars(), Pandas(ROWS)],
    ids=["dictionaries", "generator", "table", "batch", "polars", "pandas"],
)
def test_rows_of_any_table_are_documents_in_their_order(rows):
    clustering = whorl.cluster(rows)
    assert list(clustering.ids) == ["10", "11", "12", "13"]
    assert clustering.cluster[0] == clustering.cluster[2] != clustering.cluster[3]
    assert [(each.name, each.reason) for each in clustering.skipped] == [("11", "no 'text'")]


def test_rows_have_other_columns_and_numbers_in_place_of_ids():
    rows = [{"body": TEXTS[0]}, {"body": TEXTS[0]}]
    assert list(whorl.cluster(rows, columns=Columns(text="body")).ids) == ["0", "1"]
    with pytest.raises(InputError, match=r"no column 'text'; there are 'body'"):
        whorl.cluster(rows)


@pytest.mark.parametrize("documents", ["corpus.jsonl", b"text", Path("corpus.jsonl"), {"text": "x"}, 7])
def test_one_text_or_file_is_no_list_of_documents(documents):
    with pytest.raises(InputError, match=r"documents: .* is not a list of documents"):
        whorl.cluster(documents)
    with pytest.raises(InputError, match=r"base: .* is not a list of documents"):
        whorl.cluster(["a text"], base=documents)


def test_a_name_is_no_columns():
    with pytest.raises(InputError, match=r"name a column with columns=Columns\(text='body'\)"):
        whorl.cluster([{"body": "a text"}], columns="body")  # type: ignore[arg-type]


def test_other_objects_are_refused_by_name():
    with pytest.raises(InputError, match="number 1 is tuple; give texts"):
        whorl.cluster(["a text", ("id", "text")])
