"""Traits that two people seldom share by chance: literals, comments, odd blanks and misspellings."""

import re
import sys
from array import array
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from enum import IntEnum
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

from whorl.comparison.evidence.finding import Place
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.code.row import CLOSERS
from whorl.kernel import native_traces

# Languages of text, not of programs.
PAGES = frozenset({"html", "markdown", "latex", "css"})

_LETTERS = re.compile(r"\w+")

# A blank for each sign of ASCII.
_CUT = bytes(code if re.match(r"\w", chr(code)) else ord(" ") for code in range(256))


def word_runs(text: str) -> list[str]:
    """Return the runs of letters, digits and underscores of a text. To cut ASCII at its signs is faster than a pattern,
    and bytes are cut faster than a short string."""
    return text.encode().translate(_CUT).decode().split() if text.isascii() else _LETTERS.findall(text)


class LexemeKind(IntEnum):
    """The kind of a lexeme."""

    COMMENT = 1
    STRING = 2
    NUMBER = 3


# As numbers: a look-up in the enumeration takes longer.
_COMMENT, _STRING, _NUMBER = map(int, LexemeKind)


class Lexeme(NamedTuple):
    """A piece of a program and its start."""

    kind: LexemeKind
    text: str
    start: int


# What the kernel gives: code points, or rows of numbers.
Numbers: TypeAlias = "array[int]"


class Program(NamedTuple):
    """A program: its text, its code points, and its lexemes as the kernel gives them."""

    text: str
    codes: memoryview
    rows: Numbers

    def lexemes(self) -> Iterator[tuple[int, int, int, int]]:
        """Return the kind, start and end of each lexeme, and how many letters it has."""
        values = iter(self.rows)
        return zip(values, values, values, values, strict=True)


_UTF32 = f"utf-32-{sys.byteorder[0]}e"


def codes_of(text: str) -> memoryview:
    """Return the code points of a text."""
    return memoryview(text.encode(_UTF32, "surrogatepass")).cast("I")


def text_of(codes: Numbers) -> str:
    """Return the text of code points."""
    return codes.tobytes().decode(_UTF32, "surrogatepass")


def is_program(language: str) -> bool:
    """Return whether files of a format are programs."""
    return language in LANGUAGES and language not in PAGES


def read_program(language: str, text: str) -> Program:
    """Find the lexemes of a program."""
    codes = codes_of(text)
    return Program(text, codes, native_traces.lexemes(codes, _marks(LANGUAGES[language].comments)))


@cache
def _marks(comments: tuple[str, ...]) -> bytes:
    """Return the marks of comments as the kernel takes them. Of two that begin alike the longer one comes first."""
    marks = [(mark, CLOSERS.get(mark, "")) for mark in sorted(comments, key=len, reverse=True)]
    return b"".join(part.encode().ljust(4, b"\0") for mark in marks for part in mark)


def lexemes(language: str, text: str) -> Iterator[Lexeme]:
    """Yield the comments, strings and numbers of a program, in order."""
    for kind, start, end, _ in read_program(language, text).lexemes():
        yield Lexeme(LexemeKind(kind), text[start:end], start)


def bare(program: Program) -> Numbers:
    """Remove a program's comments and replace each distinct string by a number, so that every sign and word is code.
    Template strings keep their words. Return code points."""
    return native_traces.bare(program.codes, program.rows)


# Minimum size of a class for rarity to mean anything.
SMALLEST_CLASS = 5

# A trait is rare if at most one in five submissions and at most four have it. A more common one comes from a lecture or
# a book rather than from a neighbour.
ONE_IN, MOST_HOLDERS = 5, 4


# A trait: its key, which is equal in all who have it, its quoted text, and its position in a file.
Trait: TypeAlias = tuple[str, str, int]


class RareTrait(NamedTuple):
    """A trait that few submissions have: its key, its quoted text, and its first place in each of them."""

    key: str
    shown: str
    places: Mapping[int, Place]


class Holders:
    """The submissions with each trait of a kind, and its first place in each, as long as it is rare. ``ignored`` are
    traits of starter code, by their keys."""

    def __init__(self, ignored: Iterable[str] = ()) -> None:
        self._rare: dict[str, tuple[str, list[tuple[int, str, int]]]] = {}
        self._common = set(ignored)

    def add(self, submission: int, files: Sequence[str], traits: Iterable[tuple[str, str, int, int]]) -> None:
        """Record the traits of a submission, each once: its key, its text, and the number of the file and the line of
        its first place. ``files`` are the names of the submission's files."""
        rare, common = self._rare, self._common
        for key, shown, file, line in traits:
            if key in common:
                continue
            place = submission, files[file], line
            held = rare.get(key)
            if held is None:
                rare[key] = shown, [place]
            elif len(held[1]) < MOST_HOLDERS:
                held[1].append(place)
            else:
                common.add(key)
                del rare[key]

    def rare(self, submissions: int) -> Iterator[RareTrait]:
        """Yield the rare traits that at least two of this many submissions have."""
        most = most_holders(submissions)
        for key, (shown, places) in self._rare.items():
            if 2 <= len(places) <= most:
                yield RareTrait(key, shown, {place[0]: Place(*place) for place in places})


