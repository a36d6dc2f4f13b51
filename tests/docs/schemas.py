"""What every command really prints as JSON and writes as Parquet, as the paths of its keys and their types."""

import json
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
from click.testing import CliRunner

from whorl.cli import main

EXAMPLES = "examples"
NAMES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    type(None): "null",
    list: "list",
    dict: "object",
}

# Section of the page → command lines that together print every key, run one after the other in one folder.
JSON: dict[str, tuple[str, ...]] = {
    "whorl fingerprint": ("whorl fingerprint examples/lighthouse.txt --limit 3",),
    "whorl formats": ("whorl formats",),
    "whorl compare": (
        "whorl compare examples/class notes --base examples/template --archive examples/previous "
        "--submissions-csv examples/class.csv --group-by person --report report",
        "whorl compare canvas",
    ),
    "whorl cluster": ("whorl cluster examples/crawl/january.jsonl odd.jsonl -o clusters",),
    "whorl dedup": (
        "whorl dedup examples/crawl/january.jsonl odd.jsonl -o clean",
        "whorl dedup examples/crawl/january.jsonl odd.jsonl -o indexed --index seen.sweep",
    ),
    "whorl dedup --unit": (
        "whorl dedup examples/crawl/january.jsonl odd.jsonl -o passages --unit passage --tokens 20 --boilerplate 1",
    ),
    "whorl decontaminate": (
        "whorl decontaminate examples/crawl/january.jsonl odd.jsonl --against examples/crawl/february.jsonl -o clear",
    ),
    "whorl cluster --query": (
        "whorl cluster -o clusters --query http://harbour.example/rules.html --query http://nobody.example/",
    ),
    "whorl index build": ("whorl index build whole.index examples/archive notes",),
    "whorl index add": (
        "whorl index add archive.index examples/archive notes more --owner magazine --label old "
        "--url http://magazine.example/ --date 2026-01-05 --contact desk@magazine.example",
    ),
    "whorl index list": ("whorl index list archive.index",),
    "whorl index export": ("whorl index export archive.index --texts",),
    "whorl index stats": ("whorl index stats archive.index",),
    "whorl index purge": ("whorl index purge whole.index examples/archive/bells.txt",),
    "whorl search": (
        "whorl search archive.index examples/manuscript.txt --group --explain",
        "whorl search archive.index examples/archive/salt.txt --group",
    ),
    "whorl check": ("whorl check archive.index examples/manuscript.txt",),
    "whorl registry create": ("whorl registry create archive.registry",),
    "whorl registry add": (
        "whorl registry add archive.registry examples/archive notes --contact desk@magazine.example "
        "--base-url http://magazine.example/ --of-date 2026-01-05",
    ),
    "whorl registry list": ("whorl registry list archive.registry",),
    "whorl registry search": (
        "whorl registry search archive.registry examples/manuscript.txt --verify examples/archive --explain",
    ),
    "whorl registry stats": ("whorl registry stats archive.registry",),
    "whorl registry verify": ("whorl registry verify archive.registry",),
    "whorl registry rotate": ("whorl registry rotate archive.registry --texts examples/archive/salt.txt",),
    "whorl registry remove": ("whorl registry remove archive.registry examples/archive/bells.txt",),
    "whorl registry compact": ("whorl registry compact archive.registry",),
    "whorl sweep add": (
        "whorl sweep add web.sweep examples/crawl/january.jsonl --date 2026-01-05",
        "whorl sweep add web.sweep examples/crawl/february.jsonl odd.jsonl --date 2026-02-02",
    ),
    "whorl sweep screen": ("whorl sweep screen web.sweep examples/crawl/february.jsonl odd.jsonl",),
    "whorl sweep find": ("whorl sweep find web.sweep http://harbour.example/ferry.html",),
    "whorl sweep history": ("whorl sweep history web.sweep http://harbour.example/letters.html",),
    "whorl sweep changes": (
        "whorl sweep changes web.sweep --state gone --state moved --state new --state changed --state returned",
    ),
    "whorl sweep stats": ("whorl sweep stats web.sweep",),
    "whorl sweep contacts": ("whorl sweep contacts web.sweep http://harbour.example/rules.html",),
    "whorl sweep show": ("whorl sweep show web.sweep http://harbour.example/rules.html",),
}

PARQUET = ("documents.parquet", "pairs.parquet")


def prepare(folder: Path, examples: Path) -> None:
    """What the commands need: the examples, a file that cannot be read, a row that is bad."""
    (folder / EXAMPLES).symlink_to(examples)
    (folder / "notes").mkdir()
    (folder / "notes" / "damaged.zip").write_bytes(b"PK\x03\x04 and nothing more")
    (folder / "more").mkdir()
    again = (examples / "archive" / "salt.txt").read_text("utf-8")
    (folder / "more" / "salt.txt").write_text(f"{again} Printed again.", "utf-8")
    (folder / "canvas").mkdir()
    for name in ("doejane_1001_5001_salt.txt", "roebo_1002_5002_salt.txt"):
        (folder / "canvas" / name).write_text(again, "utf-8")
    (folder / "odd.jsonl").write_text("not a row\n", "utf-8")
    made = CliRunner().invoke(main, ["index", "create", str(folder / "archive.index")])
    assert made.exit_code == 0, made.output


def printed(command: str) -> Any:
    """What a command prints as JSON; a bad row makes its exit code 1."""
    arguments = [*shlex.split(command)[1:], "--format", "json"]
    if arguments[:2] == ["index", "export"]:
        arguments = arguments[:-2]
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code in (0, 1), result.output
    assert result.stdout, result.output
    return json.loads(result.stdout.splitlines()[0] if arguments[1] == "export" else result.stdout)


def paths(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Every key of a value, with the names of what it leads to and the type."""
    if isinstance(value, dict):
        for key, inner in value.items():
            here = f"{at}.{key}" if at else key
            yield here, NAMES[type(inner)]
            yield from paths(inner, here)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, list | dict):
                yield from paths(inner, f"{at}[]")


def types(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """The types that each path was seen with."""
    found: dict[str, set[str]] = {}
    for path, kind in pairs:
        found.setdefault(path, set()).add(kind)
    return found


def columns(path: Path) -> dict[str, str]:
    """The columns of a Parquet file, and their types."""
    return {field.name: str(field.type) for field in parquet.read_schema(path)}
