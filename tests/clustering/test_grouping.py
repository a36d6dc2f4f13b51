"""Groups of hits against a plain reading of the definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from tests.examples import examples
from whorl.clustering import query
from whorl.clustering.query import group, group_hits
from whorl.errors import InputError

SCHEME = whorl.Scheme(symbols="words", k=2, select="full")
texts = st.lists(st.lists(st.sampled_from("abcd"), max_size=12).map(" ".join), max_size=9)

SONG = " ".join(f"the keeper wrote down on day {day} what the sea had brought him" for day in range(30))
TALE = " ".join(f"a baker fired oven {number} before the village woke at six" for number in range(30))


def by_definition(documents: list[str], threshold: float) -> list[list[int]]:
    """The best that is in no group stands for the next; all that resemble it and are free join it."""
    left = list(range(len(documents)))
    groups = []
    while left:
        best = left[0]
        alike = [
            other
            for other in left
            if other == best or whorl.resemblance(documents[best], documents[other], SCHEME) >= threshold
        ]
        groups.append(alike)
        left = [other for other in left if other not in alike]
    return groups


@given(texts, st.sampled_from([0.1, 0.34, 0.5, 0.75, 1.0]))
@examples(150)
def test_groups_are_those_of_the_definition(documents, threshold):
    found = group(documents, SCHEME, threshold)
    assert [list(each.members) for each in found] == by_definition(documents, threshold)
    for each in found:
        best = documents[each.members[0]]
        exact = [whorl.resemblance(best, documents[member], SCHEME) for member in each.members]
        assert list(each.resemblances) == pytest.approx(exact)


def test_many_holders_are_looked_at_in_parts(monkeypatch):
    documents = [SONG, TALE, f"{SONG} the end", SONG.upper(), f"{TALE} and more", "a b", "a b c"]
    whole = group(documents, SCHEME, 0.3)
    monkeypatch.setattr(query, "AT_ONCE", 20)
    assert group(documents, SCHEME, 0.3) == whole


def test_nothing_is_chained():
    words = [f"word{number}" for number in range(60)]
    chain = [" ".join(words[start : start + 30]) for start in (0, 10, 20)]
    first, second, third = chain
    assert whorl.resemblance(first, second) < 0.5
    groups = group(chain, SCHEME, 0.4)
    assert whorl.resemblance(first, second, SCHEME) >= 0.4 > whorl.resemblance(first, third, SCHEME)
    assert [each.members for each in groups] == [(0, 1), (2,)]


def test_no_documents_and_none_with_words():
    assert group([]) == []
    assert [each.members for each in group(["", "...", SONG])] == [(0, 1), (2,)]


@pytest.mark.parametrize("threshold", [0, -1, 1.1, float("nan")])
def test_a_threshold_that_is_none(threshold):
    with pytest.raises(InputError, match="threshold"):
        group([], threshold=threshold)


def index_of(scheme: str, documents: dict[str, str], *, text: bool = True) -> whorl.MemoryIndex:
    index = whorl.MemoryIndex.create(scheme, text=text)
    for name, content in documents.items():
        index.add(whorl.Document(name, content))
    return index


def test_hits_of_a_search_are_grouped_under_the_best():
    index = index_of("text", {"song": SONG, "tale": TALE, "again": f"{SONG} The end.", "loud": SONG.upper()})
    hits = index.search(f"{SONG} {TALE}")
    ranked = [hit.document.name for hit in hits]
    groups = group_hits(index, hits)
    names = [[hit.document.name for hit in each.hits] for each in groups]
    assert sorted(map(sorted, names)) == [["again", "loud", "song"], ["tale"]]
    assert [each[0] for each in names] == sorted((each[0] for each in names), key=ranked.index)
    for each in names:
        assert each == sorted(each, key=ranked.index)
    assert all(each.resemblances[0] == 1 for each in groups)


def test_programs_are_grouped_by_their_tokens():
    program = "\n".join(f"def add{n}(first, second):\n    return first * {n} + second" for n in range(20))
    renamed = program.replace("first", "a").replace("second", "b")
    other = "\n".join(f"class C{n}:\n    x = [{n}]\n    while x: x.pop()" for n in range(20))
    index = index_of("code", {"one.py": program, "two.py": renamed, "three.py": other})
    hits = index.search(whorl.Document("mine.py", f"{program}\n{other}"))
    names = [{hit.document.name for hit in each.hits} for each in group_hits(index, hits)]
    assert sorted(map(sorted, names)) == [["one.py", "two.py"], ["three.py"]]


def test_an_index_without_texts_says_so():
    index = index_of("text", {"song": SONG}, text=False)
    with pytest.raises(InputError, match=r"song: the index keeps no texts: grouping needs the texts"):
        group_hits(index, index.search(SONG))
    assert group_hits(index, []) == []
