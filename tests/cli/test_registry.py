"""``whorl registry``: what it takes, what it prints, and what it refuses."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.registry.corpus import prose
from whorl.cli import main
from whorl.cli.registry import command


def run(*arguments, code=0, text=None):
    result = CliRunner().invoke(main, ["registry", *map(str, arguments)], input=text)
    if code is None:
        return result
    assert result.exit_code == code, result.output + repr(result.exception)
    return result


def as_json(*arguments, text=None):
    return json.loads(run(*arguments, "--format", "json", text=text).stdout)


@pytest.fixture
def papers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("papers").mkdir()
    for number in range(3):
        Path(f"papers/{number}.txt").write_text(prose(number, 900))
    run("create", "papers.registry")
    return "papers.registry"


@pytest.fixture
def filled(papers):
    added = as_json("add", papers, "papers", "--base-url", "https://example.org/", "--contact", "a@example.org",
                 "--of-date", "1996-11-18")  # fmt: skip
    assert added == {"added": 3, "skipped": []}
    return papers


def test_a_folder_is_registered_and_listed(filled):
    entries = as_json("list", filled)
    assert [entry["id"] for entry in entries] == [f"papers/{number}.txt" for number in range(3)]
    assert {entry["contact"] for entry in entries} == {"a@example.org"}
    assert {entry["date"] for entry in entries} == {"1996-11-18"}
    assert entries[0]["url"] == "https://example.org/0.txt"
    assert (entries[0]["stored"], entries[0]["searches"], entries[0]["suspicious"]) == (100, 0, False)
    assert "papers/2.txt" in run("list", filled).output
    assert as_json("add", filled, "papers")["updated"] == 3
    assert as_json("stats", filled)["documents"] == 3
    assert as_json("verify", filled)["sound"] is True
    assert as_json("compact", filled)["segments"] == 1


def test_a_search_tells_where_a_text_comes_from(filled):
    Path("draft.txt").write_text(prose(9, 300) + prose(1, 900))
    (answer,) = as_json("search", filled, "draft.txt")
    (hit,) = answer["hits"]
    assert hit["document"]["id"] == "papers/1.txt"
    assert hit["document"]["url"] == "https://example.org/1.txt"
    assert 0.5 < hit["ratio"] <= 1
    assert answer["cost"]["look_ups"] == 1000
    shown = run("search", filled, "draft.txt", "--explain").output
    assert "papers/1.txt  1996-11-18  https://example.org/1.txt  a@example.org" in shown
    assert "look-ups 1,000" in shown
    (answer,) = as_json("search", filled, "-", text=prose(77, 500))
    assert answer["hits"] == []
    assert "no registered document" in run("search", filled, "-", text=prose(77, 500)).output


@pytest.mark.parametrize("source", ["papers", "papers/1.txt", "papers.index", "texts.jsonl"])
def test_what_is_found_can_be_verified(filled, source):
    from whorl import Document, Index

    with Index.create("papers.index") as index:
        index.add(Document("papers/1.txt", Path("papers/1.txt")))
    Path("texts.jsonl").write_text(json.dumps({"id": "papers/1.txt", "text": prose(1, 900)}) + "\n")
    Path("draft.txt").write_text(prose(1, 900) + prose(9, 100))
    (answer,) = as_json("search", filled, "draft.txt", "--verify", source)
    (hit,) = answer["hits"]
    assert hit["verified"] is True
    passage = hit["passages"][0]
    assert passage["left"]["text"] == passage["right"]["text"]
    assert passage["symbols"] > 2000
    assert "line 1 is line 1" in run("search", filled, "draft.txt", "--verify", source).output
    (answer,) = as_json("search", filled, "papers/0.txt", "--verify", "papers/1.txt")
    assert answer["hits"][0]["verified"] is False
    assert (
        "not verified: its text was not found"
        in run("search", filled, "papers/0.txt", "--verify", "papers/1.txt").output
    )


def test_lengths_that_differ_are_warned_of(filled):
    Path("piece.txt").write_text(prose(1, 900)[2500:4200])
    (answer,) = as_json("search", filled, "piece.txt", "--threshold", "0.01")
    assert "lengths differ" in answer["hits"][0]["warning"]
    assert "lengths differ" in run("search", filled, "piece.txt", "--threshold", "0.01").output


def test_rows_have_columns_of_their_own(papers):
    rows = [
        {"key": f"r{number}", "body": prose(20 + number, 500), "where": "http://x", "when": "2001", "who": "b@x"}
        for number in range(2)
    ]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = ("--id", "key", "--text", "body", "--url", "where", "--date", "when", "--contact-column", "who")
    assert as_json("add", papers, "rows.jsonl", *columns) == {"added": 2, "skipped": []}
    first = as_json("list", papers)[0]
    assert {name: first[name] for name in ("id", "url", "date", "contact")} == {
        "id": "r0", "url": "http://x", "date": "2001", "contact": "b@x",
    }  # fmt: skip


def test_rotation_by_name_by_age_and_by_suspicion(filled):
    assert as_json("rotate", filled, "papers/1.txt", "--texts", "papers")["rotated"] == 1
    assert {entry["id"]: entry["rotations"] for entry in as_json("list", filled)}["papers/1.txt"] == 1
    assert as_json("rotate", filled, "--texts", "papers", "--older-than", "180d") == {"missing": [], "skipped": []}
    assert as_json("rotate", filled, "--texts", "papers", "--older-than", "0d", "--limit", "2")["rotated"] == 2
    assert as_json("rotate", filled, "--texts", "papers", "--suspicious") == {"missing": [], "skipped": []}
    assert as_json("rotate", filled, "--texts", "papers")["rotated"] == 3
    (answer,) = as_json("search", filled, "papers/0.txt")
    assert answer["hits"][0]["ratio"] == 1


def test_documents_without_a_text_at_hand_are_reported(filled):
    Path("papers/2.txt").unlink()
    answer = as_json("rotate", filled, "--texts", "papers")
    assert answer["rotated"] == 2
    assert [(entry["id"], entry["contact"]) for entry in answer["missing"]] == [("papers/2.txt", "a@example.org")]
    shown = run("rotate", filled, "--texts", "papers").output
    assert "text not found: papers/2.txt (https://example.org/2.txt, a@example.org)" in shown


def test_removal(filled):
    assert as_json("remove", filled, "papers/0.txt") == {"removed": 1}
    assert as_json("stats", filled)["documents"] == 2
    failed = run("remove", filled, "papers/0.txt", "papers/1.txt", code=None)
    assert "no document is called papers/0.txt" in failed.output
    assert as_json("stats", filled)["documents"] == 2


def test_a_scheme_can_be_given_in_numbers(tmp_path):
    made = as_json("create", tmp_path / "r", "--select", "minima", "--search", "200", "--stored", "20", "--common", "0",
                "--prolog", "0", "--bits", "40")  # fmt: skip
    wanted = {"select": "minima", "n": 200, "stored": 20, "bits": 40, "k": 20, "symbols": "consonants"}
    assert {name: made.get(name) for name in wanted} == wanted
    assert not {"prolog", "common", "cap", "letters"} & set(made)
    failed = run("create", tmp_path / "s", "--search", "10", code=None)
    assert "--stored: 100 is more than n (10)" in failed.output


@pytest.mark.parametrize("arguments", [("--older-than", "soon"), ()])
def test_usage_is_checked(filled, arguments):
    texts = ("--texts", "papers") if arguments else ()
    assert run("rotate", filled, *texts, *arguments, code=None).exit_code == 2


def test_what_is_left_out_is_reported(papers):
    Path("papers/short.txt").write_text("Too short.")
    answer = as_json("add", papers, "papers")
    assert answer["added"] == 3
    assert "too short" in answer["skipped"][0]["reason"]


@pytest.mark.parametrize("name", ["", *command.commands])
def test_every_command_has_help_with_examples(name):
    shown = run(*([name] if name else []), "--help").output
    assert "Example" in shown
    assert "whorl registry" in shown
