"""JSON and CSV: the keys that scripts rely on; and nobody's name, if none is wanted."""

import json

import pytest

import whorl
from tests.comparison.planting import edited, samples
from tests.sandbox.impatience import impatient
from whorl.comparison import export
from whorl.comparison.export import as_json, as_rows, as_sarif

PAIR = {
    "left", "right", "score", "similarity", "containment", "left_coverage", "right_coverage", "longest",
    "shared_fingerprints", "passages", "findings", "parts", "matched", "damping", "listed", "same_as",
}  # fmt: skip
# How a score comes about; ``score_parts`` of a pair has them.
PARTS = {"parts", "matched", "damping"}
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
        result = as_json(found)
        assert {"scheme", "submissions", "pairs", "skipped", "clusters"} <= result.keys()
        assert all({"name", "symbols", "fingerprints"} <= submission.keys() for submission in result["submissions"])
        (pair,) = result["pairs"]
        assert pair.keys() == PAIR
        for passage in pair["passages"]:
            assert passage.keys() == {"left", "right", "symbols", "matches"}
            assert passage["left"].keys() == passage["right"].keys() == SIDE
            for match in passage["matches"]:
                assert match.keys() == {"left", "right", "symbols"}
                assert match["left"].keys() == match["right"].keys() == {"start", "end"}
        left_out = {"submission", "file", "reason", "files", "size"}
        assert all(item.keys() == left_out for item in result["skipped"])
        assert json.loads(json.dumps(result)) == result

    def test_names_stand_for_submissions(self, found):
        result = as_json(found)
        (pair,) = result["pairs"]
        assert (pair["left"], pair["right"]) == ("Quigley-one.txt", "Waldemar")
        assert {passage["right"]["file"] for passage in pair["passages"]} == {"Waldemar-Xanthippe.txt"}
        submission = next(one for one in result["submissions"] if one["name"] == "Quigley-one.txt")
        assert {fact: submission[fact] for fact in FACTS} == dict(
            zip(FACTS, ["Quigley Zebedee", "essay", "late", "2026-02-03"], strict=True)
        )

    def test_the_scheme_can_be_used_again(self, found):
        result = dict(as_json(found)["scheme"])
        assert result.pop("id") == found.scheme.id
        assert result.pop("guarantee") == found.scheme.guarantee
        assert whorl.Scheme.from_dict(result) == found.scheme

    def test_clusters_are_names(self, folder):
        lower = whorl.compare_all(folder / "class", cluster=0.2)
        assert as_json(lower)["clusters"] == [["Quigley-one.txt", "Waldemar"]]

    def test_the_measures_are_those_of_the_pair(self, found):
        (pair,), (result,) = found.pairs, as_json(found)["pairs"]
        for name in PAIR - PARTS - {"left", "right", "passages", "findings"}:
            assert result[name] == getattr(pair, name)

    def test_a_score_can_be_made_again_of_its_parts(self, found):
        (result,) = as_json(found)["pairs"]
        (part,) = result["parts"]
        assert part == {"name": "characters", "similarity": result["similarity"], "containment": result["containment"]}
        assert result["score"] == (part["similarity"] + part["containment"]) / 2 * result["damping"]
        assert result["damping"] == min(1, (result["matched"] / 390) ** 0.5)

    def test_what_is_not_listed_is_counted(self, found):
        result = as_json(found)
        assert result["compared"] == 2  # not the two of one person
        assert result["unlisted"] == sum(found.scores) - 1
        assert result["typical"].keys() == {"median", "p95"}
        assert (result["long"], result["identical"]) == (5 * 39, [])


class TestCsv:
    def test_a_header_and_a_row_a_pair(self, found):
        header, *rows = as_rows(found)
        assert header[:9] == [
            "left", "right", "score", "similarity", "containment", "left_coverage", "right_coverage", "longest",
            "shared_fingerprints",
        ]  # fmt: skip
        facts = [f"{side}_{fact}" for side in ("left", "right") for fact in FACTS]
        assert header[9:] == [*facts, "matched", "damping", "listed"]
        assert len(rows) == len(found.pairs)
        assert all(len(row) == len(header) for row in rows)
        data = dict(zip(header, rows[0], strict=True))
        assert float(data["score"]) == pytest.approx(found.pairs[0].score, abs=1e-4)
        assert int(data["longest"]) == found.pairs[0].longest
        assert (data["left"], data["left_person"], data["right_label"]) == ("Quigley-one.txt", "Quigley Zebedee", "")


