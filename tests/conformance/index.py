"""What every index must do, wherever it keeps its documents. An index's tests inherit this and make one."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import whorl
from tests.index.corpus import mixed, prose
from whorl import Document, Scheme
from whorl.engine.hashing import Key
from whorl.errors import DocumentError, InputError
from whorl.index import search
from whorl.index.base import BATCH, BaseIndex
from whorl.index.check import check_manuscript
from whorl.index.prepare import full
from whorl.model import Skipped

HTML = "<html><head><style>p {{}}</style></head><body><p>{}</p><script>no()</script></body></html>"
PROGRAM = """
def total(prices, taxes):
    result = 0
    for price, tax in zip(prices, taxes):
        if price > 10:
            result += price * (1 + tax)
        else:
            result += price
    return round(result, 2)
"""


# Texts that share parts: of each the seeds and the words of its parts.
_PARTS = {
    "a": ((1, 60),),
    "b": ((2, 60), (3, 60)),
    "c": ((1, 40), (2, 40)),
    "d": ((4, 60), (1, 20), (5, 60)),
    "e": ((6, 60),),
}


def distinct(index: BaseIndex, text: str, scheme: Scheme | None = None) -> set[int]:
    """The fingerprints of a text under the index's key, as a set."""
    return set(whorl.fingerprint(text, scheme or index.scheme, key=index._key).hashes.tolist())


