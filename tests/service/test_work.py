"""The process of a job, run by hand: what it does with its folders, and what it tells."""

import subprocess
import sys
from importlib import import_module

from tests.service.stage import COMMAND, PATIENCE, open_jobs
from whorl.service.jobs import JobState
from whorl.service.worker import KINDS


def _work(folder, id_, command=COMMAND):
    """Its standard input stays open until it ends, as the server's does."""
    with subprocess.Popen([*command, str(folder), id_], stdin=subprocess.PIPE, start_new_session=True) as process:
        return process.wait(PATIENCE)


def test_every_kind_is_there():
    for row in KINDS.values():
        module, _, name = row.partition(":")
        assert callable(getattr(import_module(module), name))


def test_what_an_earlier_attempt_left_is_gone(tmp_path):
    database, jobs = open_jobs(tmp_path)
    with database:
        id_ = jobs.submit("greet", None, None, {"name": "Ann"}).id
        jobs.claim()
        for folder in (jobs.results(id_), jobs.scratch(id_)):
            (folder / "old").mkdir(parents=True)
        assert _work(tmp_path, id_) == 0
        assert jobs.get(id_).state is JobState.DONE
        assert [path.name for path in jobs.results(id_).iterdir()] == ["greeting.txt"]


def test_a_job_that_does_not_run_is_not_done(tmp_path):
    database, jobs = open_jobs(tmp_path)
    with database:
        id_ = jobs.submit("greet", None, None, {"name": "Ann"}).id
        for _ in range(2):
            assert _work(tmp_path, id_) == 0
            assert not jobs.results(id_).exists()
            jobs.cancel(id_)


def test_it_does_not_outlive_the_end_of_its_input(tmp_path):
    database, jobs = open_jobs(tmp_path)
    with database:
        id_ = jobs.submit("sleep", None, None, {}).id
        jobs.claim()
        done = subprocess.run([*COMMAND, str(tmp_path), id_], stdin=subprocess.DEVNULL, start_new_session=True)
        assert done.returncode == -9
        assert jobs.get(id_).state is JobState.RUNNING


def test_the_module_runs_by_its_name(tmp_path):
    """As the server starts it, without the kinds of the tests."""
    database, jobs = open_jobs(tmp_path)
    with database:
        id_ = jobs.submit("greet", None, None, {}).id
        jobs.claim()
        assert _work(tmp_path, id_, (sys.executable, "-P", "-m", "whorl.service.worker")) == 0
        assert "unknown kind of job 'greet': choose one of cluster, compare" in jobs.get(id_).message
