"""The compiled kernel is there or importing it is an error; its stubs say what it has; each function is specified."""

import ast
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import whorl
import whorl.kernel
from tests.kernel.specification import NAMES, native_name

FOLDER = Path(whorl.kernel.__file__).parent


def declared(path):
    """The public functions and classes of a module or stub, each with the number of its parameters."""
    nodes = [
        node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    return {
        node.name: len(node.args.args) if isinstance(node, ast.FunctionDef) else None
        for node in nodes
        if not node.name.startswith("_")
    }


def file_of(name, suffix):
    return FOLDER / f"{native_name(name).rpartition('.')[2]}{suffix}"


def test_every_native_module_has_a_stub_and_a_specification():
    modules = set(FOLDER.glob("native*.py"))
    assert {path.with_suffix(".py") for path in FOLDER.glob("*.pyi")} == modules
    assert {file_of(name, ".py") for name in NAMES} == modules


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_declares_what_the_module_has(name):
    assert declared(file_of(name, ".pyi")) == declared(file_of(name, ".py"))
    for function in declared(file_of(name, ".pyi")):
        assert callable(getattr(import_module(native_name(name)), function))


@pytest.mark.parametrize("name", NAMES)
def test_callers_get_what_the_fixture_names(name, each_kernel):
    native = import_module(native_name(name))
    for function in declared(file_of(name, ".pyi")).keys() - {"plain_checksum"}:  # specified as ``checksum``
        is_specified = getattr(native, function).__module__.startswith("tests.")
        assert is_specified == (each_kernel == "specification")


def test_a_kernel_that_is_not_compiled_is_an_error(tmp_path):
    """The sources alone never run, not even where Cython is installed."""
    place = tmp_path / "whorl"
    shutil.copytree(Path(whorl.__file__).parent, place, ignore=shutil.ignore_patterns("*.so", "*.c", "__pycache__"))
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from whorl.cli import main; main(sys.argv[1:])"
    for command in (["--version"], ["fingerprint", str(Path(__file__))]):
        run = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True)
        assert run.returncode == 1
        assert run.stderr.startswith("Error: the compiled kernel is missing: run `make venv` or reinstall Whorl; ")
        assert "memoryviews, native, native_crowds" in run.stderr
