"""Stopped runs of ``whorl.dedup`` by parts of texts, and of ``whorl.decontaminate``, resume with the same result."""

import contextlib
import gzip
import json
import os
import shutil
from collections import Counter
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whorl
from whorl import corpus_output, corpus_spans
from whorl.clustering import repeats, store
from whorl.clustering.store import StoreError
from whorl.corpus_decontamination import ItemIndex
from whorl.formats.corpora import streams, tables
from whorl.kernel import native_shingles

ITEM = "A train leaves the old harbour at noon with forty two passengers and a dog in the last coach"


def words(number: int, count: int = 20) -> str:
    return " ".join(f"word{number}x{place}" for place in range(count))


def texts(shard: int) -> list[str | None]:
    """Texts with a paragraph that all shards have, one of two shards, one of this shard, and an item."""
    shared = [f"{words(0)}\n\n{words(1 + shard // 2)}\n\n{words(10 + shard)}", f"{words(20 + shard)} {ITEM}"]
    return [*shared, None, words(0), f"{words(30 + shard)}\n\n{words(30 + shard)}"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that is only copied, with the items of an evaluation and a corpus in five files: JSONL, Parquet,
    a text file that goes whole, and rows that cannot be read."""
    base = tmp_path_factory.mktemp("written")
    folder = base / "corpus"
    folder.mkdir()
    rows = [[{"id": number, "text": text} for number, text in enumerate(texts(shard))] for shard in range(4)]
    lines = [b"".join(json.dumps(row).encode() + b"\n" for row in part) for part in rows]
    (folder / "0.jsonl").write_bytes(b"no object\n" + lines[0])
    (folder / "1.txt").write_text(words(0))
    (folder / "2.jsonl.gz").write_bytes(gzip.compress(lines[1] + b"{\n", mtime=0))
    pq.write_table(pa.Table.from_pylist(rows[2]), folder / "3.parquet", row_group_size=2)
    (folder / "4.jsonl").write_bytes(lines[3])
    (base / "evals.jsonl").write_text(json.dumps({"id": "train", "question": ITEM}) + "\n")
    return base


@pytest.fixture
def corpus(written: Path, tmp_path: Path) -> Path:
    shutil.copytree(written, tmp_path, dirs_exist_ok=True)
    return tmp_path / "corpus"


RUNS: dict[str, dict[str, Any]] = {
    "passage": {"unit": "passage", "tokens": 8, "shortest": 10, "workers": 1},
    "mark": {"unit": "passage", "tokens": 8, "mark": True, "workers": 1},
    "line": {"unit": "line", "workers": 1},
    "leak": {"action": "cut", "workers": 1},
}


def run(kind: str, corpus: Path, out: Path, **settings: Any) -> None:
    if kind == "leak":
        whorl.decontaminate(corpus, out, corpus.parent / "evals.jsonl", **RUNS[kind], **settings)
    else:
        whorl.dedup(corpus, out, **RUNS[kind], **settings)


def files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


class Stopped(BaseException):
    """The run is stopped here."""


class Syncs:
    """Count the syncs of files and folders, and stop at one of them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.count, self.stop_at = 0, 0
        patch.setattr(os, "fsync", self._synced)

    def _synced(self, descriptor: int) -> None:
        self.count += 1
        if self.count == self.stop_at:
            raise Stopped


@pytest.mark.parametrize("kind", RUNS)
def test_stopped_before_any_sync_it_goes_on(corpus, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(store, "OFTEN", 0)
    syncs = Syncs(monkeypatch)
    run(kind, corpus, tmp_path / "whole")
    whole, stops = files(tmp_path / "whole"), 0
    for stop_at in count(1, 6):
        out = tmp_path / str(stop_at)
        syncs.count, syncs.stop_at = 0, stop_at
        try:
            run(kind, corpus, out)
            break  # there are fewer syncs
        except Stopped:
            stops, syncs.stop_at = stops + 1, 0
        for grown in (out / "_whorl").rglob("*"):
            if grown.name in ("tokens", "fingerprints", "hits", "documents", "log", "written.jsonl"):
                with grown.open("ab") as file:
                    file.write(b"half a write")
        run(kind, corpus, out)
        assert files(out) == whole, stop_at
    assert stops > 2


@pytest.mark.parametrize("kind", RUNS)
def test_starting_over_that_is_stopped_leaves_no_result_without_its_files(corpus, tmp_path, monkeypatch, kind):
    out, unlink, calls = tmp_path / "out", Path.unlink, count(1)
    run(kind, corpus, out)
    whole = files(out)

    def removed(path, missing_ok=False):
        if next(calls) == stop_at:
            raise Stopped
        unlink(path, missing_ok=missing_ok)

    monkeypatch.setattr(Path, "unlink", removed)
    for stop_at in range(1, 12):
        calls = count(1)
        with contextlib.suppress(Stopped):
            run(kind, corpus, out, fresh=True)
        calls = count(100)
        run(kind, corpus, out)
        assert files(out) == whole, stop_at


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("kind", RUNS)
def test_a_second_run_into_one_folder_is_refused(corpus, tmp_path, kind, fresh):
    refused = []

    def begin_second(*_):
        with pytest.raises(StoreError, match=r"out/_whorl: another run is at work there; wait, or choose"):
            run(kind, corpus, tmp_path / "out", fresh=fresh)
        refused.append(kind)

    run(kind, corpus, tmp_path / "out", progress=begin_second)
    run(kind, corpus, tmp_path / "whole")
    assert refused
    assert files(tmp_path / "out") == files(tmp_path / "whole")


@pytest.mark.parametrize(("kind", "searcher"), [("passage", repeats.Winnower), ("leak", ItemIndex)])
def test_texts_are_not_searched_and_files_not_written_twice(corpus, tmp_path, monkeypatch, kind, searcher):
    monkeypatch.setattr(store, "OFTEN", 0)
    name = "read" if kind == "passage" else "hits"
    search, searched = getattr(searcher, name), []

    def failing(self, tokens, bounds):
        searched.append(len(tokens))
        if len(searched) == 3:
            raise KeyboardInterrupt
        return search(self, tokens, bounds)

    monkeypatch.setattr(searcher, name, failing)
    with pytest.raises(KeyboardInterrupt):
        run(kind, corpus, tmp_path / "out")
    run(kind, corpus, tmp_path / "out")
    stopped, searched[:] = searched[:], [0, 0, 0]
    run(kind, corpus, tmp_path / "whole")
    assert stopped[:2] + stopped[3:] == searched[3:]  # every text once but those of the batch that failed
    journal = (tmp_path / "out/_whorl/written.jsonl").read_text()
    written = Counter(json.loads(line)["file"] for line in journal.splitlines())
    assert set(written.values()) == {1}


@pytest.mark.parametrize("kind", ["passage", "line", "leak"])
def test_a_full_disk_while_files_are_written(corpus, tmp_path, monkeypatch, kind):
    run(kind, corpus, tmp_path / "whole")
    edit, edited = streams.edit_lines, []

    def failing(path, target, change, most):
        edited.append(path.name)
        if len(edited) == 2:
            target.write_bytes(b"half")
            raise OSError(28, "No space left on device")
        return edit(path, target, change, most)

    monkeypatch.setattr(tables, "edit_lines", failing)
    with pytest.raises(whorl.WhorlError, match="No space left"):
        run(kind, corpus, tmp_path / "out")
    run(kind, corpus, tmp_path / "out")
    assert edited == ["0.jsonl", "2.jsonl.gz", "2.jsonl.gz", "4.jsonl"]
    assert files(tmp_path / "out") == files(tmp_path / "whole")


@pytest.mark.parametrize(("kind", "name"), [("passage", "phases/tokens"), ("line", "log")])
def test_a_damaged_file_of_a_stopped_run_is_refused(corpus, tmp_path, monkeypatch, kind, name):
    monkeypatch.setattr(store, "OFTEN", 0)

    def stop(*_):
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(corpus_output.OutputFolder, "save", stop)
        with pytest.raises(Stopped):
            run(kind, corpus, tmp_path / "out")
    path = tmp_path / "out" / "_whorl" / name
    data = path.read_bytes()
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])
    with pytest.raises(StoreError, match=f"{path.name}: damaged; start over with --fresh"):
        run(kind, corpus, tmp_path / "out")


def test_memory_does_not_grow_with_the_passages(tmp_path, monkeypatch):
    """Tokens are read back from files in portions."""
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": f"{words(0, 500)} row {row}"}) + "\n" for row in range(200)))
    sizes, gather = [], native_shingles.gather

    def noted(descriptor, starts, bounds):
        sizes.append(int(bounds[-1]))
        return gather(descriptor, starts, bounds)

    monkeypatch.setattr(native_shingles, "gather", noted)
    monkeypatch.setattr(repeats, "RUN", 1000)
    monkeypatch.setattr(repeats, "SAMPLE", 100)
    monkeypatch.setattr(corpus_spans, "STEP", 16)
    result = whorl.dedup(path, tmp_path / "out", unit="passage", memory=1 << 20, workers=1)
    assert (result.report["kinds"], result.report["removed"]) == ({"passage": 199}, 199)
    assert sum(sizes) > 200 * 500
    assert max(sizes) <= 2 * 502
    assert pq.read_table(tmp_path / "out/_whorl/passages.parquet").num_rows == 199
