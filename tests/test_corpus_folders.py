"""The output folder of a corpus: read as a corpus, marked, started over, with missing files, and with long names."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import whorl
from tests.test_corpus_dedup import files, jsonl, story
from whorl.errors import InputError

UNITS = ["document", "passage", "paragraph"]


@pytest.fixture
def corpus(tmp_path):
    rows = [{"text": story(number % 3)} for number in range(5)]
    jsonl(tmp_path / "in" / "a.jsonl", rows)
    jsonl(tmp_path / "in" / "below" / "b.jsonl", [*rows, {"text": story(9)}])
    return tmp_path / "in"


@pytest.mark.parametrize("unit", UNITS)
def test_an_output_folder_is_a_corpus_without_its_report(corpus, tmp_path, unit):
    whorl.dedup(corpus, tmp_path / "one", unit=unit)
    result = whorl.dedup(tmp_path / "one", tmp_path / "two", unit=unit)
    assert set(files(tmp_path / "two")) - {"_whorl/" + name for name in files(tmp_path / "two" / "_whorl")} == {
        "a.jsonl", "below/b.jsonl",
    }  # fmt: skip
    assert result.is_complete
    assert result.report["documents"] == 4
    if unit == "document":
        assert "_whorl" in result.faults[0].path
        assert result.faults[0].left_out


def test_an_output_folder_is_clustered_and_decontaminated(corpus, tmp_path):
    whorl.dedup(corpus, tmp_path / "one")
    assert whorl.cluster_corpus(tmp_path / "one", tmp_path / "clusters").summary["documents"] == 4
    (tmp_path / "items.jsonl").write_text(json.dumps({"question": story(9)}) + "\n")
    result = whorl.decontaminate(tmp_path / "one", tmp_path / "clean", [tmp_path / "items.jsonl"])
    assert result.report["documents"] == 4
    assert result.report["removed"] >= 1


def test_other_folders_of_this_name_are_read(tmp_path):
    jsonl(tmp_path / "in" / "_whorl" / "a.jsonl", [{"text": story(1)}])
    jsonl(tmp_path / "in" / "mine" / "recipe.json", [{"text": story(2)}, {"text": story(3)}])
    assert whorl.dedup(tmp_path / "in", tmp_path / "out").report["documents"] == 3


@pytest.mark.parametrize("other", ["x.txt", "x.parquet"])
def test_attributes_that_would_go_to_one_file_are_refused(tmp_path, other):
    jsonl(tmp_path / "in" / f"{other}.jsonl", [{"text": story(1)}])
    path = tmp_path / "in" / other
    if other.endswith("parquet"):
        pq.write_table(pa.table({"text": [story(1)]}), path)
    else:
        path.write_text(story(1))
    with pytest.raises(InputError, match=rf"{other}.jsonl: two files of the corpus would be written there"):
        whorl.dedup(tmp_path / "in", tmp_path / "out", unit="passage", mark=True)
    assert not (tmp_path / "out").exists()
    assert whorl.dedup(tmp_path / "in", tmp_path / "cut", unit="passage").report["removed"] == 1
    (tmp_path / "items.jsonl").write_text(json.dumps({"question": story(9)}) + "\n")
    with pytest.raises(InputError, match="two files of the corpus would be written there"):
        whorl.decontaminate(tmp_path / "in", tmp_path / "marks", [tmp_path / "items.jsonl"], action="mark")


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("foreign", ["mine.txt", "below/mine.txt", "mine/", "below/mine/"])
def test_starting_over_checks_before_it_removes(corpus, tmp_path, unit, foreign):
    out = tmp_path / "out"
    whorl.dedup(corpus, out, unit=unit)
    if foreign.endswith("/"):
        (out / foreign).mkdir()
    else:
        (out / foreign).write_text("mine")
    before = files(out)
    with pytest.raises(InputError, match=r"the folder is not empty: it has .*mine"):
        whorl.dedup(corpus, out, unit=unit, fresh=True)
    assert files(out) == before
    assert (out / foreign).exists()


def test_starting_over_removes_its_folders(corpus, tmp_path):
    whorl.dedup(corpus, tmp_path / "out")
    (corpus / "below" / "b.jsonl").unlink()
    whorl.dedup(corpus, tmp_path / "out", fresh=True)
    assert not (tmp_path / "out" / "below").exists()


@pytest.mark.parametrize("unit", UNITS)
def test_a_file_that_is_gone_is_noticed(corpus, tmp_path, unit):
    out = tmp_path / "out"
    whorl.dedup(corpus, out, unit=unit)
    before = files(out)
    (out / "below" / "b.jsonl").unlink()
    with pytest.raises(InputError, match=r"below/b.jsonl: is gone, though an earlier run wrote it; .*--fresh"):
        whorl.dedup(corpus, out, unit=unit)
    whorl.dedup(corpus, out, unit=unit, fresh=True)
    assert files(out) == before
    whorl.dedup(corpus, out, unit=unit)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("made", [False, True])
def test_a_run_that_is_refused_leaves_nothing(tmp_path, unit, made):
    path, out = jsonl(tmp_path / "a.jsonl", [{"body": story(1)}]), tmp_path / "out"
    if not made:
        out.mkdir()
    with pytest.raises(InputError, match="no column 'text'"):
        whorl.dedup(path, out, unit=unit)
    assert out.exists() != made
    assert not any(out.glob("*"))
    assert whorl.dedup(path, out, unit=unit, text="body").report["documents"] == 1


def test_an_empty_file_that_is_gone_is_noticed(tmp_path):
    jsonl(tmp_path / "in" / "a.jsonl", [{"text": story(1)}])
    jsonl(tmp_path / "in" / "b.jsonl", [{"text": story(1)}])
    whorl.dedup(tmp_path / "in", tmp_path / "out")
    assert (tmp_path / "out" / "b.jsonl").read_bytes() == b""
    (tmp_path / "out" / "b.jsonl").unlink()
    with pytest.raises(InputError, match="is gone"):
        whorl.dedup(tmp_path / "in", tmp_path / "out")


def test_a_text_file_of_which_nothing_is_left_is_not_missing(tmp_path):
    (tmp_path / "in").mkdir()
    for name in "ab":
        (tmp_path / "in" / f"{name}.txt").write_text(story(1))
    for _ in range(2):
        assert whorl.dedup(tmp_path / "in", tmp_path / "out", unit="passage").report["removed"] == 1
    assert not (tmp_path / "out" / "b.txt").exists()


@pytest.mark.parametrize("unit", UNITS)
def test_the_longest_names_are_written(tmp_path, unit):
    path = jsonl(tmp_path / "in" / ("é" * 124 + "s.jsonl"), [{"text": story(1)}])
    assert len(path.name.encode()) == 255
    whorl.dedup(tmp_path / "in", tmp_path / "out", unit=unit)
    assert (tmp_path / "out" / path.name).read_bytes() == path.read_bytes()


def test_a_name_that_is_too_long_for_attributes_is_refused_before_any_work(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / ("x" * 250 + ".txt")).write_text(story(1))
    with pytest.raises(InputError, match="a name of more than 255 bytes cannot be written; rename the file"):
        whorl.dedup(tmp_path / "in", tmp_path / "out", unit="passage", mark=True)
    assert not Path(tmp_path / "out").exists()
