"""Too few descriptors or too little memory: messages say so, and blame neither a file nor the installation."""

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

import whorl.cli
from tests.index.corpus import prose
from whorl import Document, Index, Registry, Sweep
from whorl.cli import main
from whorl.errors import StoreIOError
from whorl.formats.archives.rules import Rules
from whorl.formats.corpora import parquet_rows
from whorl.formats.corpora.records import Columns
from whorl.service.database import ServiceDatabase, ServiceDatabaseError


@contextmanager
def no_more_files() -> Iterator[None]:
    """No file can be opened inside: all numbers of descriptors below the limit are in use."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    highest = max(int(path.name) for path in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, hard))
    filling = []
    try:
        while True:
            try:
                filling.append(os.open(os.devnull, os.O_RDONLY))
            except OSError:
                break
        yield
    finally:
        for descriptor in filling:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("kind", [Index, Registry, Sweep])
def test_a_store_that_cannot_be_opened_for_lack_of_descriptors_is_not_damaged(tmp_path, kind) -> None:
    with kind.create(tmp_path / "store"):
        pass
    with no_more_files(), pytest.raises(StoreIOError, match="Too many open files"):
        kind.open(tmp_path / "store")
    kind.open(tmp_path / "store").close()


def test_nor_is_a_database_of_the_service(tmp_path) -> None:
    ServiceDatabase(tmp_path / "service.sqlite").close()
    with no_more_files(), pytest.raises(ServiceDatabaseError, match="Too many open files"):
        ServiceDatabase(tmp_path / "service.sqlite")


def test_a_search_that_runs_out_of_descriptors_says_so(tmp_path) -> None:
    with Index.create(tmp_path / "index") as index:
        index.add(Document("a", prose(1)))
        index.flush()
    (tmp_path / "query.txt").write_text(prose(1))
    command = ["search", str(tmp_path / "index"), str(tmp_path / "query.txt")]
    assert CliRunner().invoke(main, command).exit_code == 0  # and every module is imported
    with no_more_files():
        done = CliRunner().invoke(main, command)
    assert (done.exit_code, "Too many open files" in done.output) == (1, True)
    assert "damaged" not in done.output


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ImportError("libx.so: failed to map segment from shared object"), "not enough memory"),
        (ImportError("x.so: cannot open shared object file: Too many open files"), "too many open files"),
        (OSError(errno.EMFILE, "Too many open files", "x.py"), "x.py: Too many open files"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "Cannot allocate memory"),
        (RuntimeError("can't start new thread"), "no further thread"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_modules_that_cannot_be_loaded_are_not_called_missing(monkeypatch, error, words) -> None:
    def fail(name: str) -> None:
        raise error

    monkeypatch.setattr(whorl.cli, "import_module", fail)
    done = CliRunner().invoke(main, ["formats"])
    assert (done.exit_code, done.output.count("\n")) == (1, 1)
    assert words in done.output
    assert "install" not in done.output


# Runs the program with 60 MB more of address space than it has: too little to import NumPy.
LITTLE = """
import re, resource, sys
from pathlib import Path
from whorl.cli import main
size = int(re.findall(r"VmSize:\\s+(\\d+)", Path("/proc/self/status").read_text())[0]) << 10
resource.setrlimit(resource.RLIMIT_AS, (size + (60 << 20),) * 2)
main(sys.argv[1:])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads its size from /proc")
@pytest.mark.parametrize("arguments", [["formats"], ["--version"]])
def test_too_little_memory_for_numpy_is_reported_in_one_line(arguments) -> None:
    done = subprocess.run([sys.executable, "-c", LITTLE, *arguments], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "Error: not enough memory\n")


def test_other_faults_of_modules_are_not_hidden(monkeypatch) -> None:
    def fail(name: str) -> None:
        raise ImportError("no module of this name")

    monkeypatch.setattr(whorl.cli, "import_module", fail)
    with pytest.raises(ImportError):
        CliRunner().invoke(main, ["formats"], catch_exceptions=False)


def test_parquet_is_not_damaged_if_it_cannot_be_opened(tmp_path, monkeypatch) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"id": ["a"], "text": ["words"]}), path)

    def fail(path: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files", str(path))

    monkeypatch.setattr(parquet_rows, "_open", fail)
    with pytest.raises(OSError, match="Too many open files"):
        list(parquet_rows.rows(path, path.name, Columns(), Rules(), ""))
