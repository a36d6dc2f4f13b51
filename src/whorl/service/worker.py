"""The process of one job: ``python -m whorl.service.worker INDEX JOB``."""

import logging
import os
import resource
import shutil
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from whorl.errors import InputError, UnknownNameError, WhorlError
from whorl.service.database import SERVICE_DATABASE, ServiceDatabase
from whorl.service.jobs import JobProgress, JobQueue, JobState, ServiceJob, Task
from whorl.service.problems import is_disk_full
from whorl.service.runner import DISK_FULL, MEMORY
from whorl.service.workspace import JOBS_FOLDER

# What a job can be: name → the function that does it, imported when it is needed. It takes a ``Task``, leaves files in
# its folder of results, and gives what is kept in the job's row: a few figures.
KINDS = {
    "cluster": "whorl.service.analysis_jobs:run_clustering",
    "compare": "whorl.service.analysis_jobs:run_comparison",
    "purge": "whorl.service.retention:run_purge",
    "retention": "whorl.service.retention:run_retention",
}

# How much a job gives way to searches, for which somebody waits: half of the way down.
NICENESS = 10

_log = logging.getLogger(__name__)


def main(arguments: list[str]) -> int:
    """Do one job. The exit code is 0 if it is over, and ``DISK_FULL`` if nothing can be written, not even that."""
    index, id_ = Path(arguments[0]), arguments[1]
    threading.Thread(target=_die_with_server, daemon=True).start()
    os.nice(NICENESS)
    if memory := os.environ.get(MEMORY):
        limit_memory(int(memory))
    try:
        return _run(index, id_)
    except Exception as error:
        if not is_disk_full(error):
            raise
        _log.exception("job %s", id_)
        return DISK_FULL


def _run(index: Path, id_: str) -> int:
    """Do the job, if it is still to be done."""
    with ServiceDatabase(index / SERVICE_DATABASE) as database:
        jobs = JobQueue(database, index / JOBS_FOLDER)
        with jobs.locked(id_):
            job = jobs.get(id_)
            if job is None or job.state is not JobState.RUNNING:
                return 0  # cancelled meanwhile
            task = Task(index, job, jobs.inputs(id_), *_emptied(jobs, id_), JobProgress(jobs, id_), database)
            return _do(task, jobs)


def limit_memory(most: int) -> None:
    """Let this process have so many bytes of data, or fewer if the system allows no more. What the parsers' workers may
    have is less already. The mapped files of an index are no data: they may be larger than the memory."""
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    least = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (least, least))


def _do(task: Task, jobs: JobQueue) -> int:
    """Run the job and note how it ended; 1 if the runner is to decide whether it is tried again. A full disk is no
    fault of the job, and no end of it."""
    try:
        jobs.finish(task.job.id, _function(task.job)(task))
    except MemoryError:
        jobs.fail(task.job.id, "the memory limit of a job was exceeded; submit less data")
    except Exception as error:
        if is_disk_full(error):
            raise
        if isinstance(error, InputError):
            jobs.fail(task.job.id, _without_paths(str(error), task))
            return 0
        _log.exception("job %s", task.job.id)
        jobs.stumbled(task.job.id, _reason(error, task))
        return 1
    return 0


def _reason(error: Exception, task: Task) -> str:
    if isinstance(error, WhorlError):
        return _without_paths(str(error), task)
    return f"an internal error ({type(error).__name__}); see the log of the service"


def _function(job: ServiceJob) -> Callable[[Task], dict[str, Any]]:
    if job.kind not in KINDS:
        raise UnknownNameError("kind of job", job.kind, KINDS)
    module, _, name = KINDS[job.kind].partition(":")
    function: Callable[[Task], dict[str, Any]] = getattr(import_module(module), name)
    return function


def _emptied(jobs: JobQueue, id_: str) -> tuple[Path, Path]:
    """Return the folders of results and of scratch files, without what an earlier attempt left."""
    for folder in (jobs.results(id_), jobs.scratch(id_)):
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir()
    return jobs.results(id_), jobs.scratch(id_)


def _without_paths(message: str, task: Task) -> str:
    """Return an error message without the server's own paths."""
    for folder in (task.inputs, task.results, task.index):
        message = message.replace(f"{folder}/", "").replace(str(folder), folder.name)
    return message


def _die_with_server() -> None:
    """Wait for the end of standard input, then kill this process and all that it started."""
    while os.read(0, 1):
        pass  # nobody writes, and it would mean nothing
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)  # started by hand, in the group of a shell


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
