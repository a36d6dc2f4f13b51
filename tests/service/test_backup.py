"""A copy of an index while a service's jobs begin, end and are deleted."""

import errno
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.service.harness import prose, settings_in
from whorl.errors import InputError, WhorlError
from whorl.index.index import Index
from whorl.model import Document
from whorl.service.context import Context
from whorl.service.database import SERVICE_DATABASE, ServiceDatabase, back_up
from whorl.service.jobs import JobQueue, ServiceJob
from whorl.service.workspace import CLUSTERS
from whorl.storage.folder import copy_database


@pytest.fixture
def context(tmp_path) -> Iterator[Context]:
    context = Context(settings_in(tmp_path))  # not started: the tests end its jobs
    yield context
    context.close()


def submitted(jobs: JobQueue, kind: str = "compare") -> ServiceJob:
    """A job with some uploads."""
    id_ = jobs.prepare()
    for number in range(5):
        (jobs.inputs(id_) / f"{number}.txt").write_text("upload")
    return jobs.submit(kind, "acme", None, {}, id_)


def end(jobs: JobQueue, id_: str) -> None:
    jobs.claim()
    jobs.results(id_).mkdir()
    for name in ("comparison.json", "page.html"):
        (jobs.results(id_) / name).write_text(f"result {name}")
    (jobs.results(id_) / CLUSTERS).write_text(json.dumps({"clusters": [{"members": [member(1), member(2)]}]}))
    jobs.finish(id_, {"submissions": 5})


def member(number: int) -> dict[str, object]:
    return {"id": number, "name": "anna.txt", "collection": "main", "url": None}


def files_of(jobs: JobQueue, id_: str) -> list[str]:
    folder = jobs.folder(id_)
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


UPLOADS = [f"input/{number}.txt" for number in range(5)]
RESULTS = ["checksums.txt", *(f"result/{name}" for name in (CLUSTERS, "comparison.json", "page.html"))]


def copied_meanwhile(context: Context, copy: Path, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Back up, and do something after the first file of a job was copied."""
    real, acts = shutil.copy2, [act]

    def slow(source: Path, target: Path, **options: bool) -> object:
        result = real(source, target, **options)
        if acts and "jobs" in Path(source).parts:
            acts.pop()()
        return result

    monkeypatch.setattr(shutil, "copy2", slow)
    back_up(context.settings.index, copy)
    assert not acts


@pytest.fixture
def copy(tmp_path) -> Iterator[Callable[[], JobQueue]]:
    """Open the jobs of the copy, which must be sound."""
    opened: list[ServiceDatabase] = []

    def jobs() -> JobQueue:
        opened.append(ServiceDatabase(tmp_path / "copy" / SERVICE_DATABASE))
        opened[0].verify()
        queue = JobQueue(opened[0], tmp_path / "copy" / "jobs")
        queue.verify()
        return queue

    yield jobs
    for each in opened:
        each.close()


def test_a_job_that_ends_while_it_is_copied_is_copied_as_done(context, tmp_path, monkeypatch, copy) -> None:
    job, waiting = submitted(context.jobs), submitted(context.jobs)
    copied_meanwhile(context, tmp_path / "copy", monkeypatch, lambda: end(context.jobs, job.id))
    jobs = copy()
    assert (jobs.get(job.id).state, files_of(jobs, job.id)) == ("done", RESULTS)
    assert (jobs.get(waiting.id).state, files_of(jobs, waiting.id)) == ("queued", UPLOADS)


def test_a_job_that_comes_while_others_are_copied_is_whole_in_the_copy(context, tmp_path, monkeypatch, copy) -> None:
    submitted(context.jobs)
    new: list[ServiceJob] = []
    copied_meanwhile(context, tmp_path / "copy", monkeypatch, lambda: new.append(submitted(context.jobs)))
    jobs = copy()
    assert (jobs.get(new[0].id).state, files_of(jobs, new[0].id)) == ("queued", UPLOADS)


@pytest.mark.parametrize("ending", ["forget_result", "cancel", "prune"])
def test_a_job_that_is_deleted_or_cancelled_while_it_is_copied(context, tmp_path, monkeypatch, copy, ending) -> None:
    job = submitted(context.jobs)
    if ending != "cancel":
        end(context.jobs, job.id)
    acts = {
        "forget_result": lambda: context.jobs.forget_result(job.id),
        "cancel": lambda: context.jobs.cancel(job.id),
        "prune": lambda: context.database.write("DELETE FROM jobs"),
    }
    copied_meanwhile(context, tmp_path / "copy", monkeypatch, acts[ending])
    jobs = copy()
    row = jobs.get(job.id)
    assert (None if row is None else row.state.value) == {"forget_result": "done", "cancel": "cancelled"}.get(ending)
    if ending == "forget_result":
        assert not jobs.folder(job.id).exists()
    jobs.recover()
    assert "input/0.txt" not in files_of(jobs, job.id)


def test_a_result_that_a_purge_writes_again_is_copied_whole(context, tmp_path, monkeypatch, copy) -> None:
    job = submitted(context.jobs, "cluster")
    end(context.jobs, job.id)
    copied_meanwhile(context, tmp_path / "copy", monkeypatch, lambda: context.jobs.forget_documents({1}))
    jobs = copy()
    assert '"name": null' in (jobs.results(job.id) / CLUSTERS).read_text()


def test_jobs_that_never_rest_end_the_copy_with_one_line(context, tmp_path, monkeypatch) -> None:
    submitted(context.jobs)

    def busy(source: Path, target: Path, *, with_checksums: bool) -> None:
        submitted(context.jobs)
        copy_database(source, target, with_checksums=with_checksums)

    monkeypatch.setattr("whorl.service.database.copy_database", busy)
    with pytest.raises(WhorlError, match="end faster than they are copied"):
        back_up(context.settings.index, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_a_failed_copy_is_removed_and_can_be_tried_again(context, tmp_path, monkeypatch) -> None:
    with Index.open(context.settings.index) as index:
        index.add(Document("a", prose(1)))
    submitted(context.jobs)
    with monkeypatch.context() as patched:

        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        patched.setattr(shutil, "copy2", full)
        with pytest.raises(WhorlError, match=r"copy: cannot write: No space left on device$"):
            back_up(context.settings.index, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    assert back_up(context.settings.index, tmp_path / "copy") == 1
    with pytest.raises(InputError, match="already exists"):
        back_up(context.settings.index, tmp_path / "copy")
    assert (tmp_path / "copy" / "index.db").exists()
