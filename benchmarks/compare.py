"""All pairs of a class of 500 programs, beside compare50 and Dolos, and how the cost grows with the class.

    python -m benchmarks.compare [--sources FOLDER --extension java] [--rounds 3] [--plot docs/compare-cost.svg]

The programs are real code, by default the standard library cut into pieces of 4 kB. Each tool is a command of its own:
start, reading, comparing and writing of its results are all in it. The peers are installed into benchmarks/.peers.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from benchmarks.plot import line_plot
from benchmarks.processes import Cost, cost
from benchmarks.submissions import sources, write_class

CLASS = 500
SIZES = (125, 250, 500, 1000, 2000)
PEERS = Path(__file__).with_name(".peers")

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


def compare50(folder: Path, extension: str) -> list[str | Path] | None:
    """compare50's command; None if it cannot be installed."""
    home = PEERS / "compare50"
    if not (home / "bin" / "compare50").exists():
        venv.create(home, with_pip=True)
        packages = ["compare50", "setuptools<81"]
        done = subprocess.run([home / "bin" / "python", "-m", "pip", "install", "-q", *packages], capture_output=True)
        if done.returncode:
            print("compare50 cannot be installed, so it is not measured")
            return None
    files = sorted(folder.glob(f"*.{extension}"))
    out = Path(tempfile.mkdtemp(dir=folder.parent)) / "out"
    return [home / "bin" / "python", "-m", "compare50", "-o", out, *files]


def dolos(folder: Path, extension: str) -> list[str | Path] | None:
    """Dolos' library behind a few lines of JavaScript; None if it cannot be installed."""
    home = PEERS / "dolos"
    if not (home / "node_modules" / "@dodona").exists():
        home.mkdir(parents=True, exist_ok=True)
        (home / "package.json").write_text('{"type": "module"}')
        done = subprocess.run(["npm", "install", "--silent", "@dodona/dolos-lib"], cwd=home, capture_output=True)
        if done.returncode:
            print("Dolos cannot be installed, so it is not measured")
            return None
    (home / "run.mjs").write_text(DOLOS)
    return ["node", home / "run.mjs", folder, LANGUAGES[extension]]


def against_peers(files: list[Path], extension: str, rounds: int) -> None:
    """The same class, every tool in turns."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "class"
        size = write_class(folder, CLASS, files, extension)
        print(f"{CLASS} programs, {size / 1e6:.1f} MB")
        costs: dict[str, list[Cost]] = {}
        for _ in range(rounds):
            commands = {
                "whorl": whorl(folder),
                "compare50": compare50(folder, extension),
                "Dolos": dolos(folder, extension),
            }
            for name, command in commands.items():
                if command is not None:
                    costs.setdefault(name, []).append(cost(command))
        for name, those in costs.items():
            print(_row(name, those, costs["whorl"]))


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
