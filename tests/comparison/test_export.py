"""JSON and CSV: the keys that scripts rely on; and nobody's name, if none is wanted."""

import json

import pytest

import whorl
from tests.comparison.planting import edited, samples
from whorl.comparison.export import as_json, as_rows

PAIR = {
    "left", "right", "score", "similarity", "containment", "left_coverage", "right_coverage", "longest",
    "shared_fingerprints", "passages", "findings",
}  # fmt: skip
SIDE = {"file", "start", "end", "start_line", "end_line"}
FACTS = ["person", "assignment", "label", "date"]
ROSTER = """submission,person,assignment,label,date
Quigley-one.txt,Quigley Zebedee,essay,late,2026-02-03
Quigley-two.txt,Quigley Zebedee,essay,,
Waldemar,Waldemar Xanthippe,essay,,
Yolanda.Oberon,Yolanda Oberon,essay,,
"""
NAMES = ("quigley", "zebedee", "waldemar", "xanthippe", "yolanda", "broken")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("Waldemar")
    (root / "class" / "Waldemar").mkdir(parents=True)
    essay = samples("text")[0]
    (root / "class" / "Quigley-one.txt").write_text(essay.text)
    (root / "class" / "Quigley-two.txt").write_text(samples("text")[1].text)
    (root / "class" / "Waldemar" / "Waldemar-Xanthippe.txt").write_text(edited(essay))
    (root / "class" / "Quigley-broken.bin").write_bytes(b"\0" * 100)
    (root / "class" / "Waldemar" / "broken.zip").write_bytes(b"PK\3\4")
    (root / "class.csv").write_text(ROSTER)
    return root


@pytest.fixture(scope="module")
def found(folder):
    return whorl.compare_all(folder / "class", roster=folder / "class.csv", threshold=0.0)


@pytest.fixture(scope="module")
def hidden(folder):
    return whorl.compare_all(folder / "class", roster=folder / "class.csv", threshold=0.0, anonymise=True)


class TestJson:
    def test_the_keys_of_the_contract(self, found):
        told = as_json(found)
        assert {"scheme", "submissions", "pairs", "skipped", "clusters"} <= told.keys()
        assert all({"name", "symbols", "fingerprints"} <= submission.keys() for submission in told["submissions"])
        (pair,) = told["pairs"]
        assert pair.keys() == PAIR
        for passage in pair["passages"]:
            assert passage.keys() == {"left", "right", "symbols", "matches"}
            assert passage["left"].keys() == passage["right"].keys() == SIDE
            for match in passage["matches"]:
                assert match.keys() == {"left", "right", "symbols"}
                assert match["left"].keys() == match["right"].keys() == {"start", "end"}
        assert all(item.keys() == {"file", "reason"} for item in told["skipped"])
        assert json.loads(json.dumps(told)) == told

    def test_names_stand_for_submissions(self, found):
        told = as_json(found)
        (pair,) = told["pairs"]
        assert (pair["left"], pair["right"]) == ("Quigley-one.txt", "Waldemar")
        assert {passage["right"]["file"] for passage in pair["passages"]} == {"Waldemar-Xanthippe.txt"}
        submission = next(one for one in told["submissions"] if one["name"] == "Quigley-one.txt")
        assert {fact: submission[fact] for fact in FACTS} == dict(
            zip(FACTS, ["Quigley Zebedee", "essay", "late", "2026-02-03"], strict=True)
        )

    def test_the_scheme_can_be_used_again(self, found):
        told = dict(as_json(found)["scheme"])
        assert told.pop("id") == found.scheme.id
        assert told.pop("guarantee") == found.scheme.guarantee
        assert whorl.Scheme.from_dict(told) == found.scheme

    def test_clusters_are_names(self, folder):
        lower = whorl.compare_all(folder / "class", cluster=0.2)
        assert as_json(lower)["clusters"] == [["Quigley-one.txt", "Waldemar"]]

    def test_the_measures_are_those_of_the_pair(self, found):
        (pair,), (told,) = found.pairs, as_json(found)["pairs"]
        for name in PAIR - {"left", "right", "passages", "findings"}:
            assert told[name] == getattr(pair, name)


class TestCsv:
    def test_a_header_and_a_row_a_pair(self, found):
        header, *rows = as_rows(found)
        assert header[:9] == [
            "left", "right", "score", "similarity", "containment", "left_coverage", "right_coverage", "longest",
            "shared_fingerprints",
        ]  # fmt: skip
        assert header[9:] == [f"{side}_{fact}" for side in ("left", "right") for fact in FACTS]
        assert len(rows) == len(found.pairs)
        assert all(len(row) == len(header) for row in rows)
        told = dict(zip(header, rows[0], strict=True))
        assert float(told["score"]) == pytest.approx(found.pairs[0].score, abs=1e-4)
        assert int(told["longest"]) == found.pairs[0].longest
        assert (told["left"], told["left_person"], told["right_label"]) == ("Quigley-one.txt", "Quigley Zebedee", "")


class TestAnonymity:
    def test_no_name_is_left(self, hidden):
        for told in (json.dumps(as_json(hidden)), json.dumps(list(as_rows(hidden)))):
            assert not [name for name in NAMES if name in told.lower()]

    def test_half_a_name_is_one_too(self, hidden):
        assert "oberon" not in json.dumps(as_json(hidden)).lower()

    def test_nor_in_what_is_said_of_programs(self, tmp_path):
        program = samples("java")[0].text
        for name, text in {
            "Quigley.java": program,
            "Zebedee/Oberon.java": "s<" * 10_000,
            "Zebedee/README.md": "#",
        }.items():
            (tmp_path / "Waldemar" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "Waldemar" / name).write_text(text)
        told = json.dumps(as_json(whorl.compare_all(tmp_path / "Waldemar", anonymise=True))).lower()
        assert "plain lexer" in told
        assert "programming language" in told
        assert not [name for name in (*NAMES, "oberon", "readme") if name in told]

    def test_the_numbers_stay(self, hidden, found):
        (mine,), (theirs,) = hidden.pairs, found.pairs
        assert (mine.score, mine.longest, mine.shared_fingerprints) == (
            theirs.score,
            theirs.longest,
            theirs.shared_fingerprints,
        )
        assert {mine.left_coverage, mine.right_coverage} == {theirs.left_coverage, theirs.right_coverage}
        assert len(hidden.skipped) == len(found.skipped) == 3

    def test_the_same_person_has_one_other_name(self, hidden, found):
        people = [submission.person for submission in hidden.submissions]
        assert len(people) == len(found.submissions)
        assert len({*people}) == 2
        assert all(submission.assignment == "essay" for submission in hidden.submissions)

    def test_other_names_are_the_same_every_time(self, hidden, folder):
        again = whorl.compare_all(folder / "class", roster=folder / "class.csv", threshold=0.0, anonymise=True)
        assert as_json(again) == as_json(hidden)
