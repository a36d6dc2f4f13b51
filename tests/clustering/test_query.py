"""Questions to a clustering on disk, against a look at every row."""

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from tests.examples import examples
from whorl.clustering.query import Clusters
from whorl.errors import InputError
from whorl.formats.corpora.parquet import DOCUMENTS, PAIRS, write_table

URLS = ("http://a/", "http://b/", "7", None)


def write(folder: Path, rows: list[dict[str, Any]], pairs: list[dict[str, Any]] = [], group: int = 3) -> Path:  # noqa: B006
    """The tables of a clustering, in row groups so small that several must be looked at."""
    for name, table, schema in (("documents", rows, DOCUMENTS), ("pairs", pairs, PAIRS)):
        columns = {column: [row[column] for row in table] for column in schema}
        kinds = pa.schema([(column, pa.type_for_alias(kind)) for column, kind in schema.items()])
        parquet.write_table(pa.table(columns, kinds), folder / f"{name}.parquet", row_group_size=group)
    return folder


def row(number: int, cluster: int, url: str | None = None, date: str | None = None) -> dict[str, Any]:
    kind = "unique" if number == cluster else "near"
    similarity = 1.0 if number == cluster else 0.75
    return {"id": str(number), "cluster": cluster, "representative": str(cluster), "similarity": similarity,
            "kind": kind, "url": url, "date": date}  # fmt: skip


@st.composite
def tables(draw):
    clusters: list[int] = []
    for number in range(draw(st.integers(1, 14))):
        clusters.append(draw(st.sampled_from([number, *clusters])))
    return [row(number, cluster, draw(st.sampled_from(URLS))) for number, cluster in enumerate(clusters)]


names = st.lists(st.sampled_from([*map(str, range(16)), "http://a/", "http://b/", "http://c/", "\udc80"]), max_size=9)


def is_called(row: dict[str, Any], name: str) -> bool:
    return name in (row["id"], row["url"])


@given(tables(), names)
@examples(60)
def test_every_question_is_answered_as_a_look_at_all_rows_would(tmp_path_factory, rows, asked):
    clusters = Clusters.open(write(tmp_path_factory.mktemp("clusters"), rows))
    assert len(clusters) == len(rows)
    for name in set(asked):
        expected = {each["id"] for each in rows if is_called(each, name)}
        assert {document.id for document in clusters.find(name)} == expected
        numbers = {each["cluster"] for each in rows if is_called(each, name)}
        if numbers:
            members = [each["id"] for each in rows if each["cluster"] in numbers]
            assert [document.id for document in clusters.cluster(name)] == members
    unknown = [name for name in dict.fromkeys(asked) if not any(is_called(each, name) for each in rows)]
    groups, not_found = clusters.groups(asked)
    assert not_found == unknown
    assert sorted(chain(*groups)) == sorted(set(asked) - set(unknown))
    assert [group[0] for group in groups] == [name for name in dict.fromkeys(asked) if name in {g[0] for g in groups}]
    answer = clusters.ask(asked)
    assert list(answer.unknown) == unknown
    for found in answer.clusters:
        assert [member.id for member in found.members] == [r["id"] for r in rows if r["cluster"] == found.cluster]
        assert set(found.names) == {
            name for name in asked for r in rows if r["cluster"] == found.cluster and is_called(r, name)
        }


def test_groups_come_in_the_order_of_the_best(tmp_path):
    clusters = Clusters.open(write(tmp_path, [row(0, 0), row(1, 0), row(2, 2), row(3, 2), row(4, 4)]))
    assert clusters.groups(["3", "1", "9", "2", "4", "0", "3"]) == ([["3", "2"], ["1", "0"], ["4"]], ["9"])


def test_a_url_that_showed_several_documents_counts_as_the_newest(tmp_path):
    rows = [row(0, 0), row(1, 1, "http://a/", "2021-01-01"), row(2, 2), row(3, 0, "http://a/", "2024-01-01")]
    clusters = Clusters.open(write(tmp_path, rows))
    assert clusters.groups(["http://a/", "1", "0"])[0] == [["http://a/", "0"], ["1"]]
    assert [document.id for document in clusters.cluster("http://a/")] == ["0", "1", "3"]


def test_what_json_has(tmp_path):
    clusters = Clusters.open(write(tmp_path, [row(0, 0, "http://a/"), row(1, 0), row(2, 2)]))
    result = json.loads(json.dumps(clusters.ask(["http://a/", "x", "1"]).as_dict()))
    assert result == {
        "found": [
            {"name": "http://a/", "documents": [row(0, 0, "http://a/")]},
            {"name": "1", "documents": [row(1, 0)]},
        ],
        "clusters": [
            {
                "cluster": 0, "representative": "0", "size": 2, "names": ["http://a/", "1"],
                "members": [
                    {"id": "0", "similarity": 1.0, "kind": "unique", "url": "http://a/", "date": None},
                    {"id": "1", "similarity": 0.75, "kind": "near", "url": None, "date": None},
                ],
            }
        ],
        "unknown": ["x"],
    }  # fmt: skip


def test_the_pairs_of_a_document(tmp_path):
    def pair(left: str, right: str) -> dict[str, Any]:
        return {
            "left": left,
            "right": right,
            "resemblance": 0.5,
            "left_in_right": 0.6,
            "right_in_left": 0.7,
            "shared": 9,
        }

    pairs = [pair("0", "1"), pair("0", "2"), pair("1", "2"), pair("2", "3"), pair("3", "0")]
    clusters = Clusters.open(write(tmp_path, [row(n, 0, "http://a/" if n == 2 else None) for n in range(4)], pairs, 2))
    found = {(each.left, each.right) for each in clusters.pairs("http://a/")}
    assert found == {("0", "2"), ("1", "2"), ("2", "3")}
    assert {(each.left, each.right) for each in clusters.pairs("0")} == {("0", "1"), ("0", "2"), ("3", "0")}
    assert clusters.pairs("nobody") == ()


def test_only_row_groups_that_may_have_a_name_are_read(tmp_path, monkeypatch):
    rows = [row(number, number) for number in range(10, 40)]
    clusters = Clusters.open(write(tmp_path, rows, group=10))
    read: list[tuple[int, tuple[str, ...]]] = []
    group = clusters._documents._group

    def watched(number: int, columns: list[str]) -> Any:
        read.append((number, tuple(columns)))
        return group(number, columns)

    monkeypatch.setattr(clusters._documents, "_group", watched)
    assert [document.id for document in clusters.find("25")] == ["25"]
    assert [number for number, columns in read if columns == ("id",)] == [1]
    assert [number for number, columns in read if len(columns) > 1] == [1]


def test_unknown_names_are_reported(tmp_path):
    clusters = Clusters.open(write(tmp_path, [row(0, 0)]))
    assert clusters.find("nobody") == ()
    with pytest.raises(InputError, match=r"nobody: no document of .* has this id or URL"):
        clusters.cluster("nobody")


def test_a_folder_that_is_no_clustering(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        Clusters.open(tmp_path)
    (tmp_path / "documents.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        Clusters.open(tmp_path)
    write_table(tmp_path / "documents.parquet", {"id": ["a"]}, {"id": "string"})
    with pytest.raises(InputError, match="no column cluster, representative"):
        Clusters.open(tmp_path)


def test_a_damaged_table(tmp_path):
    folder = write(tmp_path, [row(number, 0, f"http://{number}/") for number in range(2000)], group=2000)
    data = bytearray((folder / "documents.parquet").read_bytes())
    data[8:400] = bytes(392)
    (folder / "documents.parquet").write_bytes(data)
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        Clusters.open(folder).find("7")
