"""All pairs of a class of 500 programs, beside compare50, copydetect and Dolos, and how the cost grows with the class.

    python -m benchmarks.compare [--sources FOLDER --extension java] [--rounds 3] [--plot docs/compare-cost.svg]
    python -m benchmarks.compare --stages

The programs are real code, by default the standard library cut into pieces of 4 kB. Each tool is a command of its own:
start, reading, comparing and writing of its results are all in it. The peers are installed into benchmarks/.peers.
``--stages`` measures where the time of one comparison goes, instead.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.environments import HOME, Environment
from benchmarks.plot import line_plot
from benchmarks.processes import Cost, cost
from benchmarks.submissions import sources, write_class
from whorl import compare_all
from whorl.report.write import write
from whorl.sandbox.pool import default_sandbox

CLASS = 500
SIZES = (125, 250, 500, 1000, 2000)
COMPARE50 = Environment("compare50", "compare50 setuptools<81")
COPYDETECT = Environment("copydetect", "copydetect")

# A command, made anew each time: some write to a place of their own.
Command = Callable[[], Sequence[str | Path]]

# Dolos has no command in its library; this is all that its command does before it writes.
DOLOS = """
import { Dolos } from "@dodona/dolos-lib";
import { readdirSync } from "node:fs";
const [folder, language] = process.argv.slice(2);
const report = await new Dolos({ language }).analyzePaths(readdirSync(folder).map((name) => `${folder}/${name}`));
console.log(report.allPairs().length);
"""
LANGUAGES = {"py": "python", "java": "java", "js": "javascript", "c": "c"}


def whorl(folder: Path, cache: Path | None = None) -> list[str | Path]:
    """Return the command that is measured."""
    kept: list[str | Path] = ["--no-cache"] if cache is None else ["--cache", cache]
    return [Path(sys.executable).with_name("whorl"), "compare", folder, "--format", "json", *kept]


class SecondRun:
    """The same class again, each time with one new submission."""

    def __init__(self, home: Path, folder: Path, extension: str) -> None:
        self._folder, self._cache, self._extension = home / "again", home / "cache", extension
        shutil.copytree(folder, self._folder)
        cost(whorl(self._folder, self._cache))
        self._times = 0

    def __call__(self) -> list[str | Path]:
        """Return the command, after a submission arrived."""
        self._times += 1
        first = min(self._folder.glob(f"*.{self._extension}"))
        arrived = self._folder / f"new-{self._times}.{self._extension}"
        arrived.write_text(first.read_text() + "\n" * self._times)
        return whorl(self._folder, self._cache)


def compare50(folder: Path, extension: str) -> list[str | Path]:
    """compare50's command."""
    files = sorted(folder.glob(f"*.{extension}"))
    return [COMPARE50.python, "-m", "compare50", "-o", _fresh(folder), *files]


def copydetect(folder: Path, extension: str) -> list[str | Path]:
    """copydetect's command."""
    out = _fresh(folder).with_suffix(".html")
    return [COPYDETECT.folder / "copydetect", "-t", folder, "-e", extension, "-a", "-O", out]


def dolos(folder: Path, extension: str) -> list[str | Path]:
    """Dolos' library behind a few lines of JavaScript."""
    (HOME / "dolos" / "run.mjs").write_text(DOLOS)
    return ["node", HOME / "dolos" / "run.mjs", folder, LANGUAGES[extension]]


def without_dolos() -> str:
    """Install Dolos unless that is done; why it cannot be, if it cannot."""
    home = HOME / "dolos"
    if (home / "node_modules" / "@dodona").exists():
        return ""
    if shutil.which("npm") is None:
        return "Dolos cannot be installed, so it is not measured: there is no npm"
    home.mkdir(parents=True, exist_ok=True)
    (home / "package.json").write_text('{"type": "module"}')
    done = subprocess.run(["npm", "install", "--silent", "@dodona/dolos-lib"], cwd=home, capture_output=True, text=True)
    return f"Dolos cannot be installed, so it is not measured: {done.stderr.strip()[-300:]}" if done.returncode else ""


def commands(home: Path, files: list[Path], extension: str) -> tuple[int, dict[str, Command], list[str]]:
    """Return a class in a folder, its bytes, what is measured on it by name, and why a peer is left out."""
    folder = home / "class"
    size = write_class(folder, CLASS, files, extension)
    work: dict[str, Command] = {
        "whorl": lambda: whorl(folder),
        "whorl again, with one new program": SecondRun(home, folder, extension),
    }
    reasons = []
    for peer, command in ((COMPARE50, compare50), (COPYDETECT, copydetect)):
        if reason := peer.missing():
            reasons.append(reason)
        else:
            work[f"{peer.name} {peer.version()}"] = partial(command, folder, extension)
    if reason := without_dolos():
        reasons.append(reason)
    else:
        work["Dolos (library)"] = partial(dolos, folder, extension)
    return size, work, reasons


