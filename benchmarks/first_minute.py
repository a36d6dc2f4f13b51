"""The first minutes with Whorl: how long a fresh clone takes to its first report, and then to its tests.

Everything happens in a clone of its own, in a temporary folder, as bare as a stranger's: nothing is built, and no
environment is there. Packages come from where pip gets them. Run it on an idle machine, and say how many cores it has.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Runs of ``whorl --help``, of which the median counts.
RUNS = 15


def timed(clone: Path, *command: str) -> tuple[float, float]:
    """Run a command to its end in the clone: wall seconds, and CPU seconds with those of all processes it waits for."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def show(what: str, cost: tuple[float, float], goal: str) -> None:
    """Print a row."""
    print(f"{what:44} {cost[0]:7.1f} s wall  {cost[1]:7.1f} s CPU   goal: {goal}", flush=True)


def size(folder: Path) -> float:
    """Return the megabytes that a folder takes on the disk."""
    return sum(path.lstat().st_blocks for path in folder.rglob("*")) * 512 / 1e6


def first(clone: Path) -> None:
    """From clone to report, and again."""
    show("make run, from clone to report", timed(clone, "make", "run"), "75 s")
    print(f"{'the environment of make run':44} {size(clone / '.venv'):7.0f} MB                       goal: 350 MB")
    show("make run again", timed(clone, "make", "run"), "seconds")
    whorl = str(clone / ".venv/bin/whorl")
    times = [timed(clone, whorl, "--help")[0] for _ in range(RUNS)]
    print(
        f"{'whorl --help, median of ' + str(RUNS):44} {1000 * statistics.median(times):7.0f} ms"
        + " " * 23
        + "goal: 70 ms"
    )


def kernel(clone: Path) -> None:
    """The kernel: all of it, and after one module was touched."""
    for path in [
        *clone.glob("src/whorl/kernel/*.c"),
        *clone.glob("src/whorl/kernel/*.so"),
        *clone.glob("build/*/*.so"),
    ]:
        path.unlink()
    build = [str(clone / ".venv/bin/python"), "setup.py", "build_ext", "--inplace"]
    show("the kernel", timed(clone, *build), "60 s")
    for module in ("native.py", "native_seen.py"):
        (clone / "src/whorl/kernel" / module).touch()
        show(f"the kernel, {module} touched", timed(clone, *build), "15 s")


def tests(clone: Path, whole: bool) -> None:
    """The quick tests, and all of them."""
    show("make venv", timed(clone, "make", "venv"), "")
    show("make quick", timed(clone, "make", "quick"), "60 s")
    if whole:
        show("make test", timed(clone, "make", "test"), "420 s")


def main() -> None:
    """Clone, and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--no-tests", action="store_true", help="stop after the kernel")
    parser.add_argument("--quick", action="store_true", help="leave make test out")
    chosen = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "whorl"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        first(clone)
        kernel(clone)
        if not chosen.no_tests:
            tests(clone, not chosen.quick)


if __name__ == "__main__":
    main()
