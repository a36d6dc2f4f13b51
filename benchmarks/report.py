"""The report of a class of large projects: its size, its largest pages, and when they can be used in a browser.

    python -m benchmarks.report [--projects 12] [--files 300] [--sources FOLDER…] [--keep FOLDER]
    python -m benchmarks.report --projects 1000 --files 1
    python -m benchmarks.report --reports BEFORE AFTER

The second command is a class of a thousand small submissions. Projects are made of real Python files: those of the
standard library and of the installed packages, unless ``--sources`` names others. Every second project copies a third
of the files of the one before it, rounded up. ``--keep`` keeps the report. ``--reports`` measures the largest pages of
reports that exist, in turns, so that both see the same machine.

A page can be used when its scripts have run, the first passage is in its place, and the browser has drawn it. The CPU
time is that of the page's main thread until then; it is less noisy than the clock.
"""

import argparse
import random
import shutil
import sysconfig
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from statistics import median

import whorl
from whorl.report.write import write

# Size of a source file, in bytes: neither empty nor a table of data.
SMALLEST, LARGEST = 1_000, 60_000
# Share of a project's files that the next project copies.
COPIED = 1 / 3
# Pages of each kind that are opened, and visits of each.
PAGES, VISITS = 2, 7

# Runs in the page: the time from the start of the navigation until the second frame after all scripts, in milliseconds.
USABLE = (
    """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"""
)


def sources(folders: Sequence[Path]) -> list[Path]:
    """Return the source files below the folders, shuffled; the same for the same files."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py")) if path.is_file()]
    fitting = [path for path in paths if SMALLEST <= path.stat().st_size <= LARGEST]
    random.Random(1).shuffle(fitting)
    return fitting


def make_class(folder: Path, projects: int, files: int, pool: list[Path]) -> None:
    """Write the projects. Every second one has a third of the files of the one before it."""
    coming = iter(pool)
    before: list[Path] = []
    for number in range(projects):
        copied = before[: ceil(files * COPIED)] if number % 2 else []
        project = [*copied, *(path for path, _ in zip(coming, range(files - len(copied)), strict=False))]
        if len(project) < files:
            raise SystemExit(f"too few source files for {projects} projects of {files} files: name more with --sources")
        for place, path in enumerate(project):
            target = folder / f"project-{number:02}" / f"part{place % 12}" / f"{place:03}_{path.name}"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
        before = project


def make_report(folder: Path, options: argparse.Namespace) -> Path:
    """Compare the class and write its report; print what both took."""
    installed = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib")]
    pool = sources(options.sources or installed)
    with tempfile.TemporaryDirectory() as home:
        make_class(Path(home), options.projects, options.files, pool)
        start = time.process_time()
        comparison = whorl.compare_all(Path(home), "code", threads=2)
        compared = time.process_time()
        write(comparison, folder, title="Projects")
        written = time.process_time() - compared
    files = sum(len(submission.files) for submission in comparison.submissions)
    print(f"{len(comparison.submissions)} projects, {files:,} files, {len(comparison.pairs)} pairs listed")
    print(f"compared in {compared - start:.0f} s of CPU time in this process, report written in {written:.1f} s")
    return folder


def sizes(report: Path) -> None:
    """Print the size of a report and of its largest page."""
    pages = [path.stat().st_size for path in report.rglob("*.html")]
    print(f"{report.name}: {sum(pages) / 1e6:.1f} MB in {len(pages)} pages, the largest {max(pages) / 1e6:.2f} MB")


def largest(report: Path) -> Iterator[Path]:
    """Yield the overview, and the names of the largest pages of pairs and submissions."""
    yield Path("index.html")
    for kind in ("pair", "submission"):
        pages = sorted((report / kind).glob("*.html"), key=lambda path: -path.stat().st_size)
        yield from (path.relative_to(report) for path in pages[:PAGES])


def visit(reports: Sequence[Path]) -> None:
    """Open the largest pages of the first report in each report, in turns, and print when they can be used."""
    from playwright.sync_api import sync_playwright

    times: dict[tuple[Path, Path], list[float]] = defaultdict(list)
    work: dict[tuple[Path, Path], list[float]] = defaultdict(list)
    nodes: dict[tuple[Path, Path], int] = {}
    program = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        names = list(largest(reports[0]))
        for _ in range(VISITS):
            for name in names:
                for report in reports:
                    tab = browser.new_page(viewport={"width": 1366, "height": 768})
                    session = tab.context.new_cdp_session(tab)
                    session.send("Performance.enable", {"timeDomain": "threadTicks"})
                    tab.goto((report / name).resolve().as_uri(), wait_until="load")
                    times[report, name].append(tab.evaluate(USABLE))
                    metrics = session.send("Performance.getMetrics")["metrics"]
                    work[report, name] += [each["value"] for each in metrics if each["name"] == "TaskDuration"]
                    nodes[report, name] = tab.evaluate("document.getElementsByTagName('*').length")
                    tab.close()
        browser.close()
    for (report, name), seconds in times.items():
        size = (report / name).stat().st_size / 1e6
        print(
            f"{report.name}/{name}: {size:.2f} MB, {nodes[report, name]:,} elements, usable after "
            f"{median(seconds) / 1e3:.2f} s ({min(seconds) / 1e3:.2f}–{max(seconds) / 1e3:.2f}), CPU time "
            f"{median(work[report, name]):.2f} s ({min(work[report, name]):.2f}–{max(work[report, name]):.2f})"
        )


def main() -> None:
    """Make a report, or take those that are named, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--projects", type=int, default=12)
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--sources", type=Path, nargs="+")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--reports", type=Path, nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        reports = options.reports or [make_report(options.keep or Path(home) / "report", options)]
        for report in reports:
            sizes(report)
        visit(reports)


if __name__ == "__main__":
    main()
