"""Exports of course systems: each is recognised from names that follow the system's own rules, as a folder, a zip file
and a zip file with a wrapper folder; every person has one name, and nobody is compared with herself."""

import csv
import io
import zipfile
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import pytest
from click.testing import CliRunner

import whorl
from tests.comparison.planting import samples
from whorl.cli import main
from whorl.comparison.course_systems import SYSTEMS
from whorl.comparison.settings import Settings

ADA, BO, CY = (sample.text for sample in samples("python")[:3])


def packed(files, compression=zipfile.ZIP_STORED):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()


def notebook(text):
    import json

    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": text}
    kernel = {"kernelspec": {"language": "python", "name": "python3", "display_name": "Python 3"}}
    return json.dumps({"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


class Export(NamedTuple):
    """The files of an export, the name of its folder, and what they mean: submission → its files."""

    layout: str
    folder: str
    files: dict[str, str | bytes]
    submissions: dict[str, set[str]]
    people: int


RECEIPT = """Name: {name} ({user})
Assignment: Sorting
Date Submitted: Monday, 2 March 2026 10:00:00 o'clock CET
Current Grade: Needs Marking

Submission Field:
There is no student submission text data for this assignment.

Files:
\tOriginal filename: main.py
"""

METADATA = """---
submission_1001:
  :submitters:
  - :name: Ada Lovelace
    :sid: '3001'
    :email: ada@example.org
  :created_at: 2026-03-02 10:00:00.000000000 Z
  :score: 5.0
  :status: processed
  :history:
  - :id: 998
    :created_at: 2026-03-01 09:00:00.000000000 Z
    :results:
      tests:
      - name: "a test"
submission_1002:
  :submitters:
  - :name: Bo O'Hara
    :sid: '3002'
    :email: bo@example.org
  - :name: 'Cy D''Arcy'
    :sid: '3003'
    :email: cy@example.org
  :created_at: 2026-03-02 11:00:00.000000000 Z
submission_1003:
  :submitters:
  - :name: "Di Zöe"
    :sid:
    :email: di@example.org
"""

INFO = """filename,id,status,full_name,created_at,labels
sorting/ada-1.py,1,correct,Ada Lovelace,2026-03-01 10:00:00 +0100,group A
sorting/ada-2.py,2,correct,Ada Lovelace,2026-03-02 10:00:00 +0100,group A
sorting/bo.py,3,correct,"Hara, Bo",2026-03-02 11:00:00 +0100,group B
sorting/cy.py,4,correct,Cy,,
"""

EXPORTS = {
    "Moodle, folders": Export("moodle", "CS1-Sorting-4711", {
        "Ada Lovelace_31337_assignsubmission_file/main.py": ADA,
        "Ada Lovelace_31337_assignsubmission_file/lib/help.py": CY,
        "Ada Lovelace_31337_assignsubmission_onlinetext/onlinetext.html": "<p>My remarks</p>",
        "Bo O'Hara_31338_assignsubmission_file_/solution.zip": packed({"solution/main.py": ADA}),
        "Ada Lovelace_31339_assignsubmission_file/main.py": BO,
        "Default group_assignsubmission_file/main.py": CY,
    }, {
        "Ada Lovelace (31337)": {"main.py", "lib/help.py", "onlinetext/onlinetext.html"},
        "Bo O'Hara": {"solution.zip/solution/main.py"},
        "Ada Lovelace (31339)": {"main.py"},
        "Default group": {"main.py"},
    }, 4),
    "Moodle, flat": Export("moodle", "CS1-Sorting-4711", {
        "Ada Lovelace_31337_assignsubmission_file_main_v2.py": ADA,
        "Ada Lovelace_31337_assignsubmission_file_help.py": CY,
        "Ada Lovelace_31337_assignsubmission_onlinetext_onlinetext.html": "<p>My remarks</p>",
        "Participant_31338_assignsubmission_file_main.py": ADA,
        "Participant_31340_assignsubmission_file_main.py": BO,
    }, {
        "Ada Lovelace": {"main_v2.py", "help.py", "onlinetext.html"},
        "Participant (31338)": {"main.py"},
        "Participant (31340)": {"main.py"},
    }, 3),
    "Canvas": Export("canvas", "submissions", {
        "lovelaceada_10234_5550001_main.py": ADA,
        "lovelaceada_10234_5550002_help-1.py": CY,
        "lovelaceada_10234_5550003_main.py": CY,
        "oharabo_LATE_10235_5550004_my_main.zip": packed({"main.py": ADA}),
        "zöecy_10236_5550005_main.py": BO,
        "zöecy_10299_5550006_main.py": BO.replace("1", "2"),
        "dorian_10300_text.html": "<ul>" + "<li><b>One</b> <i>item</i></li>" * 9 + "</ul>",
        "anon_Ab3dE_5550007_main.py": CY,
    }, {
        "lovelaceada": {"main.py", "help-1.py", "lovelaceada_10234_5550003_main.py"},
        "oharabo": {"my_main.zip/main.py"},
        "zöecy (10236)": {"main.py"},
        "zöecy (10299)": {"main.py"},
        "dorian": {"text.html"},
        "anon_Ab3dE": {"main.py"},
    }, 6),
    "Gradescope": Export("gradescope", "assignment_77_export", {
        "submission_metadata.yml": METADATA,
        "submission_1001/main.py": ADA,
        "submission_1001/lib/help.py": CY,
        "submission_1002/main.py": ADA,
        "submission_1003/main.py": BO,
    }, {
        "Ada Lovelace": {"main.py", "lib/help.py"},
        "Bo O'Hara, Cy D'Arcy": {"main.py"},
        "Di Zöe": {"main.py"},
    }, 3),
    "Blackboard": Export("blackboard", "gradebook_CS1_Sorting", {
        "Sorting_two_ways_ada_l_attempt_2026-03-01-10-00-00.txt": RECEIPT.format(name="Ada Lovelace", user="ada_l"),
        "Sorting_two_ways_ada_l_attempt_2026-03-01-10-00-00_main.py": ADA,
        "Sorting_two_ways_ada_l_attempt_2026-03-02-10-00-00.txt": RECEIPT.format(name="Ada Lovelace", user="ada_l"),
        "Sorting_two_ways_ada_l_attempt_2026-03-02-10-00-00_main.py": ADA,
        "Sorting_two_ways_ada_l_attempt_2026-03-02-10-00-00_help_me.py": CY,
        "Sorting_two_ways_bo_attempt_2026-03-01-11-00-00.txt": RECEIPT.format(name="Bo O'Hara", user="bo"),
        "Sorting_two_ways_bo_attempt_2026-03-01-11-00-00_main.zip": packed({"main.py": ADA}),
        "Sorting_two_ways_cy_attempt_2026-03-01-12-00-00_main.py": BO,
    }, {
        "Ada Lovelace, 2026-03-01 10:00:00": {"main.py"},
        "Ada Lovelace, 2026-03-02 10:00:00": {"main.py", "help_me.py"},
        "Bo O'Hara": {"main.zip/main.py"},
        "cy": {"main.py"},
    }, 3),
    "GitHub Classroom": Export("github", "sorting-two-ways-submissions", {
        "sorting-two-ways-ada-l/main.py": ADA,
        "sorting-two-ways-ada-l/lib/help.py": CY,
        "sorting-two-ways-anton/main.py": ADA,
        "sorting-two-ways-cy_acme/main.py": BO,
    }, {"ada-l": {"main.py", "lib/help.py"}, "anton": {"main.py"}, "cy_acme": {"main.py"}}, 3),
    "GitHub Classroom, clones": Export("github", "all", {
        "sorting-ada/main.py": ADA,
        "sorting-ada/.git/config": "[core]",
        "sorting-ada/.git/HEAD": "ref: refs/heads/main",
        "sorting-bo/main.py": ADA,
        "sorting-bo/.git/config": "[core]",
        "sorting-bo/.git/HEAD": "ref: refs/heads/main",
    }, {"ada": {"main.py"}, "bo": {"main.py"}}, 2),
    "nbgrader, submitted": Export("nbgrader", "submitted", {
        "ada/ps1/problem1.ipynb": notebook(ADA),
        "ada/ps1/timestamp.txt": "2026-03-01 10:00:00 UTC",
        "ada/ps2/problem1.ipynb": notebook(ADA),
        "bo/ps1/problem1.ipynb": notebook(ADA),
        "bo/ps1/lib/help.py": CY,
    }, {
        "ada, ps1": {"problem1.ipynb"},
        "ada, ps2": {"problem1.ipynb"},
        "bo": {"problem1.ipynb", "lib/help.py"},
    }, 2),
    "nbgrader, a course": Export("nbgrader", "course", {
        "nbgrader_config.py": "c = get_config()",
        "source/ps1/problem1.ipynb": notebook(ADA),
        "release/ps1/problem1.ipynb": notebook(ADA),
        "submitted/ada/ps1/problem1.ipynb": notebook(ADA),
        "submitted/bo/ps1/problem1.ipynb": notebook(ADA),
        "autograded/bo/ps1/problem1.ipynb": notebook(ADA),
    }, {"ada": {"problem1.ipynb"}, "bo": {"problem1.ipynb"}}, 2),
    "nbgrader, the exchange": Export("nbgrader", "inbound", {
        "ada+ps1+2026-03-01 10:00:00.123456 UTC/problem1.ipynb": notebook(ADA),
        "ada+ps1+2026-03-01 10:00:00.123456 UTC/timestamp.txt": "2026-03-01 10:00:00.123456 UTC",
        "ada+ps1+2026-03-02 10:00:00.123456 UTC+Zm9v/problem1.ipynb": notebook(ADA),
        "bo+ps1+2026-03-01 11:00:00.123456 UTC/problem1.ipynb": notebook(ADA),
    }, {
        "ada, ps1, 2026-03-01 10:00:00.123456 UTC": {"problem1.ipynb"},
        "ada, ps1, 2026-03-02 10:00:00.123456 UTC": {"problem1.ipynb"},
        "bo": {"problem1.ipynb"},
    }, 2),
    "Dolos": Export("dolos", "export", {
        "info.csv": INFO,
        "sorting/ada-1.py": ADA,
        "sorting/ada-2.py": ADA,
        "sorting/bo.py": ADA,
        "sorting/cy.py": BO,
    }, {
        "Ada Lovelace, 2026-03-01 10:00:00 +0100": {"ada-1.py"},
        "Ada Lovelace, 2026-03-02 10:00:00 +0100": {"ada-2.py"},
        "Hara, Bo": {"bo.py"},
        "Cy": {"cy.py"},
    }, 3),
}  # fmt: skip


def laid(export, form, folder):
    """Lay an export out on disk, and return its path."""
    if form == "folder":
        for name, content in export.files.items():
            path = folder / export.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder / export.folder
    wrapper = f"{export.folder}/" if form == "wrapped zip" else ""
    path = folder / f"{'download' if wrapper else export.folder}.zip"
    files = {wrapper + name: content for name, content in export.files.items()}
    if wrapper:
        files |= {f"__MACOSX/{wrapper}._x": b"\0\5\x16\7", f"{wrapper}.DS_Store": b"\0\0\0\1Bud1"}
    path.write_bytes(packed(files))
    if form == "zip in a zip":
        outer = folder / "course.zip"
        outer.write_bytes(packed({f"course/{path.name}": path.read_bytes()}))
        return outer
    return path


@pytest.mark.parametrize("form", ["folder", "zip", "wrapped zip", "zip in a zip"])
@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_recognised(name, form, tmp_path):
    export = EXPORTS[name]
    result = whorl.compare_all(laid(export, form, tmp_path), "code", threshold=0)
    (recognised,) = result.layouts
    assert recognised.layout == export.layout
    assert (recognised.submissions, recognised.people) == (len(export.submissions), export.people)
    read = {submission.name: {file.name for file in submission.files} for submission in result.submissions}
    assert read == export.submissions
    assert not result.not_compared
    names = {submission.person for submission in result.submissions}
    assert None not in names
    assert result.pairs, "two people handed in the same program"


@pytest.mark.parametrize("name", EXPORTS)
def test_nobody_is_compared_with_herself(name, tmp_path):
    result = whorl.compare_all(laid(EXPORTS[name], "zip", tmp_path), "code", threshold=0, long=0)
    people = [submission.person for submission in result.submissions]
    pairs = [(pair.left, pair.right) for pair in result.pairs]
    assert not [pair for pair in pairs if people[pair[0]] == people[pair[1]]]
    assert result.compared == sum(one != two for one, two in combinations(people, 2))
    assert not [group for group in result.identical if len({people[member] for member in group}) < 2]


def test_facts_of_the_export(tmp_path):
    dolos = whorl.compare_all(laid(EXPORTS["Dolos"], "zip", tmp_path), "code")
    by_name = {submission.name: submission for submission in dolos.submissions}
    assert (by_name["Hara, Bo"].label, by_name["Hara, Bo"].date) == ("group B", "2026-03-02 11:00:00 +0100")
    canvas = whorl.compare_all(laid(EXPORTS["Canvas"], "zip", tmp_path), "code")
    assert {submission.name: submission.label for submission in canvas.submissions}["oharabo"] == "late"
    blackboard = whorl.compare_all(laid(EXPORTS["Blackboard"], "zip", tmp_path), "code")
    assert {submission.assignment for submission in blackboard.submissions} == {"Sorting_two_ways"}
    gradescope = whorl.compare_all(laid(EXPORTS["Gradescope"], "zip", tmp_path), "code")
    assert "2026-03-02 10:00:00.000000000 Z" in {submission.date for submission in gradescope.submissions}


def test_a_receipt_without_files_is_the_submission(tmp_path):
    """Blackboard puts a text that was typed in into the receipt."""
    for user in ("ada", "bo"):
        receipt = RECEIPT.format(name=user.title(), user=user) + "\nMy essay about the sea and its many keepers.\n"
        (tmp_path / f"Essay_{user}_attempt_2026-03-01-10-00-00.txt").write_text(receipt)
    result = whorl.compare_all(tmp_path)
    assert {submission.name: len(submission.files) for submission in result.submissions} == {"Ada": 1, "Bo": 1}


def test_an_empty_submission_is_listed_under_its_name(tmp_path):
    path = laid(EXPORTS["Moodle, folders"], "folder", tmp_path)
    (path / "Eve_31400_assignsubmission_file").mkdir()
    result = whorl.compare_all(path, "code")
    assert ("Eve", "empty") in {(item.submission, item.reason) for item in result.not_compared}


def test_a_roster_names_submissions_by_their_files_and_overrides_the_export(tmp_path):
    roster = tmp_path / "class.csv"
    roster.write_text(
        "submission,person,label\nlovelaceada_10234_5550001_main.py,Ada Lovelace,A\n"
        "lovelaceada_10234_5550002_help-1.py,Ada Lovelace,A\noharabo,Ada Lovelace,\n"
    )
    result = whorl.compare_all(laid(EXPORTS["Canvas"], "zip", tmp_path), "code", roster=roster, threshold=0)
    facts = {submission.name: (submission.person, submission.label) for submission in result.submissions}
    assert facts["lovelaceada"] == ("Ada Lovelace", "A")
    assert facts["oharabo"] == ("Ada Lovelace", "late")
    assert not [item for item in result.skipped if "not submitted" in item.reason]
    people = [submission.person for submission in result.submissions]
    assert all(people[pair.left] != people[pair.right] for pair in result.pairs)


def test_a_group_of_identical_submissions_with_two_of_one_person_keeps_its_pairs(tmp_path):
    """The first two are of one person: another pair represents the group."""
    roster = tmp_path / "class.csv"
    roster.write_text("submission,person\na.py,Ada\nb.py,Ada\nc.py,Bo\nd.py,Cy\n")
    (tmp_path / "class").mkdir()
    for name in "abcd":
        (tmp_path / "class" / f"{name}.py").write_text(ADA)
    result = whorl.compare_all(tmp_path / "class", "code", roster=roster)
    names = [submission.name for submission in result.submissions]
    pairs = {(names[pair.left], names[pair.right]): pair.same_as for pair in result.pairs}
    assert pairs.keys() == {*combinations(["a.py", "b.py", "c.py", "d.py"], 2)} - {("a.py", "b.py")}
    assert [pair for pair, same_as in pairs.items() if same_as is None] == [("a.py", "c.py")]
    assert result.compared == 5


def test_a_stray_file_stays_a_submission(tmp_path):
    path = laid(EXPORTS["Canvas"], "folder", tmp_path)
    (path / "template.py").write_text(BO)
    result = whorl.compare_all(path, "code")
    assert result.layouts[0].layout == "canvas"
    assert "template.py" in {submission.name for submission in result.submissions}


@pytest.mark.parametrize(
    "names",
    [
        ["ada.py", "bo.py", "cy.py"],
        ["lab_1_2_main.py", "lab_1_3_main.py"],
        ["project_2026_001_ada.py", "project_2026_002_bo.py"],
        ["lab1_2026_001_ada.py", "lab2_2026_002_bo.py"],
        ["sorting-ada/main.py", "sorting-bo/main.py"],
        ["ada/ps1/a.ipynb", "bo/ps1/a.ipynb"],
        ["info.csv", "ada.py", "bo.py"],
        ["Jane Doe_1_assignsubmission_file/main.py", "ada.py", "bo.py"],
    ],
)
def test_other_folders_are_taken_as_they_are(names, tmp_path):
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a,b\n1,2\n" if name == "info.csv" else ADA)
    assert whorl.compare_all(tmp_path, "code").layouts == ()


@pytest.fixture
def short_fields():
    """Python's own limit of a field, which reading a large table raises for the whole process."""
    before = csv.field_size_limit(1 << 17)
    yield
    csv.field_size_limit(before)


@pytest.mark.usefixtures("short_fields")
def test_a_description_that_cannot_be_read_is_an_error(tmp_path):
    for name, text in {"a.py": ADA, "b.py": BO, "info.csv": "filename,full_name\na.py," + "x" * 200_000}.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(whorl.InputError, match=r"info.csv: not CSV: .*; repair it, or use --layout none"):
        whorl.compare_all(tmp_path, "code")


def test_a_wrapper_folder_and_an_archive_alone_in_a_folder_are_opened(tmp_path):
    files = {f"x/y/{name}/main.py": text for name, text in {"ada": ADA, "bo": ADA, "cy": BO}.items()}
    path = tmp_path / "download" / "class.zip"
    path.parent.mkdir()
    path.write_bytes(packed(files))
    for place in (path, path.parent):
        result = whorl.compare_all(place, "code")
        assert [submission.name for submission in result.submissions] == ["ada", "bo", "cy"]
        assert [(each.layout, each.submissions) for each in result.layouts] == [("wrapper", 3)]


def test_the_only_folder_of_an_archive_is_named_as_what_was_recognised(tmp_path):
    files = {f"{name}/main.py": text for name, text in {"ada": ADA, "bo": ADA, "cy": BO}.items()}
    (tmp_path / "wrapped.zip").write_bytes(packed({f"class/{name}": text for name, text in files.items()}))
    (tmp_path / "plain.zip").write_bytes(packed({"dee/main.py": ADA, "eve/main.py": BO}))
    result = whorl.compare_all(tmp_path / "wrapped.zip", "code", archive=tmp_path / "plain.zip")
    assert [submission.name for submission in result.submissions if not submission.archived] == ["ada", "bo", "cy"]
    assert [(each.path, each.layout, each.submissions) for each in result.layouts] == [("wrapped.zip", "wrapper", 3)]
    result = whorl.compare_all(tmp_path / "wrapped.zip", "code", layout="none")
    assert [submission.name for submission in result.submissions] == ["ada", "bo", "cy"]
    assert result.layouts == ()


def test_an_archive_alone_in_an_archive_is_opened(tmp_path):
    inner = packed({f"{name}.py": text for name, text in {"ada": ADA, "bo": ADA, "cy": BO}.items()})
    (tmp_path / "course.zip").write_bytes(packed({"class.zip": inner}))
    result = whorl.compare_all(tmp_path / "course.zip", "code")
    assert [submission.name for submission in result.submissions] == ["ada.py", "bo.py", "cy.py"]
    assert [(each.layout, each.submissions) for each in result.layouts] == [("wrapper", 3)]


def student_zips():
    """An export in which each student handed in a zip with a wrapper folder."""
    return {
        f"{name}_{number}_assignsubmission_file/work.zip": packed({"work/main.py": text})
        for number, (name, text) in enumerate({"Ada": ADA, "Bo": ADA, "Cy": BO}.items(), 100)
    }


def test_zips_of_students_in_an_export_in_a_zip_are_read(tmp_path):
    (tmp_path / "course.zip").write_bytes(packed({"sorting.zip": packed(student_zips())}))
    result = whorl.compare_all(tmp_path / "course.zip", "code")
    assert [submission.name for submission in result.submissions] == ["Ada", "Bo", "Cy"]
    assert not result.not_compared
    assert [pair.score for pair in result.pairs[:1]] == [1.0]


def test_a_bomb_in_an_archive_alone_in_an_archive_is_refused(tmp_path):
    lines = {f"{name}_{i}_assignsubmission_file_a.py": b"\n" * (6 << 16) for i, name in enumerate("abc")}
    bomb = packed(lines, zipfile.ZIP_DEFLATED)
    (tmp_path / "course.zip").write_bytes(packed({"export.zip": bomb}))
    rules = replace(Settings().rules, free=10 << 16)
    result = whorl.compare_all(tmp_path / "course.zip", "code", rules=rules)
    assert [layout.layout for layout in result.layouts] == ["moodle"]
    assert {item.reason.partition(":")[0] for item in result.not_compared} >= {"perhaps a bomb"}


def test_a_folder_of_exports_is_a_course_with_an_assignment_each(tmp_path):
    for name in ("sorting", "graphs"):
        (tmp_path / f"{name}.zip").write_bytes(packed(student_zips()))
    result = whorl.compare_all(tmp_path, "code")
    assert [(each.path, each.layout) for each in result.layouts] == [
        ("graphs.zip", "moodle"),
        ("sorting.zip", "moodle"),
    ]
    assert {submission.assignment for submission in result.submissions} == {"graphs", "sorting"}
    assert {submission.person for submission in result.submissions} == {"Ada", "Bo", "Cy"}
    assert result.run is not None
    assert result.run.paths == (str(tmp_path),)
    pairs = [(result.submissions[pair.left].person, result.submissions[pair.right].person) for pair in result.pairs]
    assert all(left != right for left, right in pairs)
    (tmp_path / "notes.txt").write_text("Not an export: now each zip is a submission.")
    assert [each.name for each in whorl.compare_all(tmp_path, "code").submissions] == ["graphs.zip", "sorting.zip"]


@pytest.mark.parametrize("wrapper", ["", "course/"])
def test_an_archive_of_exports_is_a_course_with_an_assignment_each(wrapper, tmp_path):
    graphs = {f"graphs/{name}_{i}_assignsubmission_file_a.py": ADA for i, name in enumerate("ABCDE")}
    graphs["graphs/template.py"] = BO
    exports = {"graphs": graphs, "sorting": EXPORTS["Gradescope"].files}
    path = tmp_path / "course.zip"
    path.write_bytes(packed({f"{wrapper}{name}.zip": packed(files) for name, files in exports.items()}))
    result = whorl.compare_all(path, "code", threshold=0)
    assert [tuple(each) for each in result.layouts] == [
        (f"course.zip/{wrapper}graphs.zip", "moodle", 5, 5),
        (f"course.zip/{wrapper}sorting.zip", "gradescope", 3, 3),
    ]
    names = {each.name: (each.person, each.assignment, len(each.files)) for each in result.submissions}
    assert names == {
        **{name: (name, "graphs", 1) for name in "ABCDE"},
        "Ada Lovelace": ("Ada Lovelace", "sorting", 2),
        "Bo O'Hara, Cy D'Arcy": ("Bo O'Hara, Cy D'Arcy", "sorting", 1),
        "Di Zöe": ("Di Zöe", "sorting", 1),
        "template.py, graphs": (None, None, 1),
    }
    assert not result.not_compared


def test_a_person_of_several_exports_in_an_archive_is_never_compared_with_herself(tmp_path):
    """Moodle gives each person another number in each assignment."""
    exports = {}
    for start, name in ((100, "sorting"), (200, "graphs")):
        files = {f"{who}_{start + i}_assignsubmission_file_a.py": ADA for i, who in enumerate(("Ada", "Bo"))}
        exports[f"{name}.zip"] = packed(files)
    (tmp_path / "course.zip").write_bytes(packed(exports))
    result = whorl.compare_all(tmp_path / "course.zip", "code")
    assert [each.name for each in result.submissions] == ["Ada, graphs", "Ada, sorting", "Bo, graphs", "Bo, sorting"]
    people = [each.person for each in result.submissions]
    assert result.pairs
    assert all(people[pair.left] != people[pair.right] for pair in result.pairs)
    assert [(group.left, group.right) for group in result.groups] == [("Ada", "Bo")]


def test_an_archive_of_exports_and_others_is_taken_as_it_is(tmp_path):
    inner = packed(student_zips())
    for files in ({"a.zip": inner, "notes.txt": "notes"}, {"a.zip": inner, "b.zip": packed({"main.py": ADA})}):
        (tmp_path / "course.zip").write_bytes(packed(files))
        assert whorl.compare_all(tmp_path / "course.zip", "code").layouts == ()


def test_one_submission_beside_an_archive_of_old_ones_is_no_wrapper(tmp_path):
    for name in ("new/ada/src/main.py", "new/ada/tests/main.py", "old/bo/main.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(ADA)
    result = whorl.compare_all(tmp_path / "new", "code", archive=tmp_path / "old")
    assert [submission.name for submission in result.submissions] == ["ada", "bo"]


def test_an_archive_of_old_submissions_is_recognised_too(tmp_path):
    (tmp_path / "old").mkdir()
    old = laid(EXPORTS["Moodle, flat"], "zip", tmp_path / "old")
    result = whorl.compare_all(laid(EXPORTS["Canvas"], "zip", tmp_path), "code", archive=old, layout="canvas")
    assert [each.layout for each in result.layouts] == ["canvas", "moodle"]
    assert "Ada Lovelace" in {submission.name for submission in result.submissions if submission.archived}


class TestCommand:
    def run(self, *arguments):
        return CliRunner().invoke(main, ["compare", *map(str, arguments)], env={"COLUMNS": "120"})

    def test_the_only_folder_of_an_archive_is_printed(self, tmp_path):
        (tmp_path / "class.zip").write_bytes(packed({"hw/ada.py": ADA, "hw/bo.py": ADA, "hw/cy.py": BO}))
        first, _, _ = self.run(tmp_path / "class.zip").stdout.partition("\n")
        assert first == "recognised: class.zip has one folder or archive around 3 submissions"

    def test_what_was_recognised_is_printed(self, tmp_path):
        path = laid(EXPORTS["Blackboard"], "zip", tmp_path)
        line = (
            f"recognised: {path.name} is a Blackboard download: 4 submissions of 3 people; "
            "--layout none compares each entry as it is"
        )
        assert self.run(path).stdout.splitlines()[0] == line
        assert self.run(path, "--format", "csv").stderr.splitlines()[0] == line
        assert path.name not in self.run(path, "--anonymise").stdout

    def test_it_can_be_overruled(self, tmp_path):
        path = laid(EXPORTS["Canvas"], "zip", tmp_path)
        result = self.run(path, "--layout", "none")
        assert "recognised" not in result.output
        assert "lovelaceada_10234_5550001_main.py" in result.output
        (tmp_path / "few").mkdir()
        for name in ("lab_1_22_main.py", "lab_2_33_main.py", "a.py", "b.py"):
            (tmp_path / "few" / name).write_text(ADA)
        stated = self.run(tmp_path / "few", "--layout", "canvas")
        assert "is a Canvas download: 2 submissions of 2 people" in stated.stdout

    @pytest.mark.parametrize("layout", SYSTEMS)
    def test_a_stated_layout_that_does_not_fit_is_an_error(self, layout, tmp_path):
        for name in ("ada.py", "bo.py"):
            (tmp_path / name).write_text(ADA)
        result = self.run(tmp_path, "--layout", layout)
        assert result.exit_code == 1
        assert f"is not {SYSTEMS[layout].title}: nothing in it is named like" in result.stderr
        assert "use --layout none" in result.stderr
