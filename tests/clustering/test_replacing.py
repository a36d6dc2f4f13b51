"""The files of a clustering are replaced together, and each has a checksum."""

import random
import shutil
import subprocess

import pytest
from click.testing import CliRunner
from pyarrow.parquet import read_table

from tests.index.corpus import prose
from whorl.cli import main
from whorl.clustering import output
from whorl.clustering.output import SUMS_FILE, check, settle
from whorl.clustering.query import Clusters
from whorl.errors import InputError, WhorlError

FILES = {"documents.parquet", "pairs.parquet", "keep.txt", "summary.json", "summary.html"}


def plant(folder, texts):
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def run(*arguments):
    return CliRunner().invoke(main, [*map(str, arguments)])


@pytest.fixture
def out(tmp_path):
    plant(tmp_path / "corpus", {"a.txt": prose(1), "b.txt": prose(1) + prose(2, 3), "c.txt": prose(3)})
    done = run("cluster", tmp_path / "corpus", "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    return tmp_path / "out"


def contents(out):
    return {name: (out / name).read_bytes() for name in sorted(FILES)}


def test_a_rerun_that_fails_leaves_the_files_of_the_run_before(out, monkeypatch):
    before = contents(out)

    def refused(folder):
        raise WhorlError("No space left on device")

    monkeypatch.setattr("whorl.report.clusters.write_clusters", refused)
    assert run("cluster", "-o", out, "--threshold", "0.99").exit_code == 1
    assert contents(out) == before
    assert not (out / "unfinished").exists()
    check(out)


@pytest.mark.parametrize("moved", range(6))
def test_a_run_that_is_stopped_while_files_are_moved_is_finished_later(out, tmp_path, monkeypatch, moved):
    other = tmp_path / "other"
    shutil.copytree(out, other)
    settled = output.settle
    monkeypatch.setattr(output, "settle", lambda folder: None)
    assert run("cluster", "-o", out, "--threshold", "0.99").exit_code == 0
    monkeypatch.setattr(output, "settle", settled)
    for path in sorted((out / "finished").iterdir(), key=lambda path: path.name == SUMS_FILE)[:moved]:
        path.replace(out / path.name)
    Clusters.open(out)
    assert run("cluster", "-o", other, "--threshold", "0.99").exit_code == 0
    for name in ("documents.parquet", "pairs.parquet"):
        assert read_table(out / name).to_pylist() == read_table(other / name).to_pylist()
    assert (out / "keep.txt").read_bytes() == (other / "keep.txt").read_bytes()
    assert not (out / "finished").exists()
    check(out)
    settle(out)


def test_a_run_that_was_stopped_before_it_began_goes_on(tmp_path):
    corpus = plant(tmp_path / "corpus", {"a.txt": prose(1)})
    (tmp_path / "out" / "unfinished" / "out").mkdir(parents=True)
    assert run("cluster", corpus, "-o", tmp_path / "out").exit_code == 0
    assert not (tmp_path / "out" / "unfinished").exists()


def test_the_checksums_are_those_of_the_usual_tool(out):
    assert subprocess.run(["sha256sum", "-c", "--quiet", SUMS_FILE], cwd=out, check=False).returncode == 0


def test_every_flip_is_noticed(out):
    draw = random.Random(3)
    assert run("cluster", "-o", out, "--verify").output == f"{out}: all files are intact\n"
    for path in sorted(path for path in out.rglob("*") if path.is_file() and path.stat().st_size):
        data = path.read_bytes()
        for _ in range(5):
            at, bit = draw.randrange(len(data)), draw.randrange(8)
            path.write_bytes(data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :])
            done = run("cluster", "-o", out, "--verify")
            assert done.exit_code == 1, f"{path.name}, byte {at}, bit {bit}"
            assert str(path) in done.output
            assert "Traceback" not in done.output
            if path.name in ("documents.parquet", "pairs.parquet"):
                with pytest.raises(InputError, match="damaged"):
                    Clusters.open(out)
        path.write_bytes(data)


def test_a_file_that_changed_in_a_sub_folder_is_another_corpus(tmp_path):
    corpus = plant(tmp_path / "corpus", {"deep/er/a.txt": prose(1), "b.txt": prose(2)})
    assert run("cluster", corpus, "-o", tmp_path / "out").exit_code == 0
    assert run("cluster", corpus, "-o", tmp_path / "out").exit_code == 0
    (corpus / "deep" / "er" / "a.txt").write_text(prose(3))
    done = run("cluster", corpus, "-o", tmp_path / "out")
    assert done.exit_code == 1
    assert "made with another corpus" in done.output


def test_a_clustering_inside_its_corpus_is_no_part_of_it(tmp_path):
    corpus = plant(tmp_path / "corpus", {"a.txt": prose(1), "b.txt": prose(2)})
    for _ in range(2):
        done = run("cluster", corpus, "-o", corpus / "out", "--threshold", "0.4")
        assert done.exit_code == 0, done.output
        assert done.output.startswith("2 documents")
    done = run("cluster", corpus, "-o", corpus / "out", "--fresh")
    assert done.output.startswith("2 documents")
