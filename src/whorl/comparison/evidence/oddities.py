"""Find the traces of one submission: traits, and oddities: padding, invisible characters, look-alikes, hidden text.

Workers run this too; NumPy is not imported here.
"""

import json
import re
import unicodedata
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from whorl.comparison.evidence.finding import SubmissionTexts, Text
from whorl.comparison.evidence.traits import (
    BLANKS,
    COMMENT,
    LITERAL,
    Numbers,
    Program,
    Trait,
    bare,
    blanks,
    codes_of,
    comments,
    is_program,
    literals,
    quote,
    read_program,
    text_of,
    words,
)
from whorl.kernel import native_traces

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


class Padding(NamedTuple):
    """The number of statements, and how many are idle or repeated."""

    statements: int
    idle: int
    repeated: int

    def share(self, count: int) -> float:
        """Return ``count`` as a share of the statements."""
        return count / max(1, self.statements)


def padding(files: Sequence[tuple[str, Numbers]]) -> Padding:
    """Return the padding of a submission's programs, given by language and bare code. A name may be read in another
    file."""
    every, spans, repeated = array("I"), array("i"), 0
    for language, codes in files:
        begin = len(every)
        every.extend(codes)
        of_file = native_traces.statements(every, begin, language in BRACES_HOLD)
        spans.extend(of_file)
        repeated += _repeated(every, of_file)
    return Padding(len(spans) // 2, _idle(every, spans), repeated)


def _repeated(codes: Numbers, spans: Numbers) -> int:
    """Return how many statements that are long enough repeat another one, whatever the blanks in them."""
    shapes = text_of(native_traces.shapes(codes, spans, MIN_REPEATED)).split("\n")
    return len(shapes) - len(set(shapes))


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


def _idle(codes: Numbers, spans: Numbers) -> int:
    """Return how many statements cannot matter: plain assignments of names that no other statement reads, not even
    through assignments."""
    names_read, assigned = map(text_of, native_traces.assignments(codes, spans, LONGEST_ASSIGNMENT))
    setters: dict[str, list[str]] = defaultdict(list)
    for assignment in assigned.split("\n")[:-1]:
        name, _, values = assignment.partition(" ")
        setters[name].append(values)
    reading = [names_read]
    while reading and setters:
        names = set(" ".join(reading).split(" "))
        reading = [values for name in setters.keys() & names for values in setters.pop(name)]
    return sum(map(len, setters.values()))


PADDING, UNSEEN, LOOK_ALIKES, HIDDEN = "padding", "unseen characters", "look-alikes", "hidden text"


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


def own_oddities(texts: SubmissionTexts, programs: Sequence[tuple[str, Program]]) -> OwnOddities:
    """Return the possible oddities of a submission, given its programs and their languages."""
    padded = padding([(language, bare(program)) for language, program in programs]) if programs else None
    return OwnOddities(
        None if padded is None else (padded.statements, padded.idle, padded.repeated),
        [each for file in texts.files for each in _deceptions(file)],
    )


# Tolerated characters of hidden text in a document: a label for screen readers, a printer's mark.
LITTLE = 60


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
    """The words of a submission, with blanks between them, its other traits by kind, and its oddities, as values that
    JSON can hold. It writes and reads one string faster than thousands."""

    words: str
    traits: dict[str, TraitColumns]
    oddities: OwnOddities


def traces(texts: SubmissionTexts) -> Traces:
    """Return the traits and oddities of a submission."""
    columns = {kind: TraitColumns([], [], [], []) for kind in PLACED}
    known: dict[str, set[str]] = {kind: set() for kind in PLACED}
    programs = list[tuple[str, Program]]()
    all_words = set[str]()
    for number, file in enumerate(texts.files):
        if not is_program(file.format):
            all_words |= words(codes_of(file.text))
            continue
        program = read_program(file.format, file.text)
        programs.append((file.format, program))
        all_words |= words(program.codes)
        for kind, traits in _traits(program, file.starter_code):
            _add(columns[kind], known[kind], number, file.text, traits)
    return Traces(" ".join(all_words), columns, own_oddities(texts, programs))


def _add(columns: TraitColumns, known: set[str], number: int, text: str, traits: Iterable[Trait]) -> None:
    """Add the traits of a file that the files before it have not."""
    first: dict[str, tuple[str, int]] = {}
    for key, shown, start in traits:
        if key not in first:
            first[key] = shown, start
    fresh = [key for key in first if key not in known]
    known.update(fresh)
    columns.keys.extend(fresh)
    columns.shown.extend([first[key][0] for key in fresh])
    columns.files.extend([number] * len(fresh))
    columns.lines.extend(_lines(text, [first[key][1] for key in fresh]))


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


def _traits(program: Program, starter_code: Sequence[tuple[int, int]]) -> Iterator[tuple[str, Iterable[Trait]]]:
    """Yield the traits of a program by kind."""
    yield COMMENT, comments(program)
    yield LITERAL, literals(program)
    yield BLANKS, blanks(program, starter_code)
