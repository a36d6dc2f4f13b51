"""A command on a store of another kind: it says what the folder is, and which command reads it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.registry.corpus import prose
from whorl.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def stores(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("d").mkdir()
    for name in ("a.txt", "d/b.txt"):
        Path(name).write_text(prose(1, 400))
    for command in (
        "index create i", "registry create r", "sweep add s a.txt --date 2026-01-01", "cluster a.txt -o c",
    ):  # fmt: skip
        assert run(*command.split()).exit_code == 0


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("check r a.txt", "r: no index, but a Whorl registry: read it with 'whorl registry search r FILES'"),
        ("search r a.txt", "r: no index, but a Whorl registry: read it with 'whorl registry search r FILES'"),
        ("index list r", "r: no index, but a Whorl registry: read it with 'whorl registry search r FILES'"),
        ("check s a.txt", "s: no index, but a Whorl sweep store: read it with 'whorl sweep find s URL'"),
        ("check c a.txt", "c: no index, but a Whorl clustering: read it with 'whorl cluster -o c --query ID'"),
        ("registry search i a.txt", "i: no registry, but a Whorl index: read it with 'whorl search i FILES'"),
        ("registry stats s", "s: no registry, but a Whorl sweep store: read it with 'whorl sweep find s URL'"),
        ("search a.txt i", "i: a Whorl index: name it before the files"),
        (
            "check a.txt i",
            "a.txt: no index, but a file: name a Whorl index first, or create one with 'whorl index create NAME'",
        ),
        (
            "index add d a.txt",
            "d: no index, but a folder of other files: name a Whorl index first, "
            "or create one with 'whorl index create NAME'",
        ),
        ("sweep stats i", "i: no sweeps, but a Whorl index: read it with 'whorl search i FILES'"),
        ("sweep find r a", "r: no sweeps, but a Whorl registry: read it with 'whorl registry search r FILES'"),
    ],
)
def test_a_store_of_another_kind_is_named_with_its_command(stores, command, message):
    result = run(*command.split())
    assert result.exit_code == 1
    assert result.stderr == f"Error: {message}\n"


def test_a_folder_that_is_no_store_gets_the_advice_to_create_one(stores):
    Path("empty").mkdir()
    Path("empty/secret.key").touch()  # the making of a store was interrupted, and can be repeated
    assert "no index: create one with 'whorl index create empty'" in run("check", "empty", "a.txt").stderr
    assert "no registry: create one with 'whorl registry create empty'" in run("registry", "list", "empty").stderr
