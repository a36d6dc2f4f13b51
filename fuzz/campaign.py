"""The campaign: executions in chunks, on several workers, and what to do when one of them dies."""

import multiprocessing
import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

from fuzz.targets import target
from fuzz.worker import Chunk, Finding, Report, serve

# Executions that a worker reports on at once: a second or so of work, so that little is done again if it dies.
CHUNK = 500

_SPAWN = multiprocessing.get_context("spawn")  # a fork would take the parent's threads for its own


class DiedError(Exception):
    """The worker is gone. ``number`` is the execution that it was busy with."""

    def __init__(self, number: int, how: str) -> None:
        self.number, self.how = number, how
        super().__init__(how)


class Worker:
    """A worker, started when it is first asked and again after it died."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._place = _SPAWN.RawValue("q", -1)
        self._process: Any = None
        self._connection: Any = None

    def ask(self, job: Any) -> Any:
        """Return the worker's answer. Raises DiedError if there is none."""
        if self._process is None:
            self._start()
        if isinstance(job, Chunk):
            self._place.value = job.first  # where it is, should it die before it begins
        try:
            self._connection.send(job)
            return self._connection.recv()
        except (EOFError, ConnectionError):
            self._process.join()
            how, self._process = _how(self._process.exitcode), None
            self._connection.close()
            raise DiedError(self._place.value, how) from None

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
            self._process.close()
            self._process = None

    def _start(self) -> None:
        self._connection, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=serve, args=(theirs, self._place, self._folder), daemon=True)
        self._process.start()
        theirs.close()


class Campaign:
    """Runs executions of targets on some workers."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._folder = tempfile.TemporaryDirectory(prefix="whorl-fuzz-")
        self._mine = threading.local()
        self._workers: list[Worker] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.close()
        self._folder.cleanup()

    def run(self, names: list[str], seed: int, executions: int, first: int = 0) -> Iterator[tuple[str, Report]]:
        """Yield a report on each target, in order. All workers are busy until the last target is done."""
        chunks = [chunk for name in names for chunk in _chunks(name, seed, first, first + executions)]
        with ThreadPoolExecutor(self._jobs) as pool:
            reports = zip(chunks, pool.map(self._chunk, chunks), strict=True)
            report = Report()
            for chunk, part in reports:
                report.add(part)
                if chunk.last == first + executions:
                    yield chunk.target, report
                    report = Report()

    def fails(self, name: str, data: bytes) -> str:
        """Return the signature of what is wrong with one document; empty if nothing is."""
        try:
            signature: str = self.worker().ask((name, data))
        except DiedError as died:
            return _uncontained(name, data, died.how)
        return signature

    def worker(self) -> Worker:
        """Return the worker of this thread."""
        if not hasattr(self._mine, "worker"):
            self._mine.worker = Worker(self._folder.name)
            self._workers.append(self._mine.worker)
        mine: Worker = self._mine.worker
        return mine

    def _chunk(self, chunk: Chunk) -> Report:
        """The report on a chunk. A worker that dies takes one execution with it: those around it are done again."""
        report = Report()
        while chunk.first < chunk.last:
            try:
                report.add(self.worker().ask(chunk))
                break
            except DiedError as died:
                report.add(self._chunk(chunk._replace(last=died.number)))
                report.add(_death(chunk, died))
                chunk = chunk._replace(first=died.number + 1)
        return report


def _chunks(name: str, seed: int, first: int, last: int) -> Iterator[Chunk]:
    for start in range(first, last, CHUNK):
        yield Chunk(name, seed, start, min(start + CHUNK, last))


def _death(chunk: Chunk, died: DiedError) -> Report:
    """One execution that ended the worker: contained if the sandbox proper reports it as it should."""
    data = target(chunk.target).document(chunk.seed, died.number)
    if signature := _uncontained(chunk.target, data, died.how):
        finding = Finding(*chunk[:2], died.number, data, signature)
        report = Report(executions=1, findings=[finding])
        report.kinds["finding"] += 1
        return report
    report = Report(executions=1)
    report.kinds[f"contained ({died.how})"] += 1
    return report


def _uncontained(name: str, data: bytes, how: str) -> str:
    """Return what is wrong with a document that ended a worker: nothing, if the real sandbox turns it into a reason.

    Only a front-end that reads in the sandbox is asked, in this process: that is what the sandbox is for.
    """
    found = target(name)
    if not found.sandboxed:
        return f"died: {how}"
    try:
        found.read(data)
    except Exception as error:
        return f"died: {how}, then {type(error).__name__}: {error}"
    return ""


def _how(status: int | None) -> str:
    if status is None or status >= 0:
        return f"exit status {status}"
    ended = signal.Signals(-status)
    return {signal.SIGPROF: "too slow", signal.SIGALRM: "hangs"}.get(ended, ended.name)


def cores() -> int:
    """Return the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