class TestAnonymity:
    def test_no_name_is_left(self, hidden):
        for result in (json.dumps(as_json(hidden)), json.dumps(list(as_rows(hidden)))):
            assert not [name for name in NAMES if name in result.lower()]

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
        with impatient(workers=2):
            result = json.dumps(as_json(whorl.compare_all(tmp_path / "Waldemar", anonymise=True))).lower()
        assert "plain lexer" in result
        assert "programming language" in result
        assert not [name for name in (*NAMES, "oberon", "readme") if name in result]

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


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\uff1d1", "\uff201"])
def test_no_name_becomes_a_formula(name):
    assert export.cell(name).startswith("'")
    for mark in ";|":
        assert export.cell(f"ann{mark}{name}").partition(mark)[2].startswith("'")
    assert export.cell("ann-marie; o'hara") == "ann-marie; o'hara"


class TestSarif:
    def test_a_result_a_passage(self, found, folder):
        log = as_sarif(found)
        assert (log["version"], log["$schema"].rpartition("/")[2]) == ("2.1.0", "sarif-2.1.0.json")
        (run,) = log["runs"]
        (pair,) = found.pairs
        assert len(run["results"]) == len(pair.passages)
        assert {result["ruleId"] for result in run["results"]} == {
            rule["id"] for rule in run["tool"]["driver"]["rules"]
        }
        for result, passage in zip(run["results"], pair.passages, strict=True):
            assert result["rank"] == pytest.approx(100 * pair.score, abs=0.01)
            assert result["level"] == ("warning" if pair.score >= 0.5 else "note")
            (location,), (related,) = result["locations"], result["relatedLocations"]
            uris = [each["physicalLocation"]["artifactLocation"]["uri"] for each in (location, related)]
            files = "Quigley-one.txt", "Waldemar/Waldemar-Xanthippe.txt"
            assert uris == [(folder / "class" / file).as_uri() for file in files]
            region = {"startLine": passage.left.start_line, "endLine": passage.left.end_line}
            assert location["physicalLocation"]["region"] == region
        notes = run["invocations"][0]["toolExecutionNotifications"]
        assert len(notes) == len(found.not_compared)

    def test_a_place_is_a_uri(self, tmp_path, monkeypatch):
        for name in ("Zoë & co", "b#?"):
            (tmp_path / "class" / name).mkdir(parents=True)
            (tmp_path / "class" / name / "50%.txt").write_text(samples("text")[0].text)
        monkeypatch.chdir(tmp_path)
        (run,) = as_sarif(whorl.compare_all("class"))["runs"]
        place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert place in ("class/Zo%C3%AB%20%26%20co/50%25.txt", "class/b%23%3F/50%25.txt")

    def test_a_place_is_a_file_whatever_the_submission_is_called(self, tmp_path, monkeypatch):
        for folder in ("one", "two"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "a.txt").write_text(samples("text")[0].text)
        (tmp_path / "class.csv").write_text("submission,name\na.txt,Ada\n")
        monkeypatch.chdir(tmp_path)
        for paths, roster in ((("one", "two"), None), (("one/a.txt", "two/a.txt"), None), ("one", "class.csv")):
            archive = () if roster is None else "two"
            (run,) = as_sarif(whorl.compare_all(paths, archive=archive, roster=roster))["runs"]
            result = run["results"][0]
            for place in (*result["locations"], *result["relatedLocations"]):
                assert (tmp_path / place["physicalLocation"]["artifactLocation"]["uri"]).is_file()

    def test_every_object_has_what_the_standard_requires_and_nothing_else(self, found):
        """The names come from the schema of SARIF 2.1.0, which forbids all others."""
        log = as_sarif(found)
        (run,) = log["runs"]
        [invocation], driver = run["invocations"], run["tool"]["driver"]
        places = [place for result in run["results"] for place in (*result["locations"], *result["relatedLocations"])]
        physical = [place["physicalLocation"] for place in places]
        for objects, required, optional in (
            ([log], {"version", "runs"}, {"$schema"}),
            ([run], {"tool"}, {"columnKind", "invocations", "results"}),
            ([driver], {"name"}, {"semanticVersion", "rules"}),
            (driver["rules"], {"id"}, {"shortDescription"}),
            ([invocation], {"executionSuccessful"}, {"toolExecutionNotifications"}),
            (invocation["toolExecutionNotifications"], {"message"}, {"level"}),
            (run["results"], {"message"}, {"ruleId", "level", "rank", "locations", "relatedLocations", "properties"}),
            (places, {"physicalLocation"}, {"id", "message"}),
            (physical, {"artifactLocation"}, {"region"}),
            ([place["region"] for place in physical], {"startLine"}, {"endLine"}),
            ([result["message"] for result in run["results"]], {"text"}, set()),
        ):
            assert objects
            assert all(required <= each.keys() <= required | optional for each in objects)
        assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
        assert all(0 <= result["rank"] <= 100 for result in run["results"])
        assert all(1 <= place["region"]["startLine"] <= place["region"]["endLine"] for place in physical)
