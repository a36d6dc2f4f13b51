"""ARCHITECTURE.md names what exists, and leaves no folder out."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
HEADINGS = [line for line in PAGE.splitlines() if line.startswith("#")]
PATHS = sorted(set(re.findall(r"`([\w.-]+(?:/[\w.-]*)+)`", PAGE)))
PACKAGES = sorted(path.parent for path in (ROOT / "src" / "whorl").glob("*/__init__.py"))
BARE_FILES = re.compile(r"`([\w-]+\.(?:py|h|md|toml))`")


def test_it_names_paths():
    assert len(PATHS) > 20


@pytest.mark.parametrize("path", PATHS)
def test_every_path_exists(path):
    assert (ROOT / path).exists()
    assert (ROOT / path).is_dir() or not path.endswith("/")


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_folder_of_the_package_has_a_heading(package):
    assert any(f"`src/whorl/{package.name}/`" in heading for heading in HEADINGS)


def test_every_heading_of_a_folder_asks_a_question():
    assert all(heading.endswith("?") for heading in HEADINGS if "`" in heading)


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_every_module_named_under_a_folder_is_in_it(package):
    """Under its folder's heading, a module may be named without its path."""
    section = PAGE.partition(f"## `src/whorl/{package.name}/`")[2].partition("\n## ")[0]
    for name in BARE_FILES.findall(section):
        assert (package / name).exists() or (ROOT / name).exists(), name


def test_the_layers_are_those_of_the_contract():
    (contract,) = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    picture = PAGE.partition("```text\n")[2].partition("```")[0]
    assert [f"whorl.{line.split()[0]}" for line in picture.splitlines()] == contract["layers"]
