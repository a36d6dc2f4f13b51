"""No regular expression takes time by the square of a text that somebody else wrote.

Every pattern that a module of Whorl compiles is run over texts that are made to be hard for it: characters and words
that it looks for, again and again, with nothing that lets it end. If four times the text takes much more than four
times as long, the pattern backtracks: make the repetition possessive (``*+``), or bound it.
"""

import importlib
import inspect
import pkgutil
import re
import time
from collections.abc import Iterator
from functools import cache
from itertools import product
from types import ModuleType
from typing import Any

import pytest

import whorl
from whorl.comparison.evidence.finding import SubmissionTexts, Text
from whorl.comparison.evidence.oddities import traces
from whorl.formats.code.row import CLOSERS
from whorl.formats.documents.hidden import unseen_in_html

# Characters of the first text, and how many times as long the second is.
SIZE, TIMES = 1_500, 8
# Seconds of the second run below which nothing is said: a text of a megabyte would take no longer than ten.
SLOW = 0.2
# How much more than proportionally it may take: a square takes TIMES as much more.
SLACK = 3.0
# How often a text is tried that may take too long, and the short one in each round.
ROUNDS = 4

# What stands for a class of characters.
SAMPLES = "aZ0_ \n\t-.;:/<>\"'(=#\\"

# Modules that need what is not installed everywhere, or that run when they are imported.
SKIPPED = ("whorl.spark", "whorl.__main__", "whorl.service.worker")

# Patterns whose text is bounded before they see it: where, and why that is so.
BOUNDED = {
    "whorl.formats.documents.hidden:_STYLE": "a tag has LONGEST_TAG characters at the most",
    "whorl.formats.encoding:DECLARATIONS": "the beginning of a file alone is looked at",
}


@cache
def patterns() -> dict[str, re.Pattern[Any]]:
    """Every pattern that a module of Whorl has under a name, or in a tuple, list or dictionary under one."""
    found: dict[str, re.Pattern[Any]] = {}
    for info in pkgutil.walk_packages(whorl.__path__, "whorl."):
        if info.name.startswith(SKIPPED):
            continue
        try:
            module = importlib.import_module(info.name)
        except ImportError:
            continue  # an extra is missing
        found |= dict(_of_module(module))
    return found


def _of_module(module: ModuleType) -> Iterator[tuple[str, re.Pattern[Any]]]:
    for name, value in vars(module).items():
        values = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else (value,)
        for number, each in enumerate(values):
            if isinstance(each, re.Pattern):
                yield f"{module.__name__}:{name}:{number}", each


def alphabet(pattern: re.Pattern[Any]) -> list[str]:
    """Characters that the pattern can take, and the words that it has in it."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    plain = re.sub(r"\\[A-Za-z]|\(\?[^:)]*[:)]", " ", source)
    words = set(re.findall(r"[A-Za-z<=:\"'*`\[\]-]{2,12}", plain))
    literal = {char for char in plain if char in SAMPLES or ord(char) > 127}
    return sorted({*literal, "a", " ", "\n", "0"})[:10] + sorted(words)[:4]


def texts(pattern: re.Pattern[Any], size: int) -> Iterator[tuple[str, Any]]:
    pieces = alphabet(pattern)
    for start, pump in product(["", *pieces[-6:]], [*pieces, *(a + b for a, b in product(pieces, pieces))]):
        if start and len(pump) > 1:
            continue  # a start of its own matters to a run of one character
        text = start + pump * (size // len(pump)) + "\0"
        yield f"{start!r} + {pump!r} * n", text if isinstance(pattern.pattern, str) else text.encode("utf-8")


def is_anchored(name: str) -> bool:
    """Whether a pattern is only ever matched at one place of a text, by what its module says."""
    module, variable, _ = name.split(":")
    source = inspect.getsource(importlib.import_module(module))
    uses = set(re.findall(rf"\b{variable}\.(\w+)\(", source))
    return bool(uses) and uses <= {"match", "fullmatch"}


def seconds(pattern: re.Pattern[Any], text: Any, anchored: bool) -> float:
    begun = time.process_time()
    if anchored:
        pattern.match(text)
    else:
        for _ in pattern.finditer(text):
            pass
    return time.process_time() - begun


def slow_texts(pattern: re.Pattern[Any], anchored: bool) -> Iterator[str]:
    """The texts of which a longer one takes more than proportionally longer, in one of a few rounds: other processes
    can make a round of the short one take several times as long."""
    for (what, short), (_, long) in zip(texts(pattern, SIZE), texts(pattern, SIZE * TIMES), strict=True):
        if seconds(pattern, short, anchored) * TIMES * TIMES < SLOW:
            continue
        for _ in range(ROUNDS):
            once = min(seconds(pattern, short, anchored) for _ in range(ROUNDS))
            more = seconds(pattern, long, anchored)
            if more >= SLOW and more >= once * TIMES * SLACK:
                yield f"{what}: {once:.3f} s, then {more:.3f} s"
                break


def test_every_pattern_takes_time_by_the_length_of_a_text() -> None:
    """One test for all, so that collecting the tests does not import all modules."""
    tried = {name: pattern for name, pattern in patterns().items() if name.rpartition(":")[0] not in BOUNDED}
    assert len(tried) > 100
    slow = {name: next(slow_texts(pattern, is_anchored(name)), None) for name, pattern in tried.items()}
    assert {name: text for name, text in slow.items() if text is not None} == {}


@pytest.mark.parametrize("bad", [r"\s+$", r"<[a-z]*[^<>]{0,4000}>", r"\d+:\d"])
def test_a_pattern_that_backtracks_is_noticed(bad: str) -> None:
    assert next(slow_texts(re.compile(bad), False), None) is not None


def test_what_is_bounded_is_still_there() -> None:
    assert set(BOUNDED) <= {name.rpartition(":")[0] for name in patterns()}


def test_a_page_that_is_one_long_tag_takes_no_time() -> None:
    begun = time.process_time()
    assert unseen_in_html("<" + "a" * 200_000) == unseen_in_html("<p " + 'style="' * 500 + "x" * 200_000) == ()
    assert time.process_time() - begun < 5  # it took 21.6 s


# What the compiled scans of programs look for, and words that may go with it.
PUMPS = (
    *CLOSERS, *CLOSERS.values(), '"', "'", '"""', "'''", "`", "\\", "\\\"", "(", ")", "[", "{", "}", "a(", "a=", "a:",
    "a<", "a ", "a b=", "*", "*a", "* ", " ,", "  ", "\t", " \t", "\r", "\n", ";", "1", "1e", ".", "_", "aB", "ABCDE",
    "é", "a\n", "a=b\n", '"a\n', '"""\n',
)  # fmt: skip


@pytest.mark.parametrize("language", ["python", "c", "haskell", "cobol"])
def test_the_scans_of_a_program_take_no_time(language: str) -> None:
    begun = time.process_time()
    for pump in PUMPS:
        text = pump * (200_000 // len(pump))
        traces(SubmissionTexts("", (Text("program", language, text),)))
    assert time.process_time() - begun < 20  # a scan by the square would take longer for one text
