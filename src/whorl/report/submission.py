"""The page of a submission: its pairs, its place in the class, its findings, its other assignments and its files.

Files are in the page as coloured text, as plain text or, of large submissions, as ZIP archives that a link saves and a
script reads, as far as there is room: first those with passages. The page says which are left out.
"""

from base64 import b64encode
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from io import BytesIO
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np
from markupsafe import Markup, escape

from whorl.comparison.result import Comparison, File, Pair, Submission
from whorl.formats.documents.extraction import SectionMark
from whorl.formats.documents.notebook import TEXT
from whorl.report import words
from whorl.report.graph import by_size, cluster_numbers
from whorl.report.markup import Look, PaintedText, Program, RecentTexts, TextMark, colours, line_items, lines, plain
from whorl.report.pages import Names, page_name, render
from whorl.report.plots import BinnedHistogram, length_histogram, percent_histogram

# Maximum size of a submission whose files are in the page as text, which needs no scripts, in characters.
AS_TEXT = 100_000

# Maximum size of the files that are in the page compressed, in bytes. A page stays below 1.5 MB.
COMPRESSED = 600_000

# Size of a page without its files, and of a file's entry in it, in bytes.
FRAME, ENTRY = 25_000, 300

# Room that no file fits into.
TOO_SMALL = 400

# Size of the markup of a letter of a coloured program, in bytes: the mean of Python programs.
COLOURED_LETTER = 3

# Other submissions that a list in a page names, at most. The page of a cluster, or the overview, names them all; if
# each of a thousand pages did, they would be a hundred megabytes.
MOST_LINKED = 20

# Minimum size of a cluster with a page: the page of its pair says all about a cluster of two.
WITH_PAGE = 3


@dataclass(frozen=True, slots=True)
class PairOfSubmission:
    """A pair of the submission: its page, the other submission with its cluster, and the coverage of this one and the
    other."""

    page: str
    other: Submission
    other_page: str
    cluster: "ClusterLink | None"
    pair: Pair
    here: float
    there: float


class ClusterLink(NamedTuple):
    """A cluster by its number, from 1, with its page, if it has one."""

    number: int
    page: str | None


class Links(NamedTuple):
    """Other submissions with their pages, and the number of further ones, which are not named."""

    named: list[tuple[str, Submission]]
    more: int


class PlaceInClass(NamedTuple):
    """A measure of all submissions as a histogram, and the value of one submission with the unit."""

    name: str
    plot: BinnedHistogram
    value: int
    unit: str
    ticks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SourceView:
    """A file as markup or as a ZIP archive in Base64; neither if there is no room for it."""

    file: File
    lines: Markup | None
    archive: str | None


def page(comparison: Comparison, number: int, title: str, room: int = AS_TEXT + COMPRESSED) -> str:
    """Return the page of a submission. ``room`` is its size in bytes, nearly."""
    submission = comparison.submissions[number]
    best, facts = best_scores(comparison), _class_facts(comparison)
    same_person = [] if submission.person is None else facts.people[submission.person]
    sources = _sources(comparison, number, room - FRAME - ENTRY * len(submission.files))
    return render(
        "submission",
        title=title,
        submission=submission,
        named=names_of(comparison),
        symbols=comparison.scheme.symbols,
        number=number,
        plots=_plots(comparison, number),
        pairs=tuple(_pairs(comparison, number)),
        labelled=facts.labelled,
        dated=facts.dated,
        highest=best[number],
        higher=len(best) - bisect_right(facts.ascending, best[number]),
        typical=(comparison.quantile(0.5), comparison.quantile(0.95)),
        total=len(best),
        cluster=_cluster(comparison, number),
        clustered=bool(comparison.clusters),
        identical=_links(comparison, comparison.identical_with(number)),
        same_person=_links(comparison, [other for other in same_person if other != number]),
        findings=comparison.findings.of_submission(number),
        sources=sources,
        left_out=sum(source.lines is None and source.archive is None for source in sources),
    )


@lru_cache(maxsize=1)
def names_of(comparison: Comparison) -> Names:
    """Return the names of all submissions and people of a comparison."""
    people = (submission.person for submission in comparison.submissions if submission.person)
    return Names((submission.name for submission in comparison.submissions), people)


class _ClassFacts(NamedTuple):
    """What the page of every submission takes from all: whether any has a label, and a date; the highest scores of all,
    ascending; and the submissions of each person."""

    labelled: bool
    dated: bool
    ascending: list[float]
    people: dict[str, list[int]]


