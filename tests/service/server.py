"""A server without HTTP: runs the jobs of an index until it is killed."""

import sys
import threading
from pathlib import Path

from tests.service.stage import COMMAND, open_jobs
from whorl.service.runner import Runner

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    _, jobs = open_jobs(folder)
    Runner(jobs, folder, command=COMMAND).start()
    threading.Event().wait()
