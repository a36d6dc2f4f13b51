"""A class compared on Spark: the pairs, passages, clusters and texts of the local comparison, to the last digit."""

import random
import zipfile
from typing import Any

import pytest

from tests.comparison.planting import SAMPLES
from tests.spark.conftest import needs_spark
from whorl.comparison.compare import compare_all as reference
from whorl.comparison.export import as_json
from whorl.formats.archives.rules import Rules

LANGUAGES = ("c", "java", "python")


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """Programs, each with a half of another one pasted in or none, some as folders and archives; a base; an archive."""
    home, chance = tmp_path_factory.mktemp("course"), random.Random(7)
    programs = sorted(path for name in LANGUAGES for path in (SAMPLES / name).iterdir() if path.is_file())
    handed_in = home / "class"
    handed_in.mkdir()
    for number in range(40):
        own, other = chance.sample(programs, 2)
        text, more = own.read_text(), other.read_text().split("\n\n")
        if number % 3 == 0:
            text += "\n\n" + "\n\n".join(more[: len(more) // 2 + 1])
        _hand_in(handed_in, number, own.suffix, text)
    (handed_in / "empty.c").write_text("")
    (home / "base").mkdir()
    (home / "base" / "given.c").write_text(programs[0].read_text())
    with zipfile.ZipFile(home / "last-year.zip", "w") as archive:
        for number, path in enumerate(programs[::4]):
            archive.writestr(f"old{number:02}/{path.name}", path.read_text())
    return home


def _hand_in(folder, number, suffix, text):
    name = f"student{number:02}"
    if number % 5 == 1:
        (folder / name).mkdir()
        (folder / name / f"main{suffix}").write_text(text)
        (folder / name / "notes.txt").write_text(f"I am number {number}, and this is what I did.")
    elif number % 5 == 2:
        with zipfile.ZipFile(folder / f"{name}.zip", "w") as archive:
            archive.writestr(f"main{suffix}", text)
    else:
        (folder / f"{name}{suffix}").write_text(text)


@pytest.mark.parametrize(
    "settings",
    [{}, {"threshold": 0.3, "max_share": 6, "normal_form": False, "anonymise": True}, {"measure": "longest"}],
    ids=["plain", "common", "late"],
)
def test_the_same_as_on_one_machine(spark, course, settings):
    from whorl.spark import compare_all

    sources: dict[str, Any] = {"base": [course / "base"], "archive": [course / "last-year.zip"]}
    expected = reference(course / "class", **sources, **settings)
    found = compare_all(spark, course / "class", folder=str(course / "stages"), **sources, **settings)
    assert len(expected.pairs) > 10
    assert any(submission.archived for submission in expected.submissions)
    assert as_json(found) == as_json(expected)
    for pair in expected.pairs[:3]:
        for submission in (pair.left, pair.right):
            assert found.text(submission, 0) == expected.text(submission, 0)


def test_an_export_of_a_course_system(spark, tmp_path):
    """A submission of several files is not divided among tasks."""
    from whorl.spark import compare_all

    programs = sorted((SAMPLES / "python").iterdir())
    folder = tmp_path / "class"
    folder.mkdir()
    for number in range(12):
        for file in range(3):
            text = programs[(number // 2 + file) % len(programs)].read_text()
            (folder / f"student{number}_{1000 + number}_{5000 + 3 * number + file}_part{file}.py").write_text(text)
    expected = reference(folder)
    assert [(each.layout, each.submissions) for each in expected.layouts] == [("canvas", 12)]
    assert as_json(compare_all(spark, folder, folder=str(tmp_path / "stages"))) == as_json(expected)


def test_no_child_is_cut_apart_and_a_changed_file_is_noticed(tmp_path):
    needs_spark()
    from whorl.spark.stages import described, shares

    for child in range(12):
        (tmp_path / f"s{child:02}").mkdir()
        for number in range(3):
            (tmp_path / f"s{child:02}" / f"{number}.txt").write_text(f"{child} {number}")
    parts = [share.part for share in shares([tmp_path], Rules(), 1, lambda _path, name: name.partition("/")[0])]
    assert len(parts) == 4
    assert all(part.start % 3 == 0 for part in parts)
    assert [part.start for part in parts] + [36] == [0] + [part.stop for part in parts]
    before = described([tmp_path], Rules())
    assert described([tmp_path], Rules()) == before
    (tmp_path / "s03" / "1.txt").write_text("something else")
    assert described([tmp_path], Rules()) != before
