"""Receipts: a deletion is asked for once, becomes due in time, and is proved."""

from datetime import timedelta
from hashlib import sha256

import pytest

from tests.service.stage import Clock
from whorl.errors import InputError
from whorl.service.database import ServiceDatabase
from whorl.service.retention import ReceiptStore, name_sha256

WEEK = timedelta(days=7)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def receipts(tmp_path, clock):
    with ServiceDatabase(tmp_path / "db") as database:
        yield ReceiptStore(database, clock)


def test_a_receipt_has_a_deadline_and_not_the_name(receipts, clock, tmp_path):
    made = receipts.requested(7, "ann/main/diary.txt", "ann", WEEK)
    assert made == receipts.get(7)
    assert (made.requested, made.deadline, made.purged) == (clock.time, clock.time + WEEK, None)
    assert made.name_sha256 == sha256(b"ann/main/diary.txt").hexdigest()
    assert not any(b"diary" in path.read_bytes() for path in tmp_path.iterdir())


def test_the_first_request_holds(receipts, clock):
    made = receipts.requested(7, "a", "ann", WEEK)
    clock.forward(days=3)
    assert receipts.requested(7, "a", "ann", WEEK) == made


def test_the_receipt_of_another_document_proves_nothing(receipts):
    receipts.requested(7, "a", "ann", WEEK, [b"sample"])
    other = receipts.requested(7, "b", "ann", WEEK, [b"another"])
    assert other.name_sha256 == name_sha256("b")
    assert receipts.samples() == {b"another": 7}
    receipts.purged(7, {"clean": True})
    assert receipts.requested(7, "c", "ann", WEEK).purged is None


def test_due_with_half_of_the_time_left(receipts, clock):
    receipts.requested(7, "a", "ann", WEEK)
    receipts.requested(8, "b", "ann", timedelta(0))
    assert [each.number for each in receipts.due(clock.time)] == [8]
    assert [each.number for each in receipts.due(clock.time + WEEK / 2 - timedelta(seconds=1))] == [8]
    assert {each.number for each in receipts.due(clock.time + WEEK / 2)} == {7, 8}
    assert [each.number for each in receipts.pending()] == [8, 7]


def test_what_is_purged_is_no_longer_due(receipts, clock):
    receipts.requested(7, "a", "ann", timedelta(0))
    done = receipts.purged(7, {"clean": True})
    assert (done.purged, done.evidence) == (clock.time, {"clean": True})
    assert receipts.due(clock.time + WEEK) == receipts.pending() == []
    with pytest.raises(InputError, match="nobody asked"):
        receipts.purged(9, {})


def test_listed_by_tenant_a_page_at_a_time(receipts):
    for number in range(1, 6):
        receipts.requested(number, str(number), "ann" if number % 2 else None, WEEK)
    assert [each.number for each in receipts.listed("ann")] == [5, 3, 1]
    assert [each.number for each in receipts.listed(None)] == [4, 2]
    assert [each.number for each in receipts.listed(None, 4, 2, everyone=True)] == [3, 2]
    assert receipts.get(99) is None
