"""Find the traces of one submission: traits, and oddities: padding, invisible characters, look-alikes, hidden text.

Workers run this too; NumPy is not imported here.
"""

import json
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from string import digits
from typing import NamedTuple, TypeAlias

from whorl.comparison.evidence.finding import SubmissionTexts, Text
from whorl.comparison.evidence.traits import (
    BLANKS,
    COMMENT,
    LITERAL,
    Lexeme,
    Trait,
    bare,
    blanks,
    comments,
    is_program,
    lexemes,
    literals,
    quote,
    word_runs,
    words,
)

# Deceptive characters or words to tolerate in a submission: a stray one comes from a web page.
FEW = 2

# Zero-width characters and bidirectional controls between Latin letters, digits, blanks or signs. Soft hyphens are
# left out, because pages are full of them.
_UNSEEN = re.compile(
    "(?<=[\x21-\x7e ])[\u034f\u180e\u200b-\u200d\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]+"
    "(?=[\x21-\x7e ])"
)

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[A-Za-z]")
_BEYOND = re.compile("[^\x00-\u024f]")

# Cached characters: more than any script that looks like Latin has.
CACHED = 4096


def unseen(text: str) -> list[int]:
    """Return the positions of invisible characters."""
    return [] if text.isascii() else [match.start() for match in _UNSEEN.finditer(text)]


def look_alikes(text: str) -> list[tuple[int, str]]:
    """Return the words that mix Latin letters with look-alikes, and their positions."""
    if text.isascii():
        return []
    return [
        (match.start(), match[0])
        for match in _WORD.finditer(text)
        if not match[0].isascii() and _LATIN.search(match[0]) and any(map(_looks_latin, _BEYOND.findall(match[0])))
    ]


@lru_cache(CACHED)
def _looks_latin(letter: str) -> bool:
    """Return whether the canonical form of a non-Latin letter is a Latin letter."""
    from whorl.formats.text import TextFrontend  # workers, which mostly see ASCII, start without it

    symbols = TextFrontend().stream(letter).symbols.tolist()
    is_latin = len(symbols) == 1 and ord("a") <= symbols[0] <= ord("z")
    return is_latin and not unicodedata.name(letter, "").startswith("LATIN")


# Minimum share of a submission's statements that is odd in any class, and their minimum number: short programs repeat
# themselves.
MIN_SHARE, MIN_PADDING = 0.12, 5

# An outlier is this many times as far above the median of the others as their 90th percentile. Repeated statements have
# a long tail in ordinary classes, and the limit follows it. Of 948 programs of 19 labelled classes with 4 one is
# flagged, with 3.5 two, with 3 six; of padded copies the same are found.
TIMES = 4.0

# An outlier must also be this many times the median of the others, for classes of nearly equal programs.
MEDIANS = 3.0

# Minimum length of a repeated statement, in letters and signs: ``return 0`` and ``i += 1`` are common.
MIN_REPEATED = 10

# Maximum length of a plain assignment, in characters: longer ones are tables, which matter.
LONGEST_ASSIGNMENT = 400

# Languages in which braces hold values and not statements.
BRACES_HOLD = frozenset({"python"})

_NAME = re.compile(r"[^\W\d]\w*+")

# The prefix of an assignment (a type, modifiers, ``let``), the name, and the value: no call, field or element on the
# left, and no comparison.
_ASSIGNMENT = re.compile(
    r"(?:[\w<>\[\]?&*:$ \t]*[\s\]>*&])?([^\W\d]\w*+)\s*+(?::[^=()]*+)?[-+*/%&|^]?=(?![=>])(.*+)", re.DOTALL
)
_CALL = re.compile(r"\w\s*+\(")


class Padding(NamedTuple):
    """The number of statements, and how many are idle or repeated."""

    statements: int
    idle: int
    repeated: int

    def share(self, count: int) -> float:
        """Return ``count`` as a share of the statements."""
        return count / max(1, self.statements)


def padding(files: Sequence[tuple[str, str]]) -> Padding:
    """Return the padding of a submission's programs, given by language and bare text. A name may be read in another
    file."""
    by_file = [list(_statements(*file)) for file in files]
    statements = [each for of_file in by_file for each in of_file]
    return Padding(len(statements), len(statements) - len(_live(statements)), sum(map(_repeated, by_file)))


def _repeated(statements: Sequence[str]) -> int:
    """Return how many statements that are long enough repeat another one, whatever the blanks in them."""
    shapes: Sequence[str | bytes]
    if all(map(str.isascii, statements)):  # the blanks of all are removed together, which is faster
        shapes = _BETWEEN.join(map(str.encode, statements)).translate(None, _ASCII_BLANKS).split(_BETWEEN)
    else:
        shapes = ["".join(each.split()) for each in statements]
    long = [shape for shape in shapes if len(shape) >= MIN_REPEATED]
    return len(long) - len(set(long))


