"""Whoever registers a text again and again hides nobody else's: the original is still found."""

import pytest

from tests.index.corpus import prose
from whorl import Document
from whorl.index import search
from whorl.index.index import Index
from whorl.index.memory import MemoryIndex

TEXT = prose(1, 80)
ORIGINAL = Document("original", TEXT + prose(2, 80), owner="ann")


def copies(count, owner="mallory"):
    """No two are byte-equal; half of them are closer to a query for the text than the original is."""
    return (
        Document(f"copy {number}", TEXT + prose(10 + number % 2, 10) + str(number), owner=owner)
        for number in range(count)
    )


def poisoned(index, count, is_first):
    """The original before or after the copies."""
    if is_first:
        index.add(ORIGINAL)
    assert sum(added.state == "added" for added in index.add_all(copies(count))) == count
    if not is_first:
        index.add(ORIGINAL)


def check(index, count):
    for query in (TEXT, TEXT + prose(3, 40), TEXT[100:400], ORIGINAL.content):
        hits = index.search(query)
        names = [hit.document.name for hit in hits]
        assert "original" in names, names
        few = index.search(query, limit=search.OF_ONE_OWNER + 1, passages=False)
        assert "original" in [hit.document.name for hit in few]
        assert hits.cost.common == 0
        assert hits[names.index("original")].passages
        shown = [hit for hit in hits if hit.document.owner == "mallory"]
        assert {hit.others for hit in shown} == {count - len(shown)}


@pytest.mark.parametrize("is_first", [True, False])
def test_copies_hide_nothing(tmp_path, is_first):
    count = search.COMMON_OWNERS + 200
    with Index.create(tmp_path / "index") as index:
        poisoned(index, count, is_first)
        check(index, count)


@pytest.mark.slow
@pytest.mark.parametrize("is_first", [True, False])
def test_ten_thousand_copies_hide_nothing(tmp_path, is_first):
    with Index.create(tmp_path / "index") as index:
        poisoned(index, 10_000, is_first)
        check(index, 10_000)
        index.compact()
        check(index, 10_000)


def test_two_that_conspire_hide_nothing(monkeypatch):
    monkeypatch.setattr(search, "COMMON_OWNERS", 5)
    index = MemoryIndex.create()
    index.add(ORIGINAL)
    for number in range(3):
        list(index.add_all(Document(f"{number} {each.name}", each.content, owner=f"m{number}") for each in copies(20)))
    names = [hit.document.name for hit in index.search(TEXT)]
    assert "original" in names
