"""The audit log: by tenant, by person, and not for ever."""

import pytest

from tests.service.stage import Clock
from whorl.errors import InputError
from whorl.service.audit import LONGEST, LONGEST_DAYS, AuditLog
from whorl.service.database import ServiceDatabase


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def audit(tmp_path, clock):
    with ServiceDatabase(tmp_path / "db") as database:
        yield AuditLog(database, 30, clock)


def _subjects(lines):
    return [line.subject for line in lines]


def test_a_line_says_who_did_what(audit, clock):
    audit.note("t1", "history", "delete", "7", "done", "127.0.0.1", "main/essay.txt")
    line = audit.listed("history")[0]
    assert (line.at, line.actor, line.tenant, line.action) == (clock.time, "t1", "history", "delete")
    assert (line.subject, line.outcome, line.address, line.detail) == ("7", "done", "127.0.0.1", "main/essay.txt")


def test_the_newest_come_first_a_page_at_a_time(audit):
    for number in range(5):
        audit.note(None, "a" if number % 2 else None, "search", str(number))
    assert _subjects(audit.listed(None, everyone=True)) == ["4", "3", "2", "1", "0"]
    assert _subjects(audit.listed("a")) == ["3", "1"]
    assert _subjects(audit.listed(None)) == ["4", "2", "0"]  # the house's own, not everybody's
    first = audit.listed(None, limit=2, everyone=True)
    assert _subjects(audit.listed(None, first[-1].id, 2, everyone=True)) == ["2", "1"]


def test_about_a_person_are_lines_that_name_them_as_a_word(audit):
    audit.note("t1", "ann", "search", "1")
    audit.note("t2", "house", "delete", "ann/main/essay.txt")
    audit.note("t2", "house", "export", "3", detail="of ann, by mail")
    audit.note("t2", "joanna", "delete", "joanna/main/ann.txt")
    audit.note("t2", "bob", "export", "5", detail="ann@example.org, joanna, ann-lee")
    assert _subjects(audit.about("ann")) == ["1", "ann/main/essay.txt", "3"]
    assert _subjects(audit.about("ann@example.org")) == ["5"]
    assert audit.about("a(n+") == []


def test_old_lines_are_forgotten(audit, clock):
    audit.note(None, "a", "search", "old")
    clock.forward(days=29)
    audit.note(None, "a", "search", "new")
    assert audit.prune() == 0
    clock.forward(days=1.1)
    assert audit.prune() == 1
    assert _subjects(audit.listed("a")) == ["new"]


def test_what_a_client_sends_neither_swells_nor_breaks_the_log(audit):
    audit.note(None, None, "search", "x" * 5_000_000, detail="\ud800\0")
    line = audit.listed(None)[0]
    assert len(line.subject) == LONGEST
    assert line.detail == "\\ud800\0"


@pytest.mark.parametrize("days", [0, LONGEST_DAYS + 1, 10**12])
def test_lines_are_kept_for_a_day_at_least_and_a_century_at_most(tmp_path, days):
    with ServiceDatabase(tmp_path / "db") as database, pytest.raises(InputError, match="keep_days"):
        AuditLog(database, days)


def test_a_century_of_lines_can_be_pruned(tmp_path, clock):
    with ServiceDatabase(tmp_path / "db") as database:
        assert AuditLog(database, LONGEST_DAYS, clock).prune() == 0