def most_holders(submissions: int) -> int:
    """Return the maximum number of submissions with a rare trait; 0 if the class is too small."""
    return 0 if submissions < SMALLEST_CLASS else max(2, min(MOST_HOLDERS, submissions // ONE_IN))


LITERAL, COMMENT = "literal", "comment"

# Minimum length of a string, in letters and digits, and of a number, in digits: two people seldom choose the same.
MIN_STRING, MIN_DIGITS = 6, 4

# Minimum length of a comment, in words and in letters: shorter ones are labels.
MIN_COMMENT_WORDS, MIN_COMMENT_LETTERS = 3, 12

# Maximum length of a quoted literal or comment, in characters.
QUOTED = 80


def literals(program: Program) -> Iterator[Trait]:
    """Yield the strings and numbers that are long enough."""
    for kind, start, end, letters in program.lexemes():
        if kind == _STRING and letters >= MIN_STRING:
            text = program.text[start:end]
            yield text.strip("\"'`"), quote(text), start
        elif kind == _NUMBER and end - start >= MIN_DIGITS:
            text = program.text[start:end]
            digits = text.replace("_", "").lower()
            if sum(map(str.isdigit, digits.rstrip("0"))) >= MIN_DIGITS:
                yield digits, quote(text), start


def comments(program: Program) -> Iterator[Trait]:
    """Yield the comments that are long enough."""
    for kind, start, end, letters in program.lexemes():
        if kind == _COMMENT and letters >= MIN_COMMENT_LETTERS:
            text = program.text[start:end]
            words = word_runs(text.lower())
            if len(words) >= MIN_COMMENT_WORDS:
                yield " ".join(words), quote(text), start


def quote(text: str) -> str:
    """Return a text on one line, truncated."""
    line = " ".join(text[: 4 * QUOTED].split())
    return line if len(line) <= QUOTED else f"{line[: QUOTED - 1]}…"


BLANKS = "blanks"

# Minimum length of a line, in signs without blanks: shorter ones are odd alike by chance.
SHORTEST_LINE = 8

# Maximum length of a line: longer ones are data, or generated.
LONGEST_LINE = 400

_SHAPE = re.compile(r"[^\W\d]\w*+|\d[\w.]*+")

# What the kernel flags in a line.
_FLAGS = (
    (1, "tabs after spaces in an indentation"),
    (2, "blanks before a comma, a semicolon or a bracket"),
    (4, "several blanks between two words"),
)


def blanks(program: Program, starter_code: Sequence[tuple[int, int]] = ()) -> Iterator[Trait]:
    """Yield the lines of a program with odd blanks, without lines that touch spans of starter code."""
    begins = [begin for begin, _ in starter_code]
    values = iter(native_traces.odd_lines(program.codes, SHORTEST_LINE, LONGEST_LINE))
    for start, end, after, flags in zip(values, values, values, values, strict=True):
        before = bisect_right(begins, end)
        if before == 0 or starter_code[before - 1][1] <= start:
            oddities = [words for flag, words in _FLAGS if flags & flag]
            if after:
                oddities.insert(0, f"{after} blank{'s' if after > 1 else ''} at the end of a line")
            yield f"{'+'.join(oddities)} {_shape(program.text[start:end])}", " and ".join(oddities), start


def _shape(line: str) -> str:
    """Return a line with one sign for each name and each number."""
    return _SHAPE.sub(lambda match: "0" if match[0][0].isdigit() else "n", "".join(line.split(" ")).strip())


MISSPELLING = "misspelling"

# Minimum length of a word, in letters; of a word in which any inner error counts; and maximum length.
SHORTEST_WORD, LONG_WORD, LONGEST_WORD = 5, 7, 24

# Minimum number of submissions with the correct word.
MIN_SPELLERS = 3

VOWELS = frozenset("aeiouy")

# The words of a run, split at case and underscores: ``getUserName``, ``under_scored``. A run of capitals is one word.
_PARTS = re.compile(r"[A-Z]?[^\W\d_A-Z]++|(?<![A-Z])[A-Z]{5,24}(?![^\W\d_])")


def words(codes: memoryview) -> set[str]:
    """Return the words of a text, given by its code points, also those inside names, in lower case."""
    return set(text_of(native_traces.words(codes)).lower().split(" ")[:-1])


@lru_cache(1 << 16)
def _words_of(run: str) -> tuple[str, ...]:
    """Return the words of a run, in lower case. People of one class write the same names."""
    if run.isascii() and run.isalpha() and run.islower():
        return (run,) if SHORTEST_WORD <= len(run) <= LONGEST_WORD else ()
    return tuple(match[0].lower() for match in _spelled_words(run))


def _spelled_words(run: str) -> Iterator[re.Match[str]]:
    return (match for match in _PARTS.finditer(run) if SHORTEST_WORD <= len(match[0]) <= LONGEST_WORD)


def first_written(text: str, words: Set[str]) -> dict[str, tuple[str, int]]:
    """Return the first of these words, given in lower case, in a text: each as it is written, and its position."""
    runs = [run for run in set(word_runs(text)) if not words.isdisjoint(_words_of(run))]
    first: dict[str, tuple[str, int]] = {}
    for start, run in sorted((_first_run(text, run), run) for run in runs):
        for word in _spelled_words(run):
            if word[0].lower() in words:
                first.setdefault(word[0].lower(), (word[0], start + word.start()))
    return first


def _first_run(text: str, run: str) -> int:
    """Return the position of a run that is not a part of a longer one."""
    start = text.index(run)
    while _is_in_run(text[start - 1 : start]) or _is_in_run(text[start + len(run) : start + len(run) + 1]):
        while _is_in_run(text[start : start + 1]):
            start += 1
        start = text.index(run, start)
    return start


def _is_in_run(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


class Misspelling(NamedTuple):
    """A rare word, the common one that is meant, and the numbers of the submissions with the rare one."""

    word: str
    meant: str
    holders: Sequence[int]


class Spelling:
    """Count the submissions with each word, and find rare words that are misspellings of common ones. ``ignored`` are
    words of starter code."""

    def __init__(self, ignored: Iterable[str] = ()) -> None:
        self._writers: Counter[str] = Counter()
        self._holders: dict[str, list[int]] = {}
        self._ignored = set(ignored)

    def add(self, submission: int, distinct_words: Sequence[str]) -> None:
        """Add the distinct words of one submission."""
        self._writers.update(distinct_words)
        all_holders = self._holders
        for word in distinct_words:
            holders = all_holders.get(word)
            if holders is None:
                all_holders[word] = [submission]
            elif len(holders) <= MOST_HOLDERS:  # one more than a rare word has
                holders.append(submission)

    def misspellings(self, submissions: int) -> list[Misspelling]:
        """Return the misspellings that at least two of this many submissions share."""
        most = most_holders(submissions)
        rare = [
            word for word, holders in self._holders.items() if 2 <= len(holders) <= most and word not in self._ignored
        ]
        return [Misspelling(word, meant, self._holders[word]) for word, meant in self._meant(rare).items()]

    def _meant(self, rare: Iterable[str]) -> dict[str, str]:
        """Return the misspelled words among rare ones, each with the correct word."""
        near: dict[str, list[str]] = defaultdict(list)
        for word, writers in self._writers.items():
            if writers >= MIN_SPELLERS:
                for form in _forms(word):
                    near[form].append(word)
        corrections = {}
        for word in rare:
            others = {other for form in _forms(word) for other in near.get(form, ())}
            meant = [other for other in others if self._is_misspelling(word, other)]
            if meant:
                corrections[word] = max(meant, key=lambda other: (self._writers[other], other))
        return corrections

    def _is_misspelling(self, word: str, other: str) -> bool:
        return self._writers[other] > self._writers[word] and is_misspelling(word, other)


def _forms(word: str) -> set[str]:
    """Return the word and its variants with one letter deleted: two words one error apart share such a form."""
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def is_misspelling(word: str, other: str) -> bool:
    """Return whether a word is another one with one typing error."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    first = next((at for at, pair in enumerate(zip(word, other, strict=False)) if pair[0] != pair[1]), -1)
    if first < 0:
        first = min(len(word), len(other))
    if len(word) == len(other):
        return _is_exchange(word, other, first) or _is_vowel(word, other, first)
    shorter, longer = sorted((word, other), key=len)
    if longer[:first] + longer[first + 1 :] != shorter:
        return False
    is_inner = 0 < first < len(longer) - 1
    return is_inner and (longer[first] == longer[first - 1] or len(longer) > LONG_WORD)


def _is_exchange(word: str, other: str, at: int) -> bool:
    return word[at : at + 2] == other[at : at + 2][::-1] and word[at + 2 :] == other[at + 2 :]


def _is_vowel(word: str, other: str, at: int) -> bool:
    is_inner = 0 < at < len(word) - 1 and len(word) >= LONG_WORD
    return is_inner and {word[at], other[at]} <= VOWELS and word[at + 1 :] == other[at + 1 :]