def measured(work: dict[str, Command], rounds: int) -> dict[str, list[Cost]]:
    """Measure all in turns, several times."""
    costs: dict[str, list[Cost]] = {name: [] for name in work}
    for _ in range(rounds):
        for name, command in work.items():
            costs[name].append(cost(command()))
    return costs


def against_peers(files: list[Path], extension: str, rounds: int) -> None:
    """The same class, every tool in turns."""
    with tempfile.TemporaryDirectory() as home:
        size, work, reasons = commands(Path(home), files, extension)
        print(f"{CLASS} programs, {size / 1e6:.1f} MB", *reasons, sep="\n")
        costs = measured(work, rounds)
        for name, those in costs.items():
            print(_row(name, those, costs["whorl"]))


def _fresh(folder: Path) -> Path:
    """Return a place for what a tool writes, beside the class."""
    return Path(tempfile.mkdtemp(dir=folder.parent)) / "out"


def _row(name: str, costs: list[Cost], ours: list[Cost]) -> str:
    cpu = [each.cpu for each in costs]
    ratios = [theirs.cpu / own.cpu for theirs, own in zip(costs, ours, strict=True)]
    peak = max(each.memory for each in costs) / 1e6
    return (
        f"  {name:10} {statistics.median(cpu):6.2f} CPU s ({min(cpu):.2f}–{max(cpu):.2f}), "
        f"{statistics.median(each.wall for each in costs):6.2f} s, peak {peak:.0f} MB, "
        f"{statistics.median(ratios):.1f}× whorl ({min(ratios):.1f}–{max(ratios):.1f})"
    )


def growth(files: list[Path], extension: str, rounds: int) -> list[tuple[float, float]]:
    """CPU seconds by the size of the class."""
    points = []
    with tempfile.TemporaryDirectory() as home:
        for count in SIZES:
            folder = Path(home) / str(count)
            write_class(folder, count, files, extension)
            spent = [cost(whorl(folder)) for _ in range(rounds)]
            cpu = statistics.median(each.cpu for each in spent)
            points.append((float(count), cpu))
            peak = max(each.memory for each in spent) / 1e6
            print(f"  {count:5} programs: {cpu:6.2f} CPU s, {1000 * cpu / count:.2f} ms a program, peak {peak:.0f} MB")
    return points


def stages(files: list[Path], extension: str) -> None:
    """Where the CPU time of one comparison goes. Each stage runs in this process; parsers are others."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "class"
        write_class(folder, CLASS, files, extension)
        start = cost([sys.executable, "-c", "import whorl.cli.compare"])
        clock, others = _StageClock(), _ended_children()
        comparison = compare_all(folder, progress=clock)
        clock("report", 0, None)
        parsing = _ended_children() - others
        write(comparison, Path(home) / "report", title="class")
        clock("", 0, None)
        clock.seconds["report"] += _ended_children() - others - parsing
    rows = {"start": start.cpu, "parsing and normal forms, in other processes": parsing, **clock.seconds}
    whole = sum(rows.values()) - rows["report"]
    for name, seconds in rows.items():
        print(f"{name}: {seconds:.2f} CPU s, {seconds / whole:.0%} of a comparison")


def _ended_children() -> float:
    """Return the CPU time of all other processes, which end here."""
    default_sandbox().close()
    times = os.times()
    return times.children_user + times.children_system


class _StageClock:
    """Sums up the CPU time of this process between the first calls of stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stage, self._since = "reading", time.process_time()

    def __call__(self, stage: str, _done: int, _total: int | None) -> None:
        if stage != self._stage:
            now = time.process_time()
            self.seconds[self._stage] = self.seconds.get(self._stage, 0) + now - self._since
            self._stage, self._since = stage, now


def main() -> None:
    """All measurements, and the plot if it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, help="folder with real code; by default the standard library")
    parser.add_argument("--extension", default="py", choices=LANGUAGES, help="of the files that are used")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plot", type=Path, help="write the growth as SVG")
    parser.add_argument("--stages", action="store_true", help="measure the stages of one comparison instead")
    options = parser.parse_args()
    files = sources(options.sources, options.extension)
    if options.stages:
        stages(files, options.extension)
        return
    against_peers(files, options.extension, options.rounds)
    points = growth(files, options.extension, options.rounds)
    if options.plot is not None:
        title = "Cost of comparing a class"
        options.plot.write_text(line_plot(title, "programs of 4 kB", "CPU seconds", {"whorl compare": points}))


if __name__ == "__main__":
    main()
