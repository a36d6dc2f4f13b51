"""The runner: jobs in processes that end, are killed, crash, or outlive nobody."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

import whorl
from tests.service.stage import COMMAND, PATIENCE, is_alive, open_jobs, until
from whorl.errors import InputError, StoreIOError
from whorl.service import runner
from whorl.service.jobs import JobQueue, JobState
from whorl.service.runner import LOCK, Runner

ROOT = Path(__file__).parents[2]


@contextmanager
def _running(folder, **settings):
    database, jobs = open_jobs(folder)
    runner = Runner(jobs, folder, **{"command": COMMAND} | settings)
    with database:
        runner.start()
        try:
            yield jobs
        finally:
            runner.stop()


def _submit(jobs, kind, **settings):
    return jobs.submit(kind, "history", None, settings).id


def _ended(jobs, id_):
    return until(lambda: (job := jobs.get(id_)).state.is_over and job)


def _pids(folder):
    """Of the job that never ends: its own and its helper's."""
    path = folder / "pids"
    found = until(lambda: path.exists() and (text := path.read_text()).endswith("\n") and text)
    return [int(pid) for pid in found.split()]


def test_a_job_is_done_in_a_process_of_its_own(tmp_path):
    with _running(tmp_path) as jobs:
        prepared = jobs.prepare()
        (jobs.inputs(prepared) / "essay.txt").write_text("text")
        jobs.submit("greet", "history", None, {"name": "Ann"}, prepared)
        job = _ended(jobs, prepared)
        assert (job.state, job.result, job.message) == (JobState.DONE, {"inputs": ["essay.txt"]}, "")
        assert (job.step, job.done, job.total) == ("greeting", 1, 2)
        assert (jobs.results(job.id) / "greeting.txt").read_text() == "hello Ann"
        until(lambda: not jobs.scratch(job.id).exists())


def test_what_is_wrong_with_the_input_fails_at_once_and_tells_no_paths(tmp_path):
    with _running(tmp_path) as jobs:
        job = _ended(jobs, _submit(jobs, "refuse"))
    assert (job.state, job.attempts) == (JobState.FAILED, 1)
    assert job.message == "essay.txt: it cannot be read; upload it again"


def test_a_job_that_crashes_fails_after_three_attempts(tmp_path):
    with _running(tmp_path) as jobs:
        job = _ended(jobs, _submit(jobs, "crash"))
        assert (tmp_path / "crashes").read_text() == "xxx"
        assert _ended(jobs, _submit(jobs, "greet", name="Bob")).state is JobState.DONE  # the queue goes on
    assert (job.state, job.attempts) == (JobState.FAILED, 3)
    assert job.message == "tried 3 times; the last error: its process ended unexpectedly (status 7)"


def test_a_fault_of_ours_is_in_the_log_and_not_in_the_message(tmp_path):
    with _running(tmp_path) as jobs:
        job = _ended(jobs, _submit(jobs, "stumble"))
        log = (jobs.folder(job.id) / "log").read_text()
    assert (job.state, job.attempts) == (JobState.FAILED, 3)
    assert "ZeroDivisionError" in job.message
    assert "secret of the inside" not in job.message
    assert log.count("ZeroDivisionError: a secret of the inside") == 3


@pytest.mark.parametrize("settings", [{}, {"database": True}], ids=["a file", "the database"])
def test_a_full_disk_is_told_and_waited_for(tmp_path, monkeypatch, caplog, settings):
    with _running(tmp_path) as jobs:
        id_ = _submit(jobs, "fill", **settings)
        job = until(lambda: (job := jobs.get(id_)).state is JobState.QUEUED and job.attempts and job)
        assert (job.attempts, job.message) == (1, "the disk of the service is full")
        assert [record for record in caplog.records if f"job {id_} is queued: {job.message}" in record.getMessage()]
    monkeypatch.setattr(runner, "FULL_SECONDS", 0.0)
    with _running(tmp_path) as jobs:
        assert _ended(jobs, id_).message == "tried 3 times; the last error: the disk of the service is full"


