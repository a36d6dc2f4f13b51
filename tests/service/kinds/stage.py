"""Runs one job in this process, as ``whorl.service.worker`` does in its own."""

from whorl.service.jobs import JobProgress, JobState, Task


def task_of(stage, kind, tenant=None, prepared=None, **settings) -> Task:
    """A job that is running, with its folders, on an index's folder, its database and its queue."""
    folder, database, jobs = stage
    id_ = jobs.submit(kind, tenant, None, settings, prepared).id
    job = jobs.claim()
    assert (job.id, job.state) == (id_, JobState.RUNNING)
    jobs.results(id_).mkdir()
    jobs.scratch(id_).mkdir()
    return Task(folder, job, jobs.inputs(id_), jobs.results(id_), jobs.scratch(id_), JobProgress(jobs, id_), database)
