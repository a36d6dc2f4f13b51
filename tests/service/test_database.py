"""The service's database: transactions, versions, and what becomes of errors."""

import random
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

from whorl.errors import DamageError, InputError
from whorl.service.database import VERSION, ServiceDatabase, ServiceDatabaseError
from whorl.service.jobs import JobQueue
from whorl.storage.connection import checking_vfs


def _collections(database):
    return [row[0] for row in database.read("SELECT name FROM collections ORDER BY name")]


def _put(database, name, **how):
    database.write("INSERT INTO collections VALUES ('', ?, NULL, 0)", name, **how)


def _fail_after(database):
    _put(database, "a")
    with database.transaction():
        _put(database, "b")
    raise ZeroDivisionError


def test_what_is_written_is_there_after_reopening(tmp_path):
    with ServiceDatabase(tmp_path / "db") as database:
        _put(database, "a")
        _put(database, "b", durable=False)
        assert _collections(database) == ["a", "b"]
    with ServiceDatabase(tmp_path / "db") as database:
        assert _collections(database) == ["a", "b"]


def test_a_transaction_is_all_or_nothing(tmp_path):
    with ServiceDatabase(tmp_path / "db") as database:
        with pytest.raises(ZeroDivisionError), database.transaction():
            _fail_after(database)
        assert _collections(database) == []
        with database.transaction():
            _put(database, "a")
            assert _collections(database) == []  # readers see what is committed
        assert _collections(database) == ["a"]


def test_the_disk_is_waited_for_again_after_a_write_that_need_not(tmp_path):
    with ServiceDatabase(tmp_path / "db") as database:
        _put(database, "a", durable=False)
        with pytest.raises(ZeroDivisionError), database.transaction(durable=False):
            raise ZeroDivisionError
        assert database.write("PRAGMA synchronous") == [(2,)]  # FULL


def test_readers_do_not_wait_for_a_writer(tmp_path):
    with ServiceDatabase(tmp_path / "db") as database:
        seen = []
        with database.transaction():
            thread = threading.Thread(target=lambda: seen.append(_collections(database)))
            thread.start()
            thread.join(30)
            assert seen == [[]]


def test_two_processes_make_it_once(tmp_path):
    with ServiceDatabase(tmp_path / "db") as one, ServiceDatabase(tmp_path / "db") as other:
        _put(one, "a")
        assert _collections(other) == ["a"]


def test_a_newer_format_is_refused(tmp_path):
    ServiceDatabase(tmp_path / "db").close()
    connection = apsw.Connection(str(tmp_path / "db"), vfs=checking_vfs())
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(ServiceDatabaseError, match=r"newer than .*: update Whorl"):
        ServiceDatabase(tmp_path / "db")


def test_errors_name_the_file(tmp_path):
    (tmp_path / "db").write_bytes(b"no database at all" * 1000)
    with pytest.raises(ServiceDatabaseError, match="db: damaged"):
        ServiceDatabase(tmp_path / "db")
    with pytest.raises(ServiceDatabaseError, match="cannot be read or written"):
        ServiceDatabase(tmp_path / "missing" / "db")


@pytest.mark.parametrize("value", ["\ud800", 1 << 70])
def test_a_value_that_cannot_be_stored_is_the_callers_fault(tmp_path, value):
    with ServiceDatabase(tmp_path / "db") as database:
        with pytest.raises(InputError, match="cannot be stored"):
            _put(database, value)
        with pytest.raises(InputError, match="cannot be stored"):
            database.first("SELECT 1 FROM collections WHERE name = ?", value)
        _put(database, "a")
        assert _collections(database) == ["a"]


def test_the_file_is_its_owners_alone(tmp_path):
    with ServiceDatabase(tmp_path / "db") as database:
        _put(database, "a")
        assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


@pytest.mark.parametrize(
    "ask",
    [
        "SELECT id FROM audit WHERE tenant IS ? AND id < ? ORDER BY id DESC",
        "SELECT number FROM receipts WHERE tenant IS ? AND number < ? ORDER BY number DESC",
        "SELECT id FROM jobs WHERE tenant IS ? AND place < ? ORDER BY place DESC",
        "SELECT id FROM audit WHERE at < ?1 OR at < ?2",
        "SELECT id FROM tokens WHERE hash = ?1 OR hash = ?2",
    ],
)
def test_a_tenant_with_little_does_not_wait_for_those_with_much(tmp_path, ask):
    with ServiceDatabase(tmp_path / "db") as database:
        plan = [row[3] for row in database.read(f"EXPLAIN QUERY PLAN {ask}", "a", 9)]
    assert not [step for step in plan if "SCAN" in step or "TEMP B-TREE" in step]


def _filled(path, closed: bool) -> None:
    """A database that a process left, with all that it wrote still in the log unless it was ``closed``."""
    lines = "import os, sys; from pathlib import Path; from whorl.service.database import ServiceDatabase\n"
    lines += "database = ServiceDatabase(Path(sys.argv[1]))\n"
    lines += "statement = 'INSERT INTO collections VALUES (?, ?, NULL, 0)'\n"
    lines += "for number in range(30): database.write(statement, 'x' * 90, str(number))\n"
    lines += "database.close()\n" if closed else "os._exit(0)\n"
    subprocess.run([sys.executable, "-c", lines, str(path)], check=True)


@pytest.mark.parametrize("closed", [True, False])
def test_every_flip_is_noticed(tmp_path, closed):
    """In the pages by their checksums, in the log by the commits that are missing then."""
    _filled(tmp_path / "db", closed)
    files = {path: path.read_bytes() for path in tmp_path.iterdir() if not path.name.endswith("-shm")}
    with ServiceDatabase(tmp_path / "db") as database:
        right = database.read("SELECT * FROM collections")
    assert len(right) == 30
    draw, noticed = random.Random(7), 0
    for path in sorted(files) * 60:
        data = bytearray(files[path])
        if not data:
            continue
        at = draw.randrange(len(data))
        data[at] ^= 1 << draw.randrange(8)
        (tmp_path / "db-shm").unlink(missing_ok=True)
        for other, content in files.items():
            other.write_bytes(data if other == path else content)
        try:
            with ServiceDatabase(tmp_path / "db") as database:
                assert database.read("SELECT * FROM collections") == right, f"{path.name}, byte {at}"
                database.verify()
        except ServiceDatabaseError:
            noticed += 1
    assert noticed >= (120 if closed else 100)


def test_a_done_job_has_its_results_on_the_disk(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("whorl.service.workspace.os.fsync", lambda file: synced.append(_name_of(file)))
    with ServiceDatabase(tmp_path / "db") as database:
        jobs = JobQueue(database, tmp_path / "jobs")
        job = jobs.submit("compare", None, None, {})
        jobs.claim()
        (jobs.results(job.id) / "pages").mkdir(parents=True)
        (jobs.results(job.id) / "pages" / "index.html").write_text("x")
        del synced[:]
        finished = database.write

        def noted(statement, *values, **how):
            synced.append(statement.split()[0])
            return finished(statement, *values, **how)

        monkeypatch.setattr(database, "write", noted)
        jobs.finish(job.id, {})
        jobs.verify()
        (jobs.results(job.id) / "pages" / "index.html").write_text("y")
        with pytest.raises(DamageError, match="not as it was when its job was done"):
            jobs.verify()
    assert {"result", "index.html", "pages", "checksums.txt", job.id} <= set(synced[: synced.index("UPDATE")])


def _name_of(file: int) -> str:
    return Path(f"/proc/self/fd/{file}").readlink().name
