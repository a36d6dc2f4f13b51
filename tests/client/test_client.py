"""A client's verbs against a server that says what a test wants: what is refused, and answers that make no sense."""

import json
from contextlib import closing, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.client.stand_in import Asked, Reply, standing_in
from tests.examples import examples
from whorl.client.client import Client, added_of, answer_of, entry_of, page_of, understood
from whorl.client.transport import AnswerError, ServerRefusedError
from whorl.errors import DocumentError
from whorl.index.writer import Added
from whorl.model import Document, Skipped

STORED = {
    "id": 3, "tenant": "ann", "collection": "main", "name": "a", "format": "text", "symbols": 9, "fingerprints": 2,
    "sanctioned": False, "url": None, "date": "2020", "contact": None, "labels": ["x"], "added": "2026",
}  # fmt: skip
SIDE = {"start": 0, "end": 2, "start_line": 1, "end_line": 1, "text": "ab", "before": "", "after": "c"}
HIT = {
    "document": STORED, "score": 0.5, "resemblance": 0.5, "containment": 0.5, "contained": 0.5, "shared": 1,
    "others": 0, "verified": True, "passages": [{"left": SIDE, "right": {**SIDE, "text": None}, "symbols": 2}],
}  # fmt: skip
ANSWER = {"name": "q", "text": None, "hits": [HIT], "foreign": [{"level": "some", "contact": None}],
          "cost": {"fingerprints": 1}, "notes": []}  # fmt: skip


def refusing(status: int) -> Reply:
    return Reply(status, json.dumps({"title": "No", "detail": "never"}).encode())


def answered(value: object, status: int = 200) -> Reply:
    return Reply(status, json.dumps(value).encode())


def test_a_page_ends_when_the_server_says_so():
    pages = {None: ("b", "b"), "b": ("c", None)}

    def answer(asked: Asked) -> Reply:
        after = asked.path.partition("after=")[2].partition("&")[0] or None
        name, following = pages[after]
        return answered({"documents": [{**STORED, "name": name}], "after": following})

    with standing_in(answer) as server, Client(server.url, None, collection="essays") as client:
        assert [entry.name for entry in client.entries()] == ["b", "c"]
    assert all("collection=essays" in asked.path for asked in server.asked)


def test_a_list_without_an_end():
    with standing_in(lambda _: answered({"documents": [STORED], "after": "a"})) as server:
        client = Client(server.url, None)
        with closing(client), pytest.raises(AnswerError, match="its list does not end"):
            list(client.entries())
    assert len(server.asked) == 2


def test_a_name_is_found_only_if_it_is_the_same():
    page = {"documents": [{**STORED, "name": "ab"}], "after": None}
    with standing_in(lambda _: answered(page)) as server, Client(server.url, None) as client:
        assert client.entry("a") is None
        assert client.entry("ab") is not None
        assert client.remove("a") == []
    assert all(asked.method == "GET" for asked in server.asked)


@pytest.mark.parametrize("status", [409, 413, 415, 422])
def test_what_is_wrong_with_one_document_stops_no_other(status):
    replies = iter([refusing(status), answered({"state": "added", "document": STORED}, 201)])
    with standing_in(lambda _: next(replies)) as server, Client(server.url, None) as client:
        result = list(client.add_all([Document("a", "x"), Document("b", b"y")]))
    assert result == [Skipped("a", "No: never"), Added("b", "added", 9)]


@pytest.mark.parametrize("status", [401, 403, 404, 500, 503])
def test_what_is_wrong_with_all_stops_all(status):
    with (
        standing_in(lambda _: refusing(status)) as server,
        Client(server.url, None) as client,
        pytest.raises(ServerRefusedError),
    ):
        list(client.add_all([Document("a", "x"), Document("b", "y"), Document("c", "z")]))
    assert len(server.asked) == 1


def test_files_that_are_gone_are_left_out(tmp_path):
    (tmp_path / "there").write_text("x")
    with (
        standing_in(lambda _: answered({"state": "added", "document": STORED})) as server,
        Client(server.url, None) as client,
    ):
        files = [Document("a", tmp_path / "gone"), Document("b", tmp_path), Document("c", tmp_path / "there")]
        result = list(client.add_all(files, threads=2))
    assert [type(each) for each in result] == [Skipped, Skipped, Added]
    assert len(server.asked) == 1


def test_an_answer_is_reported_as_the_command_tells_it():
    (hit,) = answer_of(ANSWER, "query.txt")["hits"]
    assert hit["document"]["owner"] == "ann"
    assert "url" not in hit["document"]
    (passage,) = hit["passages"]
    left = {"file": "query.txt", "start": 0, "end": 2, "start_line": 1, "end_line": 1, "text": "ab"}
    assert passage["left"] == left
    assert "text" not in passage["right"]
    assert answer_of(ANSWER, "q")["foreign"] == [{"level": "some"}]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*STORED, *HIT, *ANSWER, "documents", "state"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@examples(200)
@given(ANYTHING)
def test_answers_of_no_sense_are_reported_as_such(value):
    for read in (entry_of, page_of, lambda each: added_of(each, "a"), lambda each: answer_of(each, "a")):
        with suppress(AnswerError), understood("http://x"):
            read(value)


@pytest.mark.parametrize(
    "answer", [[], {}, 3, "x", None, {"hits": 3}, {**ANSWER, "hits": [{}]}, {**ANSWER, "cost": []}]
)
def test_a_search_that_is_answered_with_nonsense(answer):
    with (
        standing_in(lambda _: answered(answer)) as server,
        Client(server.url, None) as client,
        pytest.raises(AnswerError, match="unexpected answer"),
    ):
        client.search(Document("q", "x"))


def test_names_that_are_no_unicode():
    """They cannot be stored; a search needs no name."""
    with standing_in(lambda _: answered(ANSWER)) as server, Client(server.url, None) as client:
        (result,) = client.add_all([Document("bad \udce9\r\nname", "x")])
        assert isinstance(result, Skipped)
        assert "is not Unicode: rename the file" in result.reason
        with pytest.raises(DocumentError, match="is not Unicode"):
            client.remove("bad \udce9")
        assert server.asked == []
        assert client.search(Document("bad \udce9\r\nname", "x"))["hits"]
    assert b'filename="bad ?%0D%0Aname"' in server.asked[0].body
