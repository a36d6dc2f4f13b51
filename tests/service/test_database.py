"""The service's database: transactions, versions, and what becomes of errors."""

import threading

import apsw
import pytest

from whorl.errors import InputError
from whorl.service.database import VERSION, ServiceDatabase, ServiceDatabaseError


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
    connection = apsw.Connection(str(tmp_path / "db"))
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