# A byte that no text has in UTF-8, and the blanks of ASCII.
_BETWEEN = b"\xff"
_ASCII_BLANKS = bytes(code for code in range(128) if chr(code).isspace())


def outliers(shares: Sequence[float]) -> list[int]:
    """Return the numbers of the submissions whose shares are far above those of all others in the class."""
    ordered = sorted(shares)
    return [
        number
        for number, share in enumerate(shares)
        if share >= MIN_SHARE and share >= _limit(ordered, bisect_left(ordered, share))
    ]


def _limit(ordered: Sequence[float], left_out: int) -> float:
    """Return the minimum odd share among all but one of these."""
    middle, high = (_quantile(ordered, left_out, part) for part in (0.5, 0.9))
    return max(MEDIANS * middle, middle + TIMES * (high - middle))


def _quantile(ordered: Sequence[float], left_out: int, part: float) -> float:
    """Return an interpolated quantile of all but one of these."""
    place = part * (len(ordered) - 2)
    low = int(place)
    below, above = (ordered[at + (at >= left_out)] for at in (low, min(low + 1, len(ordered) - 2)))
    return below + (place - low) * (above - below)


def _statements(language: str, text: str) -> Iterator[str]:
    """Split a program roughly into statements: at line ends, semicolons and braces, outside brackets."""
    opens, closes = ("([{", ")]}") if language in BRACES_HOLD else ("([", ")]")
    depth = start = 0
    for match in _bounds(opens, closes).finditer(text):
        sign = match[1]
        if not sign:
            break
        if sign in opens:
            depth += 1
        elif sign in closes:
            depth = max(0, depth - 1)
        elif not depth or sign in "{}":
            if statement := text[start : match.start(1)].strip():
                yield statement
            start = match.end()
    if statement := text[start:].strip():
        yield statement


@cache
def _bounds(opens: str, closes: str) -> re.Pattern[str]:
    """Return the pattern of the next bracket, semicolon or line end, or of the end of the text. It skips brackets
    without a bound inside: they leave the depth as it is."""
    bounds = r"()\[\]{};\n"
    inner = rf"[{re.escape(opens)}][^{bounds}]*+[{re.escape(closes)}]"
    return re.compile(rf"(?:[^{bounds}]++|{inner})*+([{bounds}]|\Z)")


def _live(statements: Sequence[str]) -> set[int]:
    """Return the numbers of the statements that may matter: all but plain assignments, and transitively what they
    read."""
    assignments = [_assignment(each) for each in statements]
    setters: dict[str, list[int]] = defaultdict(list)
    for number, assignment in enumerate(assignments):
        if assignment is not None:
            setters[assignment[1]].append(number)
    live = {number for number, assignment in enumerate(assignments) if assignment is None}
    reading = [statements[number] for number in live]
    while reading and setters:
        names = _names("\n".join(reading))
        fresh = [number for name in setters.keys() & names for number in setters.pop(name)]
        live.update(fresh)
        reading = [assignment[2] for number in fresh if (assignment := assignments[number]) is not None]
    return live


def _names(code: str) -> set[str]:
    """Return the names in code. To cut ASCII at its signs is faster than a pattern."""
    if not code.isascii():
        return set(_NAME.findall(code))
    runs = set(word_runs(code))
    return runs.union([run.lstrip(digits) for run in runs if run[0] in digits])


def _assignment(statement: str) -> re.Match[str] | None:
    """Match a plain assignment: its name and its value; None for any other statement."""
    may_be = "=" in statement and len(statement) <= LONGEST_ASSIGNMENT
    match = _ASSIGNMENT.fullmatch(statement) if may_be else None
    return None if match is None or _CALL.search(match[2]) else match


PADDING, UNSEEN, LOOK_ALIKES, HIDDEN = "padding", "unseen characters", "look-alikes", "hidden text"

# Tolerated characters of hidden text in a document: a label for screen readers, a printer's mark.
LITTLE = 60


class Deception(NamedTuple):
    """Text of a file that a reader does not see: its kind, amount, description, and the file and line."""

    kind: str
    amount: int
    words: str
    file: str
    line: int


class OwnOddities(NamedTuple):
    """The possible oddities of a submission. ``padding``: the number of statements, of idle and of repeated ones."""

    padding: tuple[int, int, int] | None
    deceptions: list[Deception]


