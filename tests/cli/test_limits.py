"""The limits of parsers as options: a hostile file is given up when the options say so, and it is told."""

import json
import re
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from whorl.cli import main
from whorl.sandbox import Limits
from whorl.sandbox.pool import configure

# Far more than a parser that is stopped soon, and the plain lexer after it, take on a busy machine.
SECONDS = 60
CLASS = Path(__file__).parents[2] / "examples" / "class"


@pytest.fixture(autouse=True)
def _default_limits():
    yield
    configure(Limits())


def run(*arguments):
    return CliRunner().invoke(main, ["fingerprint", *map(str, arguments), "--scheme", "code", "--format", "json"])


@pytest.fixture
def hostile(tmp_path):
    path = tmp_path / "Evil.java"
    path.write_text("s<" * 10_000)
    return path


def test_a_parser_gets_no_more_time_than_is_given(hostile):
    started = time.monotonic()
    result = run(hostile, "--parse-seconds", 0.2, "--parse-memory", 4096)
    assert time.monotonic() - started < SECONDS
    assert result.exit_code == 0
    (document,) = json.loads(result.stdout)["documents"]
    (note,) = document["notes"]
    assert note.startswith("read by the plain lexer, not as java: the parser was stopped: ")
    assert re.search(r"took longer than 0\.[28] s", note)  # of processor time, or else of wall time
    assert document["symbols"] == 20_000


def test_nor_more_memory(hostile):
    (document,) = json.loads(run(hostile, "--parse-seconds", 20, "--parse-memory", 128).stdout)["documents"]
    (note,) = document["notes"]
    assert "the parser was stopped: " in note
    assert document["symbols"] == 20_000


def test_honest_files_beside_it_are_read(hostile, tmp_path):
    honest = tmp_path / "Honest.java"
    honest.write_text("class A { int b = 1; }")
    result = run(hostile, honest, "--parse-seconds", 2)
    notes = [document["notes"] for document in json.loads(result.stdout)["documents"]]
    assert [len(each) for each in notes] == [1, 0]


@pytest.mark.parametrize("option", [("--parse-seconds", "0"), ("--parse-memory", "1"), ("--parse-seconds", "nan")])
def test_limits_that_make_no_sense_are_refused(hostile, option):
    result = run(hostile, *option)
    assert result.exit_code != 0
    assert any(said in result.stderr for said in ("out of range", "not in the range 128<=", "not a number"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", CLASS, "--fail-on", "nan"),
        ("compare", CLASS, "--max-share", "nan%"),
        ("compare", CLASS, "--threshold", "nan"),
        ("compare", CLASS, "--sort", "shared", "--threshold", "inf"),
        ("compare", CLASS, "--report", "report", "--report-size", "1e303"),
        ("compare", CLASS, "--threads", "10000000"),
        ("fingerprint", CLASS / "amara.py", "--limit", "99999999999999999999"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments[2:])),
)
def test_a_number_that_is_none_or_too_large_is_refused(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert (result.stdout, type(result.exception)) == ("", SystemExit)
    assert result.exit_code in (1, 2)
    assert "Error: " in result.stderr
    assert not list(tmp_path.iterdir())