def test_a_process_that_dies_on_a_full_disk_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "free_bytes", lambda folder: 0)
    monkeypatch.setattr(runner, "FULL_SECONDS", 0.0)
    with _running(tmp_path) as jobs:
        message = _ended(jobs, _submit(jobs, "crash")).message
    assert message == "tried 3 times; the last error: the disk of the service is full"


def test_jobs_wait_for_room_on_the_disk_and_upkeep_does_not(tmp_path, monkeypatch, caplog):
    free = [99 << 20]
    monkeypatch.setattr(runner, "free_bytes", lambda folder: free[0])
    folder = tmp_path / "index"
    whorl.Index.create(folder).close()
    with _running(folder, reserve=100 << 20) as jobs:
        id_ = _submit(jobs, "greet", name="Ann")
        assert _ended(jobs, jobs.submit_once("purge", {}).id).state is JobState.DONE
        until(lambda: "jobs wait: less than 100 MB of the disk are free" in caplog.text)
        assert jobs.get(id_).state is JobState.QUEUED
        free[0] = 100 << 20
        assert _ended(jobs, id_).state is JobState.DONE
    assert caplog.text.count("jobs wait") == caplog.text.count("jobs go on") == 1


def test_an_unknown_kind_fails(tmp_path):
    with _running(tmp_path) as jobs:
        assert "unknown kind of job 'dance'" in _ended(jobs, _submit(jobs, "dance")).message


def test_cancelling_kills_the_job_and_its_helpers(tmp_path):
    with _running(tmp_path) as jobs:
        id_ = _submit(jobs, "sleep")
        pids = _pids(tmp_path)
        assert all(map(is_alive, pids))
        assert jobs.cancel(id_).state is JobState.CANCELLED
        until(lambda: not any(map(is_alive, pids)))
        until(lambda: not jobs.results(id_).exists() and not jobs.scratch(id_).exists())
        assert jobs.get(id_).state is JobState.CANCELLED
        assert _ended(jobs, _submit(jobs, "greet", name="Bob")).state is JobState.DONE


def test_a_job_that_takes_too_long_is_killed_and_fails(tmp_path):
    with _running(tmp_path, longest=0) as jobs:
        job = _ended(jobs, _submit(jobs, "sleep"))
        assert "exceeded the time limit of 0 s" in job.message
        until(lambda: not jobs.scratch(job.id).exists())


def test_helpers_do_not_outlive_their_job(tmp_path):
    with _running(tmp_path) as jobs:
        assert _ended(jobs, _submit(jobs, "linger")).state is JobState.DONE
        pids = _pids(tmp_path)
        until(lambda: not any(map(is_alive, pids)))


def test_stopping_queues_again_what_ran(tmp_path):
    with _running(tmp_path) as jobs:
        id_ = _submit(jobs, "sleep")
        pids = _pids(tmp_path)
    until(lambda: not any(map(is_alive, pids)))
    database, jobs = open_jobs(tmp_path)
    with database:
        assert (jobs.get(id_).state, jobs.get(id_).attempts) == (JobState.QUEUED, 0)


def test_a_killed_server_takes_its_jobs_along_and_they_are_queued_again(tmp_path):
    database, jobs = open_jobs(tmp_path)
    with database:
        id_ = _submit(jobs, "sleep")
        (jobs.inputs(id_) / "essay.txt").write_text("text")
        server = subprocess.Popen([sys.executable, "-m", "tests.service.server", str(tmp_path)], cwd=ROOT)
        try:
            pids = _pids(tmp_path)
            until(lambda: jobs.get(id_).step == "sleeping")
        finally:
            os.kill(server.pid, signal.SIGKILL)
            server.wait(PATIENCE)
        until(lambda: not any(map(is_alive, pids)))
        assert jobs.get(id_).state is JobState.RUNNING  # nobody was there to say otherwise
        assert jobs.recover() == 1
        assert (jobs.get(id_).state, jobs.get(id_).attempts) == (JobState.QUEUED, 1)
        assert (jobs.inputs(id_) / "essay.txt").read_text() == "text"
        assert not jobs.scratch(id_).exists()
        assert jobs.claim().id == id_


