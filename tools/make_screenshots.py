"""Makes the pictures of pages in docs/images: real reports of the example data, as a browser shows them.

    python tools/make_screenshots.py

Needs Chromium (tools/install_browser.sh). Each flow runs the commands that a tutorial tells, opens what they wrote, and
takes one picture. A test runs the flows; it does not compare pictures, for fonts differ from machine to machine.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from click.testing import CliRunner
from playwright.sync_api import Browser, Page, sync_playwright

from whorl.cli import main

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
EXAMPLES = ROOT / "examples"

# As wide as the site shows it on a large screen.
WIDTH = 1200

# Debian's Chromium as it runs in a container: no sandbox of its own, and no traffic of its own.
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")


class Slice(NamedTuple):
    """The part of a page that a picture shows: from which height on, and how much."""

    top: int
    height: int


def whorl(*arguments: object) -> None:
    """Runs a command; it must succeed."""
    result = CliRunner().invoke(main, [*map(str, arguments)], catch_exceptions=False)
    if result.exit_code:
        raise RuntimeError(result.output)


def class_report(page: Page, folder: Path) -> Slice:
    """Return the overview of the class: table, histogram and graph."""
    _compare_class(folder)
    page.goto((folder / "report" / "index.html").as_uri())
    return Slice(0, 960)


def class_pair(page: Page, folder: Path) -> Slice:
    """One pair of the class, side by side: two that share one function."""
    _compare_class(folder)
    page.goto((folder / "report" / "index.html").as_uri())
    page.locator("tr", has_text="amara.py").filter(has_text="elif.py").locator("a[href]").first.click()
    _go_to_passage(page)
    return Slice(0, 620)


def _go_to_passage(page: Page) -> None:
    """Both sides to the first passage, as somebody who reads the page would."""
    page.locator("#passages a, #passages button").first.click()


def _compare_class(folder: Path) -> None:
    whorl(
        "compare", EXAMPLES / "class", "--base", EXAMPLES / "template", "--archive", EXAMPLES / "previous",
        "--submissions-csv", EXAMPLES / "class.csv", "--title", "Warehouse and ledger", "--report", folder / "report",
    )  # fmt: skip


def cluster_summary(page: Page, folder: Path) -> Slice:
    """Return the summary of a clustered crawl."""
    whorl("cluster", EXAMPLES / "crawl" / "january.jsonl", "-o", folder / "clusters")
    page.goto((folder / "clusters" / "summary.html").as_uri())
    return Slice(0, 900)


def manuscript_pair(page: Page, folder: Path) -> Slice:
    """Return a manuscript beside the article that it took from."""
    whorl("compare", EXAMPLES / "manuscript.txt", EXAMPLES / "archive" / "ferry.txt", "--report", folder / "report")
    page.goto((folder / "report" / "index.html").as_uri())
    page.locator("tbody a[href]").first.click()
    _go_to_passage(page)
    return Slice(126, 455)


# File in docs/images → the flow, which opens a page and says how much of it is shown.
FLOWS: dict[str, Callable[[Page, Path], Slice]] = {
    "class-report.png": class_report,
    "class-pair.png": class_pair,
    "cluster-summary.png": cluster_summary,
    "manuscript-pair.png": manuscript_pair,
}


@contextmanager
def browser() -> Iterator[Browser]:
    """The system's Chromium, or its headless shell."""
    program = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield running
        running.close()


def take(running: Browser, name: str, into: Path) -> Path:
    """Runs a flow and takes its picture."""
    context = running.new_context(
        viewport={"width": WIDTH, "height": 900}, color_scheme="light", reduced_motion="reduce"
    )
    with tempfile.TemporaryDirectory() as folder:
        page = context.new_page()
        shown = FLOWS[name](page, Path(folder))
        page.wait_for_load_state("load")
        page.screenshot(path=into / name, clip={"x": 0, "y": shown.top, "width": WIDTH, "height": shown.height})
    context.close()
    return into / name


if __name__ == "__main__":
    with browser() as running:
        for name in FLOWS:
            take(running, name, IMAGES)
