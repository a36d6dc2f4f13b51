"""Figures for monitoring, as Prometheus reads them."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from whorl.service.desk import Desk

MEDIA = "text/plain; version=0.0.4; charset=utf-8"

# Seconds: from a look-up to a job's upload.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)


class Metrics:
    """Counts requests by route, method and status, and how long they took."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("whorl_requests", "Requests that were answered.", labels, registry=self.registry)
        self._seconds = Histogram(
            "whorl_request_seconds", "Time until an answer began.", ("method", "route"), registry=self.registry,
            buckets=BUCKETS,
        )  # fmt: skip
        self._documents = Gauge("whorl_documents", "Documents in the index.", registry=self.registry)
        self._waiting = Gauge("whorl_waiting", "Searches that wait.", registry=self.registry)
        self._jobs = Gauge("whorl_jobs", "Jobs by state.", ("state",), registry=self.registry)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered. ``route`` is a pattern of ours, never a client's path: labels must stay few."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def text(self, desk: "Desk") -> bytes:
        """All figures as they are now."""
        from prometheus_client import generate_latest

        with desk.reading() as index:
            self._documents.set(len(index))
        self._waiting.set(desk.waiting)
        for state, count in desk.jobs.counts().items():
            self._jobs.labels(state.value).set(count)
        return bytes(generate_latest(self.registry))
