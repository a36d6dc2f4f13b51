"""``whorl index`` and ``whorl search``: what a person does with an index."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from click.testing import CliRunner, Result

from whorl.cli import main
from whorl.errors import DocumentError
from whorl.index.index import Index

CLASS = Path(__file__).parents[2] / "examples" / "class"
SONG = "The keeper wrote down every evening what the sea had brought him, and what it had taken from him again."
TALE = "A baker fired his three ovens every morning before the village woke, and nobody ever asked him why he did."


def run(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


def as_json(*arguments: object) -> Any:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture
def papers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("papers").mkdir()
    Path("papers/song.txt").write_text(SONG)
    Path("papers/tale.html").write_text(f"<p>{TALE}</p>")
    assert run("index", "create", "index").exit_code == 0
    assert as_json("index", "add", "index", "papers", "--owner", "library", "--label", "old") == {
        "added": 2,
        "skipped": [],
        "without_text": [],
    }
    return Path("index")


def test_what_is_added_is_listed(papers):
    entries = as_json("index", "list", papers)
    assert [(entry["name"], entry["format"], entry["owner"], entry["labels"]) for entry in entries] == [
        ("papers/song.txt", "text", "library", ["old"]),
        ("papers/tale.html", "html", "library", ["old"]),
    ]
    assert "papers/song.txt" in run("index", "list", papers).output
    assert as_json("index", "stats", papers)["documents"] == 2
    assert "2 documents, all sound" in run("index", "verify", papers).output


def test_adding_again_costs_nothing_and_mirrors(papers):
    add = ("index", "add", papers, "papers", "--owner", "library", "--label", "old")
    assert as_json(*add) == {"unchanged": 2, "skipped": [], "without_text": []}
    Path("papers/song.txt").write_text(SONG + " The end.")
    Path("papers/tale.html").unlink()
    assert as_json(*add, "--mirror") == {"replaced": 1, "removed": 1, "skipped": [], "without_text": []}
    assert [entry["name"] for entry in as_json("index", "list", papers)] == ["papers/song.txt"]


def test_what_is_only_left_out_is_not_gone(papers):
    Path("papers/song.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    Path("papers/.gitignore").write_text("tale.html\n")
    answer = as_json("index", "add", papers, "papers", "--mirror")
    assert answer["removed"] == 0
    assert as_json("index", "stats", papers)["documents"] == 2


def mirrored(papers: Path, *options: str) -> int:
    """Return how many documents a mirror removes; the exit code is 1 if something cannot be read."""
    result = run("index", "add", papers, "papers", "--mirror", *options, "--format", "json")
    return int(json.loads(result.stdout)["removed"])


def test_a_folder_that_was_emptied_is_gone(papers):
    Path("papers/old").mkdir()
    Path("papers/song.txt").rename("papers/old/song.txt")
    assert mirrored(papers) == 1
    Path("papers/old/song.txt").unlink()
    assert mirrored(papers) == 1
    Path("papers/tale.html").unlink()
    assert mirrored(papers) == 1


@pytest.mark.parametrize("name", ["z.zip", "t.jsonl"])
def test_what_is_in_an_archive_or_a_table_that_cannot_be_read_is_not_gone(papers, name):
    """Their documents were removed: only a skipped folder was taken for one that has documents in it."""
    file = Path("papers", name)
    if name == "z.zip":
        with ZipFile(file, "w") as archive:
            archive.writestr("in/x.txt", f"{SONG} One.")
            archive.writestr("y.txt", f"{SONG} Two.")
    else:
        file.write_text(f'{{"text": "{SONG} One."}}\n{{"text": "{SONG} Two."}}\n')
    assert as_json("index", "add", papers, "papers")["added"] == 2
    assert mirrored(papers, "--exclude", f"*{name}") == 0
    file.write_bytes(file.read_bytes()[:-9])
    assert mirrored(papers) == 0
    file.unlink()
    assert mirrored(papers) == 2


def test_what_cannot_be_read_is_reported(papers):
    Path("papers/image.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    answer = as_json("index", "add", papers, "papers", "--owner", "library", "--label", "old")
    assert answer["unchanged"] == 2
    assert [item["file"] for item in answer["skipped"]] == ["papers/image.txt"]
    assert "PNG" in answer["skipped"][0]["reason"]


def test_a_search_tells_where_a_text_comes_from(papers):
    Path("draft.txt").write_text(f"Listen. {TALE[:67]} Nothing else.")
    (answer,) = as_json("search", papers, "draft.txt")
    (hit,) = answer["hits"]
    assert hit["document"]["name"] == "papers/tale.html"
    assert hit["verified"]
    (passage,) = hit["passages"]
    assert TALE[passage["right"]["start"] : passage["right"]["end"]] in TALE[:67]
    assert passage["left"]["text"] == passage["right"]["text"] == TALE[: len(passage["left"]["text"])]
    shown = run("search", papers, "draft.txt", "--explain").output
    assert "papers/tale.html" in shown
    assert "A baker fired his three ovens" in shown
    assert "look-ups" in shown


def test_a_search_of_standard_input(papers):
    result = run("search", papers, "-", "--format", "json", stdin=SONG.encode())
    assert [hit["document"]["name"] for hit in json.loads(result.stdout)[0]["hits"]] == ["papers/song.txt"]


def test_nothing_is_found(papers):
    Path("draft.txt").write_text("Something entirely different, which nobody else has ever written down before.")
    assert "no document in the index shares a passage" in run("search", papers, "draft.txt").output


def test_fewer_look_ups(papers):
    Path("draft.txt").write_text(SONG)
    (answer,) = as_json("search", papers, "draft.txt", "--look-ups", 2)
    assert answer["cost"]["look_ups"] == 2
    assert answer["hits"][0]["document"]["name"] == "papers/song.txt"
    (answer,) = as_json("search", papers, "draft.txt", "--window", 60)
    assert answer["hits"][0]["containment"] == 1
    refused = run("search", papers, "draft.txt", "--window", 5)
    assert refused.exit_code == 1
    assert "smaller than the index's own" in refused.stderr


def test_removing(papers):
    assert run("index", "remove", papers, "papers/song.txt").output == "1 removed\n"
    refused = run("index", "remove", papers, "papers/song.txt")
    assert refused.exit_code == 1
    assert "no document is called papers/song.txt" in refused.stderr
    assert "1 segment" in run("index", "compact", papers).output


def test_purging(papers):
    refused = run("index", "purge", papers, "papers/none.txt")
    assert refused.exit_code == 1
    assert "no document is called papers/none.txt. Nothing was purged" in refused.stderr
    report = as_json("index", "purge", papers, "papers/song.txt")
    assert (len(report["removed"]), report["remains"], report["clean"]) == (1, [], True)
    assert not any(SONG.encode()[:60] in file.read_bytes() for file in papers.rglob("*") if file.is_file())
    assert run("index", "remove", papers, "papers/tale.html").exit_code == 0
    purged = run("index", "purge", papers)
    assert purged.exit_code == 0
    assert "no trace is left" in purged.output


def test_a_purge_that_leaves_traces_fails(papers, monkeypatch):
    real = Index.purge
    monkeypatch.setattr(Index, "purge", lambda *args: replace(real(*args), remains=("3 free pages",)))
    purged = run("index", "purge", papers, "papers/song.txt")
    assert purged.exit_code == 1
    assert purged.output.startswith("left: 3 free pages\n1 removed; ")
    assert json.loads(run("index", "purge", papers, "--format", "json").stdout)["clean"] is False


def test_an_export_has_the_texts_and_never_the_key(papers):
    lines = [json.loads(line) for line in run("index", "export", papers, "--texts").stdout.splitlines()]
    assert [line["text"] for line in lines] == [SONG, TALE]
    secret = (papers / "secret.key").read_text().strip()
    assert secret not in run("index", "export", papers).stdout
    assert (papers / "secret.key").stat().st_mode & 0o777 == 0o600


def test_sanctioned_documents_are_no_evidence(papers):
    Path("template.txt").write_text(SONG)
    run("index", "add", papers, "template.txt", "--sanctioned")
    Path("draft.txt").write_text(SONG)
    (answer,) = as_json("search", papers, "draft.txt")
    assert answer["hits"] == []
    assert answer["cost"]["sanctioned"] == answer["cost"]["fingerprints"]


def test_an_index_without_texts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("song.txt").write_text(SONG)
    run("index", "create", "index", "--no-text")
    run("index", "add", "index", "song.txt")
    (answer,) = as_json("search", "index", "song.txt")
    assert not answer["hits"][0]["verified"]
    assert answer["hits"][0]["passages"]
    assert "not verified" in run("search", "index", "song.txt").output


def test_an_index_is_an_archive(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run("index", "create", "index", "--scheme", "code")
    run("index", "add", "index", CLASS)
    found = as_json("compare", CLASS / "bruno.py", "--archive", "index")
    assert found["pairs"][0]["right"].endswith("amara.py")
    assert found["pairs"][0]["score"] == pytest.approx(1)


@pytest.mark.parametrize("command", ["index add index", "registry add registry"])
def test_many_files_that_a_rule_skips_have_one_line(papers, command):
    assert run("registry", "create", "registry").exit_code == 0
    for number in range(12):
        Path(f"papers/{number:02}.py").write_text("x = 1\n")
    result = run(*command.split(), "papers", "--include", "*.txt", "--include", "0[0-4].py")
    skipped = [line for line in result.stderr.splitlines() if "include" in line]
    assert len(skipped) == 8  # few are listed
    (line,) = run(*command.split(), "papers", "--include", "*.html").stderr.splitlines()
    assert line.startswith("skipped: 13 times, first ")
    assert line.endswith(".py: matches no include pattern")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("search", ".", "x"), "name a Whorl index first, or create one"),
        (("index", "add", ".", "."), "name a Whorl index first, or create one"),
        (("index", "create", "."), "already exists"),
    ],
)
def test_what_goes_wrong_is_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x").write_text("x")
    result = run(*arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (DocumentError("no"), 1)])
def test_an_index_is_built_whole_or_not_at_all(papers, monkeypatch, error, code):
    before = sorted(path.name for path in Path().iterdir())

    def stopped(index, documents, **options):
        yield index.add(next(documents))
        assert not Path("whole").exists()
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(Index, "add_all", stopped)
        assert run("index", "build", "whole", "papers").exit_code == code
    assert sorted(path.name for path in Path().iterdir()) == before
    Path("whole").mkdir()
    assert run("index", "build", "whole", "papers").stdout == "2 added\n"
    assert run("index", "verify", "whole").exit_code == 0
    again = run("index", "build", "whole", "papers")
    assert (again.exit_code, again.stderr) == (
        1, "Error: whole: already exists: choose another name, or remove it\n"
    )  # fmt: skip
