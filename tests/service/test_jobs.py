"""The queue: bounded, each job to one taker, and whole whatever crashes."""

import subprocess
import sys
import tempfile
import threading
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.examples import examples
from tests.service.stage import Clock, open_jobs
from whorl.errors import InputError
from whorl.service.jobs import ATTEMPTS, LONGEST_MESSAGE, JobState, QueueFullError


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def jobs(tmp_path, clock):
    database, jobs = open_jobs(tmp_path, limit=5, clock=clock)
    with database:
        yield jobs


def _submit(jobs, **facts):
    return jobs.submit(**{"kind": "compare", "tenant": "history", "token_id": "t1", "settings": {}} | facts)


def test_a_job_from_its_upload_to_its_result(jobs, clock):
    id_ = jobs.prepare()
    (jobs.inputs(id_) / "essay.txt").write_text("text")
    job = _submit(jobs, settings={"threshold": 0.3}, prepared=id_)
    assert (job.id, job.kind, job.tenant, job.token_id) == (id_, "compare", "history", "t1")
    assert (job.settings, job.state, job.submitted) == ({"threshold": 0.3}, JobState.QUEUED, clock.time)
    clock.forward(minutes=1)
    claimed = jobs.claim()
    assert (claimed.id, claimed.state, claimed.started) == (id_, JobState.RUNNING, clock.time)
    assert jobs.claim() is None
    jobs.progress(id_, "reading", 3, None)
    assert (jobs.get(id_).step, jobs.get(id_).done, jobs.get(id_).total) == ("reading", 3, None)
    clock.forward(minutes=1)
    done = jobs.finish(id_, {"pairs": 2})
    assert (done.state, done.ended, done.result) == (JobState.DONE, clock.time, {"pairs": 2})
    assert not jobs.inputs(id_).exists()  # uploads are kept no longer than needed
    assert jobs.get(id_) == done


def test_first_come_first_served(jobs):
    ids = [_submit(jobs).id for _ in range(3)]
    assert [jobs.claim().id for _ in range(3)] == ids


def test_tenants_have_their_turns(jobs):
    ours = [_submit(jobs).id for _ in range(3)]
    theirs = [_submit(jobs, tenant="law").id for _ in range(2)]
    assert [jobs.claim().id for _ in range(5)] == [ours[0], theirs[0], ours[1], theirs[1], ours[2]]


@pytest.mark.parametrize("tenant", ["history", None])
def test_neither_a_tenant_nor_the_house_has_all_of_the_queue(jobs, tenant):
    for _ in range(3):
        _submit(jobs, tenant=tenant)
    with pytest.raises(QueueFullError, match="3 jobs of yours"):
        _submit(jobs, tenant=tenant)
    assert _submit(jobs, tenant="law").state is JobState.QUEUED
    assert _submit(jobs, tenant="physics").state is JobState.QUEUED


def test_the_services_own_jobs_leave_the_house_its_share(jobs):
    jobs.submit_once("purge", {})
    jobs.submit_once("retention", {})
    assert [_submit(jobs, tenant=None).state for _ in range(3)] == [JobState.QUEUED] * 3


def test_the_queue_is_bounded(jobs):
    ready = jobs.prepare()
    ids = [_submit(jobs, tenant=tenant).id for tenant in ("history", "history", "history", "law", "law")]
    with pytest.raises(QueueFullError, match="5 jobs"):
        jobs.prepare()
    with pytest.raises(QueueFullError):
        _submit(jobs, prepared=ready)
    assert not jobs.folder(ready).exists()
    jobs.claim()
    with pytest.raises(QueueFullError):  # what runs counts
        _submit(jobs)
    jobs.finish(ids[0], {})
    assert _submit(jobs).state is JobState.QUEUED
    assert sorted(path.name for path in jobs.folder(ids[0]).parent.iterdir()) == sorted(
        [*ids, *(job.id for job in jobs.listed("history", limit=1))]
    )


