"""Pages of a list: by name with a prefix, by number, one by its number; the same in memory and on disk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from whorl import Document
from whorl.errors import InputError
from whorl.index.base import MOST_LISTED
from whorl.index.index import Index
from whorl.index.memory import MemoryIndex

NAMES = st.text(st.sampled_from("ab/é\ud7ff\ue000\U0010ffff\0"), max_size=5)
SCHEME_OF_ALL = "text"


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    with Index.create(tmp_path_factory.mktemp("paging") / "index", SCHEME_OF_ALL) as index:
        yield index


def filled(index, names) -> MemoryIndex:
    """Only these documents in the index, and in the one in memory that is given."""
    index.remove(*(entry.name for entry in index.entries()))
    list(index.add_all([Document(name, "x") for name in names]))
    memory = MemoryIndex.create(SCHEME_OF_ALL)
    list(memory.add_all([Document(name, "x") for name in names]))
    return memory


def names_of(entries) -> list[str]:
    return [entry.name for entry in entries]


@examples(40)
@given(names=st.lists(NAMES, max_size=12, unique=True), prefix=NAMES, after=NAMES, limit=st.integers(1, 6))
def test_pages_by_name(index, names, prefix, after, limit):
    memory = filled(index, names)
    expected = sorted(name for name in names if name.startswith(prefix) and name > after)[:limit]
    assert names_of(index.page(prefix, after, limit)) == expected
    assert names_of(memory.page(prefix, after, limit)) == expected


@examples(20)
@given(names=st.lists(NAMES, max_size=12, unique=True), limit=st.integers(1, 6))
def test_page_after_page_gives_all(index, names, limit):
    filled(index, names)
    found, last = [], 0
    while page := index.page_by_number(last, limit):
        assert len(page) <= limit
        found += names_of(page)
        last = page[-1].id
    assert found == names
    for entry in index.entries():
        assert index.find(entry.id) == entry


@pytest.mark.parametrize("number", [-1, 0, 10**6, 2**32, 2**63, 2**64, 10**30])
def test_numbers_of_nothing(index, number):
    assert index.find(number) is None
    assert index.page_by_number(max(number, 10**6), 5) == []
    assert MemoryIndex.create().find(number) is None


def test_what_is_refused(index):
    for limit in (0, -1, MOST_LISTED + 1, 10**30):
        with pytest.raises(InputError, match="limit: "):
            index.page(limit=limit)
        with pytest.raises(InputError, match="limit: "):
            index.page_by_number(0, limit)
    with pytest.raises(InputError, match="not Unicode"):
        index.page("\ud800")
    with pytest.raises(InputError, match="not Unicode"):
        index.page(after="\ud800")
    filled(index, ["a", "b", "c"])
    assert len(index.page(limit=MOST_LISTED)) == len(index.page_by_number(limit=MOST_LISTED)) == 3


def test_names_are_found_by_the_tables_index(index):
    """A page costs what it has, not what the table has."""
    wanted = "name >= 'a' AND name > 'b' AND name < 'c' ORDER BY name LIMIT 5"
    plan = [row[3] for row in index._store._execute(f"EXPLAIN QUERY PLAN SELECT * FROM documents WHERE {wanted}")]
    assert len(plan) == 1
    assert "SEARCH documents USING INDEX" in plan[0]
