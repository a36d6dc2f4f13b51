"""The page about JSON and Parquet has every key and column that the commands really print, and no other."""

import json
import re
from pathlib import Path

import pytest

from tests.docs import schemas

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "schemas.md").read_text("utf-8")
ROW = re.compile(r"^\| `([^`]+)` \| ([^|]+) \| (.+) \|$", re.MULTILINE)
RECORD = re.compile(r"\[[^\]]+\]\(#([\w-]+)\)")

# Answers whose text says of which record they are, beside their own keys.
MORE = {
    "whorl index list": ("[]", "indexed"),
    "whorl index export": ("", "indexed"),
    "whorl registry list": ("[]", "registered"),
}

# Commands that are described and not run: the experiments of a paper take half a minute even in a small run.
TOO_LONG = {"whorl reproduce"}


def table(heading: str) -> dict[str, str]:
    """The keys of a section, and their types, as the page has them."""
    section = re.split(rf"^##+ `?{re.escape(heading)}`?\n", PAGE, flags=re.MULTILINE)[1]
    rows = ROW.findall(re.split(r"^## |^### ", section, flags=re.MULTILINE)[0])
    assert all(meaning.strip() for _, _, meaning in rows)
    return {key: kind for key, kind, _ in rows}


def expanded(rows: dict[str, str]) -> dict[str, str]:
    """The rows with the keys of the records that they name."""
    found = dict(rows)
    for key, kind in rows.items():
        for record in RECORD.findall(kind):
            inner = expanded(table(record.replace("-", " ")))
            at = f"{key}[]" if kind.startswith("list of") else key
            found |= {f"{at}.{name}": each for name, each in inner.items()}
    return found


def kinds(written: str) -> set[str]:
    """The JSON types that a cell of the page allows."""
    if written.startswith("list"):
        return {"list"}
    return {"object" if part.startswith("[") else part for part in written.split(" or ")}


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What every section's commands print, as paths with their types."""
    folder = tmp_path_factory.mktemp("schemas")
    schemas.prepare(folder, ROOT / "examples")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        answers = {section: [schemas.printed(each) for each in commands] for section, commands in schemas.JSON.items()}
    found = {
        section: schemas.types(pair for answer in documents for pair in schemas.paths(answer))
        for section, documents in answers.items()
    }
    summary = json.loads((folder / "clusters" / "summary.json").read_text("utf-8"))
    return found, schemas.types(schemas.paths(summary)), folder


@pytest.mark.parametrize("section", schemas.JSON)
def test_every_key_is_reported(section, printed):
    heading = "whorl registry stats" if section == "whorl registry compact" else section
    rows = expanded(table(heading))
    if heading in MORE:
        at, record = MORE[heading]
        rows |= {f"{at}.{key}" if at else key: kind for key, kind in table(record).items()}
    compare(rows, printed[0][section])


def test_the_summary_file_has_the_same(printed):
    compare(expanded(table("whorl cluster")), printed[1])


def compare(rows: dict[str, str], found: dict[str, set[str]]) -> None:
    """The keys are the same, and every type that was seen is allowed."""
    maps = tuple(key.removesuffix("*") for key in rows if key.endswith(".*"))
    seen = {f"{maps[0]}*" if maps and key.startswith(maps) else key: types for key, types in found.items()}
    empty = tuple(f"{key}[]." for key, kind in rows.items() if is_empty(key, kind, seen))
    rows = {key: kind for key, kind in rows.items() if not key.startswith(empty)}
    assert sorted(rows) == sorted(seen)
    for key, types in seen.items():
        assert types <= kinds(rows[key]) or (types == {"integer"} and rows[key] == "number"), (key, types, rows[key])


def is_empty(key: str, kind: str, seen: dict[str, set[str]]) -> bool:
    """Whether a list of records had none; the records' own keys are seen where another command has some."""
    is_list = kind.startswith("list of [") and key in seen
    return is_list and not any(each.startswith(f"{key}[].") for each in seen)


@pytest.mark.parametrize("name", schemas.PARQUET)
def test_every_column_is_reported(name, printed):
    assert table(name) == schemas.columns(printed[2] / "clusters" / name)


def test_every_command_that_prints_json_is_here():
    page = (ROOT / "docs" / "cli.md").read_text("utf-8")
    sections = re.findall(r"^## `(whorl [^`]+)`\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    printing = {name for name, text in sections if re.search(r"--format \[table\|json", text)}
    assert printing - TOO_LONG <= {*schemas.JSON}
    assert all(table(name) for name in TOO_LONG)
