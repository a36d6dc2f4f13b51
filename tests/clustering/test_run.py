"""A run over a folder: it goes on where it was stopped, and repeats only what must be."""

import errno
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests import forks
from tests.clustering.killed import kill_runs
from tests.examples import examples
from whorl.clustering import ClusterSettings, sketching
from whorl.clustering import cluster as running
from whorl.clustering import store as storing
from whorl.clustering.cluster import ClusteringRun
from whorl.clustering.store import FORMAT, StoreError
from whorl.errors import InputError
from whorl.scheme import resolve

SCHEME = whorl.Scheme(symbols="words", k=2, select="full")
texts = st.lists(st.lists(st.sampled_from("abcd"), max_size=12).map(" ".join), max_size=9)


def documents(contents):
    return [whorl.Document(str(number), content) for number, content in enumerate(contents)]


def clustered(folder, items, scheme=SCHEME, **asked):
    with ClusteringRun(folder, scheme, ClusterSettings(**asked)) as run:
        run.sketch(items)
        run.pair()
        return run.join().in_memory()


def same(one, two):
    assert list(one.members) == list(two.members)
    for column in ("left", "right", "shared"):
        assert getattr(one.pairs, column).tolist() == getattr(two.pairs, column).tolist()
    assert (one.common, one.skipped, one.shingles) == (two.common, two.skipped, two.shingles)
    assert one.boilerplate == two.boilerplate


policies = st.fixed_dictionaries(
    {
        "threshold": st.sampled_from([0.2, 0.5, 0.9]),
        "measure": st.sampled_from(["resemblance", "containment"]),
        "closure": st.booleans(),
        "estimate": st.booleans(),
        "common": st.sampled_from([2, 4, 1000]),
        "boilerplate": st.sampled_from([None, 0, 2, 4]),
        "modulus": st.sampled_from([1, 4]),
        "least": st.sampled_from([1, 32]),
    }
)


@given(texts, st.lists(policies, min_size=2, max_size=3))
@examples(60)
def test_another_policy_over_the_same_folder_gives_what_a_new_run_gives(tmp_path_factory, contents, asked):
    home = tmp_path_factory.mktemp("run")
    clustered(home / "kept", documents(contents), **asked[0])
    for number, policy in enumerate(asked):
        fresh = clustered(home / str(number), documents(contents), **policy)
        same(clustered(home / "kept", iter(()), **policy), fresh)


@given(texts, policies, st.sampled_from([1, 2, 3]), st.sampled_from([1 << 20, 1 << 30]))
@examples(40)
def test_threads_and_memory_change_nothing(tmp_path_factory, contents, policy, workers, memory):
    home = tmp_path_factory.mktemp("run")
    plain = clustered(home / "plain", documents(contents), workers=1, **policy)
    same(clustered(home / "other", documents(contents), workers=workers, memory=memory, **policy), plain)


def test_only_the_last_phase_is_repeated(tmp_path, monkeypatch):
    items = documents(["a b c d e f", "a b c d e g", "x y z"])
    clustered(tmp_path, items)

    def never(*_, **__):
        raise AssertionError("not again")

    for module, name in ((running, "ShingleReader"), (sketching, "draw"), (running, "PairCounter")):
        monkeypatch.setattr(module, name, never)
    found = clustered(tmp_path, iter(()), threshold=0.6, closure=True)
    assert found.pairs.left.tolist() == [0]
    with pytest.raises(AssertionError):
        clustered(tmp_path, iter(()), common=2)
    with pytest.raises(AssertionError):
        clustered(tmp_path, iter(()), modulus=2)


def test_clusters_are_kept_for_another_choice_of_documents(tmp_path, monkeypatch):
    items = documents(["a b c d e f", "a b c d e g", "x y z", "a b c d e f g h"])

    def joined(**policy):
        with ClusteringRun(tmp_path, SCHEME, ClusterSettings(workers=1, **policy), "corpus") as run:
            run.sketch(items)
            run.pair()
            return run.join()

    first = joined()
    with monkeypatch.context() as patched:
        patched.setattr(running, "Measurer", lambda *_: pytest.fail("not again"))
        same(joined(), first)
    other = joined(threshold=0.9)
    assert other.pairs.left.tolist() != first.pairs.left.tolist()
    same(joined(), first)
    joined(common=2)
    same(joined(), first)


class StoppedError(Exception):
    """Power cut."""


