"""Read a program that its parser cannot read whole, in regions, so that broken code spoils only itself.

One line of open brackets makes an error of all that follows, and some lines exceed a parser's limits. The program is
cut, between two functions if possible, and each part is read on its own until the broken code stands alone. If the
program without it can be read whole, that is the result; if not, its parts are. The plain lexer reads what no parser
reads in time.
"""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from whorl.formats.code.leaves import Plain, is_broken
from whorl.formats.code.row import Language
from whorl.formats.code.tokens import NormalForm, TokenArrays, from_plain, lexed, untouchable

# Processor seconds of parsers for all regions of a program: what is left then is lexed. Neither a loaded machine nor
# other programs that wait for a worker may decide what is lexed.
SECONDS = 10.0

# What a region counts at least, which is the way to a worker: one that a program has taken over may say anything, NaN
# too.
LEAST = 1e-4

# Characters of a line from which on it is looked at alone: nobody writes such lines, and those that stop parsers are.
LONG = 2000

_CLOSER = re.compile(r"[)\]}]|else\b|elif\b|except\b|catch\b|finally\b|end\b")
_INDENT = re.compile(r"[ \t]*")
_CODE = re.compile(r"[^\r\n]++")

# How often the program is tried without some of its broken lines.
TRIES = 8

# What a parser made of a region, None if it had to be stopped; and how many processor seconds it took.
Reading: TypeAlias = tuple[Plain | None, float]

# Reads regions, each when it is asked for. The tokens of a broken one that can be cut, as the flag beside it says, are
# not wanted.
Read = Callable[[list[tuple[bytes, bool]]], Iterator[Reading]]


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


class Regions(NamedTuple):
    """The tokens of a program that was read in regions, and how many of its lines were lexed."""

    tokens: TokenArrays
    lexed: int
    lines: int


class _Lines:
    """The lines at which regions may begin: none inside a comment or a string."""

    def __init__(self, row: Language, text: str) -> None:
        spans = untouchable(row, text)
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        long_spans = np.array([span for span in spans if span[1] > span[0] + 1], np.int64).reshape(-1, 2)
        at = np.searchsorted(long_spans[:, 0], starts, "left") - 1
        inside = (
            (at >= 0) & (np.array(starts) < long_spans[at, 1]) if len(long_spans) else np.zeros(len(starts), np.bool_)
        )
        self.text = text
        self.starts = [start for start, is_inside in zip(starts, inside.tolist(), strict=True) if not is_inside]
        self.ends = [*self.starts[1:], len(text)]
        self._depths = [0, *(self._depth(line) for line in range(1, len(self.starts)))]

    def __len__(self) -> int:
        return len(self.starts)

    def region(self, first: int, last: int) -> str:
        return self.text[self.starts[first] : self.ends[last - 1]]

    def middle(self, first: int, last: int) -> int:
        """Return the line to cut before: the one most like the first of a function, near the middle."""
        return min(range(first + 1, last), key=lambda line: (self._depths[line], abs(2 * line - first - last)))

    def without(self, runs: "list[tuple[int, int]]") -> str:
        """Return the text, equally long, with blanks for these lines."""
        parts, done = [], 0
        for first, last in runs:
            parts += [self.text[done : self.starts[first]], _CODE.sub(_blank, self.region(first, last))]
            done = self.ends[last - 1]
        return "".join([*parts, self.text[done:]])

    def is_long(self, line: int) -> bool:
        return self.ends[line] - self.starts[line] > LONG

    def _depth(self, line: int) -> int:
        """Return how deeply nested a line seems to be."""
        text, before = self.region(line, line + 1), self.region(line - 1, line).strip()
        indent = _INDENT.match(text)
        depth = 0 if indent is None else len(indent[0])
        is_apart = not before or before.endswith(("}", "end"))
        return depth + (0 if is_apart else 3) + (6 if _CLOSER.match(text.lstrip()) else 0)


def read_regions(row: Language, data: bytes, read: Read, broken: Plain | None = None) -> Regions:
    """Return the tokens of a program in UTF-8, region by region. ``broken`` is what a parser made of all of it."""
    lines = _Lines(row, data.decode("utf-8", "replace"))
    parser = _Parser(read, data, broken)
    parts = _parts(row, lines, parser)
    count = sum(part.last - part.first for part in parts if not part.is_read)
    whole = _without_broken(row, lines, parser, parts)
    tokens = _joined([part.tokens for part in parts]) if whole is None else whole
    return Regions(tokens, count, len(lines))


class _Parser:
    """Reads regions of a program, not the whole again if it was read, and counts what that takes."""

    def __init__(self, read: Read, data: bytes, broken: Plain | None) -> None:
        self._read, self._data, self._broken = read, data, broken
        self._seconds = 0.0

    @property
    def is_late(self) -> bool:
        return self._seconds > SECONDS

    def read(self, regions: list[tuple[bytes, bool]]) -> Iterator[Plain | None]:
        """Yield what a parser makes of each region, None if it had to be stopped."""
        if self._broken is not None and [each for each, _ in regions] == [self._data]:
            yield self._broken
            return
        for plain, seconds in self._read(regions):
            self._seconds += max(LEAST, seconds)
            yield plain


class _Part(NamedTuple):
    """Some lines and their tokens. ``is_read``: a parser read it; ``is_broken``: with errors."""

    first: int
    last: int
    tokens: TokenArrays
    is_read: bool
    is_broken: bool


class _Region(NamedTuple):
    """Some lines, and what a parser is given of them: in some languages code needs an opening."""

    first: int
    last: int
    opening: str
    data: bytes

    @classmethod
    def of(cls, row: Language, lines: _Lines, first: int, last: int) -> "_Region":
        text = lines.region(first, last)
        opening = "" if row.opening.strip() in text else row.opening
        return cls(first, last, opening, (opening + text).encode())

    @property
    def can_be_cut(self) -> bool:
        return self.last - self.first > 1


