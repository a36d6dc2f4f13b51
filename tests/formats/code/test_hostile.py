"""Code that was made to harm: every text gives a stream, in bounded time and memory, and the next file still reads.

A worker that hangs is stopped after seconds; here after less, so that the tests stay fast. What is bounded is asserted
with a wide margin.
"""

import resource
import time
from functools import cache

import numpy as np
import pytest

from tests.sandbox.impatience import impatient
from whorl.errors import DocumentError
from whorl.formats.code import frontend as module
from whorl.formats.code.frontend import CodeFrontend, Program
from whorl.formats.code.languages import LANGUAGES
from whorl.model import Document
from whorl.sandbox import Limits, Outcome, WorkerFault

MEGABYTE = 1 << 20
SLOW = pytest.mark.slow

# Far more than any of these takes, with the lexer after a worker that was stopped.
SECONDS = 60

UNCLOSED = [
    ("c", "/*"),
    ("java", "/*"),
    ("sql", "/*"),
    ("pascal", "{"),
    ("modula-2", "(*"),
    ("scheme", "#|"),
    ("haskell", "{-"),
    ("html", "<!--"),
    ("prolog", "/*"),
    ("kotlin", '"""'),
    ("elixir", '"""'),
    ("tcl", '"'),
    ("spice", "*"),
]


@pytest.fixture(autouse=True, scope="module")
def _impatient():
    with impatient(workers=1):
        yield


def read(language, text):
    """The stream of a text, after which the process is as it was and the next program is read as ever."""
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    stream = CodeFrontend(language).stream(text)
    assert time.monotonic() - started < SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 1024 * MEGABYTE / 1024
    assert len(CodeFrontend("java").stream("class A { int b = 1; }")) == 6
    assert np.all(stream.starts < stream.ends)
    assert np.all(stream.ends[:-1] <= stream.starts[1:])
    return stream


@cache
def read_repeated(language, piece, count):
    """Read it once for all tests: a parser that has to be stopped takes seconds."""
    return read(language, piece * count)


@pytest.mark.parametrize(
    ("language", "piece", "count"),
    [
        ("java", "s<", 10_000),
        ("python", "a?", 10_000),
        ("javascript", "(", 200_000),
        ("c", "a=>", 5_000),
        ("go", "case a:", 3_000),
        ("perl", "f(", 10_000),
        ("scala", "[", 10_000),
        ("sql", "f(", 10_000),
        ("groovy", "/ a", 30_000),
        ("r", "`", 60_000),
    ],
)
def test_repeated(language, piece, count):
    stream = read_repeated(language, piece, count)
    assert stream.note == "" or f"read by the plain lexer, not as {language}: the parser was stopped: " in stream.note


DEFINED = "".join(f"#define A{number} A{number + 1}\n" for number in range(10_000))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("c", DEFINED + "A0 A1;\n" * 10_000),
        ("c", DEFINED + "#define Z\nA0;\n" * 10_000),
        ("c", "#define A B\n#define B A\n" + "A B;\n" * 50_000),
        ("c", "#define A 1\n#if A\n" * 3_000),
        ("c", "#define A /*\n" * 50_000),
        ("c", "#if " + " " * MEGABYTE + "A\n#define A 1\n"),
        ("c", "<%%>" * 50_000),
        ("java", "\\u0041" + "\\" * MEGABYTE),
        ("java", "\\u003b" * 50_000),
        ("javascript", "\\u0041;" * 50_000),
    ],
    ids=["chain", "anew", "circle", "conditions", "comments", "blanks", "signs", "backslashes", "escapes", "names"],
)
def test_disguises_of_tokens(language, text):
    read(language, text)


def test_what_stops_the_parser_is_said():
    stream = read_repeated("java", "s<", 10_000)
    assert stream.note.startswith("read by the plain lexer, not as java: the parser was stopped: ")
    assert len(stream) == 20_000


def test_a_hostile_program_does_not_spoil_its_neighbours():
    frontend = CodeFrontend()
    honest, hostile = Program("java", b"class A { int b = 1; }"), Program("java", b"s<" * 10_000)
    streams = list(frontend.read_all([honest, hostile, honest]))
    assert [len(stream) for stream in streams] == [6, 20_000, 6]
    assert [stream.note[:24] for stream in streams] == ["", "read by the plain lexer,", ""]


def test_a_large_program_that_stops_its_parser_is_not_given_to_it_again(monkeypatch):
    """Nor one that was alone in its batch for another reason: there is nobody else who could have done it."""

    class Stopping:
        workers, limits = 1, Limits()

        def map(self, target, tasks):
            return (Outcome(fault=WorkerFault("timeout", "took longer than 10 s")) for _ in tasks)

    monkeypatch.setattr(module, "default_sandbox", Stopping)
    programs = [Program("python", f"a = {number}\n".encode() * size) for number, size in ((1, 3000), (2, 9), (3, 3000))]
    streams = list(CodeFrontend().read_all(programs))
    assert [len(stream) for stream in streams] == [9_000, 27, 9_000]
    notes = {"read in pieces, not as a whole: the parser was stopped: took longer than 10 s"}
    assert {stream.note for stream in streams} == notes


def at_length(language: str) -> int:
    """Return how many megabytes show what more would show: for Pygments, more than its lexers are given."""
    return 3 if LANGUAGES[language].reader == "pygments" else 1


@pytest.mark.parametrize(
    ("language", "opening", "megabytes"),
    [(*pair, at_length(pair[0])) for pair in UNCLOSED] + [pytest.param(*pair, 5, marks=SLOW) for pair in UNCLOSED],
)
def test_what_is_never_closed(language, opening, megabytes):
    text = "a = 1\n" + opening + " it goes on x = 1" * (megabytes * MEGABYTE // 17)
    assert len(read(language, text)) < len(text) / 3


@pytest.mark.parametrize(
    ("language", "opening"), [pair for pair in UNCLOSED if LANGUAGES[pair[0]].reader == "pygments"]
)
def test_what_is_never_closed_and_not_too_large_for_its_lexer(language, opening):
    text = "a = 1\n" + opening + " it goes on x = 1" * (MEGABYTE // 17)
    assert len(read(language, text)) < len(text) / 3


@pytest.mark.parametrize("language", ["python", "pascal", "spice"])
def test_one_long_line(language):
    text = "x" * (20 * MEGABYTE)
    stream = read(language, text)
    assert "read by the plain lexer" in stream.note
    assert "larger than" in stream.note
    assert len(stream) == 1


@pytest.mark.parametrize("sign", [b"x", "x"], ids=["bytes", "text"])
def test_too_long_a_program_is_refused(sign):
    content = sign * (100 * MEGABYTE)
    with pytest.raises(DocumentError, match=r"^a\.c: larger than 32 MB, the most that is read as code: divide it"):
        list(CodeFrontend().pieces(Document("a.c", content)))


def test_too_large_a_file_is_not_even_read(tmp_path):
    path = tmp_path / "large.py"
    with path.open("wb") as file:
        file.truncate(1 << 33)
    with pytest.raises(DocumentError, match=r"large\.py: larger than 32 MB"):
        list(CodeFrontend().pieces(Document("large.py", path)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("sign", ["\x00", "\ud800", "\x1b", "\u2028", "\ufeff", "\\", '"', "'", "#", "<"])
def test_signs_that_code_has_not(language, sign):
    stream = CodeFrontend(language).stream(f"a = b{sign}\n" * 30 + sign * 300)
    assert len(stream) <= 600
    assert len(stream) == 0 or stream.ends[-1] <= 30 * (6 + len(sign)) + 300 * len(sign)