@lru_cache(maxsize=1)
def _class_facts(comparison: Comparison) -> _ClassFacts:
    people: dict[str, list[int]] = {}
    for number, submission in enumerate(comparison.submissions):
        if submission.person is not None:
            people.setdefault(submission.person, []).append(number)
    return _ClassFacts(
        any(each.label for each in comparison.submissions),
        any(each.date for each in comparison.submissions),
        sorted(best_scores(comparison)),
        people,
    )


def _links(comparison: Comparison, numbers: Sequence[int]) -> Links:
    named = [(page_name(number), comparison.submissions[number]) for number in numbers[:MOST_LINKED]]
    return Links(named, len(numbers) - len(named))


@lru_cache(maxsize=1)
def best_scores(comparison: Comparison) -> tuple[float, ...]:
    """Return the highest score of each submission's pairs; 0 without a listed pair."""
    best = np.zeros(len(comparison.submissions))
    for pair in comparison.pairs:
        for side in (pair.left, pair.right):
            best[side] = max(best[side], pair.score)
    return tuple(best.tolist())


@lru_cache(maxsize=1)
def score_plot(comparison: Comparison) -> BinnedHistogram:
    """Return the histogram of the highest scores of all submissions, rounded as the pages show them."""
    return percent_histogram([words.rounded_percent(score) for score in best_scores(comparison)])


@lru_cache(maxsize=1)
def _longest(comparison: Comparison) -> tuple[BinnedHistogram, tuple[int, ...]]:
    """Return the length of the longest passage of each submission, and the histogram of these lengths."""
    pairs = pairs_by_submission(comparison)
    numbers = range(len(comparison.submissions))
    longest = tuple(max((comparison.pairs[at].longest for at in pairs.get(i, ())), default=0) for i in numbers)
    return length_histogram(longest), longest


def _plots(comparison: Comparison, number: int) -> tuple[PlaceInClass, ...]:
    """Return the places of a submission in the class: its highest score and its longest passage."""
    score = words.rounded_percent(best_scores(comparison)[number])
    scores = score_plot(comparison)
    lengths, longest = _longest(comparison)
    symbols = comparison.scheme.symbols
    end = f"{lengths.bars * lengths.step:,} {symbols}"
    ticks = tuple(f"{percent}%" for percent in range(0, 101, 20))
    return (
        PlaceInClass("highest scores", scores, score, "%", ticks),
        PlaceInClass("longest passages", lengths, longest[number], f" {symbols}", ("0", end)),
    )


@lru_cache(maxsize=1)
def pairs_by_submission(comparison: Comparison) -> dict[int, list[int]]:
    """Return the numbers of the pairs of each submission that has one."""
    numbers: dict[int, list[int]] = {}
    for number, pair in enumerate(comparison.pairs):
        for side in (pair.left, pair.right):
            numbers.setdefault(side, []).append(number)
    return numbers


def _pairs(comparison: Comparison, number: int) -> Iterator[PairOfSubmission]:
    for at in pairs_by_submission(comparison).get(number, ()):
        pair = comparison.pairs[at]
        is_left = pair.left == number
        other = pair.right if is_left else pair.left
        shares = (pair.left_coverage, pair.right_coverage)
        here, there = shares if is_left else shares[::-1]
        cluster = cluster_numbers(comparison).get(other)
        link = None if cluster is None else cluster_link(comparison, cluster)
        yield PairOfSubmission(page_name(at), comparison.submissions[other], page_name(other), link, pair, here, there)


def cluster_link(comparison: Comparison, number: int) -> ClusterLink:
    """Return the link to a cluster by its number, from 0."""
    has_page = len(by_size(comparison)[number].members) >= WITH_PAGE
    return ClusterLink(number + 1, page_name(number) if has_page else None)


def cluster_pages(comparison: Comparison) -> int:
    """Return the number of clusters that have a page; they come first."""
    return sum(len(cluster.members) >= WITH_PAGE for cluster in comparison.clusters)


def _cluster(comparison: Comparison, number: int) -> tuple[ClusterLink, Links] | None:
    """Return the submission's cluster, and its other members; None if it has none."""
    cluster = cluster_numbers(comparison).get(number)
    if cluster is None:
        return None
    others = [member for member in by_size(comparison)[cluster].members if member != number]
    return cluster_link(comparison, cluster), _links(comparison, others)


