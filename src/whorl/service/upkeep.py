"""What is due without anybody asking: documents past their retention, purges, old lines of the log, old jobs."""

import logging
from threading import Event, Thread

from whorl.errors import WhorlError
from whorl.service.audit import Audit
from whorl.service.collections import Collections
from whorl.service.jobs import Jobs
from whorl.service.moments import now
from whorl.service.receipts import Receipts

LOG = logging.getLogger("whorl.service")

# Looks between two at what is old or past its retention, of which days are told and not minutes.
SELDOM = 60


class Upkeep:
    """A thread that looks every now and then, and queues jobs for what is due."""

    def __init__(self, jobs: Jobs, receipts: Receipts, collections: Collections, audit: Audit, seconds: float) -> None:
        self._jobs, self._receipts, self._collections, self._audit = jobs, receipts, collections, audit
        self._seconds, self._stopped = seconds, Event()
        self._thread = Thread(target=self._run, name="whorl-upkeep", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """Look no more."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def look(self, number: int) -> None:
        """Queue what is due now; the first of many looks, and then every so often, at what is old as well."""
        if self._receipts.due(now()):
            self._jobs.submit_once("purge", {})
        if number % SELDOM == 0:
            if self._collections.limited():
                self._jobs.submit_once("retention", {})
            self._audit.prune()
            self._jobs.prune()

    def _run(self) -> None:
        number = 0
        while not self._stopped.is_set():
            try:
                self.look(number)
            except WhorlError:  # the next look may fare better, and the log says what was wrong
                LOG.exception("upkeep failed")
            number += 1
            self._stopped.wait(self._seconds)
