"""A job as the function that does it sees it."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whorl.service.database import ServiceDatabase
from whorl.service.jobs import Job
from whorl.service.progress import Progress


@dataclass(frozen=True, slots=True)
class Task:
    """What a kind of job is given: the index's folder, its uploads in ``inputs``, and an empty folder ``results``."""

    index: Path
    job: Job
    inputs: Path
    results: Path
    scratch: Path
    progress: Progress
    database: ServiceDatabase

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked for."""
        return self.job.settings
