"""The summary of a clustering: its numbers against plain counting, its words, and what hostile names do to it."""

import json
import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.report.clustering import Row, songs, write_folder
from whorl.clustering.output import ParquetTable, hundredths
from whorl.errors import InputError
from whorl.formats.corpora.parquet import DOCUMENTS
from whorl.report import cluster_views
from whorl.report.cluster_views import KINDS, census
from whorl.report.clusters import read_left_out, read_phases, write_clusters
from whorl.report.markup import LONGEST_NAME, link, short
from whorl.report.plots import sizes_plot, tenths
from whorl.report.words import duration, size


def text_of(page: str) -> str:
    """What is read of a page."""
    body = page[page.index("<body") :]
    return " ".join(re.sub(r"<[^>]+>", " ", re.sub(r"<script>.*?</script>", "", body, flags=re.DOTALL)).split())


@st.composite
def collections(draw):
    rows: list[Row] = []
    for number in range(draw(st.integers(0, 25))):
        cluster = draw(st.sampled_from([number, *(row.cluster for row in rows)]))
        kind = draw(st.sampled_from(["identical", "lexical", "near", "new"])) if cluster < number else "unique"
        similarity = draw(st.sampled_from([0.0, 0.5, 0.75])) if kind in ("near", "new") else 1.0
        rows.append(Row(str(number), cluster, similarity, kind))
    return rows


@given(collections())
@examples(60)
def test_the_census_is_what_counting_gives(tmp_path_factory, rows):
    folder = write_folder(tmp_path_factory.mktemp("clusters"), rows)
    counted = census(ParquetTable(folder / "documents.parquet", DOCUMENTS, ("kind",)))
    groups: dict[int, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.cluster, []).append(row)
    large = sorted((own for own in groups.values() if len(own) > 1), key=lambda own: (-len(own), own[0].cluster))
    assert counted.sizes.tolist() == list(map(len, large))
    assert counted.in_clusters == sum(map(len, large))
    assert counted.spare == sum(len(own) - 1 for own in large)
    assert counted.least.tolist() == [min(row.similarity for row in own) for own in large]
    others = [[row for row in own if row.kind != "unique"] for own in large]
    assert counted.mean.tolist() == pytest.approx([sum(r.similarity for r in own) / len(own) for own in others])
    assert counted.only_identical().tolist() == [all(row.kind == "identical" for row in own) for own in others]
    names = {"new": "other"}
    of_kind = Counter(names.get(row.kind, row.kind) for row in rows if row.kind != "unique")
    of_kind |= {"representative": len(large), "alone": sum(len(own) == 1 for own in groups.values())}
    assert dict(zip(KINDS, counted.of_each_kind().tolist(), strict=True)) == {kind: of_kind[kind] for kind in KINDS}
    for own, members in zip(large, counted.members(len(large), 3), strict=True):
        ordered = sorted(own, key=lambda row: (row.kind != "unique", row.similarity, int(row.id)))
        assert [str(member) for member in members.tolist()] == [row.id for row in ordered[:3]]


def test_tenths_of_a_histogram():
    counted = hundredths(np.array([0.29, 0.5, 0.57, 0.999, 1.0, 1.0]))
    assert tenths(counted) == (("20–29%", 1), ("50–59%", 2), ("90–99%", 1), ("100%", 2))


@given(st.lists(st.integers(2, 5000), min_size=1, max_size=80))
def test_points_and_ranges_of_the_sizes(sizes):
    drawn = sizes_plot(np.array(sizes, np.int64))
    assert drawn is not None
    counts = Counter(sizes)
    assert all(counts[point.size] == point.count for point in drawn.points)
    assert all(drawn.left <= point.x <= drawn.right and drawn.top <= point.y <= drawn.bottom for point in drawn.points)
    places = [point.x for point in drawn.points]
    assert places == sorted(places)
    assert sum(each.clusters for each in drawn.ranges) == len(sizes)
    assert sum(each.documents for each in drawn.ranges) == sum(sizes)
    for each in drawn.ranges:
        assert each.clusters == sum(each.first <= one <= each.last for one in sizes)
    assert sizes_plot(np.zeros(0, np.int64)) is None


