"""Writes a report: a folder that is there whole, or not at all."""

import json
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from secrets import token_hex

from whorl._version import VERSION
from whorl.comparison.result import Comparison
from whorl.errors import InputError
from whorl.report import pair
from whorl.report.overview import overview
from whorl.report.pages import page_name

# Tells a report from any other folder, so that a new one may take the place of an old one.
MARKER = "whorl-report.json"
KIND = "whorl report"


def write(
    comparison: Comparison,
    folder: Path,
    *,
    title: str = "Comparison of submissions",
    progress: Callable[[int], object] | None = None,
) -> Path:
    """Writes the report and gives the path of its first page. ``progress`` is told how many pairs are written.

    A folder that exists must be empty or hold a report, which is replaced whole. The report is made beside it and
    takes its place at the end, so that a run that fails leaves what was there.
    """
    folder = folder.resolve()
    check_folder(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _replace(comparison, folder, title, progress)
    except OSError as error:
        raise InputError(f"{folder}: the report cannot be written: {error.strerror or error}") from error
    return folder / "index.html"


def check_folder(folder: Path) -> None:
    """Raises unless the folder can be made, or holds a report that can be replaced."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: a file stands where the report should go: choose another folder")
    if folder.exists() and any(folder.iterdir()) and not _is_report(folder):
        raise InputError(f"{folder}: the folder is not empty and holds no report: choose another, or empty it")


def _is_report(folder: Path) -> bool:
    marker = folder / MARKER
    if not marker.is_file():
        return False
    try:
        facts = json.loads(marker.read_text("utf-8"))
    except ValueError:
        return False
    return isinstance(facts, dict) and facts.get("kind") == KIND


def _replace(comparison: Comparison, folder: Path, title: str, progress: Callable[[int], object] | None) -> None:
    fresh = folder.with_name(f".{folder.name}.{token_hex(4)}.new")
    fresh.mkdir()
    try:
        _fill(comparison, fresh, title, progress)
        _swap(fresh, folder)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)  # What went wrong first is what the caller must hear of.
        raise


def _fill(comparison: Comparison, folder: Path, title: str, progress: Callable[[int], object] | None) -> None:
    pages = folder / "pair"
    pages.mkdir()
    for number in range(len(comparison.pairs)):
        (pages / page_name(number)).write_bytes(pair.page(comparison, number, title).encode())
        if progress is not None:
            progress(number + 1)
    (folder / "index.html").write_bytes(overview(comparison, title, datetime.now().astimezone()).encode())
    (folder / MARKER).write_text(json.dumps({"kind": KIND, "version": VERSION}) + "\n", "utf-8")


def _swap(fresh: Path, folder: Path) -> None:
    """The new folder takes the place of the old one, which comes back if that fails."""
    if not folder.exists():
        fresh.rename(folder)
        return
    old = folder.with_name(f".{folder.name}.{token_hex(4)}.old")
    folder.rename(old)
    try:
        fresh.rename(folder)
    except OSError:
        old.rename(folder)
        raise
    shutil.rmtree(old)
