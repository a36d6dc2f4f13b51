"""The page of a pair: its two submissions side by side, file by file, with the passages that they share."""

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from whorl.comparison.result import Comparison, File, Pair, Submission
from whorl.matching.passage import Passage
from whorl.model import Span
from whorl.report import words
from whorl.report.markup import Look, Mark, colour, lines
from whorl.report.pages import page_name, render

# Characters of a side's files without passages that a page carries, collapsed, for reference. Past it they are only
# named: a page must open at once, whatever else a submission brought along.
ASIDE = 200_000


@dataclass(frozen=True, slots=True)
class FileView:
    """A file as shown: its lines as markup, or None if it is only named. ``shared`` counts its passages."""

    file: File
    lines: Markup | None
    shared: int


@dataclass(frozen=True, slots=True)
class SideView:
    """One side of a pair."""

    key: str
    submission: Submission
    coverage: float
    files: tuple[FileView, ...]


@dataclass(frozen=True, slots=True)
class PassageView:
    """A passage with its number, from 1, its colour, and the words for it."""

    number: int
    colour: int
    passage: Passage
    left_lines: str
    right_lines: str
    runs: str
    reason: str


def page(comparison: Comparison, number: int, title: str) -> str:
    """The page of a pair, whole."""
    pair = comparison.pairs[number]
    last = len(comparison.pairs) - 1
    return render(
        "pair",
        title=title,
        rank=number + 1,
        pair=pair,
        total=len(comparison.pairs),
        sides=(_side(comparison, pair, "l"), _side(comparison, pair, "r")),
        passages=tuple(_passage(comparison, i, passage) for i, passage in enumerate(pair.passages, start=1)),
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
        sanctioned=any(_has_sanctioned(comparison.submissions[side]) for side in (pair.left, pair.right)),
    )


def _has_sanctioned(submission: Submission) -> bool:
    return any(file.sanctioned for file in submission.files)


def _passage(comparison: Comparison, number: int, passage: Passage) -> PassageView:
    return PassageView(
        number,
        colour(number),
        passage,
        words.span_of_lines(passage.left),
        words.span_of_lines(passage.right),
        words.runs(passage.matches),
        words.reason(passage, comparison.scheme),
    )


def _side(comparison: Comparison, pair: Pair, key: str) -> SideView:
    number, coverage = (pair.left, pair.left_coverage) if key == "l" else (pair.right, pair.right_coverage)
    submission = comparison.submissions[number]
    marks = marks_by_file(pair, key)
    read = _Reader(lambda file: comparison.text(number, file))
    views = [_file(file, i, marks.pop(file.name, []), read, key) for i, file in enumerate(submission.files)]
    return SideView(key, submission, coverage, tuple(views))


def marks_by_file(pair: Pair, key: str) -> dict[str, list[Mark]]:
    """The marks of a side's passages: each passage as a gap, and its matches over it."""
    marks: dict[str, list[Mark]] = {}
    for number, passage in enumerate(pair.passages, start=1):
        side = passage.left if key == "l" else passage.right
        of_file = marks.setdefault(side.file, [])
        of_file.append(Mark(side.start, side.end, Look.GAP, number))
        for match in passage.matches:
            span = match.left if key == "l" else match.right
            of_file.append(Mark(span.start, span.end, Look.MATCH, number))
    return marks


class _Reader:
    """Reads files; those without passages only as long as there is room for them."""

    def __init__(self, text: Callable[[int], str]) -> None:
        self._text = text
        self._room = ASIDE

    def read(self, file: int, wanted: bool) -> str | None:
        if not wanted and self._room <= 0:
            return None
        text = self._text(file)
        if wanted:
            return text
        self._room -= len(text)
        return text if self._room >= 0 else None


def _file(file: File, number: int, marks: list[Mark], read: _Reader, key: str) -> FileView:
    shared = len({mark.passage for mark in marks})
    text = read.read(number, bool(marks))
    if text is None:
        return FileView(file, None, shared)
    sanctioned = [_sanctioned(span) for span in file.sanctioned]
    return FileView(file, lines(text, [*marks, *sanctioned], key), shared)


def _sanctioned(span: Span) -> Mark:
    return Mark(span.start, span.end, Look.SANCTIONED)
