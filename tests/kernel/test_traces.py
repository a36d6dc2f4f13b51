"""The scans of programs: the compiled loops equal their specification on every text, in every language."""

import subprocess
import sys
from array import array

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.kernel.specification import traces as specification
from whorl.comparison.evidence.traits import _marks, codes_of
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.code.row import CLOSERS
from whorl.kernel import native_traces

COMMENTS = sorted({language.comments for language in LANGUAGES.values()})
MARKS = sorted({mark for comments in COMMENTS for mark in comments} | set(CLOSERS.values()))
# Signs that a scan looks at, blanks of all kinds, letters and digits of several alphabets, and half a pair.
SIGNS = list("\"'`\\.;,()[]{}<>=:+-*/%&|^!?#$@_ \t\r\n\0\v\x1c\x85\xa0\u2028aeEpPxyZABç²１٣Ⅷ️ЖжΣİﬁß漢\ud800😀019")
PIECES = [
    '"""',
    "'''",
    "name",
    "Value",
    "getUserName",
    "LONGWORD",
    "a = 1",
    "let b: int = a",
    "f (x)",
    " = ",
    "  ",
    " )",
]

texts = st.lists(st.sampled_from([*SIGNS, *PIECES, *MARKS]), max_size=60).map("".join)
marks = st.sampled_from(COMMENTS).map(_marks)


@given(texts, marks)
@examples(5000)
@example("*a\n \t\x1c*b*\n\n*", _marks(("*",)))
@example('"\\', _marks(("#",)))
@example('"""a"""b"""c\n"""', _marks(("#",)))
def test_lexemes_and_bare_code(text, marks):
    codes = codes_of(text)
    rows = native_traces.lexemes(codes, marks)
    assert rows == specification.lexemes(codes, marks)
    assert native_traces.bare(codes, rows) == specification.bare(codes, rows)


@given(st.lists(texts, max_size=3), st.booleans(), st.integers(0, 12), st.integers(0, 30))
@examples(5000)
@example(["const int * & a: b += c (d)", "x := 1", "a: b = c", "* a\n= b"], False, 1, 30)
def test_statements_and_what_is_read_of_them(files, braces_hold, shortest, longest):
    codes, spans = array("I"), array("i")
    for text in files:
        begin = len(codes)
        codes.frombytes(codes_of(text).tobytes())
        of_file = native_traces.statements(codes, begin, braces_hold)
        assert of_file == specification.statements(codes, begin, braces_hold)
        spans.extend(of_file)
        assert native_traces.shapes(codes, of_file, shortest) == specification.shapes(codes, of_file, shortest)
    assert native_traces.assignments(codes, spans, longest) == specification.assignments(codes, spans, longest)


@given(texts)
@examples(5000)
@example("ValueValue")
@example("HTTPServer getUserName MISTAKEs A" + 25 * "B" + " " + 24 * "C" + "1 d" + 25 * "e")
def test_words(text):
    codes = codes_of(text)
    assert native_traces.words(codes) == specification.words(codes)


@given(texts, st.integers(0, 12), st.integers(0, 60))
@examples(5000)
@example("a b  c ,d \r\n  \tlonger line\r\r\n\t \tx // y  z", 1, 60)
def test_odd_lines(text, shortest, longest):
    codes = codes_of(text)
    assert native_traces.odd_lines(codes, shortest, longest) == specification.odd_lines(codes, shortest, longest)


def test_every_mark_has_room():
    assert all(len(_marks(comments)) == 8 * len(comments) for comments in COMMENTS)


@pytest.mark.parametrize("module", ["whorl.kernel.native_traces", "whorl.comparison.evidence.oddities"])
def test_workers_start_without_numpy(module):
    code = f"import sys, {module}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
