"""Programs as lines of tokens, and the runs of equal lines of two of them: the ``diff`` under the alignment.

Tokens come from the text and not from a parser, so imports and brackets count too.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import chain, pairwise
from typing import NamedTuple

from whorl.formats.code.languages import LANGUAGES
from whorl.formats.code.row import STRINGS, comment_pattern
from whorl.model import Span

# Tokens after which a line ends at the next sign that may end a statement: splits one-line programs and tables.
LONG_LINE = 40

# Separates the tokens in the name of a line. In a program it reads as a blank.
SEPARATOR = "\0"

_BRACKETS = frozenset("{}")
_ENDS = frozenset(";,}")
_SPACE = re.compile(r"\s+")

# Positions of one line, or of one seed of tokens, that are followed: more are tables and closing brackets.
PLACES = 32

# Runs of lines that are followed at a time. Only two tables of one repeated line have more.
ACTIVE = 2 * PLACES

# Pairs of lines in a gap that are compared with each other. In larger gaps only unique lines are aligned.
CROSSED = 2500


class EqualRun(NamedTuple):
    """Equal lines, or tokens: the first on each side, and their number."""

    here: int
    there: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class ProgramLines:
    """The tokens of a program with their spans, and its lines as ranges of tokens. Equal lines have equal ``names``;
    ``weights`` are lengths in characters. Lines without a word are left out. ``comments`` have their text, with single
    blanks, and their span."""

    keys: list[str]
    starts: list[int]
    ends: list[int]
    lines: list[tuple[int, int]]
    names: list[str]
    weights: list[int]
    comments: list[tuple[str, Span]]
    words: frozenset[str]


def program_lines(text: str, language: str) -> ProgramLines:
    """Split a program into lines. Line names leave out the brackets of blocks, which may be on the next line."""
    text = text.replace(SEPARATOR, " ")
    keys: list[str] = []
    starts: list[int] = []
    bounds = [0]
    comments: list[tuple[str, Span]] = []
    # A notebook is no language; nearly all have Python's comments.
    comments_of = LANGUAGES[language if language in LANGUAGES else "python"].comments
    for match in _pattern(comments_of).finditer(text):
        key = match[0]
        if match.lastindex:
            comments.append((_SPACE.sub(" ", key).strip(), Span(match.start(), match.end())))
        elif key == "\n" or (len(keys) - bounds[-1] >= LONG_LINE and key in _ENDS):
            bounds.append(len(keys))
        if not match.lastindex and key != "\n":
            keys.append(key)
            starts.append(match.start())
    bounds.append(len(keys))
    ends = [start + len(key) for start, key in zip(starts, keys, strict=True)]
    lines, names, weights = [], [], []
    for first, end in pairwise(bounds):
        inside = [key for key in keys[first:end] if key not in _BRACKETS]
        if any(map(is_word, inside)):
            lines.append((first, end))
            names.append(SEPARATOR.join(inside))
            weights.append(sum(map(len, keys[first:end])))
    return ProgramLines(keys, starts, ends, lines, names, weights, comments, frozenset(keys))


def is_name(key: str) -> bool:
    """Return whether a token is a name or a keyword."""
    return key[:1].isalpha() or key[:1] == "_"


def is_word(key: str) -> bool:
    """Return whether a token is a name, a number or a string."""
    return key[:1].isalnum() or key[:1] in ("_", "'", '"', "`")


@cache
def _pattern(comments: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"({comment_pattern(comments)})|(?:{STRINGS})|\w+|[^\w\s]|\n")


def equal_runs(
    mine: Sequence[str], theirs: Sequence[str], ends: Sequence[int], places: Mapping[str, Sequence[int]]
) -> Iterator[EqualRun]:
    """Yield all maximal runs of equal lines, none across the end of a template document. ``places`` has a few positions
    of each line, at which runs begin."""
    active: dict[int, int] = {}
    for at, name in enumerate([*mine, ""]):
        grown: dict[int, int] = {}
        for there, size in active.items():
            if name and there < ends[there - 1] and theirs[there] == name:
                grown[there + 1] = size + 1
            else:
                yield EqualRun(at - size, there - size, size)
        if name and len(grown) < ACTIVE:
            for there in places.get(name, ()):
                grown.setdefault(there + 1, 1)
        active = grown


def line_name(keys: Iterable[str]) -> str:
    """Return the name of a line with these tokens."""
    return " ".join(key for key in keys if not is_bracket(key))


def common_runs(mine: Sequence[str], theirs: Sequence[str], here: range, there: range) -> Iterator[EqualRun]:
    """Yield the equal lines of two ranges, in order. Split large ranges at lines that are unique in both (Cohen's
    patience diff)."""
    if not here or not there:
        return
    if len(here) * len(there) <= CROSSED:
        blocks = SequenceMatcher(None, mine[slice(*_ends(here))], theirs[slice(*_ends(there))], autojunk=False)
        yield from (
            EqualRun(here.start + a, there.start + b, size) for a, b, size in blocks.get_matching_blocks() if size
        )
        return
    pairs = _increasing(_unique(mine, theirs, here, there))
    if pairs:
        edges = [(here.start - 1, there.start - 1), *pairs, (here.stop, there.stop)]
        for (left, low), (right, high) in pairwise(edges):
            yield from common_runs(mine, theirs, range(left + 1, right), range(low + 1, high))
            if right < here.stop:
                yield EqualRun(right, high, 1)


def _ends(lines: range) -> tuple[int, int]:
    return lines.start, lines.stop


def _unique(mine: Sequence[str], theirs: Sequence[str], here: range, there: range) -> list[tuple[int, int]]:
    """Return the lines that occur once in each of two ranges, in the order of the first."""
    counts = Counter(chain((mine[at] for at in here), (theirs[at] for at in there)))
    places = {theirs[at]: at for at in there}
    once = Counter(mine[at] for at in here)
    return [
        (at, places[mine[at]]) for at in here if once[mine[at]] == 1 and counts[mine[at]] == 2 and mine[at] in places
    ]


def _increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest increasing subsequence of pairs whose first numbers increase."""
    tops: list[int] = []
    last: list[int] = []
    back: list[int] = []
    for number, (_, there) in enumerate(pairs):
        at = bisect_left(tops, there)
        back.append(last[at - 1] if at else -1)
        if at == len(tops):
            tops.append(there)
            last.append(number)
        else:
            tops[at], last[at] = there, number
    chosen, number = [], last[-1] if last else -1
    while number >= 0:
        chosen.append(pairs[number])
        number = back[number]
    return chosen[::-1]


def is_bracket(key: str) -> bool:
    return key in _BRACKETS
