"""Write a report atomically: the whole folder or nothing. Read the review marks that a report has saved."""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from secrets import token_hex
from typing import Any

from whorl._version import VERSION
from whorl.comparison.result import Comparison
from whorl.errors import InputError
from whorl.formats.code.languages import LANGUAGES
from whorl.report import pair, submission
from whorl.report.markup import coloured_ahead
from whorl.report.overview import cluster_page, overview, submissions_name, submissions_pages
from whorl.report.pages import NO_REVIEW, REVIEW_KIND, IgnoredPassage, Review, ReviewMark, page_name, review_key
from whorl.stores import REPORT_MARKER

# Called with the number of written pages, and of all pages that take long.
Progress = Callable[[int, int], object]

# Says in its marker that a folder is a report, which a new report may replace.
KIND = "whorl report"

# Size of a report in bytes without its overview, which takes less than half a megabyte of the 10 MB, and without what
# pages take beyond their estimates; and the size of a page, in a report that has many.
REPORT = 9_200_000
PAGE = 100_000

# Share of the size that pages of submissions may take. Pages of pairs have the rest, the highest scores first, but
# each has at least a minimum, of which everything but passages and lines takes the frame.
SUBMISSIONS = 0.25
PAIR, FRAME = 80_000, 56_500


def write(
    comparison: Comparison,
    folder: Path,
    *,
    title: str = "Comparison of submissions",
    review: Review = NO_REVIEW,
    size: int | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write the report and return the path of its first page. ``review`` has marks and notes by the names of a pair.
    ``size`` is the size to keep to, in bytes, if each page can show its longest passage: by default 10 MB, or 100 kB a
    page. Pages say what is left out. ``progress`` is called with the number of written pages and of all pages.

    An existing folder must be empty or hold a report, which is replaced. The report is written next to it and takes its
    place at the end, so that a failed run leaves the old one.
    """
    folder = folder.resolve()
    check_folder(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _replace(folder, lambda fresh: _fill(comparison, fresh, title, review, size, progress))
    except OSError as error:
        raise InputError(f"{folder}: cannot write the report: {error.strerror or error}") from error
    return folder / "index.html"


def check_folder(folder: Path) -> None:
    """Raise InputError unless the folder is new or empty, or holds a report, and can be replaced by another one."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: this is a file; choose a folder for the report")
    place = folder.resolve()
    if place.is_mount() or (place.exists() and Path.cwd().is_relative_to(place)):
        what = "a mount point" if place.is_mount() else "the working folder"
        raise InputError(
            f"{folder}: a report cannot replace {what}; choose a folder in it, such as {folder / 'report'}"
        )
    if folder.exists() and any(folder.iterdir()) and not _is_report(folder):
        raise InputError(f"{folder}: the folder is not empty and holds no report; choose another, or empty it")
    around = next(parent for parent in place.parents if parent.exists())
    if not around.is_dir() or not os.access(around, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: cannot write the report: {around} is not a folder that you may write to")


def _is_report(folder: Path) -> bool:
    marker = folder / REPORT_MARKER
    if not marker.is_file():
        return False
    try:
        facts = json.loads(marker.read_text("utf-8"))
    except ValueError:
        return False
    return isinstance(facts, dict) and facts.get("kind") == KIND


def read_review(path: Path) -> dict[tuple[str, str], ReviewMark]:
    """Return the review marks that a report saved to a file, by the sorted names of a pair."""
    try:
        saved = json.loads(path.read_text("utf-8"))
        if saved["kind"] != REVIEW_KIND:
            raise ValueError(saved["kind"])
        return dict(map(_mark, saved["pairs"]))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: these are no review marks; save them with a report's button Save review marks"
        ) from error


def _mark(saved: Mapping[str, Any]) -> tuple[tuple[str, str], ReviewMark]:
    left, right, state, note = (saved[name] for name in ("left", "right", "state", "note"))
    ignored = tuple(IgnoredPassage(each["format"], each["text"]) for each in saved.get("ignored", ()))
    if not all(isinstance(value, str) for value in (left, right, state, note, *chain(*ignored))):
        raise TypeError(saved)
    return review_key(left, right), ReviewMark(state, note, ignored)


