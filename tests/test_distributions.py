"""What is handed out: the source distribution, the wheel, and the locks of what both need."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from click.testing import CliRunner
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tools.make_distributions import SOURCE, WHEEL, in_source, in_wheel, strays

import whorl
from whorl.cli import main

ROOT = Path(__file__).parents[1]
BUILT = Path("build", sysconfig.get_config_var("SOABI"))
NORMAL_FORM_C = Path("build", "normal_form")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def built(kind, place, folder):
    command = [sys.executable, "-m", "build", f"--{kind}", "--no-isolation", "--outdir", str(folder)]
    result = subprocess.run(command, cwd=place, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:]
    (made,) = folder.glob("*.tar.gz" if kind == "sdist" else "*.whl")
    return made


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return built("sdist", ROOT, tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module", params=["compiled", pytest.param("compiles", marks=pytest.mark.slow)])
def wheel(request, source, tmp_path_factory):
    """Made of the source distribution alone; for the sake of time, with the kernel that is compiled here already."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="fully_trusted")
    (place,) = folder.iterdir()
    if request.param == "compiled":
        if not (ROOT / BUILT).is_dir():
            pytest.skip("the kernel was not compiled here: run make venv")
        shutil.copytree(ROOT / BUILT, place / BUILT)
        shutil.copytree(ROOT / NORMAL_FORM_C, place / NORMAL_FORM_C)
        for path in (ROOT / "src/whorl/kernel").glob("*.c"):
            shutil.copy2(path, place / "src/whorl/kernel")
    return built("wheel", place, tmp_path_factory.mktemp("wheel"))


def test_the_source_distribution_has_all_sources_and_nothing_else(source):
    names = in_source(source)
    assert strays(names, SOURCE) == []
    kept = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(kept.stdout.split()) <= set(names)


def test_the_wheel_has_the_package_and_nothing_else(wheel):
    names = in_wheel(wheel)
    assert strays(names, WHEEL) == []
    natives = {path.stem for path in (ROOT / "src/whorl/kernel").glob("native*.py")}
    normal_form = {path.stem for path in (ROOT / "src/whorl/formats/code/normal").glob("[a-z]*.py")}
    assert {Path(name).name.partition(".")[0] for name in names if name.endswith(".so")} == {
        *natives, "memoryviews", *normal_form, "compiled__mypyc",
    }  # fmt: skip
    assert {Path(name).stem for name in names if name.endswith(".pyi")} == natives


@pytest.mark.parametrize("name", ["whorl/kernel/native.c", "whorl/report/notes.txt", "tests/test_docs.py", ".env"])
def test_a_stray_file_is_seen(name):
    assert strays(["whorl/__init__.py", name], WHEEL) == [name]
    assert strays(["src/whorl/__init__.py", f"src/{name}"], SOURCE) == [f"src/{name}"]


def test_the_version_is_in_one_place(wheel, source):
    assert source.name == f"whorl-{whorl.__version__}.tar.gz"
    assert wheel.name.startswith(f"whorl-{whorl.__version__}-")
    assert "version" not in PROJECT["project"]


def locked(name):
    """The packages of a lock: name → the versions that it has, one for each Python."""
    text = (ROOT / "requirements" / name).read_text("utf-8").replace("\\\n", " ")
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    found: dict[str, list[str]] = {}
    for row in rows:
        package, hashes = row.split(" --hash=", 1)
        assert re.fullmatch(r"(sha256:[0-9a-f]{64}(\s+--hash=)?)+", hashes.strip()), row
        requirement = Requirement(package)
        (pinned,) = requirement.specifier
        assert pinned.operator == "=="
        found.setdefault(canonicalize_name(requirement.name), []).append(pinned.version)
    return found


EXTRAS = PROJECT["project"]["optional-dependencies"]
PLAIN, BUILD = PROJECT["project"]["dependencies"], PROJECT["build-system"]["requires"]
TOOLS = [line for line in PROJECT["dependency-groups"]["dev"] if isinstance(line, str)]