def test_axes_have_room_for_their_labels():
    drawn = sizes_plot(np.array([2, 2, 30_000_000], np.int64))
    assert drawn is not None
    assert [tick.label for tick in drawn.x] == ["1", "100", "10k", "1M", "100M"]
    assert [tick.label for tick in drawn.y] == ["1", "2", "5", "10"]


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", "data:text/html,x", "ftp://a/", "//a/b", "a/b", "http:///x", "http://", "https:a",
        "http://a\\b", 'http://a/"onclick="x', "http://a/<b>", "http://a b/", "http://a/\u202ex", "http://a/\0",
        " http://a/", "http://a/\n", "http://a/" + "x" * 500, "",
    ],
)  # fmt: skip
def test_what_is_no_link(url):
    assert link(url).href is None


@pytest.mark.parametrize(
    "url", ["http://a.example/b?c=d&e=f#g", "HTTPS://a:80", "https://é.example/ü", "http://[::1]/x"]
)
def test_what_is_a_link(url):
    assert link(url).href == url


@given(st.text(max_size=600))
def test_a_short_name_is_one_line_of_what_can_be_seen(text):
    shown = short(text)
    assert len(shown) <= LONGEST_NAME
    assert "\n" not in shown
    assert short(shown) == shown
    if text.isalnum() and len(text) <= LONGEST_NAME:
        assert shown == text


def test_the_page_says_it_in_words(tmp_path):
    path = write_clusters(write_folder(tmp_path, songs(), [("song", "more", 0.6)]), title="Songs & tales")
    assert path == tmp_path / "summary.html"
    page = path.read_text()
    text = text_of(page)
    assert "Songs &amp; tales" in text
    for sentence in (
        "Of 7 documents (123 kB), 6 (86%) are in 2 clusters of near-duplicates.",
        "4 (57%) can be dropped if you keep one of each cluster. The largest cluster has 4 documents.",
        "12 shingles were in too many documents",
        "1 document was skipped",
        "identical documents only 1 2",
        "also documents that differ 1 4",
        "1 pair of documents that differ",
        "The dashed line is the threshold, 50%.",
        "keep.txt : 3 ids, one a line",
        "corpus.jsonl 17 no text",
        "sketching 1 min 30 s 2 min 50 s 4 5.0 kB",
        "3 others, least similar first",
        "memory 1G",
    ):
        assert sentence in text, sentence
    assert 'href="https://b.example/copy?x=1&amp;y=2"' in page
    assert 'href="ftp:' not in page
    assert "ftp://c.example/more" in text
    assert sorted(file.name for file in tmp_path.iterdir()) == ["documents.parquet", "summary.html", "summary.json"]


def test_containment_and_closure_are_said(tmp_path):
    asked = {"measure": "containment", "threshold": 0.8, "closure": True}
    folder = write_folder(tmp_path, songs(), [("song", "more", 0.6)], settings=asked)
    text = text_of(write_clusters(folder).read_text())
    assert "Containment of pairs" in text
    assert "the threshold, 80%" in text
    assert "connected only through other members" in text
    assert "A representative may be part of a longer member" in text


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([], "The collection has no documents."),
        ([Row("a", 0)], "one document : there is nothing to compare it with"),
        ([Row("a", 0), Row("b", 1)], "No two of the 2 documents are near-duplicates at a resemblance of 50% or more"),
        ([Row("a", 0), Row("b", 0, 1.0, "identical")], "Documents in clusters are equal"),
    ],
)
def test_empty_states(tmp_path, rows, sentence):
    page = write_clusters(write_folder(tmp_path, rows, skipped=[], phases=[], common_shingles=0)).read_text()
    assert sentence in text_of(page)
    assert "left-out" not in page
    assert "Time of each phase" not in page
    assert "No two documents that differ reached the threshold" in page


