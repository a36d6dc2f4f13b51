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


def cost(command: Sequence[str | Path], folder: Path | None = None, pause: float = PAUSE) -> Cost:
    """Run a command to its end. A look at many gigabytes takes longer: then let the ``pause`` be longer."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak, ticks = [0], dict[int, int]()
    watcher = threading.Thread(target=_watch, args=(process, peak, ticks, pause))
    watcher.start()
    _, result = process.communicate()
    watcher.join()
    if process.returncode:
        raise RuntimeError(f"{command[0]} failed: {result.decode('utf-8', 'replace')[-500:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # What nobody waited for is in no account of children: it is what was seen last.
    seen = sum(ticks.values()) / os.sysconf("SC_CLK_TCK")
    return Cost(max(spent, seen), time.monotonic() - start, peak[0])


def seconds(*commands: Sequence[str | Path], folder: Path | None = None) -> float:
    """How long commands take, all at the same time, if nobody looks: on a machine whose cores are all at work, looks
    take time from them."""
    start = time.monotonic()
    running = [
        subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for command in commands
    ]
    failed = [process.args for process in running if process.wait()]
    if failed:
        raise RuntimeError(f"failed: {failed}")
    return time.monotonic() - start


def _watch(process: "subprocess.Popen[bytes]", peak: list[int], ticks: dict[int, int], pause: float) -> None:
    while process.poll() is None:
        peak[0] = max(peak[0], sum(map(_memory, _family(process.pid, ticks))))
        time.sleep(pause)


def _family(root: int, ticks: dict[int, int]) -> list[int]:
    """Return a process and all that it started, directly or not; ``ticks`` collects what each has spent."""
    parents: dict[int, list[int]] = {}
    spent: dict[int, int] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208  (a Path for each of them is half of what a look costs)
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended meanwhile
            parents.setdefault(int(fields[1]), []).append(int(entry))
            spent[int(entry)] = int(fields[11]) + int(fields[12])
    found, waiting = [], [root]
    while waiting:
        found.append(waiting.pop())
        waiting += parents.get(found[-1], [])
    ticks |= {each: spent.get(each, 0) for each in found}
    return found


def _memory(process: int) -> int:
    """Bytes that a process has to itself, and its part of those that it shares."""
    try:
        lines = Path("/proc", str(process), "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0  # it has ended meanwhile
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
