"""``--server``: the same commands, tables and JSON against a real server as against an index in a folder."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from whorl.cli import main
from whorl.client.client import Client
from whorl.client.transport import ServerRefusedError

SONG = "The keeper wrote down every evening what the sea had brought him, and what it had taken from him again."
TALE = "A baker fired his three ovens every morning before the village woke, and nobody ever asked him why he did."
STORY = " ".join(f"on day {day} the ferry was late and the miller counted {day * 7} sacks" for day in range(40))


class Served:
    """A server that runs, and its admin's token."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "whorl", "serve", str(folder), "--create", "--port", "0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = re.findall(r"http://\S+(?=/ )", self.process.stdout.readline())[0]
        lines = iter(self.process.stdout.readline, "")
        self.token = next(line for line in lines if "admin token" in line).split()[-1]

    def token_of(self, tenant: str, *scopes: str) -> str:
        """A token of somebody else."""
        from whorl.client.transport import JsonBody

        with Client(self.url, self.token) as client:
            result = client._transport().json(
                "POST", "/api/v1/tokens", body=JsonBody({"tenant": tenant, "scopes": scopes})
            )
        return str(result["secret"])

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        if self.process.stdout is not None:
            self.process.stdout.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    limits = ("--max-upload", "1", "--max-batch", "2", "--others", "exists")
    server = Served(tmp_path_factory.mktemp("served") / "index", *limits)
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WHORL_TOKEN", raising=False)
    Path("papers").mkdir()
    Path("papers/song.txt").write_text(SONG)
    Path("papers/tale.html").write_text(f"<p>{TALE}</p>")


@pytest.fixture
def asking(served, monkeypatch, request):
    """The options of a command that asks the server, in a collection of the test's own."""
    monkeypatch.setenv("WHORL_TOKEN", served.token)
    return "--server", served.url, "--collection", re.sub(r"[^a-z0-9]+", "-", request.node.name.lower())[:60]


