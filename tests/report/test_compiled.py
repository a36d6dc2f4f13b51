"""Compiled templates are kept beside their source, under the rules that Python has for modules."""

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from whorl.report.pages import CompiledTemplates


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Where compiled templates go."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return lambda: [path for path in tmp_path.rglob("*") if path.is_file()]


def rendered(source):
    made = Environment(loader=DictLoader({"page": source}), bytecode_cache=CompiledTemplates(), autoescape=True)
    return made.get_template("page").render(name="<x>")


def test_a_template_is_compiled_once(kept, monkeypatch):
    assert rendered("of {{ name }}") == "of &lt;x&gt;"
    (file,) = kept()
    assert file.suffix == ".template"
    monkeypatch.setattr(Environment, "compile", None)
    assert rendered("of {{ name }}") == "of &lt;x&gt;"


def test_another_source_is_compiled_again(kept):
    rendered("of {{ name }}")
    assert rendered("by {{ name }}") == "by &lt;x&gt;"


@pytest.mark.parametrize("content", [b"", b"no template", b"j2"])
def test_what_is_damaged_is_compiled_again(kept, content):
    rendered("of {{ name }}")
    (file,) = kept()
    file.write_bytes(content)
    assert rendered("of {{ name }}") == "of &lt;x&gt;"


def test_nothing_is_written_if_python_may_not(kept, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered("of {{ name }}") == "of &lt;x&gt;"
    assert kept() == []


def test_a_folder_that_cannot_be_written_is_left_alone(kept, monkeypatch):
    def refused(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "mkdir", refused)
    assert rendered("of {{ name }}") == "of &lt;x&gt;"
    assert kept() == []
