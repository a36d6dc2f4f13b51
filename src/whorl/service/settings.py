"""Settings of a service, with the reason for each default."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address, ip_network
from pathlib import Path

from whorl.errors import FaultsError

MEGABYTE = 1 << 20


class ServiceSettingsError(FaultsError):
    """Invalid settings of the service."""


class Others(StrEnum):
    """The policy for matches in documents of other owners."""

    NOTHING = "nothing"
    EXISTS = "exists"
    CONTACT = "contact"


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """Settings of a service. Validates itself and reports all faults together."""

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
    # Addresses of proxies whose X-Forwarded-For says where a request comes from. Nobody is believed unless named: a
    # proxy that passes on what the client says would let it choose its address.
    proxies: tuple[str, ...] = ()
    # Whoever wants tenants to hear of each other's documents says so: every answer tells a little of what is stored.
    others: Others = Others.NOTHING
    # Answers about others' documents that a tenant gets a day: a class's worth, not a script's.
    foreign_answers: int = 100
    # Bytes of one document: ten times a thesis as PDF.
    max_upload: int = 32 * MEGABYTE
    # Bytes of one comparison: a class of some hundred with pictures in their papers.
    max_batch: int = 256 * MEGABYTE
    # Files of one comparison: more belong into an archive. Each is an open file while the request is read.
    max_files: int = 1000
    # Threads that ask the index: the compiled loops run beside each other, the rest takes turns. If searches wait, as
    # many processes help them.
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
    # Bytes of the disk that must stay free: a database that cannot write helps nobody.
    disk_reserve: int = 512 * MEGABYTE
    # Bytes that a tenant may store: documents, and uploads and results of jobs. None: as much as the disk holds.
    quota: int | None = None
    # Seconds and bytes of memory of one job that somebody handed in. Upkeep has a slot and a time of its own.
    job_seconds: float = 2 * 3600.0
    job_memory: int = 8 << 30
    # Whether a document may be given by its address, which the service then fetches.
    fetch: bool = False
    # Seconds that a fetched document may take, all told.
    fetch_seconds: float = 20.0
    # Where classic MOSS clients are served; None: nowhere. Their protocol has no authentication.
    moss_port: int | None = None
    moss_host: str = "127.0.0.1"
    # User ids that may send (none: every id), and networks from which they may, beside this machine.
    moss_users: tuple[str, ...] = ()
    moss_networks: tuple[str, ...] = ()
    # Sessions of MOSS clients at once; each waits for its comparison.
    moss_connections: int = 32
    # Whether figures for monitoring are told without a token.
    open_metrics: bool = False

    @property
    def request_memory(self) -> int:
        """Return the bytes of memory of a process that answers requests: half of a job's, and enough for twice what the
        largest document takes, which is 64 times its size."""
        return max(self.job_memory // 2, 2 * 64 * self.max_upload)

    def __post_init__(self) -> None:
        faults = list(_faults(self))
        if faults:
            raise ServiceSettingsError(faults)


# Everything that must be above 0.
_POSITIVE = (
    "max_upload", "max_batch", "max_files", "threads", "waiting", "rate", "burst", "failures", "failures_minute",
    "head_seconds", "body_seconds", "send_seconds", "idle_seconds", "connections", "streams", "stream_seconds", "jobs",
    "keep_days", "job_seconds", "job_memory", "upkeep_seconds", "fetch_seconds", "foreign_answers", "moss_connections",
)  # fmt: skip


def _faults(settings: ServiceSettings) -> Iterator[str]:
    for name in _POSITIVE:
        if not getattr(settings, name) > 0:
            yield f"{name}: {getattr(settings, name)!r} is out of range; give a number above 0"
    if not 0 <= settings.port < 1 << 16:
        yield f"port: {settings.port} is out of range; give a number from 0 to 65535"
    if settings.purge_within < 0:
        yield f"purge_within: {settings.purge_within} is out of range; give a number of days"
    if settings.quota is not None and settings.quota <= 0:
        yield f"quota: {settings.quota} is out of range; give a number above 0, or nothing"
    if settings.max_batch < settings.max_upload:
        yield "max_batch: it is less than max_upload; give at least as much"
    yield from _moss_faults(settings)


def _moss_faults(settings: ServiceSettings) -> Iterator[str]:
    if settings.moss_port is not None and not 0 <= settings.moss_port < 1 << 16:
        yield f"moss_port: {settings.moss_port} is out of range; give a number from 0 to 65535"
    for network in settings.moss_networks:
        try:
            ip_network(network)
        except ValueError as error:
            yield f"moss_networks: {error}; give an address or a network, such as 192.0.2.0/24"
    if settings.moss_port is not None and not settings.moss_networks and not _is_loopback(settings.moss_host):
        yield (
            f"moss_host: {settings.moss_host} can be reached by others, and the protocol of MOSS has no "
            "authentication; name the networks that may use it: --moss-from 192.0.2.0/24"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
