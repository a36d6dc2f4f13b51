import numpy as np
import pytest

import whorl
from tests.service.harness import prose, running, settings_in
from whorl.model import Document
from whorl.service.tenant_index import IndexQuery, Ownership, TenantIndex


def numbers(*values: int):
    return np.array(values, np.uint32)


@pytest.fixture
def index(tmp_path):
    with TenantIndex.create(tmp_path / "index") as index:
        index.ownership = Ownership()
        yield index


def learned(index: TenantIndex):
    with index.reading():
        return index.ownership.learn(index)


def test_owners_and_sizes_are_learned_as_documents_come(index) -> None:
    index.add(Document("a", prose(1), owner="acme"))
    index.add(Document("b", prose(2)))
    assert learned(index).owners_of(numbers(1, 2)) == {1: "acme", 2: None}
    index.add(Document("c", prose(3), owner="bolt"))
    known = learned(index)
    assert known.are_of("acme", numbers(1, 2, 3)).tolist() == [True, False, False]
    assert known.are_of(None, numbers(1, 2, 3)).tolist() == [False, True, False]
    assert known.are_of("nobody", numbers(1, 2, 3)).tolist() == [False, False, False]
    assert known.numbers_of("bolt").tolist() == [3]
    sizes = [entry.fingerprints for entry in index.entries()]
    assert known.fingerprints(numbers(1, 2, 3)).tolist() == sizes


def noted(index, monkeypatch) -> list[int]:
    """Note after which numbers the rows are read."""
    asked, page = list[int](), index.page_by_number

    def noting(after, limit):
        asked.append(after)
        return page(after, limit)

    monkeypatch.setattr(index, "page_by_number", noting)
    return asked


def test_another_process_learns_only_what_came_later(index, monkeypatch) -> None:
    ours, theirs = index.ownership, Ownership()
    index.add(Document("a", prose(1), owner="acme"))
    known = learned(index)
    theirs.adopt(ours.known())
    index.add(Document("b", prose(2), owner="bolt"))
    asked = noted(index, monkeypatch)
    with index.reading():
        later = theirs.learn(index)
    assert asked == [1, 2]
    assert later.owners_of(numbers(1, 2)) == {1: "acme", 2: "bolt"}
    assert later.fingerprints(numbers(1, 2)).tolist() == [entry.fingerprints for entry in index.entries()]
    assert known.numbers_of("bolt").tolist() == []  # what one learns is not the other's


def test_an_owner_that_changed_is_learned_at_the_next_request(index) -> None:
    index.add(Document("a", prose(1), owner="acme"))
    learned(index)
    assert index.add(Document("a", prose(1), owner="bolt")).state == "updated"
    assert learned(index).owners_of(numbers(1)) == {1: "bolt"}
    assert index.add(Document("a", prose(1))).state == "updated"
    assert learned(index).owners_of(numbers(1)) == {1: None}


def test_other_changes_do_not_read_all_rows_again(index, monkeypatch) -> None:
    for seed in range(1, 4):
        index.add(Document(str(seed), prose(seed), owner="acme"))
    learned(index)
    index.add(Document("1", prose(1), owner="acme", url="http://x"))
    index.remove("2")
    index.flush()
    asked = noted(index, monkeypatch)
    learned(index)
    assert asked == [3]


def test_a_reader_of_an_older_state_has_the_owners_of_that_state(index) -> None:
    """Another thread has learned what came later: owners that changed, and documents that are gone."""
    index.add(Document("a", prose(1), owner="acme"))
    index.add(Document("b", prose(2), owner="acme"))
    learned(index)
    with TenantIndex.of(index.folder, index.ownership) as older, older.reading():
        index.add(Document("a", prose(1), owner="bolt"))
        index.remove("b")
        later = learned(index)
        assert later.numbers_of("bolt").tolist() == [1]
        assert index.ownership.learn(older).numbers_of("acme").tolist() == [1, 2]
        outcome = older.ask(IndexQuery(document=Document("q", prose(2)), tenant="acme"))
        assert [hit.document.id for hit in outcome.hits] == [2]
        assert len(outcome.others.numbers) == 0
    assert learned(index).numbers_of("bolt").tolist() == [1]


def test_what_is_forgotten_is_learned_again(index) -> None:
    index.add(Document("a", prose(1), owner="acme"))
    entry = index.entry("a")
    assert entry is not None
    learned(index)
    assert index.ownership.agrees(entry)
    index.ownership.forget()
    assert learned(index).owners_of(numbers(1)) == {1: "acme"}
    assert index.ownership.agrees(entry)


def test_owners_that_the_command_line_changes_count_at_once(tmp_path) -> None:
    settings = settings_in(tmp_path)
    with whorl.Index.open(settings.index) as index:
        index.add(Document("cli/essay", prose(1), owner="acme"))
    with (
        running(settings) as service,
        service.client(service.acme) as acme,
        service.client(service.bolt) as bolt,
        whorl.Index.open(settings.index) as index,
    ):
        assert len(acme.post("/search", json={"text": prose(1)}).json()["hits"]) == 1
        assert index.add(Document("cli/essay", prose(1), owner="bolt")).state == "updated"
        assert [each["id"] for each in bolt.get("/documents").json()["documents"]] == [1]
        answer = bolt.post("/search", json={"text": prose(1)}).json()
        assert [hit["document"]["id"] for hit in answer["hits"]] == [1]
        assert answer["foreign"] == []
        assert acme.get("/documents").json()["documents"] == []
        assert acme.post("/search", json={"text": prose(1)}).json()["hits"] == []
