"""A comparison from uploads to the report."""

import json
import zipfile

import pytest

from tests.service.kinds.stage import task_of
from tests.service.stage import open_jobs, until
from whorl import compare_all
from whorl.comparison.export import as_json
from whorl.errors import InputError
from whorl.service import analysis_jobs
from whorl.service.jobs import JobState
from whorl.service.runner import Runner

COPIED = """
def mean(values):
    total = 0
    for value in values:
        total += value
    if not values:
        raise ValueError("no values")
    return total / len(values)
"""
OTHER = """
class Stack:
    def __init__(self):
        self.items = []
    def push(self, item):
        self.items.append(item)
    def pop(self):
        return self.items.pop()
"""
NAMES = ("annabel", "bartholomew", "cornelius")
CLASS = {"annabel.py": COPIED, "bartholomew.py": COPIED.replace("value", "number"), "cornelius.py": OTHER}


@pytest.fixture
def stage(tmp_path):
    database, jobs = open_jobs(tmp_path)
    with database:
        yield tmp_path, database, jobs


def _uploaded(jobs, files, part="submissions"):
    id_ = jobs.prepare()
    _put(jobs, id_, part, files)
    return id_


def _put(jobs, id_, part, files):
    (jobs.inputs(id_) / part).mkdir(exist_ok=True)
    for name, content in files.items():
        (jobs.inputs(id_) / part / name).write_bytes(content.encode() if isinstance(content, str) else content)


def _zipped(files, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path.read_bytes()


def _found(task):
    return json.loads((task.results / "comparison.json").read_text())


def test_files_become_a_ranking_and_a_report(stage):
    _, _, jobs = stage
    id_ = _uploaded(jobs, CLASS)
    expected = as_json(compare_all(jobs.inputs(id_) / "submissions"))
    expected["run"]["paths"] = sorted(CLASS)  # what was uploaded, not where it lies
    task = task_of(stage, "compare", prepared=id_, title="Week <7>")
    result = analysis_jobs.run_comparison(task)
    assert (result["submissions"], result["pairs"], result["skipped"]) == (3, 1, 0)
    assert _found(task) == json.loads(json.dumps(expected))
    overview = (task.results / "report" / "index.html").read_text()
    assert "Week &lt;7&gt;" in overview
    assert "annabel" in overview
    with zipfile.ZipFile(task.results / "report.zip") as archive:
        packed = {info.filename: archive.read(info) for info in archive.infolist()}
    on_disk = [path for path in (task.results / "report").rglob("*") if path.is_file()]
    assert packed == {path.relative_to(task.results).as_posix(): path.read_bytes() for path in on_disk}
    assert jobs.get(id_).step == "packing"


def test_one_archive_is_a_class_and_several_are_submissions(stage, tmp_path):
    _, _, jobs = stage
    nested = {f"{name.removesuffix('.py')}/main.py": text for name, text in CLASS.items()}
    one = task_of(stage, "compare", prepared=_uploaded(jobs, {"class.zip": _zipped(nested, tmp_path / "c.zip")}))
    assert analysis_jobs.run_comparison(one)["submissions"] == 3
    assert {each["name"] for each in _found(one)["submissions"]} == set(NAMES)
    each = {f"{name}.zip": _zipped({"main.py": CLASS[f"{name}.py"]}, tmp_path / "s.zip") for name in NAMES}
    several = task_of(stage, "compare", prepared=_uploaded(jobs, each))
    assert analysis_jobs.run_comparison(several)["submissions"] == 3
    assert _found(several)["pairs"][0]["score"] == _found(one)["pairs"][0]["score"]


def test_the_template_is_no_evidence_and_the_archive_is_compared(stage):
    _, _, jobs = stage
    id_ = _uploaded(jobs, CLASS)
    _put(jobs, id_, "base", {"template.py": COPIED})
    _put(jobs, id_, "archive", {"last-year.py": OTHER})
    task = task_of(stage, "compare", prepared=id_)
    assert analysis_jobs.run_comparison(task)["pairs"] == 1
    found = _found(task)
    assert {found["pairs"][0]["left"], found["pairs"][0]["right"]} == {"cornelius.py", "last-year.py"}
    assert [each["archived"] for each in found["submissions"]] == [False, False, False, True]


def test_an_anonymous_report_names_nobody(stage):
    _, _, jobs = stage
    id_ = _uploaded(jobs, {**CLASS, "cornelius.bin": b"\0\1\2" * 100})
    task = task_of(stage, "compare", prepared=id_, anonymous=True)
    assert analysis_jobs.run_comparison(task)["pairs"] == 1
    with zipfile.ZipFile(task.results / "report.zip") as archive:
        packed = b"".join(archive.read(name) for name in archive.namelist())
    files = [path for path in task.results.rglob("*") if path.is_file()]
    assert len(files) > 4
    for written in (packed, *(path.read_bytes() for path in files)):
        assert not any(name.encode() in written for name in NAMES)
    assert b"work-" in packed


def test_settings_reach_the_comparison(stage):
    _, _, jobs = stage
    task = task_of(stage, "compare", prepared=_uploaded(jobs, CLASS), threshold=0.99, scheme="text")
    analysis_jobs.run_comparison(task)
    assert _found(task)["threshold"] == 0.99
    assert _found(task)["scheme"]["frontend"] == "text"


def test_a_bomb_is_refused_and_nothing_is_extracted(stage, tmp_path):
    _, _, jobs = stage
    bomb = _zipped({"a.py": COPIED, "../../../evil.py": OTHER, "b.py": b"\0" * (40 << 20)}, tmp_path / "bomb.zip")
    task = task_of(stage, "compare", prepared=_uploaded(jobs, {"class.zip": bomb}))
    analysis_jobs.run_comparison(task)
    found = _found(task)
    assert {each["file"].rpartition("/")[2] for each in found["skipped"]} >= {"b.py"}
    assert not [path for path in tmp_path.rglob("*") if path.name in ("evil.py", "b.py", "a.py")]


def test_nothing_to_compare_fails_with_what_to_do(stage):
    task = task_of(stage, "compare")
    with pytest.raises(InputError, match="upload the submissions"):
        analysis_jobs.run_comparison(task)


def test_a_comparison_in_its_own_process(stage):
    """As the server runs it; what is wrong is told without the server's paths."""
    folder, _, jobs = stage
    good = jobs.submit("compare", "history", None, {}, _uploaded(jobs, CLASS)).id
    bad = jobs.submit("compare", "history", None, {}, _uploaded(jobs, {"class.zip": b"PK\3\4 and no more"})).id
    runner = Runner(jobs, folder)
    runner.start()
    try:
        until(lambda: jobs.get(bad).state.is_over)
    finally:
        runner.stop()
    assert (jobs.get(good).state, jobs.get(good).result["pairs"]) == (JobState.DONE, 1)
    assert (jobs.results(good) / "report.zip").stat().st_size > 1000
    assert not jobs.inputs(good).exists()
    assert str(folder) not in jobs.get(bad).message
