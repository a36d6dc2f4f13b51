"""What the tutorials and the how-to pages show is what their commands print."""

import re

import pytest
from tools import make_docs_transcripts as transcripts

GUIDES = ("compare", "cluster", "indexes", "sweeps")
USERS = ("instructor", "engineer", "editor")


@pytest.mark.parametrize("path", transcripts.WALKS, ids=lambda path: path.stem)
def test_a_page_shows_what_is_printed(path, tmp_path):
    page = path.read_text("utf-8")
    again = transcripts.rerun(page, tmp_path)
    assert transcripts.comparable(again) == transcripts.comparable(page), "run tools/make_docs_transcripts.py"


@pytest.mark.parametrize("user", USERS)
def test_a_tutorial_has_commands_and_a_picture(user):
    page = (transcripts.DOCS / "tutorials" / f"{user}.md").read_text("utf-8")
    assert len(re.findall(r"^\$ whorl ", page, re.MULTILINE)) >= 6
    assert re.search(r"^!\[[^\]]+\]\(\.\./images/[\w-]+\.png\)$", page, re.MULTILINE)


@pytest.mark.parametrize("path", transcripts.WALKS, ids=lambda path: path.stem)
def test_no_command_escapes_the_run(path):
    other = transcripts.BLOCK.sub("", path.read_text("utf-8"))
    assert not re.search(r"^\$? *whorl ", other, re.MULTILINE)


@pytest.mark.parametrize("guide", GUIDES)
def test_the_code_of_a_guide_runs(guide, tmp_path, monkeypatch, capsys):
    (tmp_path / "examples").symlink_to(transcripts.ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    page = (transcripts.DOCS / f"{guide}.md").read_text("utf-8")
    codes = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert codes
    for code in codes:
        exec(compile(code, guide, "exec"), {"__name__": guide})
        assert capsys.readouterr().out


class TestShortened:
    def test_all_lines_are_kept_without_an_ellipsis(self):
        assert transcripts.shortened("a \nb\n", ["x"]) == ["a", "b"]

    def test_as_many_lines_as_are_shown_with_one(self):
        assert transcripts.shortened("a\nb\nc\n", ["x", "…"]) == ["a", "…"]

    def test_an_ellipsis_in_place_of_nothing_goes(self):
        assert transcripts.shortened("a\n", ["x", "y", "…"]) == ["a"]


def test_what_a_key_changes_is_not_compared():
    page = "```console\n$ whorl index create x.index\nx: scheme 0123456789ab\n   9%  a.txt\n```\n"
    other = "```console\n$ whorl index create x.index\nx: scheme ba9876543210\n  13%  a.txt\n```\n"
    assert transcripts.comparable(page) == transcripts.comparable(other)
    assert transcripts.comparable(page.replace("a.txt", "b.txt")) != transcripts.comparable(other)


def test_what_no_key_changes_is_compared_to_the_letter():
    """Also on a page with an index."""
    page = "```console\n$ whorl compare x\n13%\n$ whorl index list x.index\n13%\n```\n13%\n"
    assert transcripts.comparable(page).count("13%") == 2
