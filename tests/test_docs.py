"""The documentation is true: its commands and code run, its links resolve, what is generated is up to date."""

import re
import shlex
import sys
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner
from tools import make_cli_docs

import whorl
from tests.conformance.selector import SelectorConformance
from whorl.catalog import FRONTENDS, SELECTORS, Catalog, CatalogRow
from whorl.cli import COMMANDS, main

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])
README = (ROOT / "README.md").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
EXTERNAL = ("http://", "https://", "mailto:", "#")


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)


def links(page: Path) -> Iterator[str]:
    """Where the relative links of a page lead."""
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not target.startswith(EXTERNAL):
            yield target.partition("#")[0]


def run(command: str) -> str:
    """What a command line prints; it must succeed."""
    program, *arguments = shlex.split(command, comments=True)
    assert program == "whorl"
    result = CliRunner().invoke(main, arguments, prog_name="whorl", env={"COLUMNS": "100"}, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_resolves(page):
    for target in links(page):
        assert (page.parent / target).exists(), target


def test_every_module_that_is_named_exists():
    folders = ("src", "tests", "tools", "benchmarks", "experiments", "fuzz", "examples")
    modules = {file.relative_to(ROOT).as_posix() for folder in folders for file in (ROOT / folder).rglob("*.py")}
    pages = [*(ROOT / "docs" / "decisions").glob("*.md"), ROOT / "docs" / "normal-form.md", ROOT / "ARCHITECTURE.md"]
    named = {name for page in pages for name in re.findall(r"`([\w./-]+\.py)`", page.read_text("utf-8"))}
    assert len(named) > 50
    assert not [
        name for name in named if not any(f"/{module}".endswith(f"/{name}") for module in modules | {"setup.py"})
    ]


class TestCommandLine:
    def test_the_page_is_up_to_date(self):
        advice = "run .venv/bin/python tools/make_cli_docs.py"
        assert make_cli_docs.PAGE.read_text("utf-8") == make_cli_docs.page(), advice

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_command_is_in_it(self, name):
        assert f"## `whorl {name}`\n\n```text\nUsage: whorl {name} " in make_cli_docs.PAGE.read_text("utf-8")

    def test_it_does_not_depend_on_the_terminal(self, monkeypatch):
        monkeypatch.setenv("COLUMNS", "40")
        assert make_cli_docs.help_text("fingerprint").startswith("Usage: whorl fingerprint ")
        assert max(map(len, make_cli_docs.help_text("fingerprint").splitlines())) > 80


@pytest.mark.usefixtures("at_root")
class TestReadme:
    COMMANDS = tuple(line for line in "".join(blocks(README, "sh")).splitlines() if line.startswith("whorl "))
    TRANSCRIPTS = tuple(blocks(README, "console"))

    def test_it_has_some_of_each(self):
        assert len(self.COMMANDS) >= 5
        assert self.TRANSCRIPTS
        assert blocks(README, "python")

    @pytest.mark.parametrize("command", COMMANDS)
    def test_commands_run(self, command):
        assert run(command)

    def test_commands_run_one_after_the_other(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for name in ("README.md", "docs", "examples"):
            (tmp_path / name).symlink_to(ROOT / name)
        commands = "".join(blocks(README, "bash")).splitlines()
        assert {command.split()[1] for command in commands} == {
            "check",
            "cluster",
            "dedup",
            "sweep",
            "index",
            "search",
            "registry",
        }
        for command in commands:
            assert run(command)

    @pytest.mark.parametrize("transcript", TRANSCRIPTS)
    def test_a_run_looks_as_shown(self, transcript):
        prompt, _, shown = transcript.partition("\n")
        printed = [line.rstrip() for line in run(prompt.removeprefix("$ ")).splitlines()]
        assert shown.splitlines() == printed

    @pytest.mark.parametrize("code", blocks(README, "python"))
    def test_code_runs(self, code, capsys):
        exec(compile(code, "README.md", "exec"), {"__name__": "readme"})
        assert capsys.readouterr().out

    def test_make_targets_exist(self):
        targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
        assert set(re.findall(r"`?make ([a-z]+)(?:`|  )", README + CONTRIBUTING)) <= targets


def test_pre_commit_runs_what_make_check_runs():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    parts = re.search(r"^check: (.*?) *##", makefile, re.MULTILINE)
    assert parts
    recipes = [re.search(rf"^{name}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE) for name in parts[1].split()]
    lines = [line for recipe in recipes if recipe for line in recipe[1].splitlines()]
    commands = [line.strip().replace("$(BIN)", ".venv/bin") for line in lines]
    assert len(commands) >= 4
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    assert re.findall(r"^ +entry: (.+)$", hooks, re.MULTILINE) == commands
    # Settings of the tools are in pyproject.toml, types of the kernel in .pyi files: no Python files to pre-commit.
    assert re.findall(r"^ +types_or: (.+)$", hooks, re.MULTILINE) == ["[python, pyi, toml]"] * len(commands)


def test_what_the_commands_of_the_readme_make_is_no_part_of_the_repository():
    """Else ``make check`` would find faults in copies of the examples, and git would take the key of the index."""
    commands = "\n".join(blocks(README, "bash"))
    made = set(re.findall(r"(?: -o| --report| create|sweep add) ([\w.]+)", commands))
    assert len(made) == 6
    assert {f"/{name}/" for name in made} <= set((ROOT / ".gitignore").read_text("utf-8").splitlines())


class TestContributing:
    """The selector and the front-end of the page are made, declared and put through their suites."""

    def code(self, title: str, number: int = 0) -> str:
        """A block by the path in its first line."""
        return [block for block in blocks(CONTRIBUTING, "python") if block.startswith(f"# {title}\n")][number]

    def module(self, monkeypatch, path: str) -> ModuleType:
        name = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
        module = ModuleType(name)
        monkeypatch.setitem(sys.modules, name, module)
        exec(compile(self.code(path), path, "exec"), module.__dict__)
        return module

    def declare(self, monkeypatch, catalog: Catalog, number: int) -> None:
        rows = eval(f"{{{self.code('src/whorl/catalog.py', number)}}}", {"CatalogRow": CatalogRow})
        for name, row in rows.items():
            monkeypatch.setitem(catalog.declared, name, row)

    def suite(self, path: str, given: dict[str, object]) -> list[str]:
        """Runs every test of the suite that a block defines, and says which."""
        exec(compile(self.code(path), path, "exec"), given)
        (suite,) = (value for name, value in given.items() if name.startswith("Test"))
        assert isinstance(suite, type)
        tests = [name for name in dir(suite) if name.startswith("test_") and not needs_arguments(getattr(suite, name))]
        for name in tests:
            with suppress(pytest.skip.Exception):  # what a selector does not promise
                getattr(suite(), name)()
        return tests

    def test_the_selector(self, monkeypatch):
        self.module(monkeypatch, "src/whorl/engine/fraction.py")
        self.declare(monkeypatch, SELECTORS, 0)
        given: dict[str, object] = {"SelectorConformance": SelectorConformance, "__name__": "contributing"}
        assert "test_neither_runs_nor_threads_change_anything" in self.suite(
            "tests/engine/selectors/test_conformance.py", given
        )

    def test_the_frontend(self, monkeypatch):
        self.module(monkeypatch, "src/whorl/formats/bases.py")
        self.declare(monkeypatch, FRONTENDS, 1)
        given: dict[str, object] = {"__name__": "contributing"}
        assert "test_a_cut_divides_the_stream" in self.suite("tests/formats/test_bases.py", given)
        found = whorl.fingerprint("GAT TACA\n" * 30, whorl.Scheme(frontend="bases", k=5, w=4))
        assert found.symbols == 7 * 30

    def test_entry_points(self, monkeypatch, tmp_path):
        (table,) = (tomllib.loads(block)["project"]["entry-points"] for block in blocks(CONTRIBUTING, "toml"))
        (tmp_path / "my_package").mkdir()
        (tmp_path / "my_package" / "__init__.py").touch()
        for name, path in (("fraction", "src/whorl/engine/fraction.py"), ("bases", "src/whorl/formats/bases.py")):
            (tmp_path / "my_package" / f"{name}.py").write_text(self.code(path), "utf-8")
        info = tmp_path / "my_package-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1\n")
        lines = [
            f"[{group}]\n" + "".join(f"{name} = {at}\n" for name, at in rows.items()) for group, rows in table.items()
        ]
        (info / "entry_points.txt").write_text("\n".join(lines))
        monkeypatch.syspath_prepend(tmp_path)
        for catalog, name in ((SELECTORS, "fraction"), (FRONTENDS, "bases")):
            fresh = Catalog(catalog.kind, catalog.group, catalog.declared)
            assert name in fresh.names()
            assert fresh.row(name).load().__module__ == f"my_package.{name}"


def needs_arguments(test: object) -> bool:
    """Whether pytest would have to give a test something (Hypothesis gives what it draws itself)."""
    return bool(getattr(test, "pytestmark", ()))


class TestDependencies:
    PAGE = (ROOT / "docs" / "dependencies.md").read_text("utf-8")

    @pytest.mark.parametrize("heading", ["At run time", "Extras", "To build", "To develop"])
    def test_every_package_has_a_row(self, heading):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
        build, extras = project["build-system"]["requires"], project["project"]["optional-dependencies"]
        wanted = {
            "At run time": project["project"]["dependencies"],
            "Extras": [line for name, those in extras.items() if name != "all" for line in those],
            "To build": build,
            "To develop": [line for line in project["dependency-groups"]["dev"] if line != {"include-group": "build"}],
        }[heading]
        assert project["dependency-groups"]["build"] == build
        section = self.PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
        rows = re.findall(r"^\| ([\w-]+)(?: \(`\w+`\))? \|", section, re.MULTILINE)
        assert sorted(rows[1:]) == sorted(re.split(r"[<>=~]", line)[0] for line in wanted)