class TestLocks:
    @pytest.mark.parametrize(
        ("name", "wanted"),
        [
            ("build.txt", BUILD),
            ("plain.txt", PLAIN),
            ("container.txt", [*PLAIN, *EXTRAS["documents"], *EXTRAS["languages"], *EXTRAS["serve"]]),
            ("development.txt", [*BUILD, *PLAIN, *TOOLS, *(line for own in EXTRAS.values() for line in own)]),
        ],
    )
    def test_each_is_what_the_project_asks_for(self, name, wanted):
        """If this fails, run make lock."""
        versions = locked(name)
        for requirement in map(Requirement, wanted):
            if requirement.name != "whorl":
                own = versions[canonicalize_name(requirement.name)]
                assert all(requirement.specifier.contains(version) for version in own), requirement

    def test_all_agree(self):
        everything = locked("development.txt")
        for name in ("build.txt", "plain.txt", "container.txt"):
            assert locked(name).items() <= everything.items()

    def test_none_names_a_host(self):
        for path in (ROOT / "requirements").iterdir():
            assert "://" not in path.read_text("utf-8")


@pytest.fixture(scope="module")
def empty(wheel, tmp_path_factory):
    """An environment with the wheel, the packages of the plain lock, as they are installed here, and no compiler."""
    place = tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    python = place / "bin" / "python"
    (packages,) = place.glob("lib/python*/site-packages")
    for name in locked("plain.txt"):
        for entry in {Path(str(file)).parts[0] for file in distribution(name).files or ()} - {".."}:
            there = Path(str(distribution(name).locate_file(entry)))
            # Copied, not linked: parsers may read what is in their own environment, and nothing else.
            (shutil.copytree if there.is_dir() else shutil.copy2)(there, packages / entry)
    environment = {"PATH": str(place / "bin"), "CC": "/bin/false", "HOME": str(place), "LANG": "C.UTF-8"}
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(install, check=True, capture_output=True, env={**os.environ, **environment})
    return python, environment


def test_the_wheel_runs_without_a_compiler(empty, tmp_path):
    python, environment = empty

    def run(*arguments):
        command = [python.parent / "whorl", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment, cwd=tmp_path).stdout

    where = "import whorl, sys; print(whorl.__file__); print(*sys.path, sep='\\n')"
    result = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True, env=environment).stdout
    assert str(ROOT) not in result
    assert run("--version") == f"whorl {whorl.__version__} (kernel: native)\n"
    examples = ROOT / "examples"
    command = ["compare", examples / "class", "--base", examples / "template", "--format", "json"]
    expected = CliRunner().invoke(main, [str(word) for word in command])
    found, library = json.loads(run(*command)), json.loads(expected.stdout)
    assert found["run"].pop("command").startswith("whorl compare ")
    del library["run"]["command"]
    assert found == library
    assert found["pairs"]


def test_the_plain_lock_is_all_that_it_needs(empty):
    python, environment = empty
    check = [sys.executable, "-m", "pip", "--python", str(python), "check"]
    result = subprocess.run(check, capture_output=True, text=True, env={**os.environ, **environment})
    assert result.returncode == 0, result.stdout


def test_the_build_requires_every_package_whose_types_mypyc_reads():
    """pip compiles in an environment of its own, where mypyc fails if it does not know the types of syntax trees."""
    imported = set()
    for path in (ROOT / "src/whorl/formats/code/normal").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            imported |= {name.partition(".")[0] for name in [*names, getattr(node, "module", None) or ""] if name}
    outside = {canonicalize_name(name) for name in imported - sys.stdlib_module_names - {"whorl"}}
    required = {canonicalize_name(Requirement(each).name): each for each in PROJECT["build-system"]["requires"]}
    assert outside
    assert outside <= required.keys()
    assert {required[name] for name in outside} <= set(PROJECT["project"]["dependencies"])
