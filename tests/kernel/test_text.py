"""The compiled text kernel equals its specification on every input."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.conformance.frontend import PIECES
from tests.kernel.specification import text as text_specification
from tests.kernel.specification import words as words_specification
from whorl.formats import tables
from whorl.kernel import native_text, native_words
from whorl.kernel.constants import APOSTROPHE, BREAK, NUMBER, SOLO

CODES = sorted({ord(c) for piece in PIECES for c in piece})
SEPARATORS = [BREAK, APOSTROPHE]
LETTERS = [ord("a"), ord("z"), ord("7"), 0xE9, 0x661 | NUMBER, 0x6F22 | SOLO, 0x10FFFF]


def mixtures(values):
    """Short lists that shrink well, and long random ones: in those every three neighbours turn up."""
    long = st.integers(0, 2**32).map(lambda seed: np.random.default_rng(seed).choice(values, 200).tolist())
    return st.lists(st.sampled_from(values), max_size=12) | long


codes = mixtures(CODES) | st.lists(st.integers(0, 0x10FFFF))


def equal(left, right):
    for one, other in zip(left, right, strict=True):
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


@given(data=hnp.arrays(np.uint8, st.integers(0, 50)), table=hnp.arrays(np.uint8, 256, elements=st.integers(0, 2)))
def test_ascii_symbols(data, table):
    equal(native_text.ascii_symbols(data, table), text_specification.ascii_symbols(data, table))


@pytest.mark.parametrize("kind", tables.KINDS)
@given(codes=codes)
def test_symbols(kind, codes):
    arguments = np.array(codes, np.uint32), tables.table(kind).entries, *tables.shapes()
    equal(native_text.symbols(*arguments), text_specification.symbols(*arguments))


@given(items=mixtures([*SEPARATORS, *LETTERS]))
def test_words(items):
    equal(native_words.words(np.array(items, np.uint32)), words_specification.words(np.array(items, np.uint32)))
    narrow = np.array([item for item in items if item < 256], np.uint8)
    equal(native_words.words(narrow), words_specification.words(narrow))


@given(st.lists(st.lists(st.sampled_from(CODES) | st.integers(0, 0xD7FF), max_size=12), max_size=4), st.booleans())
def test_spelled(several, damaged):
    texts = ["".join(map(chr, codes)).encode("utf-8", "surrogatepass") for codes in several]
    texts += [b"a\xff"] if damaged else []
    data = np.frombuffer(b"".join(texts), np.uint8)
    bounds = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    arguments = data, bounds, tables.table("words").entries
    equal(native_words.spelled(*arguments), words_specification.spelled(*arguments))


tokens = st.sampled_from(
    ["a", "Bc", "word", "eightlet", "nineletter", "sixteenletters16", "sixteenletters17x", "x" * 41]
)
rare = st.sampled_from(["'", "don't", "é", "naïve", "e\u0301", "\u200b", "漢", "½", "—", "𝄞"])
parted = st.sampled_from([" ", "  ", "-", "\n" * 70, ""])
pieces = st.tuples(st.one_of(tokens, tokens, tokens, rare, st.just("y" * 4090)), parted)


@given(st.lists(pieces, max_size=60), st.integers(1, 30))
def test_spelled_at_length(pieces, times):
    """Words over the ends of blocks and stretches, with and without what is rare."""
    data = np.frombuffer(("".join(map("".join, pieces)) * times)[:9000].encode(), np.uint8)
    arguments = data, np.array([0, len(data)]), tables.table("words").entries
    equal(native_words.spelled(*arguments), words_specification.spelled(*arguments))


@pytest.mark.parametrize("text", ["a" * 9, "ab ", "a'1", "漢", "漢a", "½a", "a\u0301", "\u0301", "\u200b"])
def test_spelled_has_room(text):
    """As many words, and as many parts that are left, as a text of its length can have."""
    data = np.frombuffer((text * 99).encode(), np.uint8)
    for bounds in ([0, len(data)], range(0, len(data) + 1, len(text.encode()))):
        arguments = data, np.array(bounds, np.int64), tables.table("words").entries
        equal(native_words.spelled(*arguments), words_specification.spelled(*arguments))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 10))), hnp.arrays(np.int32, 10), hnp.arrays(np.int32, 10))
def test_place(words, starts, ends):
    firsts, lasts = np.array(words, np.int32).reshape(-1, 2).T.copy()
    equal(native_words.place(firsts, lasts, starts, ends), words_specification.place(firsts, lasts, starts, ends))


@pytest.mark.parametrize("piece", ["ﷺ", "ﬃ", "a\u0301", "\u0345", "漢", "½", "x\ufdfa", "ŉa"])
def test_outputs_longer_than_their_text(piece):
    """The compiled walk guesses how much comes out, and goes on where it stopped if that was too little."""
    text = np.array([ord(c) for c in piece * 200], np.uint32)
    for kind in tables.KINDS:
        arguments = text, tables.table(kind).entries, *tables.shapes()
        equal(native_text.symbols(*arguments), text_specification.symbols(*arguments))
    values = native_text.symbols(text, tables.table("words").entries, *tables.shapes())[0]
    equal(native_words.words(values), words_specification.words(values))


@pytest.mark.parametrize(
    "marks", ["\u0301", "\u0327\u0301", "\u0345", "\u0323\u0302\u0301", "".join(map(chr, range(0x300, 0x370)))]
)
def test_a_segment_may_be_of_any_length(marks):
    text = np.array([ord(c) for c in "a" + marks * 300 + "b"], np.uint32)
    arguments = text, tables.table("characters").entries, *tables.shapes()
    equal(native_text.symbols(*arguments), text_specification.symbols(*arguments))


def test_no_starter_absorbs_more_than_three_marks():
    """On this the compiled kernel's fixed buffer for marks rests (DEEPEST)."""
    shapes = tables.shapes()
    absorbed = dict(zip(shapes.composites.tolist(), (shapes.pairs >> np.uint64(32)).tolist(), strict=True))

    def depth(code):
        return 1 + depth(absorbed[code]) if code in absorbed else 0

    assert max(map(depth, absorbed)) == 3


PROGRAM = [*b"aZ_09 .(\n'", 0x2F, 0x3A, 0x40, 0x5B, 0x60, 0x7B, 0x7F, 0x80, 0xC3, 0xFF]


@given(mixtures(PROGRAM))
def test_program_words(data):
    array = np.array(data, np.uint8)
    equal([native_words.program_words(array)], [words_specification.program_words(array)])


@given(st.lists(st.sampled_from([0, 1, 2, 3, 2**64 - 1]), max_size=80), st.sampled_from([1, 5, 16, 32]))
@example([0] * 14, 5)  # twelve words of five bits: four bits are left
def test_repetitions(words, reach):
    array = np.array(words, np.uint64)
    equal([native_words.repetitions(array, reach)], [words_specification.repetitions(array, reach)])