def stopping(items, after):
    for number, item in enumerate(items):
        if number == after:
            raise StoppedError
        yield item


@pytest.mark.parametrize("after", [1, 37, 99])
def test_a_run_that_was_stopped_goes_on(tmp_path, monkeypatch, after):
    monkeypatch.setattr(running, "batches", lambda items: ([item] for item in items))
    monkeypatch.setattr(storing, "OFTEN", 0.0)
    items = documents([f"the song of day {day} and nothing else {'la ' * (day % 7)}" for day in range(100)])
    with pytest.raises(StoppedError):
        clustered(tmp_path / "run", stopping(items, after), workers=1)
    found = clustered(tmp_path / "run", items, workers=1)
    same(found, clustered(tmp_path / "fresh", items))


def test_what_was_being_written_is_cut_off(tmp_path):
    items = documents([f"the song of day {day} and nothing else" for day in range(10)])
    with ClusteringRun(tmp_path / "run", SCHEME, ClusterSettings(workers=1)) as run:
        run._read(items[:4])
        run._store.save(read=False)
    for path in (tmp_path / "run").iterdir():
        if path.name not in (storing.STATE, storing.LOCK):
            with path.open("ab") as file:
                file.write(b"half a row")
    same(clustered(tmp_path / "run", items), clustered(tmp_path / "fresh", items))


def test_an_interrupted_run_keeps_what_it_read(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "batches", lambda items: ([item] for item in items))

    def interrupted(items):
        yield from items
        raise KeyboardInterrupt

    items = documents([f"the song of day {day} and nothing else" for day in range(10)])
    with pytest.raises(KeyboardInterrupt):
        clustered(tmp_path, interrupted(items), workers=1)
    assert json.loads((tmp_path / "state.json").read_text())["state"]["documents"] == 10


def test_killed_at_any_moment_it_goes_on(tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    rows = [
        {"id": str(day), "text": f"the song of day {day} " + "and what the sea brought " * 50} for day in range(3000)
    ]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert forks.run(kill_runs, corpus, tmp_path / "out", (0.05, 0.12, 0.2)) > 0
    command = [sys.executable, "-m", "whorl", "cluster", str(corpus), "-o", str(tmp_path / "out")]
    subprocess.run(command, check=True, capture_output=True)
    subprocess.run([*command[:-1], str(tmp_path / "fresh")], check=True, capture_output=True)
    for name in ("documents.parquet", "pairs.parquet", "keep.txt"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "fresh" / name).read_bytes()


def test_another_corpus_or_scheme_is_refused(tmp_path):
    clustered(tmp_path, documents(["a b c"]))
    with pytest.raises(InputError, match="another scheme"):
        ClusteringRun(tmp_path, resolve("web"), ClusterSettings())
    with pytest.raises(InputError, match="another corpus"):
        ClusteringRun(tmp_path, SCHEME, ClusterSettings(), corpus="elsewhere")


def test_a_corpus_that_changed_meanwhile_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(running, "batches", lambda items: ([item] for item in items))
    monkeypatch.setattr(storing, "OFTEN", 0.0)
    items = documents(["a b c", "d e f", "g h i"])
    with pytest.raises(StoppedError):
        clustered(tmp_path, stopping(items, 2), workers=1)
    with pytest.raises(InputError, match="the corpus has changed"):
        clustered(tmp_path, items[1:])


def test_two_runs_do_not_share_a_folder(tmp_path):
    with ClusteringRun(tmp_path, SCHEME, ClusterSettings()), pytest.raises(StoreError, match="another run"):
        ClusteringRun(tmp_path, SCHEME, ClusterSettings())


def test_what_the_disk_refuses_is_reported_at_the_end_and_the_run_can_go_on(tmp_path, monkeypatch):
    items = documents([f"the song of day {day} and nothing else" for day in range(10)])

    def refused(file):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refused)
        run = ClusteringRun(tmp_path / "run", SCHEME, ClusterSettings(workers=1))
        run._store.save(read=False)
        with pytest.raises(StoreError, match="No space left on device; run the same command again"):
            run._store.close()
    same(clustered(tmp_path / "run", items), clustered(tmp_path / "fresh", items))