def test_crowds_never_overfill_the_queue(tmp_path):
    database, jobs = open_jobs(tmp_path, limit=7)
    outcomes = []
    tenants = iter(["history", "law", None] * 2)

    def crowd():
        tenant = next(tenants)
        for _ in range(5):
            try:
                outcomes.append(_submit(jobs, tenant=tenant).id)
            except QueueFullError:
                outcomes.append(None)

    _in_threads(crowd, 6)
    with database:
        assert len(outcomes) == 30
        assert len(jobs.listed(None, everyone=True)) == 7 == sum(id_ is not None for id_ in outcomes)


def test_no_job_is_given_twice(tmp_path):
    """Threads of one process, and other connections such as other processes have."""
    database, jobs = open_jobs(tmp_path)
    ids = [_submit(jobs).id for _ in range(40)]
    other_database, others = open_jobs(tmp_path)
    claimed = []

    def take(queue):
        while (job := queue.claim()) is not None:
            claimed.append(job.id)

    _in_threads(lambda: take(jobs), 3, lambda: take(others), 3)
    with database, other_database:
        assert Counter(claimed) == Counter(ids)


def _in_threads(*each):
    """Functions, each with how many threads run it."""
    threads = [
        threading.Thread(target=function)
        for function, count in zip(each[::2], each[1::2], strict=True)
        for _ in range(count)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_cancelling_ends_what_is_not_over(jobs):
    queued, running, done = (_submit(jobs).id for _ in range(3))
    jobs.claim()
    jobs.cancel(queued)
    assert jobs.claim().id == running
    assert jobs.claim().id == done
    jobs.finish(done, {})
    assert jobs.cancel(running).state is JobState.CANCELLED
    assert jobs.cancel(done).state is JobState.DONE
    assert jobs.cancel("nobody") is None
    assert jobs.finish(running, {}) is None
    assert jobs.fail(running, "") is None
    assert jobs.crashed(running, "") is None
    jobs.progress(running, "reading", 1, 2)
    assert (jobs.get(running).state, jobs.get(running).step) == (JobState.CANCELLED, "")
    assert not jobs.inputs(running).exists()


def test_after_some_crashes_a_job_has_failed(jobs):
    id_ = _submit(jobs).id
    for attempt in range(1, ATTEMPTS):
        assert jobs.claim().attempts == attempt
        assert jobs.crashed(id_, "no memory").state is JobState.QUEUED
    jobs.claim()
    failed = jobs.crashed(id_, "no memory")
    assert failed.state is JobState.FAILED
    assert failed.message == "tried 3 times; the last error: no memory"
    assert jobs.claim() is None


def test_what_the_process_said_itself_is_reported(jobs):
    id_ = _submit(jobs).id
    jobs.claim()
    jobs.stumbled(id_, "the index is busy")
    assert jobs.crashed(id_, "status 1").message == "the index is busy"
    assert jobs.claim().message == ""
    assert jobs.crashed(id_, "status 1").message == "status 1"
    jobs.stumbled(id_, "too late")
    assert jobs.get(id_).message == "status 1"


def test_recovery_queues_what_was_running(tmp_path, clock):
    database, jobs = open_jobs(tmp_path, clock=clock)
    running, waiting = _submit(jobs).id, _submit(jobs).id
    (jobs.inputs(running) / "essay.txt").write_text("text")
    jobs.claim()
    jobs.progress(running, "reading", 1, 2)
    jobs.results(running).mkdir()
    dropped = jobs.prepare()
    database.close()
    database, jobs = open_jobs(tmp_path, clock=clock)
    with database:
        assert jobs.recover() == 1
        assert (jobs.get(running).state, jobs.get(running).step) == (JobState.QUEUED, "")
        assert (jobs.inputs(running) / "essay.txt").read_text() == "text"
        assert not jobs.results(running).exists()
        assert not jobs.folder(dropped).exists()  # nobody was told that it was submitted
        assert [jobs.claim().id for _ in range(2)] == [running, waiting]
        assert jobs.get(running).attempts == 2


def test_recovery_gives_a_job_up_in_the_end(jobs):
    id_ = _submit(jobs).id
    for _ in range(ATTEMPTS):
        jobs.claim()
        jobs.recover()
    assert jobs.get(id_).state is JobState.FAILED
    assert "the server was stopped while the job ran" in jobs.get(id_).message


def test_recovery_removes_uploads_of_jobs_that_are_over(jobs):
    id_ = _submit(jobs).id
    jobs.cancel(id_)
    jobs.inputs(id_).mkdir()  # as if the process had died right after the commit
    jobs.recover()
    assert not jobs.inputs(id_).exists()


def test_a_stopped_server_costs_no_attempt(jobs):
    id_ = _submit(jobs).id
    for _ in range(ATTEMPTS + 1):
        jobs.claim()
        assert jobs.requeue(id_).state is JobState.QUEUED
    assert jobs.claim().attempts == 1


def test_upkeep_is_queued_once_even_if_the_queue_is_full(jobs):
    for tenant in (None, None, None, "history", "law"):
        _submit(jobs, tenant=tenant)
    assert jobs.submit_once("purge", {"a": 1}).settings == {"a": 1}
    assert jobs.submit_once("purge", {}) is None
    assert jobs.submit_once("retention", {}) is not None


def test_lists_are_a_tenants_own_the_newest_first(jobs):
    ids = [_submit(jobs, tenant=tenant).id for tenant in ("a", None, "b", "a")]
    assert [job.id for job in jobs.listed("a")] == [ids[3], ids[0]]
    assert [job.id for job in jobs.listed(None)] == [ids[1]]
    everyone = [job.id for job in jobs.listed(None, everyone=True)]
    assert everyone == ids[::-1]
    assert [job.id for job in jobs.listed(None, ids[2], 1, everyone=True)] == [ids[1]]
    assert jobs.listed("a", "nobody") == []
    assert jobs.counts() == {state: 4 if state is JobState.QUEUED else 0 for state in JobState}


def test_old_jobs_are_forgotten_with_their_results(jobs, clock):
    old, waiting = _submit(jobs).id, _submit(jobs).id
    jobs.claim()
    jobs.results(old).mkdir()
    jobs.finish(old, {})
    clock.forward(days=31)
    assert jobs.prune(timedelta(days=30)) == 1
    assert jobs.get(old) is None
    assert not jobs.folder(old).exists()
    assert jobs.get(waiting) is not None


def test_what_is_not_submitted_can_be_discarded(jobs):
    id_, kept = jobs.prepare(), _submit(jobs).id
    jobs.discard(id_)
    jobs.discard(id_)
    jobs.discard(kept)
    assert not jobs.folder(id_).exists()
    assert jobs.folder(kept).exists()


def test_a_job_is_submitted_once(jobs):
    id_ = _submit(jobs).id
    with pytest.raises(InputError, match="already"):
        _submit(jobs, prepared=id_)
    assert jobs.inputs(id_).exists()


@pytest.mark.parametrize("id_", ["", "..", "../../../../etc", "a/b", "x" * 17, "/etc/passwd-----", "abcdefghijklmno\n"])
def test_what_is_no_id_is_no_path(jobs, id_):
    for ask in (jobs.folder, jobs.inputs, jobs.results):
        with pytest.raises(InputError, match="no id"):
            ask(id_)
    assert jobs.get(id_) is None
    assert jobs.cancel(id_) is None


def test_a_message_is_short_and_unicode(jobs):
    id_ = _submit(jobs).id
    jobs.claim()
    message = jobs.fail(id_, "\ud800" + "x" * 1_000_000).message
    assert message.startswith("\\ud800x")
    assert len(message) < LONGEST_MESSAGE + 10


def test_what_was_acknowledged_survives_a_kill(tmp_path):
    """A process submits as fast as it can and is killed in the middle: whatever it told is there, inputs and all."""
    script = (
        "import sys; from tests.service.stage import open_jobs; from pathlib import Path\n"
        "_, jobs = open_jobs(Path(sys.argv[1]), limit=10_000)\n"
        "while True:\n"
        "    id_ = jobs.prepare(); (jobs.inputs(id_) / 'file').write_text(id_)\n"
        "    print(jobs.submit('compare', 'history', None, {}, id_).id, flush=True)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    result = []
    for lines in (1, 7, 20):
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2], text=True) as process:
            assert process.stdout is not None
            result += [process.stdout.readline().strip() for _ in range(lines)]
            process.kill()
            result += [line.strip() for line in process.stdout if line.endswith("\n")]
    database, jobs = open_jobs(tmp_path)
    with database:
        jobs.recover()
        there = {job.id for job in jobs.listed("history", limit=10_000)}
        assert len(result) >= 28
        assert set(result) <= there
        assert {path.name for path in jobs.folder(result[0]).parent.iterdir()} == there
        assert all((jobs.inputs(id_) / "file").read_text() == id_ for id_ in there)