def own_oddities(texts: SubmissionTexts, lexemes: Sequence[Sequence[Lexeme]]) -> OwnOddities:
    """Return the possible oddities of a submission, given the lexemes of its files."""
    files = zip(texts.files, lexemes, strict=True)
    programs = [(file.format, bare(file.text, of_file)) for file, of_file in files if is_program(file.format)]
    padded = padding(programs) if programs else None
    return OwnOddities(
        None if padded is None else (padded.statements, padded.idle, padded.repeated),
        [each for file in texts.files for each in _deceptions(file)],
    )


def _deceptions(file: Text) -> Iterator[Deception]:
    places = unseen(file.text)
    if len(places) > FEW:
        words = f"{file.name} has invisible characters in {len(places):,} places"
        yield Deception(UNSEEN, len(places), words, file.name, *_lines(file.text, places[:1]))
    mixed = look_alikes(file.text)
    if len(mixed) > FEW:
        words = f"{file.name} has look-alike letters of another alphabet in {len(mixed):,} words"
        (line,) = _lines(file.text, [mixed[0][0]])
        yield Deception(LOOK_ALIKES, len(mixed), f"{words}, as in “{quote(mixed[0][1])}”", file.name, line)
    letters = sum(map(len, file.unseen))
    if letters > LITTLE:
        words = f"{file.name} has {letters:,} characters that its page does not show"
        text = quote(" ".join(file.unseen))
        yield Deception(HIDDEN, letters, f"{words}: “{text}”", file.name, 1)


# The kinds whose places are noted in every submission. Those of a word are looked up if it is misspelled: few are.
PLACED = (COMMENT, LITERAL, BLANKS)


class TraitColumns(NamedTuple):
    """Distinct traits of one kind: the key, the quoted text, and the number of the file and the line of each."""

    keys: list[str]
    shown: list[str]
    files: list[int]
    lines: list[int]


class Traces(NamedTuple):
    """The words of a submission, its other traits by kind, and its oddities, as values that JSON can hold."""

    words: list[str]
    traits: dict[str, TraitColumns]
    oddities: OwnOddities


def traces(texts: SubmissionTexts) -> Traces:
    """Return the traits and oddities of a submission."""
    lexemes = _lexemes(texts.files)
    columns = {kind: TraitColumns([], [], [], []) for kind in PLACED}
    known: dict[str, set[str]] = {kind: set() for kind in PLACED}
    for number, (file, of_file) in enumerate(zip(texts.files, lexemes, strict=True)):
        if not is_program(file.format):
            continue
        for kind, traits in _traits(file, of_file):
            first: dict[str, tuple[str, int]] = {}
            for key, shown, start in traits:
                if key not in first:
                    first[key] = shown, start
            fresh = [key for key in first if key not in known[kind]]
            known[kind].update(fresh)
            columns[kind].keys.extend(fresh)
            columns[kind].shown.extend([first[key][0] for key in fresh])
            columns[kind].files.extend([number] * len(fresh))
            columns[kind].lines.extend(_lines(file.text, [first[key][1] for key in fresh]))
    all_words = set().union(*[words(file.text) for file in texts.files])
    return Traces(list(all_words), columns, own_oddities(texts, lexemes))


# A file as plain values: its name, its format, its text, its hidden pieces, and its spans of starter code.
PlainText: TypeAlias = tuple[str, str, str, list[str], list[tuple[int, int]]]


def plain_text(file: Text) -> PlainText:
    """Return a file as ``plain_traces`` takes it."""
    return file.name, file.format, file.text, list(file.unseen), [(start, end) for start, end in file.starter_code]


def plain_traces(submissions: list[tuple[str, list[PlainText]]]) -> str:
    """Return the traces of submissions, given by name and files, as JSON: one string is sent faster than thousands."""
    return json.dumps([traces(_texts(*submission)) for submission in submissions])


def _texts(name: str, files: list[PlainText]) -> SubmissionTexts:
    every = (Text(file, form, text, tuple(hidden), tuple(spans)) for file, form, text, hidden, spans in files)
    return SubmissionTexts(name, tuple(every))


def _lines(text: str, places: Iterable[int]) -> Iterator[int]:
    """Yield the lines of places, which ascend."""
    line, at = 1, 0
    for place in places:
        line += text.count("\n", at, place)
        at = place
        yield line


def _lexemes(files: Sequence[Text]) -> list[list[Lexeme]]:
    """Return the lexemes of each file; none for files that are not programs."""
    return [list(lexemes(file.format, file.text)) if is_program(file.format) else [] for file in files]


def _traits(file: Text, lexemes: Sequence[Lexeme]) -> Iterator[tuple[str, Iterable[Trait]]]:
    """Yield the traits of a program by kind."""
    yield COMMENT, comments(lexemes)
    yield LITERAL, literals(lexemes)
    yield BLANKS, blanks(file.text, file.starter_code)
