"""Purges: what was to go is gone, and the receipts say so."""

from datetime import timedelta

import pytest

from tests.service.kinds.stage import task_of
from tests.service.stage import open_jobs
from whorl import Index
from whorl.model import Document
from whorl.service import retention
from whorl.service.retention import ReceiptStore

TEXT = "A diary of {}, which nobody else should ever read, as {} has said to {} many times before this day."


@pytest.fixture
def stage(tmp_path):
    folder = tmp_path / "index"
    with Index.create(folder, "text") as index:
        for name in ("ann", "bob", "cleo"):
            index.add(Document(f"{name}/main/diary", TEXT.format(name, name, name), owner=name))
    database, jobs = open_jobs(folder)
    with database:
        yield folder, database, jobs


def test_documents_are_purged_and_proved(stage):
    folder, database, _ = stage
    receipts = ReceiptStore(database)
    with Index.open(folder) as index:
        ann, bob, _ = index.entries()
        for entry in (ann, bob):
            receipts.requested(entry.id, entry.name, entry.owner, timedelta(days=7), index.samples_of(entry))
        index.remove(ann.name)  # the server died before it removed the other
    assert retention.run_purge(task_of(stage, "purge")) == {"documents": 2}
    with Index.open(folder) as index:
        assert [entry.owner for entry in index.entries()] == ["cleo"]
        index.verify()
    for entry, was_there in ((ann, False), (bob, True)):
        receipt = receipts.get(entry.id)
        assert receipt is not None
        assert receipt.purged is not None
        assert receipt.evidence is not None
        assert receipt.evidence["clean"] is True
        assert receipt.evidence["samples"] > 0
        assert (receipt.evidence["document"], receipt.evidence["removed"]) == (entry.id, was_there)
        assert "documents" not in receipt.evidence  # those of other people went at the same time
    assert receipts.pending() == []
    assert receipts.samples() == {}


def test_a_receipt_for_which_nothing_was_looked_for_does_not_say_clean(stage):
    folder, database, _ = stage
    receipts = ReceiptStore(database)
    with Index.open(folder) as index:
        ann, *_ = index.entries()
        receipts.requested(ann.id, ann.name, ann.owner, timedelta(days=7))
        index.remove(ann.name)
    retention.run_purge(task_of(stage, "purge"))
    receipt = receipts.get(ann.id)
    assert receipt is not None
    assert receipt.evidence is not None
    assert (receipt.evidence["samples"], receipt.evidence["clean"]) == (0, False)


def test_a_document_that_has_the_number_of_another_receipt_stays(stage):
    folder, database, _ = stage
    receipts = ReceiptStore(database)
    with Index.open(folder) as index:
        ann, *_ = index.entries()
        receipts.requested(ann.id, "ann/main/another", ann.owner, timedelta(days=7), [b"a sample of the other"])
    assert retention.run_purge(task_of(stage, "purge")) == {"documents": 1}
    with Index.open(folder) as index:
        assert index.find(ann.id) == ann


def test_a_document_that_its_owner_deleted_after_its_retention_ended_is_proved(stage):
    folder, database, _ = stage
    receipts = ReceiptStore(database)
    with Index.open(folder) as index:
        ann, *_ = index.entries()
        receipts.requested(ann.id, ann.name, ann.owner, timedelta(days=1))  # and the purge failed
        receipts.requested(ann.id, ann.name, ann.owner, timedelta(days=7), index.samples_of(ann))
        index.remove(ann.name)
    retention.run_purge(task_of(stage, "purge"))
    receipt = receipts.get(ann.id)
    assert receipt is not None
    assert receipt.evidence is not None
    assert receipt.evidence["clean"] is True
    receipts.requested(ann.id, ann.name, ann.owner, timedelta(days=7), [b"a sample"])
    assert receipts.samples() == {}


def test_a_document_that_was_deleted_twice_is_proved_twice(stage):
    folder, database, _ = stage
    receipts = ReceiptStore(database)
    numbers = []
    with Index.open(folder) as index:
        for _ in range(2):
            entry = index.entry("ann/main/diary")
            assert entry is not None
            numbers.append(entry.id)
            receipts.requested(entry.id, entry.name, entry.owner, timedelta(days=7), index.samples_of(entry))
            index.remove(entry.name)
            index.add(Document(entry.name, TEXT.format("ann", "ann", "ann"), owner="ann"))
    assert retention.run_purge(task_of(stage, "purge")) == {"documents": 2}
    evidence = [receipt.evidence for number in numbers if (receipt := receipts.get(number)) is not None]
    assert [each is not None and each["clean"] for each in evidence] == [True, True]
    with Index.open(folder) as index:
        assert index.search(TEXT.format("ann", "ann", "ann"))[0].document.name == "ann/main/diary"


def test_nothing_to_purge_costs_nothing(stage):
    assert retention.run_purge(task_of(stage, "purge")) == {"documents": 0}