def test_one_server_an_index(tmp_path):
    with _running(tmp_path) as jobs:
        id_ = _submit(jobs, "sleep")
        _pids(tmp_path)
        other_database, others = open_jobs(tmp_path)
        with other_database, pytest.raises(InputError, match="another server"):
            Runner(others, tmp_path).start()
        assert jobs.get(id_).state is JobState.RUNNING


def test_a_lock_that_cannot_be_opened_is_not_another_server(tmp_path):
    (tmp_path / LOCK).mkdir()
    database, jobs = open_jobs(tmp_path)
    with database, pytest.raises(StoreIOError, match="cannot lock: Is a directory"):
        Runner(jobs, tmp_path).start()


def test_slots_run_beside_each_other(tmp_path):
    with _running(tmp_path, slots=2) as jobs:
        _submit(jobs, "sleep")
        assert _ended(jobs, _submit(jobs, "greet", name="Ann")).state is JobState.DONE


def test_beside_each_other_a_job_that_stumbles_is_tried_as_often(tmp_path):
    with _running(tmp_path, slots=3) as jobs:
        ids = [_submit(jobs, kind) for kind in ("stumble", "crash", "stumble")]
        ended = [_ended(jobs, id_) for id_ in ids]
        logs = [(jobs.folder(id_) / "log").read_text().count("Traceback") for id_ in ids]
    assert [job.attempts for job in ended] == [3, 3, 3]
    assert logs == [3, 0, 3]


def test_a_command_that_cannot_be_started_fails_the_job(tmp_path):
    with _running(tmp_path, command=(str(tmp_path / "missing"),)) as jobs:
        job = _ended(jobs, _submit(jobs, "greet"))
    assert job.state is JobState.FAILED
    assert "FileNotFoundError" in job.message


def test_a_fault_of_the_queue_does_not_end_the_slot(tmp_path, monkeypatch):
    claim, faults = JobQueue.claim, [ZeroDivisionError("a fault of ours")]

    def faulty(jobs, *, upkeep):
        if not upkeep and faults:
            raise faults.pop()
        return claim(jobs, upkeep=upkeep)

    monkeypatch.setattr(JobQueue, "claim", faulty)
    with _running(tmp_path) as jobs:
        until(lambda: not faults)
        assert _ended(jobs, _submit(jobs, "greet", name="Ann")).state is JobState.DONE


def test_a_fault_beside_a_job_settles_it(tmp_path, monkeypatch):
    def faulty(runner, job, process):
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr(Runner, "_watch", faulty)
    with _running(tmp_path) as jobs:
        job = _ended(jobs, _submit(jobs, "greet", name="Ann"))
    reason = "tried 3 times; the last error: an internal error (ZeroDivisionError); see the log of the service"
    assert (job.state, job.message) == (JobState.FAILED, reason)


def test_upkeep_does_not_wait_for_what_was_handed_in(tmp_path):
    whorl.Index.create(tmp_path / "index").close()
    folder = tmp_path / "index"
    with _running(folder) as jobs:
        long = _submit(jobs, "sleep")
        _pids(folder)
        purge = jobs.submit_once("purge", {})
        assert _ended(jobs, purge.id).state is JobState.DONE
        assert jobs.get(long).state is JobState.RUNNING


def test_a_job_that_wants_too_much_memory_fails(tmp_path):
    with _running(tmp_path, memory=512 << 20) as jobs:
        job = _ended(jobs, _submit(jobs, "swell"))
    assert (job.state, job.attempts) == (JobState.FAILED, 1)
    assert job.message == "the memory limit of a job was exceeded; submit less data"
