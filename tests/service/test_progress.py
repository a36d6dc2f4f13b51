"""Progress: written at the edges of a step, and now and then between."""

from tests.service.stage import open_jobs
from whorl.service.jobs import OFTEN, JobProgress


def test_progress_is_written_now_and_then(tmp_path):
    database, jobs = open_jobs(tmp_path)
    with database:
        id_ = jobs.submit("compare", None, None, {}).id
        jobs.claim()
        time = 100.0
        progress = JobProgress(jobs, id_, lambda: time)
        seen = []
        for step, done, total, wait in (
            ("reading", 1, None, 0), ("reading", 2, None, OFTEN / 2), ("reading", 3, None, OFTEN),
            ("comparing", 1, 9, 0), ("comparing", 2, 9, 0), ("comparing", 9, 9, 0),
        ):  # fmt: skip
            time += wait
            progress(step, done, total)
            job = jobs.get(id_)
            seen.append((job.step, job.done, job.total))
    assert seen == [
        ("reading", 1, None), ("reading", 1, None), ("reading", 3, None),
        ("comparing", 1, 9), ("comparing", 1, 9), ("comparing", 9, 9),
    ]  # fmt: skip
