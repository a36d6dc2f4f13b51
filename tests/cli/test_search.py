"""``whorl search --group``: near-identical documents under the best of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import whorl
from whorl.cli import main

SONG = " ".join(f"the keeper wrote down on day {day} what the sea had brought him" for day in range(30))
TALE = " ".join(f"a baker fired oven {number} before the village woke at six" for number in range(30))


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def as_json(*arguments: object) -> Any:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def make(folder: Path, texts: dict[str, str], *options: str) -> Path:
    for name, text in texts.items():
        (folder / name).write_text(text)
    index = folder / "index"
    assert run("index", "create", index, *options).exit_code == 0
    assert run("index", "add", index, *texts).exit_code == 0
    return index


@pytest.fixture
def songs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "draft").write_text(f"{SONG} {TALE}")
    return make(tmp_path, {"song.txt": SONG, "loud.txt": SONG.upper(), "more.txt": f"{SONG} end", "tale.txt": TALE})


def test_groups_in_json_name_the_best_and_those_alike(songs):
    (answer,) = as_json("search", songs, "draft", "--group")
    ranked = [hit["document"]["name"] for hit in answer["hits"]]
    assert len(ranked) == 4
    groups = {found["document"]: found["alike"] for found in answer["groups"]}
    best = next(name for name in ranked if name != "tale.txt")
    assert list(groups) == [name for name in ranked if name in (best, "tale.txt")]
    assert groups["tale.txt"] == []
    assert [each["document"] for each in groups[best]] == [name for name in ranked if name not in (best, "tale.txt")]
    assert all(0.5 <= each["resemblance"] <= 1 for each in groups[best])
    assert "groups" not in as_json("search", songs, "draft")[0]


def test_a_person_sees_the_best_and_the_names_of_the_others(songs):
    shown = run("search", songs, "draft", "--group", "--no-passages").output.splitlines()
    assert len(shown) == 4  # the file, two best, and one line of those alike
    (alike,) = (line for line in shown if "near-identical" in line)
    assert "and 2 near-identical: " in alike
    assert sum(name in alike for name in ("song.txt", "loud.txt", "more.txt")) == 2
    assert len(run("search", songs, "draft", "--no-passages").output.splitlines()) == 5


def test_many_names_are_cut_short(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    index = make(tmp_path, {f"{number}.txt": f"{SONG} {number}" for number in range(9)})
    shown = run("search", index, "0.txt", "--group", "--no-passages").output
    assert "and 8 near-identical: " in shown
    assert shown.rstrip().endswith("and 3 more")


def test_an_index_without_texts_says_that_it_cannot(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    index = make(tmp_path, {"song.txt": SONG}, "--no-text")
    result = run("search", index, "song.txt", "--group")
    assert result.exit_code == 1
    assert "song.txt: the index keeps no texts: grouping needs the texts" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_documents_are_shown_by_title_with_the_name_below(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    index = make(tmp_path, {"song.txt": SONG})
    with whorl.Index.open(index) as opened:
        opened.add(whorl.Document("song.txt", SONG, labels=("title=Songs of the Sea", "licence=MIT")))
    title, about = run("search", index, "song.txt", "--no-passages").output.splitlines()[1:]
    assert title.endswith("  Songs of the Sea")
    assert about.strip() == "song.txt, licence=MIT"


def test_a_record_of_a_crawl_is_shown_by_its_url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("song.txt").write_text(SONG)
    index, record = tmp_path / "index", "urn:uuid:7f9c2ba4-e88f-4f0e-9c1d-000000000001"
    with whorl.Index.create(index) as opened:
        opened.add(whorl.Document(record, SONG, url="https://example.org/songs"))
        assert (
            whorl.check_manuscript(opened, whorl.Document("song.txt", SONG)).sources[0].title
            == "https://example.org/songs"
        )
    title, about = run("search", index, "song.txt", "--no-passages").output.splitlines()[1:]
    assert (title.split("  ")[-1], about.strip()) == ("https://example.org/songs", record)