def run(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


def as_json(*arguments: object) -> Any:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def refused(*arguments: object, code: int = 1) -> str:
    result = run(*arguments)
    assert result.exit_code == code, result.output
    if code == 1:
        assert len(result.stderr.splitlines()) == 1
    return result.stderr


def without(value: Any, *keys: str) -> Any:
    """JSON without what must differ: numbers that were given out, and moments."""
    if isinstance(value, dict):
        return {key: without(each, *keys) for key, each in value.items() if key not in keys}
    return [without(each, *keys) for each in value] if isinstance(value, list) else value


@pytest.fixture
def twins(monkeypatch):
    """An index in a folder, and a server of another with the same key."""
    assert run("index", "create", "local").exit_code == 0
    shutil.copytree("local", "remote")
    server = Served(Path("remote"))
    monkeypatch.setenv("WHORL_TOKEN", server.token)
    yield ("local",), ("--server", server.url)
    server.stop()


def walked(*where: str) -> tuple[Any, ...]:
    """All that a person does, and what he sees."""
    facts = ("--label", "old", "--label", "new", "--url", "http://x/y", "--date", "2020", "--contact", "a@b")
    return (
        as_json("index", "add", *where, "papers", *facts),
        as_json("index", "add", *where, "papers", *facts),
        without(as_json("index", "list", *where), "id", "added"),
        run("index", "list", *where).output,
        without(as_json("search", *where, "draft.txt", "draft.txt"), "id", "added", "foreign"),
        run("search", *where, "draft.txt", "--explain").output,
        run("search", *where, "other.txt").output,
        run("index", "remove", *where, "papers/song.txt", "papers/tale.html").output,
    )


def test_the_same_json_and_tables_as_locally(twins):
    Path("draft.txt").write_text(f"Listen. {TALE[:67]} Nothing else. {SONG}")
    Path("other.txt").write_text("Something entirely different, which nobody else has ever written down before.")
    local, remote = (walked(*where) for where in twins)
    assert local == remote
    assert local[0] == {"added": 2, "skipped": [], "without_text": []}
    assert len(local[4][0]["hits"]) == 2


def server_of(options: tuple[str, ...]) -> tuple[str, ...]:
    """A search takes no collection."""
    return options[:2]


def test_standard_input_formats_and_estimates(asking):
    assert as_json("index", "add", "papers", *asking)["added"] == 2
    server = server_of(asking)
    found = run("search", "-", *server, "--as", "text", "--format", "json", stdin=SONG.encode())
    assert json.loads(found.stdout)[0]["hits"][0]["document"]["name"] == "papers/song.txt"
    Path("draft").write_text(SONG)
    (answer,) = as_json("search", "draft", *server, "--look-ups", 2, "--no-passages", "--limit", 1)
    assert answer["cost"]["look_ups"] == 2
    assert answer["hits"][0]["passages"] == []
    assert "smaller than the index's own" in refused("search", "draft", *server, "--window", 5)
    run("index", "remove", "papers/song.txt", "papers/tale.html", *asking)


def test_what_is_gone_is_mirrored_and_what_cannot_be_read_is_reported(asking):
    Path("papers/image.txt").write_bytes(b"\x89PNG\r\n\x1a\n\0\0")
    answer = as_json("index", "add", "papers", *asking)
    assert (answer["added"], [item["file"] for item in answer["skipped"]]) == (2, ["papers/image.txt"])
    Path("papers/song.txt").write_text(SONG + " The end.")
    Path("papers/tale.html").unlink()
    answer = as_json("index", "add", "papers", *asking, "--mirror")
    assert {key: answer[key] for key in ("replaced", "removed")} == {"replaced": 1, "removed": 1}
    assert [entry["name"] for entry in as_json("index", "list", *asking)] == ["papers/song.txt"]


def test_a_document_that_is_too_large_is_left_out(asking):
    Path("papers/large.txt").write_text("x" * (3 << 20))
    done = run("index", "add", "papers", *asking, "--format", "json")
    assert done.exit_code == 1
    answer = json.loads(done.stdout)
    assert answer["added"] == 2
    assert [item["file"] for item in answer["skipped"]] == ["papers/large.txt"]
    Path("large").write_text("x" * (3 << 20))
    assert "(413): send less at a time" in refused("search", "large", *server_of(asking))


def test_many_documents_are_listed_page_after_page(asking, monkeypatch):
    monkeypatch.setattr("whorl.client.client.PAGE", 3)
    Path("many").mkdir()
    for number in range(8):
        Path(f"many/{number}.txt").write_text(f"{SONG} {number}")
    assert as_json("index", "add", "many", *asking, "--threads", 3)["added"] == 8
    names = [entry["name"] for entry in as_json("index", "list", *asking)]
    assert names == [f"many/{number}.txt" for number in range(8)]


def test_what_is_missing_is_reported_and_nothing_is_removed(asking):
    as_json("index", "add", "papers", *asking)
    message = refused("index", "remove", "papers/song.txt", "papers/nothing.txt", *asking)
    assert "no document is called papers/nothing.txt. Nothing was removed" in message
    assert len(as_json("index", "list", *asking)) == 2


def test_stats(asking):
    stats = as_json("index", "stats", *asking[:2])
    assert stats["documents"] >= 0
    assert stats["bytes"] > 0
    assert "documents" in run("index", "stats", *asking[:2]).output


def test_without_a_token_and_with_a_wrong_one(served, monkeypatch):
    server = ("--server", served.url)
    Path("draft").write_text(SONG)
    for command in (("index", "list"), ("index", "add", "papers"), ("index", "remove", "x"), ("search", "draft")):
        assert "(401): set WHORL_TOKEN" in refused(*command, *server)
    monkeypatch.setenv("WHORL_TOKEN", "whorl_wrong")
    message = refused("index", "list", *server)
    assert "(401)" in message
    assert "whorl_wrong" not in message


def test_a_token_in_a_file(served, monkeypatch):
    Path("token").write_text(f"{served.token}\n")
    monkeypatch.setenv("WHORL_TOKEN", "whorl_wrong")
    assert as_json("index", "list", "--server", served.url, "--token-file", "token", "--collection", "empty") == []
    assert "cannot read" in refused("index", "list", "--server", served.url, "--token-file", "gone")


def test_a_token_that_may_not(served, monkeypatch):
    monkeypatch.setenv("WHORL_TOKEN", served.token_of("ann", "search"))
    assert "(403): ask the administrator" in refused("index", "add", "papers", "--server", served.url)
    assert "(403)" in refused("index", "stats", "--server", served.url)


def test_documents_of_others_are_reported_coarsely(served, monkeypatch):
    Path("story.txt").write_text(STORY)
    monkeypatch.setenv("WHORL_TOKEN", served.token_of("bob", "search", "add"))
    assert as_json("index", "add", "story.txt", "--server", served.url)["added"] == 1
    monkeypatch.setenv("WHORL_TOKEN", served.token_of("cid", "search"))
    (answer,) = as_json("search", "story.txt", "--server", served.url)
    assert (answer["hits"], answer["foreign"]) == ([], [{"level": "most"}])
    shown = run("search", "story.txt", "--server", served.url).output
    assert "a document of another owner has most of it" in shown
    assert "nothing in the index" not in shown


def test_an_admin_says_whose_documents_are(served, monkeypatch):
    monkeypatch.setenv("WHORL_TOKEN", served.token)
    assert as_json("index", "add", "papers", "--server", served.url, "--owner", "dora")["added"] == 2
    monkeypatch.setenv("WHORL_TOKEN", served.token_of("dora", "search"))
    entries = as_json("index", "list", "--server", served.url)
    assert {(entry["name"], entry["owner"]) for entry in entries} == {
        ("papers/song.txt", "dora"),
        ("papers/tale.html", "dora"),
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("search", "--server", "http://127.0.0.1:1"), "Missing argument 'FILES...'"),
        (("search", "index", "x"), "Path 'index' does not exist"),
        (("search",), "Missing argument 'INDEX'"),
        (("search", "x", "--server", "http://127.0.0.1:1", "--group"), "--group does not work with --server"),
        (("search", "x", "--server", "http://127.0.0.1:1", "--parse-seconds", "3"), "--parse-seconds does not work"),
        (("index", "add", "--server", "http://127.0.0.1:1"), "Missing argument 'PATHS...'"),
        (("index", "add", "gone", "--server", "http://127.0.0.1:1"), "'PATHS...': Path 'gone' does not exist"),
        (("index", "list", "papers", "extra"), "unexpected extra argument (extra)"),
        (("index", "list", "papers", "--server", "http://127.0.0.1:1"), "unexpected extra argument (papers)"),
        (("index", "list", "papers", "--collection", "x"), "--collection works with --server only"),
        (("index", "stats", "papers", "--token-file", "x"), "--token-file works with --server only"),
        (("index", "remove", "papers"), "Missing argument 'NAMES...'"),
    ],
)
def test_what_does_not_go_together(arguments, message):
    assert message in refused(*arguments, code=2)


def test_a_server_that_is_not_there():
    assert "connection refused" in refused("index", "list", "--server", "http://127.0.0.1:1")
    assert "--server: 'nonsense': give an address" in refused("index", "list", "--server", "nonsense")


def test_http_to_another_machine_is_warned_of(monkeypatch):
    def refuse(*_: object) -> None:
        raise ServerRefusedError("http://a.example", 404, "nothing")

    monkeypatch.setattr("whorl.client.transport.Transport.json", refuse)
    shown = run("index", "list", "--server", "http://a.example").stderr
    assert "warning: http://a.example: the token is sent unencrypted. Use https" in shown


def test_the_token_is_no_option():
    for command in (("search",), ("index", "add"), ("index", "list"), ("index", "remove"), ("index", "stats")):
        shown = run(*command, "--help").output
        assert "--token-file" in shown
        assert "--token " not in shown
        assert "WHORL_TOKEN" in shown
