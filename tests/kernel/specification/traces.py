"""Traces of programs, in plain Python: the specification of ``native_traces``.

Texts are arrays of code points, because the kernel takes no strings.
"""

import re
import sys
from array import array
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from whorl.formats.code.row import NUMBERS, STRINGS, comment_pattern

Codes: TypeAlias = "memoryview | array[int]"
Numbers: TypeAlias = "array[int]"

_UTF32 = f"utf-32-{sys.byteorder[0]}e"

# Slots of words that are remembered. It divides the range of the numbers of 32 bits with which the kernel counts.
SLOTS = 1024

_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[^\W\d]\w*")
# The prefix of an assignment (a type, modifiers, ``let``), the name, and the value: no call, field or element on the
# left, and no comparison.
_ASSIGNMENT = re.compile(
    r"(?:[\w<>\[\]?&*:$ \t]*[\s\]>*&])?([^\W\d]\w*+)\s*+(?::[^=()]*+)?[-+*/%&|^]?=(?![=>])(.*+)", re.DOTALL
)
_CALL = re.compile(r"\w\s*\(")
# The words of a text, split at case and underscores: ``getUserName``, ``under_scored``. A run of capitals is one word.
_PARTS = re.compile(r"[A-Z]?[^\W\d_A-Z]+|(?<![A-Z])[A-Z]{5,24}(?![^\W\d_])")
_BEFORE = re.compile(r"\S +[,;)]")
_WIDE = re.compile(r"[^\s/#] {2,}[^\s/#*-]")


def _text(codes: Codes) -> str:
    return codes.tobytes().decode(_UTF32, "surrogatepass")


def _codes(parts: Iterable[str]) -> Numbers:
    return array("I", "".join(parts).encode(_UTF32, "surrogatepass"))


def lexemes(codes: Codes, marks: bytes) -> Numbers:
    """The kind, start and end of each comment, string and number, and how many letters, digits and underscores it
    has."""
    text, rows = _text(codes), array("i")
    comments = [marks[at : at + 4].rstrip(b"\0").decode() for at in range(0, len(marks), 8)]
    for match in re.finditer(rf"({comment_pattern(comments)})|({STRINGS})|(?<!\w)({NUMBERS})", text):
        rows.extend((match.lastindex or 0, match.start(), match.end(), sum(map(len, _WORD.findall(match[0])))))
    return rows


def bare(codes: Codes, lexemes: Numbers) -> Numbers:
    """The text with a blank for each comment, and for each string a number that tells distinct ones apart."""
    text, parts, at = _text(codes), list[str](), 0
    values = iter(lexemes)
    for kind, start, end, _ in zip(values, values, values, values, strict=True):
        if kind != 3:
            parts += (text[at:start], " " if kind == 1 else _bared(text[start:end]))
            at = end
    return _codes([*parts, text[at:]])


def _bared(string: str) -> str:
    is_filled = "{" in string or "$" in string
    return "0" + re.sub(r"\W+", "_", string) + (" " + re.sub(r"\W+", " ", string) if is_filled else "")


def statements(codes: Codes, begin: int, braces_hold: bool) -> Numbers:
    """The start and end of each statement. They end at line ends, semicolons and braces, outside brackets."""
    opens, closes = ("([{", ")]}") if braces_hold else ("([", ")]")
    text, spans, depth, start = _text(codes), array("i"), 0, begin
    for at, sign in enumerate(f"{text[begin:]}\n", begin):
        if sign in opens:
            depth += 1
        elif sign in closes:
            depth = max(0, depth - 1)
        elif at == len(text) or sign in "{}" or (sign in ";\n" and not depth):
            if statement := text[start:at].strip():
                first = text.index(statement, start)
                spans.extend((first, first + len(statement)))
            start = at + 1
    return spans


def _pieces(codes: Codes, spans: Numbers) -> Iterator[str]:
    text, values = _text(codes), iter(spans)
    return (text[start:end] for start, end in zip(values, values, strict=True))


def shapes(codes: Codes, spans: Numbers, shortest: int) -> Numbers:
    """The statements without blanks, of those that are long enough then."""
    every = ["".join(statement.split()) for statement in _pieces(codes, spans)]
    return _codes(f"{shape}\n" for shape in every if len(shape) >= shortest)


def assignments(codes: Codes, spans: Numbers, longest: int) -> tuple[Numbers, Numbers]:
    """The names in all statements that are no plain assignments, and line by line those in each assignment: the one
    that it sets first."""
    names_read, names_set = list[str](), list[str]()
    for statement in _pieces(codes, spans):
        match = _ASSIGNMENT.fullmatch(statement) if len(statement) <= longest else None
        if match is None or _CALL.search(match[2]):
            names_read += _NAME.findall(statement)
        else:
            names_set.append(" ".join((match[1], *_NAME.findall(match[2]))) + "\n")
    return _codes(_without_repeats(names_read)), _codes(names_set)


def words(codes: Codes) -> Numbers:
    """The words of a text, also those inside names, of 5 to 24 letters."""
    return _codes(_without_repeats(word for word in _PARTS.findall(_text(codes)) if 5 <= len(word) <= 24))


def _without_repeats(words: Iterable[str]) -> Iterator[str]:
    """The words, each with a blank after it, without those that equal the last one of their slot."""
    recent: dict[int, str] = {}
    for word in words:
        slot = sum(ord(letter) * 31**power for power, letter in enumerate(reversed(word))) % SLOTS
        if recent.get(slot) != word:
            yield f"{word} "
        recent[slot] = word


def odd_lines(codes: Codes, shortest: int, longest: int) -> Numbers:
    """The start and end of each line with odd blanks, how many it has at its end, and the flags of the others."""
    start, rows = 0, array("i")
    for line in _text(codes).split("\n"):
        after, flags = _oddities(line.rstrip("\r"))
        if (after or flags) and len(line) <= longest and len("".join(line.split())) >= shortest:
            rows.extend((start, start + len(line), after, flags))
        start += len(line) + 1
    return rows


def _oddities(line: str) -> tuple[int, int]:
    body = line.strip(" \t")
    if not body:
        return 0, 0
    after, before = line[len(line.rstrip(" \t")) :], line[: len(line) - len(line.lstrip(" \t"))]
    flags = (" \t" in before) + 2 * (_BEFORE.search(body) is not None) + 4 * (_WIDE.search(body) is not None)
    return len(after), flags
