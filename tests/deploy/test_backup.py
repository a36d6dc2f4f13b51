"""``deploy/``: a copy of an index that is being written to, and a unit that systemd takes."""

import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.index.corpus import prose
from whorl import Document, Scheme
from whorl.index.index import Index
from whorl.storage import store

DEPLOY = Path(__file__).parents[2] / "deploy"
SCHEME = Scheme(k=8, w=4)

needs_flock = pytest.mark.skipif(shutil.which("flock") is None, reason="flock is not installed")


def backup(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = ["sh", str(DEPLOY / "backup.sh"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@needs_flock
def test_a_copy_of_an_index_that_is_written_to(tmp_path, monkeypatch):
    """Every copy is one state of the index, whatever is added and merged meanwhile."""
    monkeypatch.setattr(store, "FLUSH_DOCUMENTS", 2)
    monkeypatch.setattr(store, "FAN", 2)
    stop = threading.Event()
    with Index.create(tmp_path / "index", SCHEME) as index:
        (tmp_path / "index" / "jobs").mkdir()
        (tmp_path / "index" / "jobs" / "one").write_text("result")

        def add() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                index.add(Document(f"{number}", prose(number, 20)))

        thread = threading.Thread(target=add)
        thread.start()
        try:
            for copy in ("first", "second"):
                done = backup(tmp_path / "index", tmp_path / copy, sys.executable)
                assert (done.returncode, done.stderr) == (0, "")
        finally:
            stop.set()
            thread.join()
        total = len(index)
    for copy in ("first", "second"):
        with Index.open(tmp_path / copy) as copied:
            copied.verify()
            names = sorted(int(entry.name) for entry in copied.entries())
            assert names == list(range(1, len(names) + 1))
            assert len(names) <= total
            for name in names[-3:]:
                assert copied.search(prose(name, 20))[0].document.name == f"{name}"
            copied.add(Document("new", prose(0)))
        assert (tmp_path / copy / "jobs" / "one").read_text() == "result"
        assert (tmp_path / copy / "secret.key").stat().st_mode & 0o777 == 0o600


@needs_flock
def test_what_is_refused(tmp_path):
    Index.create(tmp_path / "index", SCHEME).close()
    (tmp_path / "there").mkdir()
    for arguments in ((tmp_path / "index", tmp_path / "there"), (tmp_path / "there", tmp_path / "x"), ()):
        done = backup(*arguments)
        assert done.returncode == 2
        assert "usage: backup.sh INDEX COPY" in done.stderr


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_takes_the_unit(tmp_path):
    unit = (DEPLOY / "whorl.service").read_text().replace("/opt/whorl/bin/whorl", sys.executable)
    (tmp_path / "whorl.service").write_text(unit)
    command = ["systemd-analyze", "verify", str(tmp_path / "whorl.service")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert "whorl.service" not in done.stderr
    assert done.returncode == 0