def _sources(comparison: Comparison, number: int, room: int) -> tuple[SourceView, ...]:
    files = comparison.submissions[number].files
    texts = [comparison.text(number, i) for i in range(len(files))]
    ranks = _ranks_of_files(comparison)
    order = sorted(range(len(files)), key=lambda i: ranks.get((number, files[i].name), len(comparison.pairs)))
    if sum(map(len, texts)) <= min(AS_TEXT, max(room, AS_TEXT // 4)):
        archives = {}
        shown = {i: _lines(files[i], texts[i]) for i in order}
        room -= sum(len(markup) for markup in shown.values())
    else:
        archives = _archives(files, texts, order, min(room, COMPRESSED))
        shown = {}
        room = min(room, COMPRESSED) - sum(map(len, archives.values()))
    shown |= _coloured(files, texts, order, room, {i: len(shown.get(i, archives.get(i, ""))) for i in order})
    return tuple(
        SourceView(file, shown.get(i), None if i in shown else archives.get(i)) for i, file in enumerate(files)
    )


def _archives(files: Sequence[File], texts: Sequence[str], order: Sequence[int], room: int) -> dict[int, str]:
    """Return the archives of the files that fit, in this order."""
    archives: dict[int, str] = {}
    for i in order:
        if room < TOO_SMALL:
            break
        content = _archive(files[i], texts[i])
        if len(content) <= room:
            archives[i] = content
            room -= len(content)
    return archives


def _archive(file: File, text: str) -> str:
    """Return a ZIP archive with a file, in Base64."""
    content = BytesIO()
    with ZipFile(content, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        # Without a time, so that the same comparison gives the same page.
        entry = ZipInfo(PurePosixPath(file.name).name or "file")
        entry.compress_type = ZIP_DEFLATED
        archive.writestr(entry, text.encode("utf-8", "replace"))
    return b64encode(content.getvalue()).decode()


def _coloured(
    files: Sequence[File], texts: Sequence[str], order: Sequence[int], room: int, sizes: dict[int, int]
) -> dict[int, Markup]:
    """Return the files to show in colour, as far as there is room for more than their ``sizes``."""
    coloured: dict[int, Markup] = {}
    for i in order:
        if COLOURED_LETTER * len(texts[i]) - sizes[i] > room:
            continue
        markup = Markup("\n".join(source_items(files[i], texts[i], (), "l")))
        if len(markup) - sizes[i] <= room:
            coloured[i] = markup
            room -= len(markup) - sizes[i]
    return coloured


def _lines(file: File, text: str) -> Markup:
    return lines(text, _starter_code(file), "l")


def _starter_code(file: File) -> list[TextMark]:
    return [TextMark(span.start, span.end, Look.SANCTIONED) for span in file.sanctioned]


def source_items(file: File, text: str, marks: Sequence[TextMark], side: str) -> list[str]:
    """Return the lines of a file as list items: coloured, with starter code and the cells of a notebook."""
    painted = _painted.get((text, file.format, file.cells), len(text), lambda: _paint(file, text))
    items = line_items(painted, [*marks, *_starter_code(file)], side)
    for cell in file.cells:
        line = text.count("\n", 0, cell.start)
        items[line] = items[line].replace("<li>", f'<li class="cell" data-cell="{_cell_name(cell)}">', 1)
    return items


def _cell_name(cell: SectionMark) -> str:
    return str(escape(plain(f"Cell {cell.number}" + (f", {cell.label}" if cell.label else ""))))


# Pages of pairs show what pages of submissions have shown.
_painted: RecentTexts[PaintedText] = RecentTexts(2_000_000)


def _paint(file: File, text: str) -> PaintedText:
    spans = (colours(program, language).spans(place) for place, program, language in _programs(file, text))
    return PaintedText(text, chain.from_iterable(spans))


def _programs(file: File, text: str) -> Iterator[tuple[int, str, str]]:
    """Yield where a program begins, the program and its language: of a file, or of each code cell of a notebook."""
    if not file.cells:
        yield 0, text, file.format
    for cell in file.cells:
        if cell.label not in TEXT:
            yield cell.start, text[cell.start : cell.end], cell.label


def programs(comparison: Comparison, number: int, shown: Container[str] | None = None) -> Iterator[Program]:
    """Yield the programs of a submission that a page has in colour, of all files or of those that are shown: the first
    ones, which are small enough to be held while other pages are written."""
    letters = 0
    for i, file in enumerate(comparison.submissions[number].files):
        if shown is None or file.name in shown:
            text = comparison.text(number, i)
            letters += len(text)
            if letters > AS_TEXT:
                return
            for _, program, language in _programs(file, text):
                yield program, language


@lru_cache(maxsize=1)
def _ranks_of_files(comparison: Comparison) -> dict[tuple[int, str], int]:
    """Return the number of the first pair in which a file has a passage, by its submission and name."""
    ranks: dict[tuple[int, str], int] = {}
    for number, pair in enumerate(comparison.pairs):
        for passage in pair.passages:
            ranks.setdefault((pair.left, passage.left.file), number)
            ranks.setdefault((pair.right, passage.right.file), number)
    return ranks
