"""Names, owners, labels, URLs and contacts that steer a terminal: every table and message shows them escaped on one
line; JSON and CSV have them exactly."""

import csv
import io
import json
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.registry.corpus import prose
from whorl.cli import main

# Sets the title of the window, begins a line of its own, and turns the rest of it round.
EVIL = "\x1b]0;title\x07a\nforged \u202eline"
SHOWN = r"\x1b]0;title\x07a\x0aforged \u202eline"
SHORT = "A few words."
COLUMNS = ("--owner-column", "owner", "--label-column", "label")


def run(*arguments):
    return CliRunner().invoke(main, arguments)


def table(name, *rows):
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def text(number):
    return prose(number, 500)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with an index, a registry, a sweep store, a clustering and a class, all with names that steer."""
    made = tmp_path_factory.mktemp("evil")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        facts = {"url": f"http://{EVIL}", "contact": EVIL, "owner": EVIL, "label": EVIL}
        rows = [{"id": f"{EVIL} {number}", "text": text(1) + text(number), **facts} for number in (2, 3)]
        table("rows.jsonl", *rows)
        table("twice.jsonl", *rows, *rows)
        table("later.jsonl", {"id": "new", "url": f"http://new {EVIL}", "text": rows[0]["text"], "contact": EVIL})
        table("changed.jsonl", {**rows[0], "text": text(9)}, {**rows[1], "text": SHORT})
        table("bad.jsonl", {"id": EVIL, "text": 3}, {"id": EVIL, "text": None, "url": EVIL})
        table("evals.jsonl", {"id": EVIL, "text": text(1)[:2000]})
        Path(f"{EVIL}.txt").write_text(rows[0]["text"])
        Path(f"{EVIL}.bin").write_bytes(bytes(5000))
        Path("class").mkdir()
        for number in (1, 2):
            Path(f"class/{EVIL} {number}.txt").write_text(rows[0]["text"])
        Path(f"class/{EVIL}.bin").write_bytes(bytes(5000))
        header = "submission,person,name,label,assignment\n"
        lines = [[f"{EVIL} {number}.txt", f"{EVIL} {number}", f"{EVIL} {number}", EVIL, EVIL] for number in (1, 2)]
        with Path("class.csv").open("w", newline="") as file:
            file.write(header)
            csv.writer(file).writerows(lines)
        for command in (
            ["index", "create", "i"], ["index", "add", "i", "rows.jsonl", *COLUMNS],
            ["registry", "create", "r"], ["registry", "add", "r", "rows.jsonl"],
            ["sweep", "add", "s", "rows.jsonl", "--date", "2026-01-01"],
            ["sweep", "add", "s", "later.jsonl", "--date", "2026-02-01"],
            ["cluster", "rows.jsonl", "-o", "c"],
        ):  # fmt: skip
            result = run(*command)
            assert result.exit_code == 0, (command, result.output)
    return made


COMMANDS = {
    "index create": ["index", "create", f"{EVIL}.index"],
    "index add": ["index", "add", "i", "twice.jsonl", f"{EVIL}.bin", *COLUMNS],
    "index list": ["index", "list", "i"],
    "index remove": ["index", "remove", "i", EVIL],
    "index purge": ["index", "purge", "i", EVIL],
    "index verify": ["index", "verify", EVIL],
    "search": ["search", "i", "rows.jsonl"],
    "search of a file": ["search", "i", f"{EVIL}.txt", "--group"],
    "search of no text": ["search", "i", f"{EVIL}.bin"],
    "check": ["check", "i", f"{EVIL}.txt", "--report", f"{EVIL}.report"],
    "check of no text": ["check", "i", f"{EVIL}.bin"],
    "check without owners": ["check", "i", f"{EVIL}.txt", "--exclude-owner", f"{EVIL}", "--exclude-label", "*"],
    "registry create": ["registry", "create", f"{EVIL}.registry"],
    "registry add": ["registry", "add", "r", "twice.jsonl", f"{EVIL}.bin"],
    "registry list": ["registry", "list", "r"],
    "registry remove": ["registry", "remove", "r", EVIL],
    "registry search": ["registry", "search", "r", f"{EVIL}.txt", "--verify", "rows.jsonl"],
    "registry search of rows": ["registry", "search", "r", "rows.jsonl", "--verify", "changed.jsonl"],
    "registry rotate": ["registry", "rotate", "r", "--texts", "changed.jsonl"],
    "registry rotate without texts": ["registry", "rotate", "r", "--texts", "class"],
    "registry backup": ["registry", "backup", "r", f"{EVIL}.copy"],
    "sweep add": ["sweep", "add", "s2", "rows.jsonl", "bad.jsonl", "--date", "2026-01-01"],
    "sweep find": ["sweep", "find", "s", f"http://{EVIL}"],
    "sweep find of no page": ["sweep", "find", "s", EVIL],
    "sweep history": ["sweep", "history", "s", f"http://{EVIL}"],
    "sweep changes": ["sweep", "changes", "s"],
    "sweep contacts": ["sweep", "contacts", "s", f"{EVIL}.txt"],
    "sweep show": ["sweep", "show", "s", f"http://{EVIL}"],
    "sweep screen": ["sweep", "screen", "s", "bad.jsonl", "rows.jsonl"],
    "sweep backup": ["sweep", "backup", "s", f"{EVIL}.sweep"],
    "cluster": ["cluster", "bad.jsonl", "rows.jsonl", "-o", "c2"],
    "cluster query": ["cluster", "-o", "c", "--query", f"{EVIL} 2", "--query", EVIL],
    "cluster verify": ["cluster", "-o", "c", "--verify"],
    "dedup": ["dedup", "bad.jsonl", "rows.jsonl", "-o", "d"],
    "decontaminate": ["decontaminate", "bad.jsonl", "rows.jsonl", "--against", "evals.jsonl", "-o", "d2"],
    "fingerprint": ["fingerprint", f"{EVIL}.txt"],
    "fingerprint of no text": ["fingerprint", f"{EVIL}.bin"],
    "compare": ["compare", "class", "--submissions-csv", "class.csv", "--group-by", "person", "--threshold", "0"],
    "compare files": ["compare", f"class/{EVIL} 1.txt", f"class/{EVIL} 2.txt", "--report", f"{EVIL}.report2"],
    "compare one file": ["compare", f"{EVIL}.txt"],
    "compare nothing": ["compare", "class", "--include", f"{EVIL}.c"],
    "cache": ["cache", "show", "--cache", EVIL],
    "a command that is none": [f"{EVIL}.txt"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_name_steers_the_terminal(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    result = run(*COMMANDS[name])
    assert result.exit_code in (0, 1, 2), result.exception
    assert not isinstance(result.exception, Exception), result.exception
    shown = result.stdout + result.stderr
    assert not {each for each in shown if unicodedata.category(each) in ("Cc", "Cf", "Co", "Cs")} - {"\n"}, ascii(shown)
    assert not [line for line in shown.splitlines() if line.startswith("forged")], ascii(shown)


@pytest.mark.parametrize("name", ["index list", "registry list", "registry search", "search", "sweep find", "check"])
def test_the_escaped_name_is_there(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    assert SHOWN in run(*COMMANDS[name]).stdout


def test_json_and_csv_have_the_names_exactly(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for name in ("index list", "registry list"):
        (first, _) = json.loads(run(*COMMANDS[name], "--format", "json").stdout)
        assert (first.get("name") or first["id"], first["url"]) == (f"{EVIL} 2", f"http://{EVIL}")
    found = json.loads(run(*COMMANDS["registry search"], "--format", "json").stdout)
    assert (found[0]["name"], found[0]["hits"][0]["document"]["contact"]) == (f"{EVIL}.txt", EVIL)
    found = json.loads(run(*COMMANDS["search"], "--format", "json").stdout)
    assert found[0]["hits"][0]["document"]["owner"] == EVIL
    rows = list(csv.reader(io.StringIO(run(*COMMANDS["sweep changes"], "--format", "csv").stdout)))
    assert EVIL in rows[1][3]
