"""Which rows stay: ranks, dates and lengths are compared exactly, and the rows that stay are named right."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whorl


def story(number: int) -> str:
    return " ".join(f"keeper {number} wrote on day {number * 31 + day} what came by sea" for day in range(12))


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
@pytest.mark.parametrize(
    ("ranks", "highest"),
    [([1700000000000000001, 1700000000000000002], 1), ([-(2**53) - 1, -(2**53)], 1), ([0.5, 0.25, None, -7.0], 0)],
    ids=str,
)
def test_ranks_are_compared_exactly(tmp_path, kind, ranks, highest):
    rows = [{"text": story(1), "rank": rank} for rank in ranks]
    path = jsonl(tmp_path / "a.jsonl", rows)
    if kind == "parquet":
        path = tmp_path / "a.parquet"
        pq.write_table(pa.Table.from_pylist(rows), path)
    whorl.dedup(path, tmp_path / "out", keep="highest", rank="rank")
    written = tmp_path / "out" / path.name
    left = pq.read_table(written).to_pylist() if kind == "parquet" else [json.loads(written.read_bytes())]
    assert left == [rows[highest]]


def test_files_with_names_like_those_of_rows_are_files_in_later_shards(tmp_path):
    for shard, name in (("jan", "t:5"), ("jan", "u:05"), ("feb", "a"), ("feb", "b")):
        (tmp_path / shard).mkdir(exist_ok=True)
        (tmp_path / shard / name).write_text(story(1 if name in ("t:5", "a") else 2))
    jsonl(tmp_path / "jan" / "rows.jsonl", [{"text": story(3)}])
    jsonl(tmp_path / "feb" / "rows.jsonl", [{"text": story(4)}, {"text": story(3)}])
    index = tmp_path / "seen.sweep"
    for shard in ("jan", "feb"):
        whorl.dedup(tmp_path / shard, tmp_path / "out" / shard, index=index)
    table = pq.read_table(tmp_path / "out" / "feb" / "_whorl" / "removed.parquet").to_pylist()
    kept = {(row["file"], row["row"]): (row["kept_file"], row["kept_row"]) for row in table}
    jan = tmp_path / "jan"
    assert kept == {
        ("a", 0): (f"{jan}/t:5", 0), ("b", 0): (f"{jan}/u:05", 0), ("rows.jsonl", 2): (f"{jan}/rows.jsonl", 1)
    }  # fmt: skip


def test_the_newest_and_the_longest_of_files(tmp_path):
    pages = {"a.html": f"<style>{'p {{ margin: 0 }}' * 500}</style>{story(1)}", "b.html": f"<p>{story(1)} and more</p>"}
    (tmp_path / "pages").mkdir()
    for name, page in pages.items():
        (tmp_path / "pages" / name).write_text(f"<html>{page}</html>")
    whorl.dedup(tmp_path / "pages", tmp_path / "longest", keep="longest")
    assert [path.name for path in (tmp_path / "longest").glob("*.html")] == ["b.html"]
    times = pa.array([0, 500_000], pa.timestamp("us", "UTC"))
    pq.write_table(pa.table({"text": [story(1)] * 2, "date": times}), tmp_path / "a.parquet")
    whorl.dedup(tmp_path / "a.parquet", tmp_path / "newest", keep="newest")
    assert pq.read_table(tmp_path / "newest" / "a.parquet")["date"].to_pylist()[0].microsecond == 500_000
