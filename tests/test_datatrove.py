"""The block for datatrove, in a real pipeline of datatrove; skipped where it is not installed."""

import json
from pathlib import Path
from typing import Any

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


def run(folder: Path, out: Path, index: Path, tasks: int, workers: int, **settings) -> list[Any]:
    block = NearDuplicateFilter(index, exclusion_writer=JsonlWriter(str(out / "dropped"), compression=None), **settings)
    LocalPipelineExecutor(
        pipeline=[JsonlReader(str(folder)), block, JsonlWriter(str(out / "kept"), compression=None)],
        tasks=tasks,
        workers=workers,
        logging_dir=str(out / "logs"),
    ).run()
    written = [json.loads(line) for path in (out / "kept").glob("*") for line in path.read_text().splitlines()]
    return sorted(row.get("id", "") for row in written)  # what is null is not written


def test_a_pipeline_keeps_the_first_of_near_duplicates(tmp_path):
    kept = run(shards(tmp_path / "in"), tmp_path / "out", tmp_path / "seen.sweep", 1, 1, batch_size=7)
    assert kept == sorted([f"0-{row}" for row in range(10)] + [f"1-{row}" for row in range(5, 10)])
    dropped = [
        json.loads(line) for path in (tmp_path / "out/dropped").iterdir() for line in path.read_text().splitlines()
    ]
    assert len(dropped) == 15
    named = {row["id"]: row["metadata"] for row in dropped}
    assert named["1-0"]["filter_reason"] == "near_duplicate"
    assert named["1-0"]["whorl_duplicate_of"] == f"{tmp_path}/in/0.jsonl:0-5"
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
    texts = {"a": "", "b": " \n", "c": text(1), "d": text(1), "e": text(2)}
    documents = [Document(content, name, metadata={"file_path": "x"}) for name, content in texts.items()]
    assert (
        block.filter_batch(documents[:4] * 2)
        == [True, True, True, *[(False, "near_duplicate")]] + [True, True] + [(False, "near_duplicate")] * 2
    )
    assert block.filter(documents[4]) is True


def test_other_settings_than_those_of_the_store_are_refused_before_the_pipeline_runs(tmp_path):
    NearDuplicateFilter(tmp_path / "seen.sweep", threshold=0.7)
    NearDuplicateFilter(tmp_path / "seen.sweep")
    with pytest.raises(InputError, match="threshold"):
        NearDuplicateFilter(tmp_path / "seen.sweep", threshold=0.8)


def test_ids_may_be_integers(tmp_path):
    (tmp_path / "in").mkdir()
    rows = [{"id": number, "text": text(number % 3)} for number in range(1, 6)]
    (tmp_path / "in/a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run(tmp_path / "in", tmp_path / "out", tmp_path / "seen.sweep", 1, 1) == [1, 2, 3]


@pytest.mark.parametrize("named", [{}, {"id": "one", "url": "http://one"}, {"id": None}], ids=str)
def test_exact_copies_go_though_they_have_one_id(tmp_path, named):
    """By default ids are the path inside the folder that is read, and the row."""
    for folder in ("january", "february"):
        (tmp_path / folder).mkdir()
        rows = [{**named, "text": text(1)}] * 2
        (tmp_path / folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    store, kept = tmp_path / "seen.sweep", {}
    for turn, folder in enumerate(("january", "february", "january", "february")):
        kept[turn] = run(tmp_path / folder, tmp_path / f"out{turn}", store, 1, 1)
    assert [len(left) for left in kept.values()] == [1, 0, 1, 0]


def test_a_stopped_task_that_is_run_again_drops_the_copies_that_it_has(tmp_path):
    documents = [Document(text(1), "a", metadata={"file_path": "x"}) for _ in range(2)]
    documents.append(Document(text(2), "b", metadata={"file_path": "x"}))
    answers = [True, (False, "near_duplicate"), True]
    for count in (1, 2, 3):
        block = NearDuplicateFilter(tmp_path / "seen.sweep")
        assert block.filter_batch(documents[:count]) == answers[:count]
    assert documents[1].metadata["whorl_duplicate_of"] == "x:a"


def test_ids_alone_are_warned_of(tmp_path):
    block = NearDuplicateFilter(tmp_path / "seen.sweep")
    with pytest.warns(UserWarning, match="exact copies with one id in several tasks or pipelines stay"):
        block.filter_batch([Document(text(1), "a"), Document(text(1), "a"), Document(text(2), "a")])
    with pytest.warns(UserWarning, match="exact copies"):
        assert NearDuplicateFilter(tmp_path / "seen.sweep").filter(Document(text(1), "a")) is True
