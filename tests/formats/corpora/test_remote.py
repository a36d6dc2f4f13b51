"""Corpora in object stores: copied, resumed, and refused in words; with the stores in memory of fsspec."""

import gzip
import json
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

import whorl
from whorl.cli import main
from whorl.errors import InputError
from whorl.formats.corpora import remote
from whorl.formats.corpora.remote import check_local, is_address

fsspec = pytest.importorskip("fsspec")

SONG = " ".join(f"the keeper wrote down on day {day} what the sea had brought him" for day in range(20))
TALE = " ".join(f"a baker counted {loaf} loaves in the oven of the old town before dawn" for loaf in range(20))


def jsonl(**texts: str) -> bytes:
    return "".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in texts.items()).encode()


@pytest.fixture
def store():
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    memory.pipe("/bucket/in/a.jsonl", jsonl(one=SONG, two=TALE))
    memory.pipe("/bucket/in/deep/b.jsonl.gz", gzip.compress(jsonl(three=SONG), mtime=0))
    yield memory
    memory.store.clear()


@pytest.mark.parametrize("path", ["s3://bucket/x", "memory://b/x", "gs://b", "HTTPS://a.example/x.jsonl"])
def test_what_is_an_address(path):
    assert is_address(path)


@pytest.mark.parametrize("path", ["corpus.jsonl", "/a/b", "a:b", "c:/a", "a/s3://b", Path("s3://bucket/x"), "://x"])
def test_what_is_a_path(path):
    assert not is_address(path)


def test_a_folder_of_a_store_is_deduplicated_as_the_same_folder_here(store, tmp_path):
    result = whorl.dedup("memory://bucket/in", tmp_path / "clean")
    store.get("/bucket/in", str(tmp_path / "in"), recursive=True)
    here = whorl.dedup(tmp_path / "in", tmp_path / "expected")
    assert result.report == here.report
    assert result.report["removed"] == 1
    clean, expected = tmp_path / "clean", tmp_path / "expected"
    assert (result.folder, here.folder) == (clean, expected)
    names = [path.relative_to(expected) for path in expected.rglob("*") if path.is_file()]
    assert (clean / "a.jsonl").read_bytes() == jsonl(one=SONG, two=TALE)
    for name in names:
        if name.name != "recipe.json":
            assert (clean / name).read_bytes() == (expected / name).read_bytes(), name
    assert sorted(path.name for path in tmp_path.iterdir()) == ["clean", "expected", "in"]


def test_the_longest_names_are_copied(store, tmp_path):
    name = "x" * 249 + ".jsonl"
    store.pipe(f"/long/{name}", jsonl(one=SONG))
    whorl.dedup("memory://long", tmp_path / "clean")
    assert (tmp_path / "clean" / name).read_bytes() == jsonl(one=SONG)


def test_the_commands_take_addresses(store, tmp_path):
    store.pipe("/evals/items.jsonl", json.dumps({"question": TALE[:200]}).encode() + b"\n")
    run = CliRunner().invoke
    clustered = run(main, ["cluster", "memory://bucket/in", "-o", str(tmp_path / "c")])
    assert clustered.exit_code == 0, clustered.output
    assert "3 documents: 1 cluster with 2 of them" in clustered.output
    assert '<mark class="passage">' in (tmp_path / "c/summary.html").read_text()
    command = ["decontaminate", "memory://bucket/in/*.jsonl", "--against", "memory://evals/items.jsonl"]
    cleaned = run(main, [*command, "-o", str(tmp_path / "d")])
    assert cleaned.exit_code == 0, cleaned.output
    assert "2 documents: 1 stay, 1 removed" in cleaned.output


def test_files_of_this_machine_are_not_copied(tmp_path, monkeypatch):
    (tmp_path / "a.jsonl").write_bytes(jsonl(one=SONG, two=SONG))
    monkeypatch.setattr(remote._Copies, "_copy", lambda *args: pytest.fail("copied"))
    assert whorl.dedup(f"file://{tmp_path}/a.jsonl", tmp_path / "out").report["removed"] == 1


def test_a_stopped_run_copies_only_what_is_missing_or_has_changed(store, tmp_path, monkeypatch):
    copied: list[str] = []
    get_file = type(store).get_file

    def noted(self, name, target, **more):
        if fails and name.endswith("b.jsonl.gz"):
            Path(target).write_bytes(b"half")
            raise ConnectionError("the line is down")
        copied.append(name)
        return get_file(self, name, target, **more)

    monkeypatch.setattr(type(store), "get_file", noted)
    fails = True
    with pytest.raises(InputError, match="memory://bucket/in: cannot be read: the line is down"):
        whorl.dedup("memory://bucket/in", tmp_path / "clean")
    assert copied == ["/bucket/in/a.jsonl"]
    fails = False
    assert whorl.dedup("memory://bucket/in", tmp_path / "clean").report["removed"] == 1
    assert copied == ["/bucket/in/a.jsonl", "/bucket/in/deep/b.jsonl.gz"]
    assert not (tmp_path / ".clean.input").exists()


