"""What a service is started with. All defaults are here, each with its reason."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from whorl.errors import FaultsError

MEGABYTE = 1 << 20


class SettingsError(FaultsError):
    """Settings of the service have faults."""


class Others(StrEnum):
    """What a tenant learns of a match in a document that is not its own."""

    NOTHING = "nothing"
    EXISTS = "exists"
    CONTACT = "contact"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where the data are, who may come in, and what a request may cost. Checks itself; reports all faults at once."""

    index: Path
    registry: Path | None = None
    sweep: Path | None = None
    title: str = "Whorl"
    # Loopback: who wants the service on a network says so, and puts TLS before it.
    host: str = "127.0.0.1"
    port: int = 8000
    # Names under which browsers may reach the service, beside the loopback ones: a page of another site whose name
    # points to this machine (DNS rebinding) is refused.
    allow_hosts: tuple[str, ...] = ()
    # Something before the service speaks TLS: cookies are then marked Secure, and browsers told to stay with https.
    https: bool = False
    # That a copy exists is what people search for; who has it is the owner's to tell.
    others: Others = Others.EXISTS
    # Bytes of one document: ten times a thesis as PDF.
    max_upload: int = 32 * MEGABYTE
    # Bytes of one comparison: a class of some hundred with pictures in their papers.
    max_batch: int = 256 * MEGABYTE
    # Files of one comparison: more belong into an archive. Each is an open file while the request is read.
    max_files: int = 1000
    # Threads that ask the index: the compiled loops run beside each other, the rest takes turns.
    threads: int = _cores()
    # Searches that wait for such a thread. One takes some 20 ms: the last of 8 waits for a sixth of a second on an idle
    # machine, and who would wait longer hears so at once.
    waiting: int = 8
    # Requests a second of one token, and how many at once: more than a page and a script need, less than a flood.
    rate: float = 50.0
    burst: int = 200
    # Wrong tokens of one address, and how many of them a minute come back: typing errors, not guessing.
    failures: int = 20
    failures_minute: float = 10.0
    # Seconds for the head of a request, for all of its body, for a client that takes nothing of an answer, and between
    # two requests of a connection. A body of max_batch needs 2 MB a second to come in time.
    head_seconds: float = 10.0
    body_seconds: float = 120.0
    send_seconds: float = 30.0
    idle_seconds: float = 15.0
    # Connections at once: well below the 1,024 open files that a process has by default.
    connections: int = 500
    # Answers that stay open to tell of progress, each a connection; and how long one of them lasts at the most.
    streams: int = 100
    stream_seconds: float = 3600.0
    # Jobs that wait or run.
    jobs: int = 100
    # Days from a request to delete to the proof that nothing is left. The law says "without undue delay".
    purge_within: float = 7.0
    # Days that lines of the audit log are kept: an academic year.
    keep_days: int = 365
    # Seconds between two looks at what is due: retention, purges, old lines of the log.
    upkeep_seconds: float = 60.0
    # Whether a document may be given by its address, which the service then fetches.
    fetch: bool = False
    # Seconds that a fetched document may take, all told.
    fetch_seconds: float = 20.0
    # Whether figures for monitoring are told without a token.
    open_metrics: bool = False

    def __post_init__(self) -> None:
        faults = list(_faults(self))
        if faults:
            raise SettingsError(faults)


# Everything that must be above 0.
_POSITIVE = (
    "max_upload", "max_batch", "max_files", "threads", "waiting", "rate", "burst", "failures", "failures_minute",
    "head_seconds", "body_seconds", "send_seconds", "idle_seconds", "connections", "streams", "stream_seconds", "jobs",
    "keep_days", "upkeep_seconds", "fetch_seconds",
)  # fmt: skip


def _faults(settings: Settings) -> Iterator[str]:
    for name in _POSITIVE:
        if not getattr(settings, name) > 0:
            yield f"{name}: {getattr(settings, name)!r} is out of range; give a number above 0"
    if not 0 <= settings.port < 1 << 16:
        yield f"port: {settings.port} is out of range; give a number from 0 to 65535"
    if settings.purge_within < 0:
        yield f"purge_within: {settings.purge_within} is out of range; give a number of days"
    if settings.max_batch < settings.max_upload:
        yield "max_batch: it is less than max_upload; give at least as much"
