"""Retention: what is older than its collection allows goes, and nothing else."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.service.kinds.stage import task_of
from tests.service.stage import open_jobs
from whorl import Index
from whorl.model import Document
from whorl.service import retention
from whorl.service.retention import CollectionStore, ReceiptStore

NAMES = {"a/short/one": "a", "a/short/two": "a", "a/long/three": "a", "a/free/four": "a", "b/short/five": "b",
         "-/short/six": None, "a/short/forged": "b"}  # fmt: skip


@pytest.fixture
def stage(tmp_path):
    folder = tmp_path / "index"
    with Index.create(folder, "text") as index:
        for name, owner in NAMES.items():
            index.add(Document(name, f"The text of {name}, of which there is only a little to read here.", owner=owner))
    database, jobs = open_jobs(folder)
    collections = CollectionStore(database)
    for tenant, name, days in (("a", "short", 30), ("a", "long", 400), ("a", "free", None), (None, "short", 30)):
        collections.put(tenant, name, days)
    with database:
        yield folder, database, jobs


def test_documents_past_their_time_go(stage, monkeypatch):
    folder, database, _ = stage
    monkeypatch.setattr(retention, "now", lambda: datetime.now(UTC) + timedelta(days=31))
    assert retention.run_retention(task_of(stage, "retention")) == {"expired": 3, "purged": 3}
    with Index.open(folder) as index:
        assert {entry.name for entry in index.entries()} == {
            "a/long/three", "a/free/four", "b/short/five", "a/short/forged"
        }  # fmt: skip
    listed = ReceiptStore(database).listed(None, everyone=True)
    assert {receipt.tenant for receipt in listed} == {"a", None}
    assert all((receipt.evidence or {})["clean"] for receipt in listed)


def test_documents_in_their_time_stay(stage, monkeypatch):
    folder, database, _ = stage
    monkeypatch.setattr(retention, "now", lambda: datetime.now(UTC) + timedelta(days=29))
    assert retention.run_retention(task_of(stage, "retention")) == {"expired": 0, "purged": 0}
    with Index.open(folder) as index:
        assert len(index) == len(NAMES)
    assert ReceiptStore(database).pending() == []
