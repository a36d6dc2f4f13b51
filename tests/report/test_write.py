"""The folder: whole or not at all, never over something else, and nothing in it that could run."""

import json
import re
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from random import Random
from zipfile import ZipFile

import pytest
from playwright.sync_api import expect

from tests.report.sample import Person, Source, classroom, compare
from whorl.comparison.export import as_json
from whorl.comparison.result import Cluster, Comparison, Group
from whorl.errors import InputError
from whorl.matching.passage import Passage, Side
from whorl.report.pages import data, page_name, policy
from whorl.report.pair import page as pair_page
from whorl.report.submission import page as submission_page
from whorl.report.submission import programs
from whorl.report.write import write
from whorl.stores import REPORT_MARKER


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return classroom(6)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_report_is_one_folder(comparison, tmp_path):
    result: list[tuple[int, int]] = []
    index = write(comparison, tmp_path / "a" / "report", progress=lambda *done: result.append(done))
    assert index == tmp_path / "a" / "report" / "index.html"
    assert names(index.parent) == ["index.html", "pair", "submission", "submissions.html", REPORT_MARKER]
    assert names(index.parent / "pair") == [page_name(number) for number in range(len(comparison.pairs))]
    assert names(index.parent / "submission") == [page_name(number) for number in range(len(comparison.submissions))]
    pages = len(comparison.submissions) + len(comparison.pairs)
    assert result == [(number, pages) for number in range(1, pages + 1)]
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
    (tmp_path / REPORT_MARKER).write_text(content)
    with pytest.raises(InputError, match="not empty"):
        write(comparison, tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_file_is_refused(comparison, tmp_path):
    (tmp_path / "report").write_text("a file")
    with pytest.raises(InputError, match="this is a file"):
        write(comparison, tmp_path / "report")


def test_a_place_that_cannot_be_written_is_an_error_of_the_user(comparison, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write"):
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


def test_groups_and_what_is_omitted_are_reported(comparison, tmp_path):
    group = Group("Ada", "Grace", 0.9, (0, 1))
    index = write(replace(comparison, groups=(group,), omitted=1234), tmp_path / "report")
    text = index.read_text("utf-8")
    assert "Ada" in text
    assert f"{sum(comparison.scores) - len(comparison.pairs)} more pairs share" in text
    assert "and a higher <code>--limit</code>" in text


# The figure for the largest page, in bytes.
LARGEST_PAGE = 1_500_000


def test_an_overview_of_many_clusters_stays_small(comparison, tmp_path):
    many = replace(comparison, clusters=comparison.clusters[:1] * 400)
    page = write(many, tmp_path / "report").read_text("utf-8")
    assert page.count('<details class="cluster"') == 400
    assert page.count("Read first: ") == 400
    assert page.count('<ul class="names">') == 50
    assert len(page) < 400_000


def test_files_that_share_nothing_are_only_named(tmp_path):
    shared = "".join(f"a{i} = b{i} + {i} * c{i}\n" for i in range(20))
    people = [
        Person(name, (Source("main.py", shared), Source("small.txt", "note"), Source("large.txt", "x" * 300_000)))
        for name in ("one", "two")
    ]
    index = write(compare(people), tmp_path / "report")
    page = (index.parent / "pair" / "0001.html").read_text("utf-8")
    assert page.count('<details class="file"') == 2
    assert page.count('<a href="../submission/0001.html#f2"><bdi data-file>small.txt</bdi></a>') == 1
    assert page.count('<a href="../submission/0002.html#f3"><bdi data-file>large.txt</bdi></a>') == 1
    assert "xxxx" not in page
    assert len(page) < 63_000


def test_pages_of_large_projects_stay_small(tmp_path):
    block = "".join(f"total{i} = first{i} + {i} * second{i} - call(third{i}, 'text {i}')\n" for i in range(60))
    random = Random(1)
    noise = "".join(f"{random.choice('+-*/%@&|') * random.randint(1, 5)} # {i}\n" for i in range(60_000))
    files = (Source("main.py", block * 4 + noise), *(Source(f"n{i}.py", noise) for i in range(20)))
    comparison = compare([Person(name, (Source("main.py", block),)) for name in ("one", "two")])
    people = [Person(name, files) for name in ("one", "two")]
    huge = Passage(
        Side("main.py", 0, len(files[0].text), 1, 60_000), Side("main.py", 0, len(files[0].text), 1, 60_000), 9, ()
    )
    pair = replace(comparison.pairs[0], passages=(*comparison.pairs[0].passages, *[huge] * 2_000))
    large = replace(
        comparison,
        pairs=(pair,),
        submissions=tuple(
            replace(each, files=tuple(replace(each.files[0], name=source.name) for source in files))
            for each in comparison.submissions
        ),
        text=lambda submission, file: people[submission].sources[file].text,
    )
    index = write(large, tmp_path / "report")
    assert max(path.stat().st_size for path in index.parent.rglob("*.html")) <= LARGEST_PAGE
    page = (index.parent / "pair" / "0001.html").read_text("utf-8")
    assert ": too many for this page" in page
    assert "shorter passages are marked in the text only" in page


@pytest.fixture(scope="module")
def crowded() -> Comparison:
    """A class whose pairs have far more passages than fit into a small report."""
    few = classroom(12)
    return replace(few, pairs=tuple(replace(pair, passages=pair.passages * 150) for pair in few.pairs))


def test_a_report_keeps_to_its_size_and_says_what_it_leaves_out(crowded, tmp_path):
    whole = write(crowded, tmp_path / "whole")
    small = write(crowded, tmp_path / "small", size=2_100_000)
    assert total_size(whole.parent) > 3_000_000
    assert total_size(small.parent) - small.stat().st_size <= 2_100_000
    sizes = [path.stat().st_size for path in sorted((small.parent / "pair").iterdir())]
    assert sizes[0] == (whole.parent / "pair" / "0001.html").stat().st_size
    assert sizes[-1] < sizes[0] / 2
    cut = 0
    for number, pair in enumerate(crowded.pairs):
        page = (small.parent / "pair" / page_name(number)).read_text("utf-8")
        shown, left_out = shown_and_left_out(page, len(pair.passages))
        assert page.count("<li data-p=") == min(shown, 200)
        assert shown + left_out == len(pair.passages)
        cut += left_out > 0
    assert cut
    assert f"{cut} pairs have more passages than the page of the pair shows" in small.read_text("utf-8")
    assert "more passages than the page" not in whole.read_text("utf-8")


def total_size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*.html"))


def shown_and_left_out(page, passages):
    """Read the number of passages that a page has, and of those that it says are left out."""
    match = re.search(r"This page has the ([\d,]+) longest passages?; ([\d,]+) shorter ones? (?:is|are) left out", page)
    return (passages, 0) if match is None else tuple(int(number.replace(",", "")) for number in match.groups())


def test_files_whose_passages_are_left_out_are_named():
    long = "".join(f"total = total + value[{i}] * weight[{i}]\n" for i in range(300))
    short = "".join(f"def name{i}(self, {i}): return not self.other\n" for i in range(9))
    files = (Source("long.py", long), Source("short.py", short), Source("none.py", "pass\n"))
    comparison = compare([Person(name, files) for name in ("one", "two")], threshold=0.01)
    page = pair_page(comparison, 0, "Title", {}, datetime(2026, 1, 1, tzinfo=UTC), room=8_000)
    assert page.left_out == len(comparison.pairs[0].passages) - 1
    assert page.html.count("1 file with shorter passages only, left out") == 2
    assert page.html.count("1 file without a passage") == 2
    assert page.html.count("1 passage on this page") == 2
    assert "--report-size MB" in page.html
    assert ": too many for this page" in page.html
    whole = pair_page(comparison, 0, "Title", {}, datetime(2026, 1, 1, tzinfo=UTC))
    assert whole.left_out == 0
    assert "shorter" not in whole.html
    assert "on this page" not in whole.html


def test_the_record_has_some_digests_and_json_has_all(tmp_path):
    text = "".join(f"total = total + value[{i}] * weight[{i}]\n" for i in range(20))
    one_file = compare([Person(name, (Source("main.py", text),)) for name in ("one", "two")])
    (pair,), names = one_file.pairs, [f"{i:02}.py" for i in range(30)]
    passages = tuple(
        replace(passage, left=passage.left._replace(file=name), right=passage.right._replace(file=name))
        for passage in pair.passages
        for name in names
    )
    files = tuple(
        replace(one_file.submissions[0].files[0], name=name, digest=sha256(name.encode()).hexdigest()) for name in names
    )
    with_digests = replace(
        one_file,
        pairs=(replace(pair, passages=passages),),
        submissions=tuple(replace(each, files=files) for each in one_file.submissions),
        text=lambda _submission, _file: text,
    )
    page = (write(with_digests, tmp_path / "report").parent / "pair" / "0001.html").read_text("utf-8")
    submission = as_json(with_digests)["submissions"][0]
    assert len({file["sha256"] for file in submission["files"]}) == 30
    assert submission["sha256"] in page
    assert sum(file["sha256"] in page for file in submission["files"]) == 20
    assert page.count("lists the digests of all 30 files") == 2


@pytest.fixture(scope="module")
def large() -> Comparison:
    """Two submissions of a small program and three large files, which have no passage."""
    random = Random(1)
    noise = ["".join(random.choices("abcdefghij \n", k=200_000)) for _ in range(3)]
    shared = "".join(f"total = total + value[{i}] * weight[{i}]\n" for i in range(300))
    sources = (*(Source(f"{i}.txt", text) for i, text in enumerate(noise)), Source("main.py", shared))
    few = compare([Person(name, (Source("main.py", shared),)) for name in ("one", "two")])
    program = few.submissions[0].files[0]
    files = tuple(replace(program, name=source.name, format="python") for source in sources)
    return replace(
        few,
        submissions=tuple(replace(each, files=files) for each in few.submissions),
        text=lambda _, file: sources[file].text,
    )


def test_files_with_passages_have_room_on_the_page_of_a_submission_first(large):
    page = submission_page(large, 0, "Title", 40_000)
    assert page.count('class="archive"') == 1
    assert page.count("No room in this report") == 3
    assert "3 files are named only" in page
    assert page.index("main.py</bdi> <small>") < page.index('class="archive"')


@pytest.fixture(scope="module")
def crowd() -> Comparison:
    """A class of 120 that are all alike, by one person."""
    few = classroom(6)
    number, (pair, *_) = 120, few.pairs
    submissions = tuple(replace(few.submissions[0], name=f"s{at}", person="Ann") for at in range(number))
    everybody = tuple(range(number))
    pair = replace(pair, left=0, right=1)
    return replace(
        few,
        submissions=submissions,
        pairs=(pair,),
        clusters=(Cluster(everybody, (0,)),),
        identical=(everybody,),
        text=lambda _, file: few.text(0, file),
    )


def facts_of(html: str) -> dict[str, str]:
    """Return the facts at the top of the page of a submission."""
    return dict(re.findall(r"<div><dt>([\w ]+)</dt><dd>(.*?)</dd></div>", html, re.DOTALL))


def test_a_page_names_some_of_many_others(crowd):
    html = submission_page(crowd, 7, "Title")
    facts = facts_of(html)
    assert '<a href="../cluster/0001.html">99 others</a>' in facts["Cluster"]
    assert '<a href="../index.html#identical">99 others</a>' in facts["Identical"]
    assert facts["Same person"].endswith(" and 99 others")
    for kind in ("Cluster", "Identical", "Same person"):
        assert re.findall(r'href="(\d+).html"', facts[kind]) == [f"{at + 1:04}" for at in range(21) if at != 7]
    html = pair_page(crowd, 0, "Title", {}, datetime.now(UTC)).html
    assert html.count(" and 98 others.") == 1
    assert "118 more submissions have the same tokens" in html


def test_colours_of_large_files_are_not_asked_for_ahead(large):
    """They would all be held until their pages are written."""
    assert list(programs(large, 0)) == []
    assert list(programs(large, 0, {"main.py"})) == [(large.text(0, 3), "python")]


def test_large_files_are_saved_by_a_link_or_read_by_a_script_and_the_others_are_coloured(large, page, tmp_path):
    html = submission_page(large, 0, "Title")
    assert "named only" not in html
    archives = re.findall(r'download="file-(\d).zip" href="data:application/zip;base64,([^"]+)"', html)
    assert [number for number, _ in archives] == ["1", "2", "3"]
    with ZipFile(BytesIO(b64decode(archives[0][1]))) as archive:
        assert archive.namelist() == ["0.txt"]
        assert archive.read("0.txt").decode() == large.text(0, 0)
    (tmp_path / "page.html").write_text(html, "utf-8")
    page.goto((tmp_path / "page.html").as_uri())
    page.locator("#f4 summary").click()
    assert page.locator("#f4 .m").first.inner_text() == "0"
    page.locator("#f1 summary").click()
    expect(page.locator("#f1 li").first).to_have_text(large.text(0, 0).split("\n")[0])
    assert page.locator("#f1 li").count() == large.text(0, 0).count("\n") + 1


def test_a_page_of_two_small_programs_is_small(report):
    sizes = [path.stat().st_size for path in (report.parent / "pair").iterdir()]
    assert max(sizes) < 63_000


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
    low = tuple(
        replace(pair, score_parts=replace(pair.score_parts, damping=0.125 / pair.score)) for pair in comparison.pairs
    )
    index = write(replace(comparison, pairs=low, measure="containment"), tmp_path / "report")
    facts = index.read_text("utf-8").partition('id="facts">')[2].partition("</script>")[0]
    assert json.loads(facts)["minimum"] == 12
