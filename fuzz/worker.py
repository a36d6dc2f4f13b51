"""The process that executes. It may hang, crash or be killed: the campaign starts another and knows where it was."""

import heapq
import signal
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

from fuzz.here import install
from fuzz.targets import Target, target

# Processor seconds that one document may take; the system ends the worker then. What the sandbox gives a parser.
SECONDS = 10
# The same in wall time, for what waits instead of working. A loaded machine needs room.
WALL_SECONDS = 120
# Processor seconds within which Whorl's own readers must be done with 16 kB; they take milliseconds.
OWN_SECONDS = 2.0

SLOWEST = 5
# Findings that a chunk brings home; further ones are counted.
FINDINGS = 20


class Slow(NamedTuple):
    """A document that took long: processor seconds, the number of the execution, and bytes."""

    seconds: float
    number: int
    size: int


@dataclass(frozen=True)
class Finding:
    """A document for which something that must hold did not. Those of one ``signature`` have one cause."""

    target: str
    seed: int
    number: int
    data: bytes
    signature: str
    trace: str = ""


@dataclass
class Report:
    """What came of some executions."""

    executions: int = 0
    seconds: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)
    slowest: list[Slow] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def add(self, other: "Report") -> None:
        """Take another report into this one."""
        self.executions += other.executions
        self.seconds += other.seconds
        self.kinds += other.kinds
        self.slowest = heapq.nlargest(SLOWEST, self.slowest + other.slowest)
        self.findings += other.findings


class Chunk(NamedTuple):
    """Executions of one target: ``first`` up to ``last``, without it."""

    target: str
    seed: int
    first: int
    last: int


def serve(connection: Connection, place: Any, folder: str) -> None:
    """Answer chunks with reports, and (target, document) with the signature of what is wrong with it or ""."""
    tempfile.tempdir = folder
    install()
    while (job := connection.recv()) is not None:
        if isinstance(job, Chunk):
            connection.send(_chunk(job, place))
        else:
            name, data = job
            connection.send(_guarded(target(name), data)[0])


def _chunk(chunk: Chunk, place: Any) -> Report:
    report, started = Report(), time.process_time()
    found = target(chunk.target)
    for number in range(chunk.first, chunk.last):
        place.value = number
        data = found.document(chunk.seed, number)
        before = time.process_time()
        signature, kind = _guarded(found, data)
        if signature:
            _keep(report, Finding(*chunk[:2], number, data, signature, kind))
        report.kinds[kind if not signature else "finding"] += 1
        report.slowest.append(Slow(time.process_time() - before, number, len(data)))
        if len(report.slowest) > 10 * SLOWEST:
            report.slowest = heapq.nlargest(SLOWEST, report.slowest)
    report.slowest = heapq.nlargest(SLOWEST, report.slowest)
    report.executions, report.seconds = chunk.last - chunk.first, time.process_time() - started
    return report


def _keep(report: Report, finding: Finding) -> None:
    if len(report.findings) < FINDINGS:
        report.findings.append(finding)


def _guarded(found: Target, data: bytes) -> tuple[str, str]:
    """Return the signature of what is wrong ("" if nothing), and the kind of the verdict or else the trace."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
    try:
        return _judged(found, data)
    except MemoryError:
        raise
    except Exception as error:
        return _signature(error), traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _judged(found: Target, data: bytes) -> tuple[str, str]:
    """Read it twice: it must take bounded time, and come out alike."""
    started = time.process_time()
    verdict = found.read(data)
    took = time.process_time() - started
    if took > OWN_SECONDS and not found.sandboxed:
        return "slow", f"took {took:.1f} s for {len(data)} bytes"
    if found.read(data) != verdict:
        return "differs", "read twice, it came out differently"
    return "", verdict.kind


def _signature(error: Exception) -> str:
    """Return what was raised, and the last place in Whorl's code, or else the last place, that it came from."""
    places = traceback.extract_tb(error.__traceback__)
    ours = [place for place in places if "/whorl/" in place.filename] or places
    detail = f" {error}" if type(error).__name__ == "BrokenError" else ""
    return f"{type(error).__name__}{detail} at {ours[-1].filename.rpartition('/')[2]}:{ours[-1].lineno}"
