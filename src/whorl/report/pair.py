"""The page of a pair: two submissions side by side, the files that have passages, and links to the others."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup

from whorl._version import VERSION
from whorl.comparison.result import Comparison, File, Pair, Submission
from whorl.formats.documents.notebook import TEXT
from whorl.matching.passage import Lines, Passage, Side
from whorl.matching.score import enough
from whorl.report import words
from whorl.report.markup import CONTEXT, Look, Program, Stretch, TextMark, colour, stretches
from whorl.report.pages import Review, page_name, render, review_key
from whorl.report.submission import MOST_LINKED, names_of, source_items
from whorl.report.submission import programs as submission_programs

# Maximum size of a side's markup, in bytes, and of its folded lines: a page opens quickly. Further lines are in the
# submission's page.
SIDE = 180_000
FOLDED = 40_000

# Maximum room of a page, in bytes, for the list of passages and both sides.
ROOM = 2 * SIDE + 120_000

# Estimates of the markup of a listed passage, of one that is not, of a match, of a line, and of a letter in it, in
# bytes: means of Python programs.
PASSAGE, UNLISTED, MATCH, LINE, LETTER = 760, 200, 10, 80, 2

# If not all passages fit into a page, so many have room, each with its first lines: at least, and at most.
PASSAGES = 20
FEWEST_LINES, MOST_LINES = 12, 400

# Room of a page for each name of a file without passages, and for each digest: they take a sixth of it at most.
NAME = 1_500

# Markup of a side, in characters, after which files begin closed: a browser lays out some hundred lines at once, and
# the others when they are opened.
OPEN = 30_000

# Maximum number of listed passages, of named files without passages, and of digests: what a person reads.
LISTED = 200
NAMED = 100
DIGESTS = 20

# Height of the map of a side, and the minimum height of a passage in it.
MAP = 1000
MAP_MARK = 6


@dataclass(frozen=True, slots=True)
class StretchView:
    """Neighbouring lines: the numbers of the first and last, and their markup, or None if they are left out."""

    first: int
    last: int
    folded: bool
    lines: Markup | None


@dataclass(frozen=True, slots=True)
class FileView:
    """A file with its number in the submission, its lines, the number of its passages on the page, that of the longest
    one, and its matched share. A closed file is opened by a click, or with its passage."""

    file: File
    number: int
    language: str
    stretches: tuple[StretchView, ...]
    shared: int
    longest: int
    matched: float
    is_open: bool


class FileMap(NamedTuple):
    """A file in the map of a side: its number, its top and height in units of the map, and the marks of its passages,
    whose tops count from its own."""

    number: int
    top: float
    height: float
    marks: Markup


@dataclass(frozen=True, slots=True)
class SideView:
    """One side of a pair: the files with passages on the page, those whose passages are left out, and the others, by
    their numbers."""

    key: str
    submission: Submission
    page: str
    coverage: float
    files: tuple[FileView, ...]
    left_out: "NamedFiles"
    others: "NamedFiles"
    map: tuple[FileMap, ...]


class NamedFiles(NamedTuple):
    """Files that are named with a link, by their numbers, and the number of further ones."""

    named: tuple[tuple[int, File], ...]
    unnamed: int

    @property
    def total(self) -> int:
        """The number of all these files."""
        return len(self.named) + self.unnamed


class PairPage(NamedTuple):
    """A page, and the number of passages that it leaves out."""

    html: str
    left_out: int


def page(comparison: Comparison, number: int, title: str, review: Review, now: datetime, room: int = ROOM) -> PairPage:
    """Return the page of a pair. ``room`` is the size of its passages and lines in bytes, nearly: the longest passages
    come first, and the page says what is left out."""
    pair, room = comparison.pairs[number], min(room, ROOM)
    selection = select_passages(pair.passages, room)
    shown = selection.passages
    names = [comparison.submissions[side].name for side in (pair.left, pair.right)]
    key = review_key(*names)
    last = len(comparison.pairs) - 1
    html = render(
        "pair",
        title=title,
        version=VERSION,
        made=f"{now:%Y-%m-%d %H:%M %Z}",
        run=comparison.run,
        settings=_listed(comparison.run.settings.items() if comparison.run else ()),
        parameters=_listed(comparison.scheme.as_dict().items()),
        review={"report": title, "pair": names, "marks": [[*key, *review[key]]] if key in review else []},
        rank=number + 1,
        pair=pair,
        total=len(comparison.pairs),
        sides=(_side(comparison, pair, "l", selection, room), _side(comparison, pair, "r", selection, room)),
        passages=pair.passages,
        shown=shown,
        is_cut=room < ROOM,
        most_digests=min(DIGESTS, room // NAME),
        listed=pair.passages[: min(LISTED, shown)],
        rows=_rows(comparison, pair, min(LISTED, shown)),
        comparison=comparison,
        named=names_of(comparison),
        uncounted=words.sentence(words.UNCOUNTED.get(comparison.scheme.symbols or "", "")),
        scheme=comparison.scheme,
        colour=colour,
        previous=page_name(number - 1) if number else None,
        following=page_name(number + 1) if number < last else None,
        measures=words.MEASURES,
        findings=comparison.findings.of_pair(pair.left, pair.right),
        odd=[
            (comparison.submissions[side].name, finding)
            for side in (pair.left, pair.right)
            for finding in comparison.findings.of_submission(side)
        ],
        symbols=comparison.scheme.symbols,
        longest=words.symbols(pair.longest, comparison.scheme),
        matched=words.symbols(pair.score_parts.matched, comparison.scheme),
        enough=f"{enough(comparison.scheme):,}",
        typical=(comparison.quantile(0.5), comparison.quantile(0.95)),
        identical=[
            (
                comparison.submissions[side].name,
                len(others),
                [comparison.submissions[each].name for each in others[:MOST_LINKED]],
            )
            for side, others in zip((pair.left, pair.right), comparison.others(pair), strict=True)
            if others
        ],
        sanctioned=any(_has_starter_code(comparison.submissions[side]) for side in (pair.left, pair.right)),
    )
    return PairPage(html, len(pair.passages) - shown)


def programs(comparison: Comparison, pair: Pair) -> Iterator[Program]:
    """Yield the programs of small submissions in which the pair has passages: its page shows them in colour."""
    lefts, rights = ({getattr(passage, side).file for passage in pair.passages} for side in ("left", "right"))
    yield from submission_programs(comparison, pair.left, lefts)
    yield from submission_programs(comparison, pair.right, rights)


def _listed(settings: Iterable[tuple[str, Any]]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings if value is not None)


class Selection(NamedTuple):
    """The number of passages on a page, the longest first, and the lines of each file that it shows, by side and name;
    all lines of a file that is not in it."""

    passages: int
    lines: Mapping[tuple[str, str], Container[int]]


def select_passages(passages: Sequence[Passage], room: int) -> Selection:
    """Select the passages that fit into a page, by an estimate: all of them, or else the longest, each with its first
    lines; at least one."""
    everything = _fitting(passages, room, None)
    if everything.passages == len(passages):
        return Selection(len(passages), {})
    most = room // (4 * PASSAGES * LINE)
    selection = _fitting(passages, room, min(max(most, FEWEST_LINES), MOST_LINES))
    return selection._replace(passages=max(1, selection.passages))


def _fitting(passages: Sequence[Passage], room: int, most_lines: int | None) -> Selection:
    lines: dict[tuple[str, str], set[int]] = {}
    for number, passage in enumerate(passages):
        room -= MATCH * len(passage.matches) + (PASSAGE if number < LISTED else UNLISTED)
        for key, side in (("l", passage.left), ("r", passage.right)):
            end = side.end_line if most_lines is None else min(side.end_line, side.start_line + most_lines - 1)
            new = set(range(side.start_line - CONTEXT, end + CONTEXT + 1)) - lines.setdefault((key, side.file), set())
            lines[key, side.file] |= new
            letters = (side.end - side.start) // (side.end_line - side.start_line + 1)
            room -= len(new) * (LINE + LETTER * letters)
        if room < 0:
            return Selection(number, lines)
    return Selection(len(passages), lines)


def _rows(comparison: Comparison, pair: Pair, listed: int) -> list[str]:
    """Return the rows of each listed passage on paper: the lines where each begins on the left and on the right, and at
    last the two lines after its end, as ``4:5 20:22 133:134``."""
    passages = pair.passages[:listed]
    lines = {
        (side, file.name): Lines(comparison.text(number, i))
        for side, number in (("l", pair.left), ("r", pair.right))
        for i, file in enumerate(comparison.submissions[number].files)
        if any(file.name in (passage.left.file, passage.right.file) for passage in passages)
    }
    return [
        " ".join(f"{left}:{right}" for left, right in aligned_rows(
            passage, lines["l", passage.left.file], lines["r", passage.right.file]
        ))
        for passage in passages
    ]  # fmt: skip


def aligned_rows(passage: Passage, left: Lines, right: Lines) -> list[tuple[int, int]]:
    """Return the lines where rows of a passage begin, and those after its end. A row begins with a match that is
    further down on both sides, so that equal lines stand side by side."""
    rows = [(passage.left.start_line, passage.right.start_line)]
    for match in sorted(passage.matches):
        begin = left.line(match.left.start), right.line(match.right.start)
        if begin[0] > rows[-1][0] and begin[1] > rows[-1][1]:
            rows.append(begin)
    return [*rows, (passage.left.end_line + 1, passage.right.end_line + 1)]


def _has_starter_code(submission: Submission) -> bool:
    return any(file.sanctioned for file in submission.files)


def _side(comparison: Comparison, pair: Pair, key: str, selection: Selection, size: int) -> SideView:
    shown = selection.passages
    number, coverage = (pair.left, pair.left_coverage) if key == "l" else (pair.right, pair.right_coverage)
    submission = comparison.submissions[number]
    marks = marks_by_file(pair.passages[:shown], key)
    room = _Room(size)
    lines = {i: selection.lines.get((key, file.name)) for i, file in enumerate(submission.files)}
    texts = {i: marks[file.name] for i, file in enumerate(submission.files) if file.name in marks}
    # The files of the longest passages take the room first, and are open.
    order = sorted(texts, key=lambda i: min(mark.passage for mark in texts[i]))
    by_number = {}
    for i in order:
        file, text = submission.files[i], comparison.text(number, i)
        matched = coverage if len(submission.files) == 1 else matched_share(file, pair.passages, key)
        by_number[i] = _file(file, i, texts[i], text, key, room, lines[i], matched)
    views = [by_number[i] for i in sorted(by_number)]
    rest = {passage.left.file if key == "l" else passage.right.file for passage in pair.passages[shown:]}
    others = [(i, file) for i, file in enumerate(submission.files) if i not in by_number]
    left_out = _named([(i, file) for i, file in others if file.name in rest], size)
    without = _named([(i, file) for i, file in others if file.name not in rest], size)
    map_of_side = tuple(_map(pair.passages[: min(LISTED, shown)], key, views))
    return SideView(key, submission, page_name(number), coverage, tuple(views), left_out, without, map_of_side)


def _named(files: Sequence[tuple[int, File]], room: int) -> NamedFiles:
    most = min(NAMED, room // NAME)
    return NamedFiles(tuple(files[:most]), max(0, len(files) - most))


def _map(passages: Sequence[Passage], key: str, views: Sequence[FileView]) -> Iterator[FileMap]:
    """Yield the places of the passages in a side's files, one file below the other."""
    total = sum(view.stretches[-1].last for view in views)
    sides = [(number, passage.left if key == "l" else passage.right) for number, passage in enumerate(passages, 1)]
    top = 0.0
    for view in views:
        height = MAP * view.stretches[-1].last / total
        marks = (
            _map_mark(number, key, side, height, MAP / total) for number, side in sides if side.file == view.file.name
        )
        yield FileMap(view.number, round(top, 1), round(height, 1), Markup("".join(marks)))
        top += height