class IndexConformance:
    """Inherit, and say how an empty one is made."""

    def made(self, folder, scheme="text", *, text=True) -> BaseIndex:
        raise NotImplementedError

    @pytest.fixture(autouse=True)
    def same_key(self, monkeypatch):
        """The same fingerprints in every run."""
        monkeypatch.setattr(Key, "random", classmethod(lambda cls: cls(b"key for the test")))

    @pytest.fixture
    def index(self, tmp_path):
        with self.made(tmp_path / "index") as index:
            yield index

    def test_an_empty_one_answers(self, index):
        assert len(index) == 0
        assert list(index.entries()) == []
        assert index.entry("a") is None
        assert len(index.search(prose(1))) == 0
        assert index.remove("a") == []

    def test_what_becomes_of_a_document(self, index):
        assert index.add(Document("a", prose(1))).state == "added"
        assert index.add(Document("a", prose(1))).state == "unchanged"
        assert index.add(Document("a", prose(1), owner="ann", labels=("x", "y"))).state == "updated"
        assert index.add(Document("a", prose(2), owner="ann")).state == "replaced"
        assert index.add(Document("a", prose(2))).state == "updated"
        assert [entry.name for entry in index.entries()] == ["a"]
        assert not index.search(prose(1))
        assert index.search(prose(2))[0].document == index.entry("a")

    def test_a_content_is_what_it_is_read_as(self, index):
        """The same bytes under another format are another document."""
        page = HTML.format(prose(1))
        index.add(Document("a", page, format="html"))
        assert index.text("a").split() == prose(1).split()
        assert index.add(Document("a", page, format="text")).state == "replaced"
        assert index.text("a") == page

    def test_facts_are_kept(self, index):
        facts: dict[str, Any] = {
            "url": "http://a/b",
            "date": "2020-02-02",
            "contact": "a@b",
            "owner": "änn",
            "labels": ("x", "ÿ"),
        }
        index.add(Document("a/b c.txt", prose(1), **facts))
        entry = index.entry("a/b c.txt")
        assert {name: getattr(entry, name) for name in facts} == facts
        assert (entry.format, entry.sanctioned) == ("text", False)
        assert entry.fingerprints == len(distinct(index, prose(1)))
        assert entry.symbols == whorl.fingerprint(prose(1)).symbols
        assert json.loads(json.dumps(entry.as_dict()))["owner"] == "änn"

    def test_facts_of_other_classes_are_stored_as_plain_ones(self, index):
        document = Document(np.str_("a"), prose(1), np.str_("http://a"), labels=["x", np.str_("y")])  # type: ignore[arg-type]
        index.add(document, sanctioned=np.True_)
        entry = index.entry("a")
        assert (entry.name, entry.url, entry.labels, entry.sanctioned) == ("a", "http://a", ("x", "y"), True)
        assert index.add(document, sanctioned=True).state == "unchanged"

    @pytest.mark.parametrize("flag", ["1", "", 1, None])
    def test_a_flag_is_true_or_false(self, index, flag):
        with pytest.raises(InputError, match=r"sanctioned: .* is no flag; give True or False"):
            index.add(Document("a", prose(1)), sanctioned=flag)
        with pytest.raises(InputError, match=r"sanctioned: .* is no flag; give True or False"):
            list(index.add_all([Document("a", prose(1))], sanctioned=flag))
        assert len(index) == 0

    @pytest.mark.parametrize("documents", ["a text", Document("a", "text"), ["a text"], [{"text": "a"}]])
    def test_only_documents_are_added(self, index, documents):
        with pytest.raises(InputError, match="documents: "):
            list(index.add_all(documents))
        with pytest.raises(InputError, match="document: bytes is neither a Document nor a path"):
            index.add(b"text")
        assert len(index) == 0

    @pytest.mark.parametrize("limit", [0, -1, None, "5", 1.5])
    def test_limits_are_checked(self, index, limit):
        index.add(Document("a", prose(1)))
        for ask in (
            lambda: index.search(prose(1), limit=limit),
            lambda: index.page(limit=limit),
            lambda: index.page_by_number(limit=limit),
            lambda: check_manuscript(index, Document("b", prose(1)), limit=limit),
        ):
            with pytest.raises(InputError, match=r"limit: .* is out of range; give 1 "):
                ask()
        assert len(index.search(prose(1), limit=np.int64(1))) == 1

    def test_names_are_texts(self, index):
        index.add(Document("a", prose(1)))
        for ask in (index.entry, index.remove, index.document):
            with pytest.raises(InputError, match=r"name: \['a'\] is no text, but list; give a string"):
                ask(["a"])
        assert index.entry("\udc80") is None  # a file name that does not decode, which nothing is stored under
        assert index.remove("\udc80", "a") == ["a"]
        with pytest.raises(DocumentError, match="not in the index"):
            index.document("\udc80")

    def test_removing(self, index):
        for number in range(4):
            index.add(Document(str(number), prose(number)))
        assert index.remove("1", "3", "5", "1") == ["1", "3"]
        assert [entry.name for entry in index.entries()] == ["0", "2"]
        assert len(index) == 2
        assert not index.search(prose(1))
        assert index.search(prose(2))[0].document.name == "2"
        with pytest.raises(DocumentError, match="not in the index"):
            index.text("1")

    def test_numbers_are_never_used_again(self, index):
        index.add(Document("a", prose(1)))
        first = index.entry("a").id
        index.remove("a")
        index.add(Document("a", prose(1)))
        assert index.entry("a").id > first

    @pytest.mark.parametrize("text", ["", "x", "short", "e\u0301\U0001f600 \x00 \r\n \udc80 end" + prose(3), "é" * 500])
    def test_texts_come_back_as_they_were(self, index, text):
        index.add(Document("a", text))
        assert index.text("a") == text

    def test_a_file_is_known_by_its_path(self, index, tmp_path):
        path = tmp_path / "essay.txt"
        path.write_bytes("caf\xe9 ".encode("cp1252") + prose(1).encode())
        assert index.add(path).state == "added"
        assert index.add(str(path)).state == "unchanged"
        assert index.text(str(path)).startswith("café")
        assert index.search(path)[0].resemblance == 1

    def test_measures_are_those_of_the_sets(self, index):
        texts = {name: mixed(*parts) for name, parts in _PARTS.items()}
        assert [added.state for added in index.add_all([Document(*item) for item in texts.items()])] == ["added"] * 5
        query = mixed((1, 50), (2, 30))
        asked = distinct(index, query)
        sets = {name: distinct(index, text) for name, text in texts.items()}
        hits = index.search(query)
        assert {hit.document.name for hit in hits} == {name for name in sets if sets[name] & asked} == {*"abcd"}
        for hit in hits:
            other = sets[hit.document.name]
            shared = len(asked & other)
            assert hit.shared == shared
            assert hit.containment == pytest.approx(shared / len(asked))
            assert hit.contained == pytest.approx(shared / len(other))
            assert hit.resemblance == pytest.approx(shared / len(asked | other))
            assert hit.score == pytest.approx((hit.resemblance + max(hit.containment, hit.contained)) / 2)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert {hit.document.name for hit in hits.hits[:2]} == {"a", "c"}
        assert hits.cost.fingerprints == hits.cost.look_ups == len(asked)
        assert hits.cost.candidates == 4
        assert [hit.document.name for hit in index.search(query, limit=2)] == [hit.document.name for hit in hits][:2]

    def test_passages_are_those_of_a_comparison(self, index):
        texts = {name: mixed(*parts) for name, parts in _PARTS.items()}
        list(index.add_all([Document(*item) for item in texts.items()]))
        query = mixed((9, 20), (1, 50), (9, 50), (2, 30))
        for hit in index.search(query):
            name = hit.document.name
            assert hit.verified
            assert hit.passages == whorl.compare(Document("", query), Document(name, texts[name])).passages
            for passage in hit.passages:
                for match in passage.matches:
                    left, right = query[slice(*match.left)], texts[name][slice(*match.right)]
                    assert left.lower().split() == right.lower().split()
        assert all(hit.passages == () for hit in index.search(query, passages=False))

    def test_a_larger_window_asks_less(self, index):
        index.add(Document("a", prose(1, 400)))
        query = prose(1, 300)
        whole = index.search(query)
        for window in (20, 40, 80):
            hits = index.search(query, window=window)
            wide = distinct(index, query, replace(index.scheme, w=window))
            assert hits.cost.fingerprints == len(wide) <= whole.cost.fingerprints
            assert hits[0].shared == len(wide & distinct(index, prose(1, 400)))
            assert hits[0].containment > 0.8
            assert hits[0].passages == whole[0].passages
        with pytest.raises(InputError, match="window: 19 is smaller"):
            index.search(query, window=19)

    def test_a_window_needs_a_selector_that_has_one(self, tmp_path):
        with self.made(tmp_path / "web", "web") as index, pytest.raises(InputError, match="has none"):
            index.search(prose(1), window=30)

    def test_fewer_look_ups_take_the_smallest_hashes(self, index):
        index.add(Document("a", prose(1, 300)))
        query = prose(1, 200) + prose(2, 200)
        asked = sorted(distinct(index, query))
        for most in (1, 5, 40, 10_000):
            hits = index.search(query, look_ups=most)
            shared = len(set(asked[:most]) & distinct(index, prose(1, 300)))
            assert hits.cost.look_ups == min(most, len(asked))
            assert [hit.shared for hit in hits] == ([shared] if shared else [])
            assert all(hit.containment == pytest.approx(shared / min(most, len(asked))) for hit in hits)
        with pytest.raises(InputError, match="look_ups: 0"):
            index.search(query, look_ups=0)

    def test_sanctioned_material_is_no_evidence(self, index):
        index.add(Document("a", prose(1) + prose(2)))
        index.add(Document("b", prose(1) + prose(3)))
        query = prose(1) + prose(2)
        assert {hit.document.name for hit in index.search(query)} == {"a", "b"}
        index.add(Document("task", prose(1)), sanctioned=True)
        hits = index.search(query)
        assert [hit.document.name for hit in hits] == ["a"]
        no_evidence = distinct(index, query) & distinct(index, prose(1), full(index.scheme))
        assert hits.cost.sanctioned == len(no_evidence) > 0
        assert hits[0].containment == 1
        assert not index.search(prose(1)[20:-20])
        assert index.add(Document("task", prose(1))).state == "replaced"
        assert {hit.document.name for hit in index.search(query)} == {"a", "b", "task"}
        index.remove("task")
        assert {hit.document.name for hit in index.search(query)} == {"a", "b"}

    def test_common_is_what_many_owners_have(self, index, monkeypatch):
        monkeypatch.setattr(search, "COMMON_OWNERS", 4)
        shared = prose(1)
        for number in range(5):
            index.add(Document(f"one {number}", shared + prose(10 + number), owner="one"))
        assert index.search(shared).cost.common == 0
        for number in range(3):
            index.add(Document(f"other {number}", shared + prose(20 + number), owner=f"other {number}"))
        hits = index.search(shared)
        assert (len(hits), hits.cost.common) == (8, 0), "those are four owners"
        index.add(Document("nobody's", shared + prose(30)))
        hits = index.search(shared + prose(30))
        assert hits.cost.common > 0
        assert hits[0].document.name == "nobody's"
        index.remove("other 0")
        assert index.search(shared).cost.common == 0

    def test_of_one_owner_a_few_come_first(self, index):
        for number in range(6):
            index.add(Document(str(number), prose(1) + prose(10 + number, 10), owner="one"))
        for number in range(2):
            index.add(Document(f"late {number}", prose(1) + prose(20 + number), owner="late"))
        hits = index.search(prose(1), limit=search.OF_ONE_OWNER + 2)
        assert [(hit.document.owner, hit.others) for hit in hits] == [("one", 3)] * 3 + [("late", 0)] * 2
        hits = index.search(prose(1))
        assert [(hit.document.owner, hit.others) for hit in hits] == [("one", 0)] * 6 + [("late", 0)] * 2

    def test_a_document_without_a_shared_passage_is_counted_and_not_listed(self, index):
        phrase = " nine lamps along the old harbour wall "
        index.add(Document("a", prose(1) + phrase + prose(2)))
        query = prose(3) + phrase + prose(4)
        assert [hit.document.name for hit in index.search(query, passages=False)] == ["a"]
        hits = index.search(query)
        assert len(hits) == 0
        assert hits.notes == ("1 document is not listed: fingerprints here and there are shared, but no passage",)
        assert index.search(query, passages=False).notes == ()

    def test_without_texts_passages_are_not_verified(self, tmp_path):
        with self.made(tmp_path / "bare", text=False) as index:
            text = mixed((1, 60), (2, 40))
            index.add(Document("a", text))
            with pytest.raises(DocumentError, match="keeps no texts"):
                index.text("a")
            query = mixed((9, 20), (2, 40))
            (hit,) = index.search(query)
            assert not hit.verified
            (passage,) = hit.passages
            left, right = query[passage.left.start : passage.left.end], text[passage.right.start : passage.right.end]
            assert left.split() == right.split()
            (whole,) = whorl.compare(query, text).passages
            assert whole.left.start <= passage.left.start < passage.left.end <= whole.left.end
            assert passage.symbols >= whole.symbols - 2 * (index.scheme.guarantee or 0)

    @pytest.mark.parametrize("text", [True, False])
    def test_programs_and_notebooks(self, tmp_path, text):
        cells: list[Any] = [
            {"cell_type": "code", "source": PROGRAM, "metadata": {}, "outputs": [], "execution_count": None}
        ]
        language = {"language_info": {"name": "python"}}
        notebook = json.dumps({"cells": cells, "metadata": language, "nbformat": 4, "nbformat_minor": 5})
        with self.made(tmp_path / "code", "code", text=text) as index:
            index.add(Document("a.py", PROGRAM))
            index.add(Document("b.ipynb", notebook.encode()))
            hits = index.search(Document("c.py", PROGRAM.replace("price", "cost").replace("result", "sum")))
            assert {hit.document.name: hit.document.format for hit in hits} == {"a.py": "python", "b.ipynb": "notebook"}
            assert all(hit.resemblance > 0.9 and len(hit.passages) == 1 for hit in hits)
            assert all(hit.verified is text for hit in hits)
            if text:
                assert index.text("a.py") == PROGRAM
                assert PROGRAM.strip() in index.text("b.ipynb")

    def test_what_cannot_be_read_is_reported_and_left_out(self, index, tmp_path):
        index.add(Document("known", prose(0)))
        documents = [
            Document("known", prose(0)), Document("gone", tmp_path / "gone"), Document("folder", tmp_path),
            Document("a", prose(1)), Document("bad \udce9", prose(2)), Document("b", prose(3), owner="\ud800"),
        ]  # fmt: skip
        result = list(index.add_all(documents))
        assert [getattr(each, "state", None) for each in result] == ["unchanged", None, None, "added", None, None]
        skipped = [each for each in result if isinstance(each, Skipped)]
        assert [each.name for each in skipped] == ["gone", "folder", "bad \udce9", "b"]
        assert all(each.reason for each in skipped)
        assert [entry.name for entry in index.entries()] == ["known", "a"]
        with pytest.raises(DocumentError, match="gone"):
            index.add(tmp_path / "gone")

    @pytest.mark.parametrize("threads", [1, 3])
    def test_many_in_order_with_threads(self, index, threads):
        documents = [Document(str(number), prose(number % 90, 20)) for number in range(2 * BATCH + 5)]
        assert [added.name for added in index.add_all(documents, threads=threads)] == [each.name for each in documents]
        assert [entry.name for entry in index.entries()] == [each.name for each in documents]
        again = [added.state for added in index.add_all(documents, threads=threads)]
        assert again == ["unchanged"] * len(documents)

    def test_of_two_of_one_name_the_last_stays(self, index):
        index.add(Document("a", prose(1)))
        texts = [prose(2), prose(1), prose(3), prose(1)]
        result = [added.state for added in index.add_all([Document("a", text) for text in texts])]
        assert result == ["replaced"] * 4
        assert index.text("a") == prose(1)

    def test_look_up_gives_every_posting(self, index):
        texts = [mixed(*parts) for parts in _PARTS.values()]
        list(index.add_all([Document(str(number), text) for number, text in enumerate(texts, 1)]))
        asked = np.array(sorted(set().union(*(distinct(index, text) for text in texts))), np.uint64)
        found = index.look_up(asked)
        rows = set(zip(asked[found.which].tolist(), found.documents.tolist(), found.places.tolist(), strict=True))
        expected = set()
        for text, entry in zip(texts, index.entries(), strict=True):
            prints = whorl.fingerprint(text, index.scheme, key=index._key)
            expected |= {
                (hashed, entry.id, place)
                for hashed, place in zip(prints.hashes.tolist(), prints.positions.tolist(), strict=True)
            }
        assert rows == expected
        assert len(found) == len(rows) == int(found.counts.sum())
