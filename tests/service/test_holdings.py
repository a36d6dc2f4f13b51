import numpy as np

import whorl
from tests.service.harness import prose
from whorl.model import Document
from whorl.service.tenant_index import Ownership


def numbers(*values: int):
    return np.array(values, np.uint32)


def test_owners_and_sizes_are_learned_as_documents_come(tmp_path) -> None:
    with whorl.Index.create(tmp_path / "index") as index:
        ownership = Ownership()
        index.add(Document("a", prose(1), owner="acme"))
        index.add(Document("b", prose(2)))
        with index.reading():
            ownership.learn(index)
        assert ownership.owners(numbers(1, 2)) == {1: "acme", 2: None}
        index.add(Document("c", prose(3), owner="bolt"))
        with index.reading():
            ownership.learn(index)
        assert ownership.are_of("acme", numbers(1, 2, 3)).tolist() == [True, False, False]
        assert ownership.are_of(None, numbers(1, 2, 3)).tolist() == [False, True, False]
        assert ownership.are_of("nobody", numbers(1, 2, 3)).tolist() == [False, False, False]
        assert ownership.numbers_of("bolt").tolist() == [3]
        sizes = [entry.fingerprints for entry in index.entries()]
        assert ownership.fingerprints(numbers(1, 2, 3)).tolist() == sizes


def test_another_process_learns_only_what_came_later(tmp_path, monkeypatch) -> None:
    with whorl.Index.create(tmp_path / "index") as index:
        ours, theirs, asked = Ownership(), Ownership(), list[int]()
        index.add(Document("a", prose(1), owner="acme"))
        with index.reading():
            ours.learn(index)
        theirs.adopt(ours.known())
        index.add(Document("b", prose(2), owner="bolt"))
        page = index.page_by_number

        def noted(after, limit):
            asked.append(after)
            return page(after, limit)

        monkeypatch.setattr(index, "page_by_number", noted)
        with index.reading():
            theirs.learn(index)
        assert asked == [1, 2]
        assert theirs.owners(numbers(1, 2)) == {1: "acme", 2: "bolt"}
        assert theirs.fingerprints(numbers(1, 2)).tolist() == [entry.fingerprints for entry in index.entries()]
        assert ours.numbers_of("bolt").tolist() == []  # what one learns is not the other's


def test_an_owner_that_changed_is_noticed_and_learned_again(tmp_path) -> None:
    with whorl.Index.create(tmp_path / "index") as index:
        ownership = Ownership()
        index.add(Document("a", prose(1), owner="acme"))
        with index.reading():
            ownership.learn(index)
        index.add(Document("a", prose(1), owner="bolt"))
        entry = index.entry("a")
        assert entry is not None
        assert not ownership.agrees(entry)
        ownership.forget()
        with index.reading():
            ownership.learn(index)
        assert ownership.agrees(entry)