def _map_mark(number: int, key: str, side: Side, height: float, line: float) -> str:
    """Return the mark of a passage, which is high enough to be seen, in a file of this height."""
    top, length = line * (side.start_line - 1), line * (side.end_line - side.start_line + 1)
    y, size = round(max(0, min(top, height - MAP_MARK)), 1), round(max(length, MAP_MARK), 1)
    return (
        f'<a class="p{colour(number)}" href="#{key}{number}" data-p="{number}" tabindex="-1">'
        f'<rect y="{y}" width="10" height="{size}"/></a>'
    )


def marks_by_file(passages: Sequence[Passage], key: str) -> dict[str, list[TextMark]]:
    """Return the marks of a side's passages: each passage as a gap, and its matches over it."""
    marks: dict[str, list[TextMark]] = {}
    for number, passage in enumerate(passages, start=1):
        side = passage.left if key == "l" else passage.right
        of_file = marks.setdefault(side.file, [])
        of_file.append(TextMark(side.start, side.end, Look.GAP, number))
        for match in passage.matches:
            span = match.left if key == "l" else match.right
            of_file.append(TextMark(span.start, span.end, Look.MATCH, number))
    return marks


class _Room:
    """The room that is left on a side of the page, for lines near passages and for folded lines."""

    def __init__(self, page: int) -> None:
        # The lists take a quarter.
        side = min(SIDE, 3 * page // 8)
        self._left = {False: side, True: min(FOLDED, side // 4)}
        self._open = side - OPEN

    @property
    def is_open(self) -> bool:
        """Whether the next file is open."""
        return self._left[False] > self._open

    def take(self, stretch: Stretch, lines: Container[int] | None) -> Iterator[StretchView]:
        """Yield the lines that are selected and fit, and the others, left out."""
        if lines is None or stretch.folded:
            yield from self._take(stretch)
            return
        place = 0
        for is_selected, group in groupby(range(len(stretch.lines)), lambda at: stretch.first + at in lines):
            length = len(list(group))
            part = Stretch(stretch.first + place, stretch.lines[place : place + length], folded=False)
            if is_selected:
                yield from self._take(part)
            else:
                yield StretchView(part.first, part.first + length - 1, False, None)
            place += length

    def _take(self, stretch: Stretch) -> Iterator[StretchView]:
        fitting = 0
        for line in stretch.lines:
            self._left[stretch.folded] -= len(line.encode())
            if self._left[stretch.folded] < 0:
                break
            fitting += 1
        # A folded stretch is shown as a whole or not at all.
        fitting = 0 if stretch.folded and fitting < len(stretch.lines) else fitting
        cut, last = stretch.first + fitting, stretch.first + len(stretch.lines) - 1
        if fitting:
            yield StretchView(stretch.first, cut - 1, stretch.folded, Markup("\n".join(stretch.lines[:fitting])))
        if cut <= last:
            yield StretchView(cut, last, stretch.folded, None)


def _file(
    file: File,
    number: int,
    marks: list[TextMark],
    text: str,
    key: str,
    room: _Room,
    lines: Container[int] | None,
    matched: float,
) -> FileView:
    passages = {mark.passage for mark in marks}
    items = source_items(file, text, marks, key)
    is_open = room.is_open
    views = [view for stretch in stretches(text, marks, items) for view in room.take(stretch, lines)]
    joined, language = tuple(_joined(views)), _language(file)
    return FileView(file, number, language, joined, len(passages), min(passages, default=0), matched, is_open)


def matched_share(file: File, passages: Iterable[Passage], key: str) -> float:
    """Return the share of a file's symbols inside matches. Of matches that overlap, the common part counts once, by its
    length."""
    spans = sorted(
        (*(match.left if key == "l" else match.right), match.symbols)
        for passage in passages
        if (passage.left if key == "l" else passage.right).file == file.name
        for match in passage.matches
    )
    matched, reached = 0.0, 0
    for start, end, symbols in spans:
        matched += symbols * max(0, end - max(start, reached)) / max(1, end - start)
        reached = max(reached, end)
    return min(1.0, matched / max(1, file.symbols))


def _joined(views: Sequence[StretchView]) -> Iterator[StretchView]:
    """Yield the stretches of a file, neighbours that are left out as one."""
    for is_left_out, group in groupby(views, key=lambda view: view.lines is None):
        members = list(group)
        if is_left_out:
            yield StretchView(members[0].first, members[-1].last, all(view.folded for view in members), None)
        else:
            yield from members


def _language(file: File) -> str:
    """Return the language of a file, or of a notebook's code, for passages that count as starter code."""
    return next((cell.label for cell in file.cells if cell.label not in TEXT), file.format)
