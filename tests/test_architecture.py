"""ARCHITECTURE.md names what exists, leaves no package out, and stays short."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
PATHS = sorted(set(re.findall(r"`([\w.-]+(?:/[\w.-]*)+)`", PAGE)))
NAMES = sorted({name for name in re.findall(r"`([A-Za-z_]\w*(?:\.[a-z_]\w*)?)`", PAGE) if not name.endswith(".toml")})
PACKAGE = ROOT / "src" / "whorl"


def test_it_names_paths():
    assert len(PATHS) > 20


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists(path):
    assert (ROOT / path).exists()
    assert (ROOT / path).is_dir() or not path.endswith("/")


def test_what_make_quick_leaves_out_exists():
    listed = re.search(r"^LEFT_OUT := ((?:.*\\\n)*.*)$", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert listed is not None
    names = listed[1].replace("\\\n", " ").split()
    assert len(names) > 10
    assert [name for name in names if not (ROOT / "tests" / name).exists()] == []


def definitions():
    for path in PACKAGE.rglob("*.py"):
        yield from re.findall(r"^ *(?:async def|def|class) (\w+)[(\[:]", path.read_text("utf-8"), re.M)


def test_every_function_and_class_that_is_named_exists():
    known = {*definitions(), *(path.stem for path in PACKAGE.rglob("*"))}
    assert not [name for name in NAMES for part in name.split(".") if part not in known]


def test_the_layers_are_those_of_the_contract():
    contract, *_ = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    picture = PAGE.partition("```text\n")[2].partition("```")[0]
    assert [f"whorl.{line.split()[0]}" for line in picture.splitlines()] == contract["layers"]


def test_every_package_and_module_of_the_top_is_a_layer():
    contract, *_ = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    present = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert {name for name in present if not name.startswith("_")} == {
        layer.removeprefix("whorl.") for layer in contract["layers"]
    }


def test_it_is_read_in_ten_minutes():
    assert len(PAGE.split()) <= 1500
