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
    Path("piece.txt").write_text(rows[1]["body"][:2000])
    texts = ("--id-column", "key", "--text-column", "body")
    (answer,) = as_json("search", papers, "piece.txt", "--threshold", "0.01", "--verify", "rows.jsonl", *texts)
    assert [hit["passages"][0]["left"]["start"] for hit in answer["hits"]] == [0]
    assert "no column 'text' (--text-column)" in run("rotate", papers, "--texts", "rows.jsonl", code=1).output
    assert as_json("rotate", papers, "--texts", "rows.jsonl", *texts)["rotated"] == 2


def test_rotation_by_name_by_age_and_by_suspicion(filled):
    assert as_json("rotate", filled, "papers/1.txt", "--texts", "papers")["rotated"] == 1
    assert {entry["id"]: entry["rotations"] for entry in as_json("list", filled)}["papers/1.txt"] == 1
    nothing: dict[str, list[object]] = {"changed_documents": [], "missing": [], "skipped": []}
    assert as_json("rotate", filled, "--texts", "papers", "--older-than", "180d") == nothing
    assert run("rotate", filled, "--texts", "papers", "--older-than", "180d").output == "nothing to do\n"
    assert as_json("rotate", filled, "--texts", "papers", "--older-than", "0d", "--limit", "2")["rotated"] == 2
    assert as_json("rotate", filled, "--texts", "papers", "--suspicious") == nothing
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


def test_documents_whose_text_has_changed_are_reported_with_their_address_and_contact(filled):
    Path("papers/1.txt").write_text(prose(8, 900))
    answer = as_json("rotate", filled, "--texts", "papers")
    assert (answer["rotated"], answer["changed"], answer["missing"]) == (2, 1, [])
    assert [(entry["id"], entry["contact"]) for entry in answer["changed_documents"]] == [
        ("papers/1.txt", "a@example.org")
    ]
    shown = run("rotate", filled, "--texts", "papers")
    assert shown.stdout == "2 rotated, 1 changed\n"
    changed, advice = shown.stderr.splitlines()
    assert changed == "text has changed: papers/1.txt (https://example.org/1.txt, a@example.org)"
    assert "whorl registry add" in advice


def test_the_limit_counts_what_is_rotated(filled):
    """Documents that cannot be rotated do not block those behind them."""
    Path("papers/0.txt").unlink()
    Path("papers/1.txt").write_text(prose(8, 900))
    Path("more").mkdir()
    for number in (3, 4, 5):
        Path(f"more/{number}.txt").write_text(prose(number, 900))
    assert as_json("add", filled, "more")["added"] == 3
    for turn in ("papers/2.txt", "more/3.txt", "more/4.txt", "more/5.txt", "papers/2.txt"):
        before = {entry["id"]: entry["rotations"] for entry in as_json("list", filled)}
        answer = as_json("rotate", filled, "--texts", "papers", "--texts", "more", "--limit", "1")
        assert answer["rotated"] == 1
        after = {entry["id"]: entry["rotations"] for entry in as_json("list", filled)}
        assert [name for name in after if after[name] > before[name]] == [turn]
        assert [entry["id"] for entry in answer["missing"]] == ["papers/0.txt"]
        assert [entry["id"] for entry in answer["changed_documents"]] == ["papers/1.txt"]


def test_the_limit_holds_for_ids_too(filled):
    answer = as_json("rotate", filled, *(f"papers/{number}.txt" for number in range(3)), "--texts", "papers",
                     "--limit", "2")  # fmt: skip
    assert answer["rotated"] == 2


def test_a_run_that_rotates_nothing_says_so(filled):
    Path("none").mkdir()
    shown = run("rotate", filled, "--texts", "none")
    assert shown.stdout == "0 rotated\n"
    assert shown.stderr.count("text not found: ") == 3


def test_a_long_list_of_missing_texts_is_cut_short(filled, monkeypatch):
    from whorl.cli import registry_output

    monkeypatch.setattr(registry_output, "NAMED", 2)
    Path("none").mkdir()
    shown = run("rotate", filled, "--texts", "none").stderr.splitlines()
    assert len(shown) == 3
    assert shown[-1] == "text not found: 1 more, see --format json"
    assert len(as_json("rotate", filled, "--texts", "none")["missing"]) == 3


def without_texts(name, *paths):
    from whorl import Index

    with Index.create(name, text=False) as index:
        for path in paths:
            index.add(path)


def test_an_index_without_texts_verifies_nothing_and_the_next_source_does(filled):
    without_texts("bare.index", "papers/1.txt")
    (answer,) = as_json("search", filled, "papers/1.txt", "--verify", "bare.index", "--verify", "papers")
    assert answer["hits"][0]["verified"] is True
    (answer,) = as_json("search", filled, "papers/1.txt", "--verify", "bare.index")
    (hit,) = answer["hits"]
    assert (hit["verified"], hit["reason"], hit["passages"]) == (False, "bare.index: the index keeps no texts", [])
    shown = run("search", filled, "papers/1.txt", "--verify", "bare.index").output
    assert "100%  papers/1.txt" in shown
    assert "not verified: bare.index: the index keeps no texts" in shown


def test_an_index_without_texts_rotates_nothing_and_the_next_source_does(filled):
    without_texts("bare.index", "papers/0.txt", "papers/1.txt")
    answer = as_json("rotate", filled, "--texts", "bare.index", "--texts", "papers/1.txt")
    assert answer["rotated"] == 1
    assert {entry["id"]: entry["reason"] for entry in answer["missing"]} == {
        "papers/0.txt": "bare.index: the index keeps no texts",
        "papers/2.txt": "its text was not found",
    }
    shown = run("rotate", filled, "papers/0.txt", "--texts", "bare.index").stderr
    assert shown == (
        "text not found: papers/0.txt (https://example.org/0.txt, a@example.org): "
        "bare.index: the index keeps no texts\n"
    )


def test_a_text_that_cannot_be_used_does_not_hide_the_one_in_the_next_source(filled):
    Path("damaged/papers").mkdir(parents=True)
    Path("damaged/papers/0.txt").write_bytes(b"text\0" * 999)
    Path("damaged/papers/1.txt").write_text(prose(8, 900))
    (answer,) = as_json("search", filled, "papers/0.txt", "--verify", "damaged")
    assert answer["hits"][0]["verified"] is False
    assert "binary" in answer["hits"][0]["reason"]
    (answer,) = as_json("search", filled, "papers/0.txt", "--verify", "damaged", "--verify", "papers")
    assert answer["hits"][0]["verified"] is True
    answer = as_json("rotate", filled, "--texts", "damaged", "--texts", "papers")
    assert answer == {"rotated": 3, "changed_documents": [], "missing": [], "skipped": []}


@pytest.mark.parametrize("option", ["search", "rotate"])
def test_a_registry_has_no_texts_to_give(filled, option):
    command = ["search", filled, "papers/0.txt", "--verify"] if option == "search" else ["rotate", filled, "--texts"]
    shown = run(*command, filled)
    assert "papers.registry: a Whorl registry, which has no texts" in shown.output


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("", "no text to search for"),
        (" \n", "no text to search for"),
        ("A few words.", "too short: it has 4 consonants after its prolog and needs 20"),
    ],
)
def test_a_text_with_nothing_to_search_for_is_said_to_have_none(filled, text, note):
    assert f"note: {note}\n" in run("search", filled, "-", text=text).output
    (answer,) = as_json("search", filled, "-", text=text)
    assert (answer["hits"], answer["notes"]) == ([], [note])
    assert as_json("search", filled, "papers/0.txt")[0]["notes"] == []


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