@pytest.mark.parametrize(
    "summary",
    [
        {"settings": None, "phases": None, "skipped": None, "bytes": None, "common_shingles": "many"},
        {"settings": [1], "phases": [1, {}], "skipped": ["x", {}], "bytes": -1},
        {"settings": {"threshold": "x", "measure": ["y"], "memory": 10**400}, "bytes": 10**400},
        {"phases": [{"name": None, "seconds": float("inf"), "items": "7"}] * 200, "common_shingles": float("nan")},
        {"settings": {str(number): number for number in range(99)}},
        {"pairs_by_hundredth": [1]},
        {"pairs_by_hundredth": [-1, 10**400, 0.5, "x", None] * 20 + [1]},
    ],
)  # fmt: skip
def test_a_strange_summary_is_borne(tmp_path, summary):
    text = text_of(write_clusters(write_folder(tmp_path, songs(), **summary)).read_text())
    assert "Of 7 documents" in text
    assert "inf" not in text
    assert "nan" not in text.replace("“", "")


def test_only_the_first_of_many_that_were_left_out_are_listed():
    listed, count = read_left_out({"skipped": [{"file": "a", "row": row, "reason": "b"} for row in range(1, 500)]})
    assert (len(listed), count) == (100, 499)
    assert read_left_out({"skipped": [{"file": "a", "row": 1, "reason": "b"}], "left_out": 5000})[1] == 5000
    assert read_phases({}) == ()


def test_a_folder_without_the_files(tmp_path):
    with pytest.raises(InputError, match=r"summary\.json: no such file; give the folder"):
        write_clusters(tmp_path)
    write_folder(tmp_path, songs())
    (tmp_path / "summary.json").write_text("{")
    with pytest.raises(InputError, match=r"summary\.json: cannot be read as JSON"):
        write_clusters(tmp_path)
    (tmp_path / "summary.json").write_text("[]")
    with pytest.raises(InputError, match="not a summary"):
        write_clusters(tmp_path)
    (tmp_path / "documents.parquet").unlink()
    (tmp_path / "summary.json").write_text("{}")
    with pytest.raises(InputError, match=r"documents\.parquet: no such file"):
        write_clusters(tmp_path)
    assert not (tmp_path / "summary.html").exists()


def test_a_page_that_cannot_be_written_leaves_nothing(tmp_path):
    write_folder(tmp_path, songs())
    (tmp_path / "summary.html").mkdir()
    with pytest.raises(InputError, match="cannot write the summary"):
        write_clusters(tmp_path)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_the_page_stays_below_two_megabytes_whatever_names_there_are(tmp_path):
    rows: list[Row] = []
    for _ in range(120):
        head = len(rows)
        for number in range(60):
            name = f"{'&' * 3000}{len(rows)}"
            url = f"https://a.example/{'&' * 470}{len(rows)}"
            rows.append(Row(name, head, 1.0, "identical" if number else "unique", url, "\u202e" * 300))
    skipped = [{"file": "&" * 900, "row": 1, "reason": "\x00" * 900}] * 300
    asked = {"&" * 300 + str(number): "&" * 900 for number in range(100)}
    page = write_clusters(write_folder(tmp_path, rows, skipped=skipped, settings=asked), title="&" * 9999)
    assert page.stat().st_size < 2_000_000
    text = text_of(page.read_text())
    assert "others, listed in documents.parquet" in text
    assert "The 100 largest clusters" in text


def test_members_are_listed_as_far_as_there_is_room(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster_views, "MEMBERS_BYTES", 2 * (cluster_views.ROW_BYTES + 60))
    folder = write_folder(tmp_path, songs())
    table = ParquetTable(folder / "documents.parquet", DOCUMENTS, ("kind",))
    first, second = cluster_views.cluster_views(table, census(table))
    assert first.head.id.text == "song"
    assert [member.id.text for member in first.members] == ["more", "copy"]
    assert first.others == 3
    assert (second.head.id.text, second.members) == ("poem", ())


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.00 s"),
        (9.994, "9.99 s"),
        (59.4, "59 s"),
        (61, "1 min 1 s"),
        (3599.6, "1 h 0 min"),
        (907_200, "252 h 0 min"),
    ],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (123_456, "123 kB"), (1 << 30, "1.1 GB"), (5e15, "5,000.0 TB")],
)
def test_sizes(number, words):
    assert size(number) == words


def test_json_of_the_summary_is_as_it_was(tmp_path):
    folder = write_folder(tmp_path, songs())
    before = json.loads((folder / "summary.json").read_text())
    write_clusters(folder)
    assert json.loads((folder / "summary.json").read_text()) == before