def write_ignored(review: Review, folder: Path) -> list[Path]:
    """Write the passages that a review ignores as files of starter code, and return their paths."""
    passages = dict.fromkeys(passage for mark in review.values() for passage in mark.ignored)
    paths = []
    for number, passage in enumerate(passages, start=1):
        language = LANGUAGES.get(passage.format)
        extension = language.extensions[0] if language is not None else "txt"
        paths.append(folder / f"{number}.{extension}")
        paths[-1].write_text(passage.text, "utf-8", "replace")
    return paths


def _replace(folder: Path, fill: Callable[[Path], object]) -> None:
    fresh = folder.with_name(f".{folder.name}.{token_hex(4)}.new")
    fresh.mkdir()
    try:
        fill(fresh)
        swap(fresh, folder)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)  # the first error is the one to report
        raise


def _fill(
    comparison: Comparison,
    folder: Path,
    title: str,
    review: Review,
    size: int | None,
    progress: Progress | None,
) -> None:
    now = datetime.now().astimezone()
    clusters = submission.cluster_pages(comparison)
    pages = len(comparison.pairs) + len(comparison.submissions) + clusters
    left = max(REPORT, PAGE * pages) if size is None else size

    def written(before: int, number: int) -> None:
        if progress is not None:
            progress(before + number, pages)

    left -= _write_clusters(comparison, folder / "cluster", title)
    for number, page in enumerate(submissions_pages(comparison, title), start=1):
        left -= _save(folder / submissions_name(number), page)
    room = int(SUBMISSIONS * left)
    left -= _write_submissions(comparison, folder / "submission", title, room, partial(written, clusters))
    before = clusters + len(comparison.submissions)
    cut = _write_pairs(comparison, folder / "pair", title, review, now, left, partial(written, before))
    _save(folder / "index.html", overview(comparison, title, now, review, cut))
    (folder / REPORT_MARKER).write_text(json.dumps({"kind": KIND, "version": VERSION}) + "\n", "utf-8")


def _save(path: Path, page: str) -> int:
    """Write a page, and return its size."""
    return path.write_bytes(page.encode())


def _write_clusters(comparison: Comparison, folder: Path, title: str) -> int:
    """Write the pages of clusters, and return their size."""
    numbers = range(submission.cluster_pages(comparison))
    if numbers:
        folder.mkdir()
    return sum(_save(folder / page_name(number), cluster_page(comparison, number, title)) for number in numbers)


def _write_submissions(
    comparison: Comparison, folder: Path, title: str, left: int, written: Callable[[int], object]
) -> int:
    """Write the pages of submissions, each with an equal share of what is left, and return their size."""
    folder.mkdir()
    before, numbers = left, range(len(comparison.submissions))
    coloured = coloured_ahead(submission.programs(comparison, number) for number in numbers)
    for number, _ in zip(numbers, coloured, strict=True):
        room = left // (len(comparison.submissions) - number)
        left -= _save(folder / page_name(number), submission.page(comparison, number, title, room))
        written(number + 1)
    return before - left


def _write_pairs(
    comparison: Comparison,
    folder: Path,
    title: str,
    review: Review,
    now: datetime,
    left: int,
    written: Callable[[int], object],
) -> int:
    """Write the pages of pairs, and return how many leave out passages. The highest scores have as much room as they
    need, if the minimum is left for the others."""
    folder.mkdir()
    cut = 0
    for number, _ in enumerate(coloured_ahead(pair.programs(comparison, each) for each in comparison.pairs)):
        coming = len(comparison.pairs) - number - 1
        room = max(PAIR, left - PAIR * coming) - FRAME
        page = pair.page(comparison, number, title, review, now, room)
        left -= _save(folder / page_name(number), page.html)
        cut += page.left_out > 0
        written(number + 1)
    return cut


def swap(fresh: Path, folder: Path) -> None:
    """Replace the old folder by the new one; restore the old one if that fails."""
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
