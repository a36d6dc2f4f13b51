"""What a command costs with all processes that it starts: CPU seconds, and the peak of their memory together."""

import os
import resource
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Between two looks at the memory; a look costs some milliseconds of another process' time.
PAUSE = 0.05


@dataclass(frozen=True)
class Cost:
    """CPU seconds (user and system), wall seconds, and bytes of memory at the peak."""

    cpu: float
    wall: float
    memory: int


def cost(command: Sequence[str | Path], folder: Path | None = None) -> Cost:
    """Run a command to its end."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = [0]
    watcher = threading.Thread(target=_watch, args=(process, peak))
    watcher.start()
    _, told = process.communicate()
    watcher.join()
    if process.returncode:
        raise RuntimeError(f"{command[0]} failed: {told.decode('utf-8', 'replace')[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(spent, time.monotonic() - start, peak[0])


def _watch(process: "subprocess.Popen[bytes]", peak: list[int]) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(map(_memory, _family(process.pid))))
        time.sleep(PAUSE)


def _family(root: int) -> list[int]:
    """A process and all that it started, directly or not."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208  (a Path for each of them is half of what a look costs)
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended meanwhile
            parents.setdefault(int(fields[1]), []).append(int(entry))
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += parents.get(found[-1], [])
    return found


def _memory(process: int) -> int:
    """Bytes that a process has to itself, and its part of those that it shares."""
    try:
        lines = Path("/proc", str(process), "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0  # it has ended meanwhile
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
