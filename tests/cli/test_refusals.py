"""What the system refuses is told in one line: full disks, closed streams, names that cannot be, too many files."""

import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.index.corpus import prose
from whorl import Document
from whorl.cli import _is_of_output, main
from whorl.cli.options import echo_csv
from whorl.index.index import Index
from whorl.registry.registry import Registry


def whorl(*arguments, shell="", limit=1024, **given):
    """A command, with what a shell puts behind it, and so many open files at the most."""
    command = ["sh", "-c", f'ulimit -n {limit}; exec "$@" {shell}', "sh", sys.executable, "-m", "whorl", *arguments]
    return subprocess.run(command, capture_output=True, check=False, **given)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A command in this process, in the folder of the test: for what does not depend on its streams and limits."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(main, arguments)


@pytest.fixture
def index(tmp_path):
    with Index.create(tmp_path / "index") as made:
        made.add(Document("a", prose(1)))
    return tmp_path / "index"


@pytest.mark.parametrize(
    "arguments", [["index", "list", "INDEX"], ["formats"], ["--version"], ["--help"], ["check", "--help"]]
)
@pytest.mark.parametrize(
    ("shell", "reason"), [("> /dev/full", b"No space left on device"), (">&-", b"Bad file descriptor")]
)
def test_an_output_that_cannot_be_written(index, arguments, shell, reason):
    done = whorl(*(str(index) if each == "INDEX" else each for each in arguments), shell=shell)
    assert (done.returncode, done.stderr) == (1, b"Error: cannot write the output: " + reason + b"\n")


def test_csv_that_cannot_be_written_is_an_error_of_the_output(monkeypatch):
    full = io.TextIOWrapper(io.FileIO("/dev/full", "w"), write_through=True)
    monkeypatch.setattr("sys.stdout", full)
    with pytest.raises(OSError, match="No space left") as caught:
        echo_csv([["a"]])
    assert _is_of_output(caught.value)


def test_csv_has_control_characters(capsys):
    echo_csv([["a", "\x1b[2J"]])
    assert capsys.readouterr().out == "a,\x1b[2J\n"


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), RuntimeError("cannot release")])
def test_ctrl_c_has_a_code_of_its_own(run, monkeypatch, raised):
    raised.__context__ = KeyboardInterrupt()

    def interrupted(*arguments, **options):
        raise raised

    monkeypatch.setattr("whorl.cli.formats.command.callback", interrupted)
    done = run("formats")
    assert (done.exit_code, done.stderr) == (130, "\nAborted!\n")


def test_a_working_folder_that_is_gone(run, tmp_path):
    (tmp_path / "gone").mkdir()
    os.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    try:
        done = run("compare", ".")
    finally:
        os.chdir(tmp_path)
    assert done.stderr == "Error: the working folder: No such file or directory\n"


@pytest.mark.parametrize("command", ["cluster", "dedup", "decontaminate"])
def test_a_full_disk_names_the_folder_of_the_output(run, monkeypatch, command):
    def full(*arguments, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    for name in ("cluster_corpus", "dedup_corpus", "decontaminate_corpus"):
        monkeypatch.setattr(f"whorl.cli.cluster.{name}", full)
    Path("corpus").mkdir()
    against = ("--against", "corpus") if command == "decontaminate" else ()
    done = run(command, "corpus", "-o", "clean", *against)
    assert (done.exit_code, done.stderr) == (1, "Error: clean: cannot write: No space left on device\n")


def test_an_error_stream_that_is_closed(index, tmp_path):
    (tmp_path / "b.txt").write_text(prose(2))
    done = whorl("index", "add", str(index), str(tmp_path / "b.txt"), shell="2>&-")
    assert (done.returncode, done.stdout) == (0, b"1 added\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["index", "create", b"\xff.index"], b"is not Unicode: rename the folder"),
        (["index", "create", "x" * 300], b"File name too long"),
        (["registry", "create", "x" * 300], b"File name too long"),
        (["sweep", "add", b"\xff.sweep", "b.txt", "--date", "2026-01-01"], b"is not Unicode: rename the folder"),
        (["cluster", "b.txt", "-o", "x" * 300], b"File name too long"),
        (["cluster", "b.txt", "-o", "out", "--memory", "\u00b2"], b"is not a size"),
    ],
)
def test_names_that_cannot_be(tmp_path, arguments, reason):
    (tmp_path / "b.txt").write_text(prose(2))
    done = whorl(*arguments, cwd=tmp_path)
    assert done.returncode in (1, 2)
    assert reason in done.stderr
    assert b"Traceback" not in done.stderr


def test_too_many_open_files_are_reported_as_such(index):
    """And not as a kernel or a package that is missing."""

    for limit in range(8, 14):
        done = whorl("search", str(index), str(Path(__file__)), shell="", limit=limit)
        assert b"reinstall" not in done.stderr
        assert b"pyarrow" not in done.stderr


def test_an_index_whose_folder_of_segments_is_gone(index):
    """Tools that copy leave empty folders out."""
    (index / "segments").rmdir()
    with Index.open(index) as opened:
        assert opened.search(prose(1))[0].document.name == "a"
        opened.add(Document("b", prose(2)))
        opened.flush()
        opened.verify()


def test_a_medium_that_cannot_be_written_to(index, tmp_path, monkeypatch):
    with Registry.create(tmp_path / "registry") as registry:
        registry.add(Document("a", prose(1, 400)))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    before = sorted(path.name for path in index.iterdir())
    with Index.open(index) as opened:
        assert opened.search(prose(1))[0].document.name == "a"
        opened.verify()
        with pytest.raises(Exception, match=r"cannot (read or )?write"):
            opened.add(Document("b", prose(2)))
    assert sorted(path.name for path in index.iterdir()) == sorted({*before, "lock"})
    with Registry.open(tmp_path / "registry") as registry:
        assert registry.search(prose(1, 400))[0].document.name == "a"
        registry.verify()


def test_folders_with_the_same_names_in_them(tmp_path, run):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.txt").write_text(prose(ord(name), 400))
    assert run("registry", "create", "r").exit_code == 0
    done = run("registry", "add", "r", "a", "b")
    assert (done.exit_code, done.stdout) == (0, "2 added\n")


@pytest.mark.parametrize("kind", ["index", "registry"])
def test_documents_that_cannot_be_read_are_no_success(tmp_path, run, kind):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text(prose(1, 400))
    (tmp_path / "docs" / ".hidden").write_text(prose(2, 400))
    assert run(kind, "create", "store").exit_code == 0
    assert run(kind, "add", "store", "docs").exit_code == 0
    (tmp_path / "docs" / "b.pdf").write_bytes(b"%PDF-1.4\n" + b"\0" * 3000)
    done = run(kind, "add", "store", "docs")
    assert done.exit_code == 1
    assert "skipped: docs/b.pdf" in done.stderr or "skipped: b.pdf" in done.stderr


def test_compacting_gives_free_pages_back(tmp_path):
    with Registry.create(tmp_path / "registry") as registry:
        list(registry.add_all(Document(f"{number}", prose(number, 200)) for number in range(600)))
        before = registry.stats().bytes
        registry.compact()
        pages, free = registry._store.pages()
        assert free <= pages // 8
        assert registry.stats().bytes < before
        registry.verify()
