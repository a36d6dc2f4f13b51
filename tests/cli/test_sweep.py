"""``whorl sweep``: sweeps in, answers out; and the example of its page."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.formats.corpora.making import http, revisit, warc
from whorl.cli import COMMANDS, main
from whorl.storage.folder import writing

PAGE = (Path(__file__).parents[2] / "docs" / "sweeps.md").read_text("utf-8")
SONG = " ".join(f"the keeper wrote down on day {day} what the sea had brought him and took" for day in range(20))
TALE = " ".join(f"a baker fired oven {number} before the village woke and nobody asked why" for number in range(20))


@pytest.fixture(autouse=True)
def declared(monkeypatch, tmp_path):
    monkeypatch.setitem(COMMANDS, "sweep", COMMANDS.get("sweep", "Sweeps."))
    monkeypatch.chdir(tmp_path)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["sweep", *map(str, arguments)])


def as_json(*arguments: object) -> Any:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def corpus(name: str, *rows: dict[str, Any]) -> Path:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Path(name)


@pytest.fixture
def sweeps():
    first = corpus(
        "1.jsonl",
        {"url": "http://a/song", "text": SONG, "contact": "ann@a"},
        {"url": "http://a/tale", "text": TALE},
    )
    second = corpus(
        "2.jsonl",
        {"url": "http://b/song", "text": f"{SONG} and that is the end of it all", "contact": "bo@b"},
        {"url": "http://a/tale", "text": TALE.upper()},
    )
    assert as_json("add", "s", first, "--date", "2026-01-01")["contents"] == 2
    done = as_json("add", "s", second, "--date", "2026-02-01")
    assert done == {"documents": 2, "contents": 2, "pages": 3, "sweeps": 2, "pairs": 1, "skipped": []}
    return Path("s")


def test_find(sweeps):
    found = as_json("find", sweeps, "http://a/song")
    assert set(found) == {"url", "shown", "newest", "alive", "gone", "content", "cluster", "documents", "places"}
    assert (found["shown"], found["newest"], found["alive"], found["documents"]) == (
        "2026-01-01",
        "2026-02-01",
        False,
        2,
    )
    assert [(place["url"], place["contact"], place["current"]) for place in found["places"]] == [
        ("http://b/song", "bo@b", True),
        ("http://a/song", "ann@a", False),
    ]
    assert set(found["places"][0]) == {"url", "contact", "first", "last", "current", "content", "likeness"}
    assert 0.9 < found["places"][0]["likeness"]["resemblance"] < found["places"][0]["likeness"]["has"] == 1
    assert [place["url"] for place in as_json("find", sweeps, "http://a/song", "--as-of", "2026-01-15")["places"]] == [
        "http://a/song"
    ]
    assert as_json("find", sweeps, "http://a/tale", "--shown", "2026-01-01")["shown"] == "2026-01-01"
    assert "gone on 2026-02-01" in run("find", sweeps, "http://a/song").stdout


def test_history(sweeps):
    history = as_json("history", sweeps, "http://a/tale")
    assert set(history) == {"url", "versions", "gone"}
    one, two = history["versions"]
    assert set(one) == {"content", "first", "last", "sweeps", "missed", "likeness"}
    assert one["likeness"] is None
    assert two["likeness"] == {"resemblance": 1.0, "has": 1.0, "within": 1.0}
    assert "gone" in run("history", sweeps, "http://a/song").stdout


def test_changes(sweeps):
    changes = as_json("changes", sweeps)
    page = {"url": "http://a/song", "state": "moved", "moved_to": ["http://b/song"], "resemblance": None}
    assert changes == {"date": "2026-02-01", "before": "2026-01-01", "pages": [page]}
    assert [page["url"] for page in as_json("changes", sweeps, "--state", "new")["pages"]] == ["http://b/song"]
    table = run("changes", sweeps, "--date", "2026-02-01", "--state", "changed", "--state", "moved").stdout
    assert table.splitlines() == [
        "2026-02-01, compared with 2026-01-01: 1 changed, 1 moved",
        "moved     http://a/song",
        "          -> http://b/song",
        "changed   100.0%  http://a/tale",
    ]
    assert run("changes", sweeps, "--format", "csv").stdout.splitlines() == [
        "date,before,state,url,moved_to,resemblance",
        "2026-02-01,2026-01-01,moved,http://a/song,http://b/song,",
    ]
    unknown = run("changes", sweeps, "--date", "2026-01-15")
    assert (unknown.exit_code, "no sweep on 2026-01-15; there are 2026-01-01, 2026-02-01" in unknown.stderr) == (
        1,
        True,
    )


def test_no_address_becomes_a_formula_of_a_spreadsheet():
    corpus("1.jsonl", {"url": "=1+1", "text": SONG})
    corpus("2.jsonl", {"url": "@sum(a1)", "text": SONG})
    for number in (1, 2):
        assert run("add", "s", f"{number}.jsonl", "--date", f"2026-0{number}-01").exit_code == 0
    assert run("changes", "s", "--format", "csv").stdout.splitlines()[1:] == [
        "2026-02-01,2026-01-01,moved,'=1+1,'@sum(a1),"
    ]


def test_stats(sweeps):
    stats = as_json("stats", sweeps)
    assert stats["buckets"] == [0, 0.25, 0.5, 0.75, 0.9, 1]
    last = stats["sweeps"][1]
    assert (last["new"], last["gone"], last["changed"], last["changes"]) == (1, 1, 1, [0, 0, 0, 0, 0, 1])
    assert (last["moved_within"], last["moved_between"]) == (0, 1)
    assert (stats["pages"], stats["contents"], stats["clusters"], stats["change_rate"]) == (3, 4, 2, 1)
    assert "only the form" in run("stats", sweeps).stdout


def test_contacts(sweeps):
    answer = as_json("contacts", sweeps, "http://a/song")
    assert set(answer) == {"name", "stored", "content", "holders"}
    assert {holder["contact"] for holder in answer["holders"]} == {"ann@a", "bo@b"}
    Path("draft.txt").write_text(f"{SONG} said the keeper")
    answer = as_json("contacts", sweeps, "draft.txt")
    assert (answer["stored"], len(answer["holders"])) == (False, 2)
    Path("same.txt").write_text(SONG.upper())
    assert as_json("contacts", sweeps, "same.txt")["stored"]
    assert "ann@a" in run("contacts", sweeps, "draft.txt").stdout


def test_show(sweeps):
    shown = as_json("show", sweeps, "http://a/tale")
    assert [(member["kind"], member["urls"]) for member in shown["documents"]] == [
        (member["kind"], ["http://a/tale"]) for member in shown["documents"]
    ]
    assert {member["kind"] for member in shown["documents"]} == {"", "lexical"}
    assert "cluster" in run("show", sweeps, "http://a/tale").stdout


def test_a_bad_row_is_reported_and_the_rest_goes_on():
    path = corpus("a.jsonl", {"text": SONG}, {"text": ""}, {"text": TALE, "when": "yesterday"})
    path.write_text(path.read_text() + "not json\n")
    result = run("add", "s", path, "--own-dates", "--date-column", "when", "--date", "2026-01-01", "--format", "json")
    assert result.exit_code == 1
    done = json.loads(result.stdout)
    assert done["documents"] == 1
    assert [(item["file"], item["row"]) for item in done["skipped"]] == [("a.jsonl", 2), ("a.jsonl", 4), ("a.jsonl", 3)]
    result = run("add", "s", path, "--date", "2026-01-01")
    assert "skipped: a.jsonl, row 2: 'text' is empty" in result.stderr
    assert as_json("find", "s", "a.jsonl:1")["alive"]


def test_settings_are_fixed(sweeps):
    for options in (
        ["--threshold", "0.9"],
        ["--measure", "containment"],
        ["--common", "7"],
        ["--closure"],
        ["--k", "3"],
    ):
        result = run("add", sweeps, "1.jsonl", "--date", "2026-03-01", *options)
        assert result.exit_code == 1
        assert "fixed when they are created" in result.stderr
    same = ["--threshold", "0.4", "--measure", "resemblance", "--common", "1000", "--scheme", "pages"]
    assert run("add", sweeps, "1.jsonl", "--date", "2026-03-01", *same).exit_code == 0


def test_nothing_is_made_if_the_corpus_cannot_be_read():
    path = corpus("a.jsonl", {"body": SONG})
    result = run("add", "s", path, "--date", "2026-01-01")
    assert (result.exit_code, Path("s").exists()) == (1, False)
    assert "no column 'text'" in result.stderr
    assert run("add", "s", path, "--text", "body").exit_code == 2
    assert run("add", "s", path, "--text", "body", "--date", "yesterday").exit_code == 2
    assert run("add", "s", path, "--text", "body", "--date", "2026-01-01", "--memory", "much").exit_code == 2
    assert not Path("s").exists()


def test_a_mirrored_folder_and_a_web_crawl():
    Path("mirror").mkdir()
    Path("mirror/song.html").write_text(f"<p>{SONG}</p>")
    run("add", "s", "mirror", "--date", "2026-01-01", "--prefix", "http://x/")
    Path("crawl.warc").write_bytes(warc(http(f"<h1>{SONG}</h1>".encode()), 7))
    assert as_json("add", "s", "crawl.warc", "--own-dates")["sweeps"] == 2
    found = as_json("find", "s", "http://x/song.html")
    assert [(place["url"], place["last"]) for place in found["places"]] == [
        ("http://x/song.html", "2026-01-01"),
        ("http://x/7", "2024-05-06"),
    ]


@pytest.mark.parametrize("command", ["find", "history", "show", "contacts"])
def test_an_unknown_url(sweeps, command):
    result = run(command, sweeps, "https://a/song/")
    assert result.exit_code == 1
    assert "did you mean http://a/song?" in result.stderr


@pytest.mark.parametrize("command", ["find", "history", "show", "contacts", "stats", "changes"])
def test_a_folder_without_sweeps(command):
    result = run(command, ".", *([] if command in ("stats", "changes") else ["http://x/"]))
    assert (result.exit_code, "no sweeps: add some" in result.stderr) == (1, True)


def test_a_second_writer_is_refused(sweeps):
    with writing(sweeps / "lock", 0):
        result = run("add", sweeps, "1.jsonl", "--date", "2026-03-01")
        assert (result.exit_code, "another process is writing" in result.stderr) == (1, True)
        assert run("stats", sweeps).exit_code == 0


def test_a_damaged_store(sweeps):
    data = bytearray((sweeps / "sweep.db").read_bytes())
    data[5000:] = bytes(len(data) - 5000)
    (sweeps / "sweep.db").write_bytes(data)
    result = run("stats", sweeps)
    assert (result.exit_code, "damaged" in result.stderr) == (1, True)


def test_help_teaches_with_examples():
    for command in ("add", "find", "history", "stats", "contacts", "show"):
        assert f"whorl sweep {command} site.sweep" in run(command, "--help").stdout


def test_the_example_of_the_page():
    for name, text in re.findall(r"^```(?:jsonl|text) (\S+)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE):
        Path(name).write_text(text)
    transcripts = re.findall(r"^```console\n\$ (.*?)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert len(transcripts) >= 7
    for command, shown in transcripts:
        program, group, *arguments = shlex.split(command)
        assert (program, group) == ("whorl", "sweep")
        result = run(*arguments)
        assert result.exit_code == 0, result.stderr
        assert [line.rstrip() for line in result.stdout.splitlines()] == shown.splitlines(), command


def test_the_code_of_the_page(capsys):
    for code in re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE):
        exec(compile(code, "sweeps.md", "exec"), {"__name__": "page"})
    found = "2026-02-02 http://x/b 1.0\n2026-01-05 http://x/a 1.0\n"
    assert capsys.readouterr().out == f"{found}a duplicate ['a']\nb new []\n"


def crawled(number: int, text: str) -> bytes:
    return warc(http(f"<p>{text}</p>".encode()), number)


SINCE = {"WARC_Refers_To_Date": "2024-05-06T07:08:09Z"}


def test_a_page_that_a_crawler_saw_unchanged_is_not_gone():
    Path("first.warc").write_bytes(crawled(1, SONG) + crawled(2, TALE))
    Path("second.warc").write_bytes(revisit(1, **SINCE))
    as_json("add", "s", "first.warc", "--date", "2024-05-07")
    assert as_json("add", "s", "second.warc", "--date", "2024-06-07")["documents"] == 1
    assert as_json("find", "s", "http://x/1")["alive"]
    assert not as_json("find", "s", "http://x/2")["alive"]
    changes = as_json("changes", "s")
    assert [(page["url"], page["state"]) for page in changes["pages"]] == [("http://x/2", "gone")]
    assert run("add", "s", "second.warc", "--date", "2024-07-07").exit_code == 0  # the sweep before has only a revisit
    assert as_json("find", "s", "http://x/1")["alive"]


def test_an_unchanged_page_shows_what_it_showed_when_it_was_stored():
    for date, text in (("2024-05-07", SONG), ("2024-06-07", TALE)):
        Path("crawl.warc").write_bytes(crawled(1, text))
        as_json("add", "s", "crawl.warc", "--date", date)
    # Without a date, a page repeats what was shown last before.
    for date, again in (
        ("2024-06-09", revisit(2, WARC_Refers_To_Target_URI="http://x/1")),
        ("2024-07-07", revisit(1, **SINCE)),
    ):
        Path("crawl.warc").write_bytes(again)
        as_json("add", "s", "crawl.warc", "--date", date)
    song, tale, again = (version["content"] for version in as_json("history", "s", "http://x/1")["versions"])
    assert song == again != tale
    assert as_json("find", "s", "http://x/2")["content"] == tale


def test_an_unchanged_page_that_no_sweep_has_is_named():
    Path("crawl.warc").write_bytes(crawled(1, SONG) + revisit(7, **SINCE))
    result = run("add", "s", "crawl.warc", "--date", "2024-05-07")
    assert result.exit_code == 1
    assert "crawl.warc, row 2: unchanged, but no sweep has the page that it repeats: 'http://x/7'" in result.stderr
    Path("crawl.warc").write_bytes(revisit(1, WARC_Refers_To_Date="yesterday"))
    assert "'yesterday' is not a date" in run("add", "s", "crawl.warc", "--date", "2024-06-07").stderr


@pytest.mark.parametrize("order", [("first.warc", "second.warc"), ("second.warc", "first.warc")])
def test_another_file_of_the_same_add_has_what_a_page_repeats(order):
    Path("first.warc").write_bytes(crawled(1, SONG))
    Path("second.warc").write_bytes(revisit(2, WARC_Refers_To_Target_URI="http://x/1", **SINCE))
    assert as_json("add", "s", *order, "--date", "2024-05-07")["documents"] == 2
    assert as_json("find", "s", "http://x/2")["alive"]
