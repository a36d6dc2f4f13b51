"""The block for datatrove, in a real pipeline of datatrove; skipped where it is not installed."""

import json
from pathlib import Path

import pytest

from whorl.errors import InputError

pytest.importorskip("datatrove", reason="datatrove is not installed: it is too heavy for the development environment")

from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers import JsonlWriter

from whorl.datatrove import NearDuplicateFilter
from whorl.sweep.sweep import Sweep


def text(number: int, changed: int = 0) -> str:
    words = [f"word{number}x{place}" for place in range(100)]
    return " ".join([f"new{number}x{place}" for place in range(changed)] + words[changed:])


def shards(folder: Path) -> Path:
    """Three shards of ten texts: the second repeats half of the first, the third the second with few changes."""
    folder.mkdir()
    for shard in range(3):
        rows = [
            {
                "id": f"{shard}-{row}",
                "text": text(row + 5 * min(shard, 1), changed=3 * (shard == 2)),
                "url": f"http://{shard}/{row}",
            }
            for row in range(10)
        ]
        (folder / f"{shard}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def run(folder: Path, out: Path, index: Path, tasks: int, workers: int, **settings) -> list[str]:
    block = NearDuplicateFilter(index, exclusion_writer=JsonlWriter(str(out / "dropped"), compression=None), **settings)
    LocalPipelineExecutor(
        pipeline=[JsonlReader(str(folder)), block, JsonlWriter(str(out / "kept"), compression=None)],
        tasks=tasks,
        workers=workers,
        logging_dir=str(out / "logs"),
    ).run()
    return sorted(json.loads(line)["id"] for path in (out / "kept").iterdir() for line in path.read_text().splitlines())


def test_a_pipeline_keeps_the_first_of_near_duplicates(tmp_path):
    kept = run(shards(tmp_path / "in"), tmp_path / "out", tmp_path / "seen.sweep", 1, 1, batch_size=7)
    assert kept == sorted([f"0-{row}" for row in range(10)] + [f"1-{row}" for row in range(5, 10)])
    dropped = [
        json.loads(line) for path in (tmp_path / "out/dropped").iterdir() for line in path.read_text().splitlines()
    ]
    assert len(dropped) == 15
    named = {row["id"]: row["metadata"] for row in dropped}
    assert named["1-0"]["filter_reason"] == "near_duplicate"
    assert named["1-0"]["whorl_duplicate_of"] == "http://0/5"
    with Sweep.open(tmp_path / "seen.sweep") as store:
        store.verify()


def test_tasks_that_run_at_the_same_time_share_the_store(tmp_path):
    kept = run(shards(tmp_path / "in"), tmp_path / "out", tmp_path / "seen.sweep", 3, 3, batch_size=4)
    assert len(kept) == 15


def test_a_task_that_is_run_again_gets_the_same_answers(tmp_path):
    shards(tmp_path / "in")
    first = run(tmp_path / "in", tmp_path / "one", tmp_path / "seen.sweep", 1, 1)
    assert run(tmp_path / "in", tmp_path / "two", tmp_path / "seen.sweep", 1, 1) == first


def test_documents_without_a_text_stay(tmp_path):
    block = NearDuplicateFilter(tmp_path / "seen.sweep")
    documents = [Document("", "a"), Document(" \n", "b"), Document(text(1), "c"), Document(text(1), "d")]
    assert block.filter_batch(documents) == [True, True, True, (False, "near_duplicate")]
    assert block.filter(Document(text(2), "e")) is True


def test_other_settings_than_those_of_the_store_are_refused_before_the_pipeline_runs(tmp_path):
    NearDuplicateFilter(tmp_path / "seen.sweep", threshold=0.7)
    NearDuplicateFilter(tmp_path / "seen.sweep")
    with pytest.raises(InputError, match="threshold"):
        NearDuplicateFilter(tmp_path / "seen.sweep", threshold=0.8)
