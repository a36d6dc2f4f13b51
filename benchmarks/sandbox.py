"""What the sandbox costs: against calling directly, by the size of files, and what a second worker brings."""

import hashlib
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from functools import partial
from statistics import median
from unittest import mock

from benchmarks.measure import in_turns, ratio
from whorl.sandbox import Sandbox, WorkerFault, process

ROUNDS = 7
FILES, FILE_SIZE = 500, 4_000
LARGE_FILES, LARGE_SIZE = 10, 5_000_000

# Hashing repeated until it costs as much as parsing a small file does: about 2 ms.
REPEATS = 460

STARTS = 7

# A worker that does not lock itself in, to measure what that costs.
OPEN = process._START.replace(
    "main(settings)", "import whorl.sandbox.worker as w; w.lock = lambda *_: ()\nmain(settings)"
)


def cheap(data: bytes) -> str:
    """Do some 50 µs of real work."""
    return hashlib.sha256(zlib.compress(data, 1)).hexdigest()


def expensive(data: bytes) -> str:
    """Do some 2 ms of real work."""
    for _ in range(REPEATS):
        data = hashlib.sha256(data).digest() + data[32:]
    return cheap(data)


def same(data: bytes) -> bytes:
    """No work: what remains is the way there and back."""
    return data


def files(count: int, size: int) -> list[tuple[bytes]]:
    """Arguments of one task each."""
    return [((os.urandom(size // 4) * 4)[:size],) for _ in range(count)]


def directly(function: Callable[[bytes], object], tasks: list[tuple[bytes]]) -> Callable[[], object]:
    """Do the same work in this process."""
    return lambda: [function(*task) for task in tasks]


def sandboxed(sandbox: Sandbox, function: Callable[[bytes], object], tasks: list[tuple[bytes]]) -> Callable[[], object]:
    """Do the work in workers, and return the results in order."""
    target = f"benchmarks.sandbox:{function.__name__}"
    return lambda: [outcome.result() for outcome in sandbox.map(target, tasks)]


def compare(one: Sandbox, two: Sandbox, function: Callable[[bytes], object], tasks: list[tuple[bytes]]) -> None:
    """Directly, with one worker and with two, in turns, by the clock on the wall."""
    work = {"directly": directly(function, tasks)}
    work |= {"one worker": sandboxed(one, function, tasks), "two workers": sandboxed(two, function, tasks)}
    timings = in_turns(work, ROUNDS, time.perf_counter)
    print(f"\n{function.__name__}: {len(tasks)} files of {len(tasks[0][0])} bytes")
    for name, timing in timings.items():
        print(f"  {name:12} {1e3 * timing.median / len(tasks):7.3f} ms a file")
    print(f"  one worker / directly    {ratio(timings['one worker'], timings['directly'])}")
    print(f"  one worker / two workers {ratio(timings['one worker'], timings['two workers'])}")


def starts() -> None:
    """From nothing to the first answer, and from a crash to the next."""
    first, again = [], []
    for _ in range(STARTS):
        with Sandbox(workers=1) as sandbox:
            first.append(timed(lambda s=sandbox: s.call("operator:add", 1, 2)))  # type: ignore[misc]
            try:
                sandbox.call("os:_exit", 1)
            except WorkerFault:
                again.append(timed(lambda s=sandbox: s.call("operator:add", 1, 2)))  # type: ignore[misc]
    print(f"first answer of a new worker {1e3 * median(first):.0f} ms; after a crash {1e3 * median(again):.0f} ms")


def timed(run: Callable[[], object]) -> float:
    """Seconds by the clock on the wall."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def jail() -> None:
    """What locking a worker in costs: when it starts, in processor time of fresh interpreters, and for 500 files."""
    script = (
        "import time\nimport whorl.sandbox.wire\nimport whorl.sandbox.limits\n"
        "begun = time.process_time()\nfrom whorl.sandbox.jail import lock, readable\n"
        "middle = time.process_time()\npaths = readable()\nthen = time.process_time()\nlock(paths)\n"
        "print(middle - begun, time.process_time() - then)"
    )
    runs = [subprocess.run([sys.executable, "-c", script], capture_output=True, check=True) for _ in range(2 * STARTS)]
    imports, locks = zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    print(f"jail: imports {1000 * median(imports):.2f} ms, locking {1000 * median(locks):.2f} ms a start")
    with Sandbox(workers=1) as locked, Sandbox(workers=1) as open_:
        locked.jail()
        with mock.patch.object(process, "_START", OPEN):
            open_.jail()
        work = {
            name: partial(_all_of, sandbox, f"{__name__}:expensive", files(FILES, FILE_SIZE))
            for name, sandbox in (("locked in", locked), ("open", open_))
        }
        timings = in_turns(work, ROUNDS, time.perf_counter)
        print(f"{FILES} files locked in, against open: {ratio(timings['locked in'], timings['open'])}")


def _all_of(sandbox: Sandbox, target: str, tasks: list[tuple[bytes]]) -> None:
    for outcome in sandbox.map(target, tasks):
        outcome.result()


def main() -> None:
    """All of it."""
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    starts()
    jail()
    with Sandbox(workers=1) as one, Sandbox(workers=2) as two:
        for function in (cheap, expensive, same):
            compare(one, two, function, files(FILES, FILE_SIZE))
        compare(one, two, same, files(LARGE_FILES, LARGE_SIZE))


if __name__ == "__main__":
    main()
