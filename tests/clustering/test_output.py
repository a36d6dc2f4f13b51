"""What a clustering leaves on the disk: one document of every cluster is kept, whichever is asked for."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.clustering import ClusterSettings
from whorl.clustering.cluster import cluster
from whorl.clustering.output import KEEPS, hundredths, kept_documents, write, write_pairs

SCHEME = whorl.Scheme(symbols="words", k=2, select="full")
dates = st.sampled_from([None, "2020-01-01", "2021-05-05", "2024-02-29"])
rows = st.lists(st.tuples(st.lists(st.sampled_from("abc"), max_size=9).map(" ".join), dates), max_size=9)


@given(rows, st.sampled_from(list(KEEPS)))
@examples(100)
def test_one_of_every_cluster_is_kept(made, keep):
    documents = [whorl.Document(str(number), text, date=date) for number, (text, date) in enumerate(made)]
    found = cluster(documents, SCHEME, workers=1)
    chosen = kept_documents(found, keep).tolist()
    assert sorted(found.cluster[chosen].tolist()) == sorted(set(found.cluster.tolist()))
    for number in chosen:
        others = [other for other in range(len(made)) if found.cluster[other] == found.cluster[number]]
        if keep == "first":
            assert number == min(others)
        elif keep == "longest":
            assert len(made[number][0]) == max(len(made[other][0]) for other in others)
        elif keep == "newest":
            assert (made[number][1] or "") == max(made[other][1] or "" for other in others)
        else:
            assert number == found.cluster[number]


def test_the_tables_hold_what_was_found(tmp_path):
    from pyarrow import parquet

    song = " ".join(f"the keeper wrote down on day {day} what the sea took" for day in range(30))
    documents = [
        whorl.Document("a", song, url="http://a/é", date="2020-01-01"),
        whorl.Document("\ud800 b", f"{song} and no more"),
        whorl.Document("c", song),
        whorl.Document("d", b"\x89PNG\r\n\x1a\n\0\0"),
        whorl.Document("e", "nothing of the sort was ever written down"),
    ]
    found = cluster(documents, "web")
    result = write(found, tmp_path, ClusterSettings(), "longest", [{"file": "d", "row": 0, "reason": "no text"}])
    write_pairs(found.ids, found.pairs, tmp_path)
    assert result == json.loads((tmp_path / "summary.json").read_text())
    assert (result["documents"], result["clusters"], result["identical_clusters"], result["kept"]) == (4, 1, 0, 2)
    assert sum(result["kinds"].values()) == 4
    table = parquet.read_table(tmp_path / "documents.parquet").to_pylist()
    assert [row["id"] for row in table] == ["a", "\\ud800 b", "c", "e"]
    assert [row["url"] for row in table] == ["http://a/é", None, None, None]
    assert [(row["cluster"], row["kind"], row["similarity"]) for row in table] == [
        (member.cluster, member.kind, pytest.approx(member.similarity)) for member in found.members
    ]
    (pair,) = parquet.read_table(tmp_path / "pairs.parquet").to_pylist()
    assert (pair["left"], pair["right"]) == ("a", "\\ud800 b")
    exact = whorl.resemblance(song, f"{song} and no more", "web")
    assert pair["resemblance"] == pytest.approx(exact)
    assert [(place, count) for place, count in enumerate(result["pairs_by_hundredth"]) if count] == [
        (int(100 * exact), 1)
    ]
    assert pair["left_in_right"] == 1
    assert (tmp_path / "keep.txt").read_text() == "\\ud800 b\ne\n"


@given(st.lists(st.integers(0, 100)))
def test_a_whole_percent_counts_as_it(percents):
    counted = hundredths(np.array([percent / 100 for percent in percents]))
    assert counted.tolist() == [percents.count(percent) for percent in range(101)]


def fill_free_memory(sign: int) -> None:
    """Leave memory that Arrow will take again full of a sign."""
    import pyarrow as pa

    for size in (*range(64, 4096, 64), *range(4096, 65536, 1024)):
        buffers = [pa.allocate_buffer(size) for _ in range(4)]
        for buffer in buffers:
            np.frombuffer(buffer, np.uint8)[:] = sign


def test_nothing_of_the_memory_is_in_the_tables(tmp_path):
    """Arrow writes memory that it has not filled where the texts of a dictionary repeat."""
    documents = [whorl.Document(str(number % 300), f"text {number}", url="") for number in range(3000)]
    found = cluster(documents, SCHEME)
    tables = []
    for sign in (1, 2):
        fill_free_memory(sign)
        write(found, tmp_path, ClusterSettings(), "longest", [])
        tables.append((tmp_path / "documents.parquet").read_bytes())
    assert tables[0] == tables[1]


def kept_of(*contents: whorl.Document) -> list[int]:
    return list(map(int, kept_documents(cluster(contents, workers=1), "longest")))


def test_the_longest_has_most_characters_of_text():
    song = " ".join(f"the keeper wrote down on day {day} what the sea took" for day in range(30))
    accents, letters = whorl.Document("a", f"{song} {'é' * 20}"), whorl.Document("b", f"{song} {'e' * 25}")
    assert kept_of(accents, letters) == [1]
    assert kept_of(letters, accents) == [0]


def test_markup_is_not_counted():
    song = " ".join(f"the keeper wrote down on day {day} what the sea took" for day in range(30))
    style = "p { color: red; margin: 0 }\n" * 500
    styled = whorl.Document("a.html", f"<html><style>{style}</style><p>{song}</p></html>".encode())
    plain = whorl.Document("b.html", f"<html><p>{song} and more</p></html>".encode())
    text = whorl.Document("c.txt", f"{song} and more ©".encode())
    assert kept_of(styled, plain) == [1]
    assert kept_of(styled, plain, text) == [2]


def test_a_copy_that_was_not_read_again_is_as_long_as_the_first():
    song = " ".join(f"the keeper wrote down on day {day} what the sea took" for day in range(30))
    page = f"<html><p>{song}</p></html>".encode()
    found = cluster([whorl.Document("a.html", page), whorl.Document("b.html", page), whorl.Document("c", song)])
    assert found.lengths is not None
    assert found.lengths.tolist() == [len(song)] * 3
    assert found.sizes.tolist() == [len(page), len(page), len(song)]


def test_the_longest_of_features_has_most(tmp_path):
    few, more = list(range(90)), list(range(100))
    found = cluster([whorl.Features("a", few), whorl.Features("b", more)])
    assert kept_documents(found, "longest").tolist() == [1]
