"""Search answers about others' documents must not be an oracle for what is stored."""

import shutil
from uuid import uuid4

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from tests.service.harness import prose
from whorl.index.cover import Timer
from whorl.model import Document
from whorl.service.disclosure import LETTERS, MOST_DISCLOSED, SHARED, Overlap, levels
from whorl.service.settings import Others
from whorl.service.tenant_index import IndexQuery, Ownership, TenantIndex

QUERY = prose(400)


def overlap(*documents: tuple[int, int], evidence: int = 100) -> Overlap:
    shared, sizes = zip(*documents, strict=True)
    numbers = np.arange(1, len(documents) + 1, dtype=np.uint32)
    return Overlap(numbers, np.array(shared), np.array(sizes), evidence, np.arange(evidence, dtype=np.uint64))


def disclosed(found: Overlap, letters: int = LETTERS, others: Others = Others.EXISTS) -> list[str]:
    return [level for _, level in levels(found, letters, others)]


@pytest.mark.parametrize(
    ("shared", "size", "level"),
    [(19, 1000, []), (20, 1000, ["some"]), (49, 1000, ["some"]), (50, 1000, ["much"]), (80, 1000, ["most"])],
)
def test_levels_are_cut_at_fixed_shares(shared, size, level) -> None:
    assert disclosed(overlap((shared, size))) == level


def test_a_short_document_that_is_in_the_query_counts_too() -> None:
    assert disclosed(overlap((SHARED, SHARED))) == ["most"]
    assert disclosed(overlap((SHARED - 1, SHARED - 1))) == []


def test_short_queries_and_the_policy_nothing_tell_nothing() -> None:
    assert disclosed(overlap((90, 100)), LETTERS - 1) == []
    assert disclosed(overlap((90, 100)), others=Others.NOTHING) == []


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 500)), min_size=1, max_size=30))
def test_no_more_than_a_few_are_reported_and_the_order_is_the_levels(documents) -> None:
    found = disclosed(overlap(*documents))
    assert len(found) <= MOST_DISCLOSED
    assert found == sorted(found, key=["most", "much", "some"].index)


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 500)), min_size=1, max_size=10), st.randoms())
def test_what_is_below_the_thresholds_changes_nothing(documents, chance) -> None:
    below = [(shared, 1000) for shared in range(20)]
    mixed = [*documents, *below]
    chance.shuffle(mixed)
    assert disclosed(overlap(*mixed)) == disclosed(overlap(*documents))


def stored(folder, own: list[str]):
    with whorl.Index.create(folder) as index:
        for number, text in enumerate(own):
            index.add(Document(f"acme/main/{number}", text, owner="acme"))
    return folder


def answers(folder, *foreign: str):
    """What acme hears from a copy of an index, which has the same key, once others have added their texts."""
    copy = folder.with_name(f"copy-{uuid4().hex}")
    shutil.copytree(folder, copy)
    with whorl.Index.open(copy) as index:
        for number, text in enumerate(foreign):
            index.add(Document(f"bolt/main/{number}", text, owner="bolt"))
    with TenantIndex.of(copy, Ownership()) as reader:
        query = IndexQuery(document=Document("q", QUERY), tenant="acme", limit=2)
        found, explained = reader.ask(query), reader.explain_own(query, Timer())
        same = levels(found.others, len(QUERY), Others.EXISTS)
        assert levels(explained.others, len(QUERY), Others.EXISTS) == same
    hits = [
        (hit.document.name, hit.score, hit.containment, hit.contained, hit.passages)
        for hit in (*found.hits, *explained.hits)
    ]
    return hits, (found.hits.cost, explained.hits.cost, explained.hits.notes), same


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    own = [QUERY[:900], QUERY[500:1500] + prose(401), prose(402) + QUERY[-300:]]
    return stored(tmp_path_factory.mktemp("policy") / "index", own)


@examples(6, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(0, len(QUERY) - 400), st.integers(40, 300)), min_size=1, max_size=6))
def test_two_indexes_that_differ_below_the_thresholds_answer_alike(index, pieces) -> None:
    """Small pieces of the query, one to a foreign document of other words: nothing of the answer may show them."""
    hidden = [prose(500 + place) + QUERY[start : start + size] for place, (start, size) in enumerate(pieces)]
    assert answers(index, *hidden) == answers(index)


def test_others_do_not_push_own_documents_out_of_the_list(index) -> None:
    alone, crowded = answers(index), answers(index, *(QUERY + prose(600 + number, 20) for number in range(30)))
    assert len(alone[0]) == 5  # two hits of a search, three sources of a check
    assert alone[:2] == crowded[:2]
    assert [level for _, level in crowded[2]] == ["most"] * MOST_DISCLOSED
