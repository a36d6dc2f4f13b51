"""The result file for JPlag: the layout that its viewer reads, and positions that point to the shared text."""

import json
import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

import whorl
from tests.comparison.planting import edited, samples
from whorl.comparison.jplag import write_jplag
from whorl.comparison.result import Comparison

NOW = datetime(2026, 11, 16, tzinfo=UTC)
RECORDS = {
    "runInformation.json": {"version", "failedSubmissions", "dateOfExecution", "executionTime", "totalComparisons"},
    "submissionMappings.json": {"submissionIds", "submissionIdsToComparisonFileName"},
    "submissionFileIndex.json": {"fileIndexes"},
    "distribution.json": {"AVG", "MAX"},
    "options.json": {
        "language", "minimumTokenMatch", "submissionDirectories", "oldSubmissionDirectories",
        "baseCodeSubmissionDirectory", "subdirectoryName", "fileSuffixes", "exclusionFileName", "similarityMetric",
        "similarityThreshold", "maximumNumberOfComparisons", "clusteringOptions", "debugParser", "mergingOptions",
        "normalize", "analyzeComments", "frequencyAnalysisOptions",
    },
}  # fmt: skip
COMPARISON = {
    "firstSubmissionId",
    "secondSubmissionId",
    "similarities",
    "matches",
    "firstSimilarity",
    "secondSimilarity",
}
METRICS = {"AVG", "MAX", "LONGEST_MATCH", "MAXIMUM_LENGTH"}


@pytest.fixture(scope="module")
def comparison(tmp_path_factory) -> Comparison:
    folder = tmp_path_factory.mktemp("class")
    program = samples("python")[0].text
    starter = "def read(path):\n    with open(path) as file:\n        return [line.strip() for line in file]\n\n\n"
    (folder / "base.py").write_text(starter)
    for name, text in {
        "class/ada/src/main.py": starter + program + "\n# ä𝄞\n" + program,
        "class/bo ä/main.py": edited(samples("python")[0]) + "\n" + starter,
        "class/cy.py": samples("python")[1].text,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return whorl.compare_all(folder / "class", base=folder / "base.py", threshold=0.05)


@pytest.fixture(scope="module")
def archive(comparison, tmp_path_factory) -> zipfile.ZipFile:
    path = tmp_path_factory.mktemp("result") / "result.jplag"
    write_jplag(comparison, path, NOW)
    return zipfile.ZipFile(path)


def read(archive: zipfile.ZipFile, name: str):
    return json.loads(archive.read(name))


def texts(archive: zipfile.ZipFile) -> dict[str, str]:
    """The texts by the names that matches have: what follows files/."""
    names = [name for name in archive.namelist() if name.startswith("files/")]
    return {name.removeprefix("files/"): archive.read(name).decode() for name in names}


def reports(archive: zipfile.ZipFile) -> list[Any]:
    return [read(archive, name) for name in archive.namelist() if name.startswith("comparisons/")]


def offset(text: str, position: dict[str, int]) -> int:
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: position["line"] - 1]) + position["column"]


@pytest.mark.parametrize("name", RECORDS)
def test_every_record_has_the_fields_that_the_viewer_reads(archive, name):
    assert read(archive, name).keys() == RECORDS[name]


def test_pairs_are_found_by_both_submissions(archive):
    mappings = read(archive, "submissionMappings.json")
    assert sorted(mappings["submissionIds"].values()) == ["ada", "bo ä", "cy.py"]
    lookup = mappings["submissionIdsToComparisonFileName"]
    for row in read(archive, "topComparisons.json"):
        first, second = row["firstSubmission"], row["secondSubmission"]
        assert row["similarities"].keys() == METRICS
        assert lookup[first][second] == lookup[second][first]
        report = read(archive, f"comparisons/{lookup[first][second]}")
        assert report.keys() == COMPARISON
        assert (report["firstSubmissionId"], report["secondSubmissionId"]) == (first, second)


def test_matches_point_to_the_text_of_their_files_and_do_not_overlap(archive, comparison):
    [report], files = reports(archive), texts(archive)
    spans: dict[str, list[tuple[int, int]]] = {}
    for match in report["matches"]:
        for side in ("First", "Second"):
            name = match[f"{side.lower()}FileName"]
            start, end = (offset(files[name], match[f"{edge}In{side}"]) for edge in ("start", "end"))
            assert files[name][start:end].strip()
            spans.setdefault(name, []).append((start, end))
    for places in spans.values():
        places.sort()
        assert all(end <= start for (_, end), (start, _) in pairwise(places))
    longest = max(comparison.pairs[0].passages, key=lambda passage: passage.symbols)
    assert (longest.left.start, longest.left.end) in spans["s0001/src/main.py"]


def test_every_file_of_a_submission_has_its_number_of_tokens(archive):
    index = read(archive, "submissionFileIndex.json")["fileIndexes"]
    assert {name for files in index.values() for name in files} == texts(archive).keys()
    assert all(row["tokenCount"] > 0 for files in index.values() for row in files.values())


def test_the_distribution_counts_every_pair_once(archive, comparison):
    for row in read(archive, "distribution.json").values():
        assert len(row) == 100
        assert sum(row) == comparison.compared
        assert min(row) >= 0


def test_starter_code_is_marked(archive):
    marks = [mark for name in archive.namelist() if name.startswith("basecode/") for mark in read(archive, name)]
    assert marks
    for mark in marks:
        text = texts(archive)[mark["fileName"]]
        assert "open(path)" in text[offset(text, mark["start"]) : offset(text, mark["end"])]


def test_names_lead_nowhere_and_differ(comparison, tmp_path):
    hostile = tuple(
        replace(submission, files=tuple(replace(file, name=f"../../{file.name}") for file in submission.files))
        for submission in comparison.submissions
    )
    write_jplag(replace(comparison, submissions=hostile, pairs=(), clusters=()), tmp_path / "empty.jplag", NOW)
    assert not texts(zipfile.ZipFile(tmp_path / "empty.jplag"))
    [pair] = comparison.pairs
    write_jplag(replace(comparison, submissions=hostile, pairs=(replace(pair, passages=()),)), tmp_path / "r", NOW)
    assert all(".." not in name for name in zipfile.ZipFile(tmp_path / "r").namelist())


def test_a_folder_that_does_not_exist_is_an_error(comparison, tmp_path):
    with pytest.raises(whorl.InputError, match="cannot write the result for JPlag"):
        write_jplag(comparison, tmp_path / "none" / "result.jplag", NOW)
