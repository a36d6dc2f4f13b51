"""All pairs of a class of 500 programs, beside compare50, copydetect and Dolos, and how the cost grows with the class.

    python -m benchmarks.compare [--sources FOLDER --extension java] [--rounds 3] [--plot docs/compare-cost.svg]

The programs are real code, by default the standard library cut into pieces of 4 kB. Each tool is a command of its own:
start, reading, comparing and writing of its results are all in it. The peers are installed into benchmarks/.peers.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from benchmarks.environments import HOME, Environment
from benchmarks.plot import line_plot
from benchmarks.processes import Cost, cost
from benchmarks.submissions import sources, write_class

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


def whorl(folder: Path) -> list[str | Path]:
    """The command that is measured."""
    return [Path(sys.executable).with_name("whorl"), "compare", folder, "--format", "json"]


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
    """A class in a folder, its bytes, what is measured on it by name, and why a peer is left out."""
    folder = home / "class"
    size = write_class(folder, CLASS, files, extension)
    work: dict[str, Command] = {"whorl": lambda: whorl(folder)}
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
    """All in turns, several times."""
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
    """A place for what a tool writes, beside the class."""
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


def main() -> None:
    """Both measurements, and the plot if it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sources", type=Path, help="folder with real code; by default the standard library")
    parser.add_argument("--extension", default="py", choices=LANGUAGES, help="of the files that are used")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--plot", type=Path, help="write the growth as SVG")
    options = parser.parse_args()
    files = sources(options.sources, options.extension)
    against_peers(files, options.extension, options.rounds)
    points = growth(files, options.extension, options.rounds)
    if options.plot is not None:
        title = "Cost of comparing a class"
        options.plot.write_text(line_plot(title, "programs of 4 kB", "CPU seconds", {"whorl compare": points}))


if __name__ == "__main__":
    main()
