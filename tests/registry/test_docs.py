"""The guide's example runs, and finds the six relationships of the paper, and nothing that is unrelated."""

import re
from pathlib import Path

import whorl
from whorl.registry.registry import Registry

PAGE = (Path(__file__).parents[2] / "docs" / "registry.md").read_text("utf-8")


def test_the_example_finds_what_it_says(monkeypatch, capsys):
    monkeypatch.setattr(whorl, "Registry", Registry, raising=False)
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    exec(compile(code, "registry.md", "exec"), {"__name__": "example"})
    lines = capsys.readouterr().out.splitlines()
    names = [line.partition(":")[0] for line in lines]
    assert names == ["identical", "small edits", "reorganised", "revised", "condensed", "expanded", "included"]
    assert lines[0] == "identical: 100% of original, ask ann@example.org"