def test_an_unchanged_corpus_is_the_same_and_a_changed_one_is_refused(store, tmp_path):
    whorl.cluster_corpus("memory://bucket/in", tmp_path / "c")
    assert whorl.cluster_corpus("memory://bucket/in", tmp_path / "c", threshold=0.9).summary["clusters"] == 1
    store.pipe("/bucket/in/a.jsonl", jsonl(one=SONG, two=TALE[:-1] + "x"))
    with pytest.raises(InputError, match="made with another corpus"):
        whorl.cluster_corpus("memory://bucket/in", tmp_path / "c")


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("memory://bucket/nothing", "memory://bucket/nothing: no such file or folder"),
        ("nowhere://x", "nowhere://x: cannot be read: Protocol not known: nowhere"),
        pytest.param(
            "s3://bucket/in",
            "s3://bucket/in: cannot be read: Install s3fs to access S3",
            marks=pytest.mark.skipif(find_spec("s3fs") is not None, reason="s3fs is installed"),
        ),
    ],
)
def test_what_cannot_be_read_is_said(store, tmp_path, address, said):
    with pytest.raises(InputError) as error:
        whorl.dedup(address, tmp_path / "out")
    assert str(error.value).startswith(said)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["/bucket/odd/../x.jsonl", "/bucket/odd//x.jsonl", "/bucket/odd/./x.jsonl"])
def test_names_that_cannot_be_files_are_refused(store, tmp_path, name):
    store.store[name] = store.store["/bucket/in/a.jsonl"]
    store.find = lambda *args, **more: {name: {"name": name, "size": 1, "type": "file"}}
    try:
        with pytest.raises(InputError, match="cannot be a file"):
            whorl.dedup("memory://bucket/odd", tmp_path / "out")
    finally:
        del store.find
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_file_that_is_also_a_folder_is_refused(store, tmp_path):
    listed = {
        name: {"name": name, "size": 1, "type": "file"} for name in ("/bucket/in/a.jsonl", "/bucket/in/a.jsonl/b")
    }
    store.find = lambda *args, **more: {
        name: {**facts, "size": store.size("/bucket/in/a.jsonl")} for name, facts in listed.items()
    }
    store.ukey = lambda name: name
    try:
        with pytest.raises(InputError, match="is both an object and a folder"):
            whorl.dedup("memory://bucket/in", tmp_path / "out")
    finally:
        del store.find, store.ukey


def test_an_index_takes_no_addresses(store, tmp_path):
    with pytest.raises(InputError, match="index: knows rows by the paths of their files"):
        whorl.dedup("memory://bucket/in", tmp_path / "out", index=tmp_path / "seen.sweep")
    assert not any(tmp_path.iterdir())  # nothing was copied


def test_addresses_of_this_machine_may_be_patterns(tmp_path):
    for name in ("a.txt", "b.txt", "c?.txt"):
        (tmp_path / name).write_text(name)
    summary = whorl.cluster_corpus(f"file://{tmp_path}/[ab].txt", tmp_path / "out").summary
    assert summary["documents"] == 2
    assert whorl.cluster_corpus(f"file://{tmp_path}/c?.txt", tmp_path / "one").summary["documents"] == 1
    with pytest.raises(InputError, match="no such file or folder"):
        whorl.cluster_corpus(f"file://{tmp_path}/*.md", tmp_path / "none")


@pytest.mark.parametrize("out", ["memory://bucket/out", "s3://bucket/out", "memory:/bucket/out"])
def test_output_to_a_store_is_refused_before_anything_is_copied(store, out, monkeypatch):
    monkeypatch.setattr(remote._Copies, "of", lambda *args: pytest.fail("copied"))
    with pytest.raises(InputError, match="is not a folder of this machine"):
        whorl.dedup("memory://bucket/in", out)
    with pytest.raises(InputError, match="is not a folder of this machine"):
        check_local(out)
    result = CliRunner().invoke(main, ["cluster", "memory://bucket/in", "-o", out])
    assert result.exit_code != 0
    assert "is not a folder of this machine; write to a folder" in result.output


def test_without_fsspec_the_command_that_installs_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r's3://b/x: needs fsspec; install it with: pip install "whorl\[remote\]"'):
        whorl.cluster_corpus("s3://b/x", tmp_path / "out")


@pytest.mark.parametrize(
    "rows",
    [[{"id": 1, "text": "a"}], {"id": [1], "text": ["a"]}, pa.table({"id": [1], "text": ["a"]}), 7],
    ids=lambda rows: type(rows).__name__,
)
def test_rows_are_no_paths(tmp_path, rows):
    with pytest.raises(InputError, match=r"paths: \w+ is not a path; write rows to a JSONL or Parquet file first"):
        whorl.cluster_corpus(rows, tmp_path / "out")
    assert not any(tmp_path.iterdir())
