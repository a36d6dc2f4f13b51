"""The folder: whole or not at all, never over something else, and nothing in it that could run."""

import json
import re
from dataclasses import replace

import pytest

from tests.report.sample import Person, Source, classroom, compare
from whorl.comparison.result import Comparison, Group
from whorl.errors import InputError
from whorl.report.pages import data, page_name, policy
from whorl.report.write import MARKER, write


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return classroom(6)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_report_is_one_folder(comparison, tmp_path):
    told: list[int] = []
    index = write(comparison, tmp_path / "a" / "report", progress=told.append)
    assert index == tmp_path / "a" / "report" / "index.html"
    assert names(index.parent) == ["index.html", "pair", MARKER]
    assert names(index.parent / "pair") == [page_name(number) for number in range(len(comparison.pairs))]
    assert told == list(range(1, len(comparison.pairs) + 1))
    assert names(tmp_path / "a") == ["report"]


def test_an_empty_folder_may_be_filled_and_a_report_replaced(comparison, tmp_path):
    folder = tmp_path / "report"
    folder.mkdir()
    write(comparison, folder)
    (folder / "pair" / "9999.html").write_text("left over")
    write(replace(comparison, pairs=comparison.pairs[:1], clusters=()), folder, title="Second")
    assert names(folder / "pair") == ["0001.html"]
    assert "Second" in (folder / "index.html").read_text("utf-8")
    assert names(tmp_path) == ["report"]


@pytest.mark.parametrize("content", ["{}", "[]", "not JSON", '{"kind": "other"}'])
def test_any_other_folder_is_refused(comparison, tmp_path, content):
    (tmp_path / "thesis.txt").write_text("years of work")
    (tmp_path / MARKER).write_text(content)
    with pytest.raises(InputError, match="not empty"):
        write(comparison, tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_file_is_refused(comparison, tmp_path):
    (tmp_path / "report").write_text("a file")
    with pytest.raises(InputError, match="a file stands"):
        write(comparison, tmp_path / "report")


def test_a_place_that_cannot_be_written_is_an_error_of_the_user(comparison, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write(comparison, tmp_path / "file" / "report")


def test_a_run_that_fails_leaves_what_was_there(comparison, tmp_path):
    write(comparison, tmp_path / "report", title="First")

    def fails(submission: int, file: int) -> str:
        raise RuntimeError("gone")

    with pytest.raises(RuntimeError, match="gone"):
        write(replace(comparison, text=fails), tmp_path / "report")
    assert "First" in (tmp_path / "report" / "index.html").read_text("utf-8")
    assert names(tmp_path) == ["report"]


def test_nothing_to_compare(tmp_path):
    index = write(compare([]), tmp_path / "report")
    assert "0 submissions" in index.read_text("utf-8")


def test_pairs_without_passages_and_sources_without_text(comparison, tmp_path):
    bare = tuple(replace(pair, passages=()) for pair in comparison.pairs)
    empty = replace(comparison, pairs=bare, text=lambda submission, file: "")
    index = write(empty, tmp_path / "report")
    assert "0 passages" in (index.parent / "pair" / "0001.html").read_text("utf-8")


def test_groups_and_what_is_omitted_are_told(comparison, tmp_path):
    group = Group("Ada", "Grace", 0.9, (0, 1))
    index = write(replace(comparison, groups=(group,), omitted=1234), tmp_path / "report")
    text = index.read_text("utf-8")
    assert "Ada" in text
    assert "1,234 more that are not listed" in text


def test_large_files_that_share_nothing_are_only_named(tmp_path):
    shared = "".join(f"a{i} = b{i} + {i} * c{i}\n" for i in range(20))
    people = [
        Person(name, (Source("main.py", shared), Source("small.txt", "note"), Source("large.txt", "x" * 300_000)))
        for name in ("one", "two")
    ]
    index = write(compare(people), tmp_path / "report")
    page = (index.parent / "pair" / "0001.html").read_text("utf-8")
    assert page.count("is not shown") == 2
    assert page.count('<details class="file" open>') == 2
    assert page.count('<details class="file">') == 2
    assert len(page) < 60_000


def test_a_page_of_two_small_programs_is_small(report):
    sizes = [path.stat().st_size for path in (report.parent / "pair").iterdir()]
    assert max(sizes) < 60_000


def test_the_policy_allows_nothing_but_what_is_in_the_page(report):
    for page in ("overview", "pair"):
        assert policy(page).startswith("default-src 'none'")
        assert "unsafe" not in policy(page)
    text = report.read_text("utf-8")
    assert not re.search(r"\s(?:on\w+|style)=", text.partition("</style>\n<script>")[2].partition("<main>")[2])
    assert "http://" not in text
    assert "https://" not in text


def test_data_in_a_script_cannot_end_it():
    hostile = {"name": "</script><!--<script>&\u2028\u2029\ud800é"}
    text = data(hostile)
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert json.loads(text) == hostile


def test_names_of_files_are_numbers():
    assert [page_name(number) for number in (0, 41, 9_999)] == ["0001.html", "0042.html", "10000.html"]


def test_pairs_ranked_by_another_measure_are_all_shown_at_first(comparison, tmp_path):
    low = tuple(replace(pair, score=0.125) for pair in comparison.pairs)
    index = write(replace(comparison, pairs=low, measure="containment"), tmp_path / "report")
    facts = index.read_text("utf-8").partition('id="facts">')[2].partition("</script>")[0]
    assert json.loads(facts)["minimum"] == 12