def test_nothing_is_noted_after_a_refusal(tmp_path, monkeypatch):
    """A disk that has lost what it was given does not say so twice: what is saved next must not be taken for whole."""
    answers = iter([OSError(errno.EIO, "Input/output error")])

    def lost_once(file):
        if (refusal := next(answers, None)) is not None:
            raise refusal

    monkeypatch.setattr(os, "fsync", lost_once)
    run = ClusteringRun(tmp_path, SCHEME, ClusterSettings(workers=1))
    run._store.save(read=False)
    run._store._saving.clear()  # as if it were not done yet when the next is saved
    run._store.save(read=True)
    with pytest.raises(StoreError, match="Input/output error"):
        run._store.close()
    assert not (tmp_path / "state.json").exists()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "5", f'{{"format": {FORMAT}}}', f'{{"format": {FORMAT}, "sum": 1, "state": []}}', "[" * 5000],
)
def test_a_damaged_folder_is_reported(tmp_path, text):
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(StoreError, match=r"state.json: damaged; start over with --fresh"):
        ClusteringRun(tmp_path, SCHEME, ClusterSettings())


@pytest.mark.parametrize("text", ['{"format": 99}', '{"format": 2, "documents": 5}'])
def test_a_folder_of_another_version_is_refused(tmp_path, text):
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(StoreError, match="written by another version of Whorl; start over with --fresh"):
        ClusteringRun(tmp_path, SCHEME, ClusterSettings())


def test_every_flipped_bit_in_the_folder_is_noticed(tmp_path):
    """Each byte that a run goes on from has a checksum, that of state.json too."""
    items = documents([f"the song of day {day % 7} and nothing else" for day in range(20)])
    right = clustered(tmp_path / "run", items)
    draw = random.Random(5)
    for path in sorted((tmp_path / "run").iterdir()):
        data = path.read_bytes()
        for at in sorted(draw.sample(range(len(data)), min(len(data), 12))):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :])
            with pytest.raises(StoreError, match=r"damaged|another version"):
                clustered(tmp_path / "run", [])
        path.write_bytes(data)
    same(clustered(tmp_path / "run", []), right)


def test_what_a_phase_wrote_is_on_the_disk_before_the_state_names_it(tmp_path, monkeypatch):
    synced: set[str] = set()
    fsync = os.fsync

    def noted(file):
        synced.add(Path(f"/proc/self/fd/{file}").readlink().name)
        fsync(file)

    named: list[set[str]] = []
    written = storing.write_atomically

    def checked(path, state):
        named.append({name for name, (size, _) in json.loads(state)["state"]["files"].items() if size} - synced)
        written(path, state)

    monkeypatch.setattr(os, "fsync", noted)
    monkeypatch.setattr(storing, "write_atomically", checked)
    clustered(tmp_path / "run", documents([f"the song of day {day % 7} and nothing else" for day in range(20)]))
    assert len(named) >= 3
    assert named == [set()] * len(named)
    assert any(name.startswith("sketches-") for name in synced)
    assert "pairs.1" in synced


def test_what_a_phase_left_half_done_is_removed(tmp_path):
    items = documents([f"the song of day {day % 7} and nothing else" for day in range(20)])
    right = clustered(tmp_path / "run", items)
    for name in ("run-000000.segment", "pairs-000000", "pairs.2", "state.new"):
        (tmp_path / "run" / name).write_bytes(b"half")
    same(clustered(tmp_path / "run", [], common=5), clustered(tmp_path / "fresh", items, common=5))
    same(clustered(tmp_path / "run", []), right)
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names.isdisjoint({"run-000000.segment", "pairs-000000"})


def test_a_folder_is_not_emptied_while_a_run_is_at_work(tmp_path):
    with ClusteringRun(tmp_path, SCHEME, ClusterSettings()), pytest.raises(StoreError, match="another run"):
        storing.clear(tmp_path)


def test_a_full_disk_is_reported_and_the_run_can_go_on(tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    rows = [{"id": str(day), "text": " ".join(f"{word} of {day}" for word in range(500))} for day in range(300)]
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, "-m", "whorl", "cluster", str(corpus), "-o", str(tmp_path / "out")]
    # A file may not grow over 400 kB: to a program that is as good as a full disk.
    limited = ["bash", "-c", 'ulimit -f 400; exec "$@"', "limited", *command]
    result = subprocess.run(limited, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "run the same command again" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    subprocess.run(command, check=True, capture_output=True)
    subprocess.run([*command[:-1], str(tmp_path / "fresh")], check=True, capture_output=True)
    for name in ("documents.parquet", "pairs.parquet", "keep.txt"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "fresh" / name).read_bytes()