class Queue(RuleBasedStateMachine):
    """Any order of calls: the queue holds no more of a tenant than it may, and a job that is over stays so."""

    def __init__(self):
        super().__init__()
        self._home = tempfile.TemporaryDirectory()
        self._folder = Path(self._home.name)
        self._open()
        self._states = {}

    def _open(self):
        self._database, self._jobs = open_jobs(self._folder, limit=8)

    def teardown(self):
        self._database.close()
        self._home.cleanup()

    def _note(self, job):
        if job is not None:
            self._states[job.id] = job.state

    @rule()
    def submit(self):
        active = sum(not state.is_over for state in self._states.values())
        try:
            self._note(_submit(self._jobs))
            assert active < 4
        except QueueFullError:
            assert active >= 4

    @rule()
    def claim(self):
        job = self._jobs.claim()
        assert (job is not None) == (JobState.QUEUED in self._states.values())
        assert job is None or self._states[job.id] is JobState.QUEUED
        self._note(job)

    @rule(data=st.data(), act=st.sampled_from(["finish", "fail", "crashed", "cancel", "requeue"]))
    def end(self, data, act):
        if not self._states:
            return
        id_ = list(self._states)[data.draw(st.integers(0, len(self._states) - 1))]  # ids are random
        before = self._states[id_]
        given = {"finish": ({},), "fail": ("no",), "crashed": ("no",)}.get(act, ())
        job = getattr(self._jobs, act)(id_, *given)
        may = before is JobState.RUNNING or (act == "cancel" and not before.is_over)
        assert may or job is None or job.state is before
        self._note(job)

    @rule()
    def restart(self):
        self._database.close()
        self._open()
        self._jobs.recover()
        for id_ in self._states:
            self._note(self._jobs.get(id_))
        assert JobState.RUNNING not in self._states.values()

    @invariant()
    def is_as_noted(self):
        assert {job.id: job.state for job in self._jobs.listed("history", limit=1000)} == self._states
        over = {id_ for id_, state in self._states.items() if state.is_over}
        assert all(self._jobs.inputs(id_).exists() == (id_ not in over) for id_ in self._states)


TestQueue = Queue.TestCase
TestQueue.settings = examples(15, stateful_step_count=30)  # each step waits for the disk


def test_jobs_of_another_folder_are_strangers(tmp_path):
    """The queue is the database's; a second service has its own."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    (one_database, one), (other_database, other) = open_jobs(tmp_path / "a"), open_jobs(tmp_path / "b")
    with one_database, other_database:
        id_ = _submit(one).id
        assert other.get(id_) is None
        assert other.claim() is None