def _parts(row: Language, lines: _Lines, parser: _Parser) -> list[_Part]:
    """Return regions that can be read on their own, and lines that cannot. The halves of all broken regions are read
    together, because the way to a worker costs as much as reading a kilobyte."""
    parts: list[_Part] = []
    waiting = list(_apart(lines))
    while waiting:
        regions = [_Region.of(row, lines, first, last) for first, last in waiting]
        plains = parser.read([(region.data, region.can_be_cut) for region in regions])
        waiting = []
        for region in regions:
            is_late = parser.is_late
            plain = None if is_late else next(plains)
            if is_late or not region.can_be_cut or _is_sound(region.data, plain):
                parts.append(_part(row, lines, region, plain))
            else:
                cut = lines.middle(region.first, region.last)
                waiting += [(region.first, cut), (cut, region.last)]
    return sorted(parts, key=lambda part: part.first)


def _part(row: Language, lines: _Lines, region: _Region, plain: Plain | None) -> _Part:
    tokens = _shifted(_tokens(row, region.data, plain), lines.starts[region.first] - len(region.opening))
    return _Part(region.first, region.last, tokens, plain is not None, not _is_sound(region.data, plain))


def _is_sound(data: bytes, plain: Plain | None) -> bool:
    return plain is not None and not is_broken(plain[-1], len(data))


def _without_broken(row: Language, lines: _Lines, parser: _Parser, parts: list[_Part]) -> TokenArrays | None:
    """Read the program whole without its broken lines and put their tokens back; None if that fails. A line that is
    broken alone may be half of something sound, so single runs are tried too."""
    runs = _runs(parts)
    longest = sorted(runs, key=lambda run: lines.starts[run[0]] - lines.ends[run[1] - 1])
    for out in [runs, *([run] for run in longest[:TRIES])]:
        if not out or parser.is_late:
            return None
        data = lines.without(out).encode()
        plain = next(parser.read([(data, True)]))
        if plain is not None and _is_sound(data, plain):
            spans = [range(*run) for run in out]
            left = [part.tokens for part in parts if any(part.first in span for span in spans)]
            merged = _merged(from_plain(row.name, data, plain), left)
            # A string that is open before the lines taken out goes on over the blanks in their place.
            if np.all(merged.ends[:-1] <= merged.ends[1:]):
                return merged
    return None


def _runs(parts: list[_Part]) -> list[tuple[int, int]]:
    """Return the runs of consecutive broken lines."""
    runs: list[tuple[int, int]] = []
    for part in parts:
        if part.is_broken and runs and runs[-1][1] == part.first:
            runs[-1] = runs[-1][0], part.last
        elif part.is_broken:
            runs.append((part.first, part.last))
    return runs


def _merged(whole: TokenArrays, left: list[TokenArrays]) -> TokenArrays:
    """Merge the tokens of a program and of the lines taken out of it, in order."""
    joined = _joined([whole._replace(normal=None), *(part._replace(normal=None) for part in left)])
    order = np.argsort(joined.starts, kind="stable")
    return TokenArrays(joined.symbols[order], joined.starts[order], joined.ends[order], "", whole.normal)


def _tokens(row: Language, region: bytes, plain: Plain | None) -> TokenArrays:
    """Return the tokens of a region, without a normal form if it is broken."""
    if plain is None:
        return lexed(row.name, region, "")
    tokens = from_plain(row.name, region, plain)
    return tokens._replace(normal=None) if is_broken(plain[-1], len(region)) else tokens


def _apart(lines: _Lines) -> Iterator[tuple[int, int]]:
    """Yield the first regions: long lines alone, and the lines between them."""
    first = 0
    for line in range(len(lines)):
        if lines.is_long(line):
            yield from [(first, line)] * (first < line)
            yield line, line + 1
            first = line + 1
    yield from [(first, len(lines))] * (first < len(lines))


def _shifted(tokens: TokenArrays, offset: int) -> TokenArrays:
    """Shift the tokens of a region by its offset."""
    moved = np.int32(offset)
    normal = tokens.normal
    if normal is not None:
        normal = normal._replace(starts=normal.starts + moved, ends=normal.ends + moved)
    return tokens._replace(starts=tokens.starts + moved, ends=tokens.ends + moved, normal=normal)


def _joined(parts: list[TokenArrays]) -> TokenArrays:
    symbols = np.concatenate([np.zeros(0, np.uint32), *(part.symbols for part in parts)])
    starts = np.concatenate([np.zeros(0, np.int32), *(part.starts for part in parts)])
    ends = np.concatenate([np.zeros(0, np.int32), *(part.ends for part in parts)])
    return TokenArrays(symbols, starts, ends, "", _forms(parts))


def _forms(parts: list[TokenArrays]) -> NormalForm | None:
    """Join the normal forms of the regions: first their forms, then their statements as they stand."""
    forms = [part.normal for part in parts if part.normal is not None and not part.normal.missing]
    if not forms:
        return next((part.normal for part in parts if part.normal is not None), None)
    cut = [*((form, slice(form.size)) for form in forms), *((form, slice(form.size, None)) for form in forms)]
    return NormalForm(
        np.concatenate([form.symbols[part] for form, part in cut]),
        np.concatenate([form.starts[part] for form, part in cut]),
        np.concatenate([form.ends[part] for form, part in cut]),
        np.concatenate([form.marks[part] for form, part in cut]),
        sum(form.size for form in forms),
        "",
        sum(form.seconds for form in forms),
    )
