"""Group commits of documents: of several versions of one name, and with failures in any step."""

import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import whorl
from tests.service.harness import prose
from tests.service.stage import Clock, until
from whorl.index.prepare import Prepared
from whorl.model import Document
from whorl.service import retention
from whorl.service.database import SERVICE_DATABASE, ServiceDatabase, ServiceDatabaseError, back_up, now
from whorl.service.problems import Problem
from whorl.service.retention import ReceiptStore
from whorl.service.tenant_index import DocumentWriter, Ownership, TenantIndex

WEEK = timedelta(days=7)


class Stage:
    """A writer over a new index, and its receipts."""

    def __init__(self, folder: Path) -> None:
        whorl.Index.create(folder / "index").close()
        self.folder = folder / "index"
        self.database = ServiceDatabase(self.folder / SERVICE_DATABASE)
        self.receipts = ReceiptStore(self.database)
        self.index = TenantIndex.of(self.folder, Ownership())
        self.writer = DocumentWriter(self.index, self.receipts, WEEK)

    def prepared(self, seed: int, *, name: str = "acme/main/essay", owner: str = "acme"):
        return self.index.prepared(Document(name, prose(seed), owner=owner), sanctioned=False)

    def put(self, seed: int, **facts: str):
        return self.writer.put(self.prepared(seed, **facts))

    def close(self) -> None:
        self.writer.close()
        self.database.close()


@pytest.fixture
def stage(tmp_path):
    stage = Stage(tmp_path)
    yield stage
    stage.close()


def put_together(stage: Stage, prepared: list[Prepared]) -> list[Any]:
    """Let all wait for the same turn, in this order; return the outcome of each."""
    outcomes: list[Any] = [None] * len(prepared)

    def put(place: int) -> None:
        try:
            outcomes[place] = stage.writer.put(prepared[place])
        except Problem as problem:
            outcomes[place] = problem

    threads = [threading.Thread(target=put, args=(place,)) for place in range(len(prepared))]
    with stage.writer._turn:
        for count, thread in enumerate(threads, 1):
            thread.start()
            until(lambda count=count: len(stage.writer._tickets) == count)
    for thread in threads:
        thread.join()
    return outcomes


def test_deletions_are_repeated_in_an_older_copy_of_the_index(stage, tmp_path) -> None:
    secret, kept = (stage.put(seed, name=f"acme/main/{seed}")[0] for seed in (1, 2))
    back_up(stage.folder, tmp_path / "copy")
    late, _ = stage.put(3, name="acme/main/3")
    for entry in (secret, late):
        stage.writer.remove(entry)
        stage.receipts.purged(entry.id, {"clean": True})
    with closing(TenantIndex.of(tmp_path / "copy", Ownership())) as copy:
        writer = DocumentWriter(copy, stage.receipts, WEEK)
        with copy.reading():
            known = copy.ownership.learn(copy)
        assert [entry.id for entry in writer.repeat_deletions(known)] == [secret.id]
        assert [entry.name for entry in copy.entries()] == [kept.name]
        again = stage.receipts.get(secret.id)
        assert (again.purged, again.evidence) == (None, None)
        assert stage.receipts.sample_counts()[secret.id] > 0
        new, _ = writer.put(stage.prepared(4))
        assert new.id > late.id  # whose receipt is not that of another document
        assert writer.repeat_deletions(known) == []


def test_versions_of_one_name_in_one_turn_are_told_apart_and_leave_receipts(stage) -> None:
    outcomes = put_together(stage, [stage.prepared(seed) for seed in (1, 2, 3)])
    assert [state for _, state in outcomes] == ["added", "replaced", "replaced"]
    first, second, third = (entry for entry, _ in outcomes)
    assert len({first.id, second.id, third.id}) == 3
    assert len({first.digest, second.digest, third.digest}) == 3
    assert [receipt.number for receipt in stage.receipts.pending()] == [first.id, second.id]
    assert stage.index.find(third.id) == third
    assert stage.receipts.announced() == []


def test_the_same_version_twice_in_one_turn_is_added_once(stage) -> None:
    outcomes = put_together(stage, [stage.prepared(1), stage.prepared(1), stage.prepared(2, name="acme/main/other")])
    assert sorted(state for _, state in outcomes) == ["added", "added", "unchanged"]
    assert outcomes[0][0].id == outcomes[1][0].id
    assert stage.receipts.pending() == []


def test_a_name_that_another_owner_took_in_the_same_turn_is_refused(stage) -> None:
    (entry, state), problem = put_together(stage, [stage.prepared(1), stage.prepared(2, owner="bolt")])
    assert (entry.owner, state) == ("acme", "added")
    assert problem.status == 409


def test_a_failed_commit_leaves_no_receipt(stage, monkeypatch) -> None:
    entry, _ = stage.put(1)

    def failing(_prepared):
        raise ServiceDatabaseError(Path("index.db"), "the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(stage.index, "put", failing)
        with pytest.raises(ServiceDatabaseError):
            stage.put(2)
    assert stage.receipts.get(entry.id) is None
    assert stage.receipts.announced() == []
    assert stage.receipts.samples() == {}
    assert stage.index.find(entry.id) == entry


@pytest.mark.parametrize("is_replaced", [True, False])
def test_what_was_announced_when_the_process_died_is_settled(stage, monkeypatch, is_replaced) -> None:
    entry, _ = stage.put(1)
    stage.receipts.announce([(entry, stage.index.samples_of(entry))], WEEK)
    if is_replaced:
        stage.index.put([stage.prepared(2)])
    assert stage.receipts.pending() == []  # it is not known yet that the document goes
    assert stage.receipts.listed("acme") == []
    assert [number for number, _ in stage.receipts.announced()] == [entry.id]
    retention.settle_announced(stage.receipts, stage.index)
    assert [receipt.number for receipt in stage.receipts.pending()] == ([entry.id] if is_replaced else [])
    clock = Clock()
    clock.time = now() + 2 * retention.SETTLED
    monkeypatch.setattr(retention, "now", clock)
    retention.settle_announced(stage.receipts, stage.index)
    assert stage.receipts.announced() == []
    assert (stage.receipts.get(entry.id) is not None) == is_replaced
    assert bool(stage.receipts.samples()) == is_replaced


def test_a_receipt_is_settled_when_the_service_starts_again(tmp_path, monkeypatch) -> None:
    stage = Stage(tmp_path)
    entry, _ = stage.put(1)
    monkeypatch.setattr(stage.receipts, "settle", lambda _: None)
    stage.put(2)
    stage.close()
    with ServiceDatabase(stage.folder / SERVICE_DATABASE) as database:
        receipts = ReceiptStore(database)
        DocumentWriter(TenantIndex.of(stage.folder, Ownership()), receipts, WEEK).close()
        assert receipts.get(entry.id) is not None


def test_a_deletion_takes_the_place_of_what_was_announced(stage) -> None:
    entry, _ = stage.put(1)
    stage.receipts.announce([(entry, [b"a sample"])], WEEK)
    stage.writer.remove(entry)
    stage.receipts.settle({entry.id: True})
    assert [receipt.number for receipt in stage.receipts.pending()] == [entry.id]
    assert stage.receipts.samples()
    assert b"a sample" not in stage.receipts.samples()
