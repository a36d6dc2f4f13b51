"""The text front-end: the canonical form by its definition and by example, and the conformance suite, for each kind."""

import re
import subprocess
import sys
import unicodedata
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.frontend import FrontendConformance, rows, texts
from tests.examples import examples
from tests.formats import reference
from tests.kernel import specification
from tests.kernel.specification import text as text_specification
from tests.kernel.specification import words as words_specification
from whorl.errors import InputError
from whorl.formats import tables, text
from whorl.formats.text import TextFrontend
from whorl.kernel import constants
from whorl.kernel.constants import EXPANDS, SYMBOL

CHARACTERS, WORDS, CONSONANTS = TextFrontend(), TextFrontend("words"), TextFrontend("consonants")


class TestCharacters(FrontendConformance):
    frontend = CHARACTERS


class TestWords(FrontendConformance):
    frontend = WORDS


class TestConsonants(FrontendConformance):
    frontend = CONSONANTS


def canonical(content, frontend=CHARACTERS):
    return "".join(map(chr, frontend.stream(content).symbols.tolist()))


def words(content):
    """The words of a text as canonical characters, by their spans; their hashes are checked on the way."""
    stream = WORDS.stream(content)
    found = [canonical(content[start:end]) for start, end in stream.spans]
    hashes = [words_specification.word_hash([ord(c) for c in word]) for word in found]
    assert stream.symbols.tolist() == hashes
    return found


def folded(characters):
    """Look-alikes folded, as our table has it: checked by example below, there is no second source."""
    entries = tables.table("characters").entries
    return "".join(chr(int(entries[ord(c)]) & SYMBOL) for c in characters)


class TestDefinition:
    def test_every_character_alone(self):
        known = reference.known()
        stream = CHARACTERS.stream("\n".join(["", *known]))  # a mark is one segment with the line end before it
        found: dict[int, str] = {}
        for symbol, start in zip(stream.symbols.tolist(), stream.starts.tolist(), strict=True):
            found[start // 2 + 1] = found.get(start // 2 + 1, "") + chr(symbol)
        wrong = [c for i, c in enumerate(known, 1) if found.get(i, "") != folded(reference.canonical(c))]
        assert wrong == []

    @pytest.fixture(scope="class")
    @staticmethod
    def tangled():
        """Characters that compose, decompose, expand or vanish."""
        plain = {c for c in reference.known() if tables.table("characters").entries[ord(c)] < EXPANDS}
        return [c for c in reference.known() if c not in plain or unicodedata.decomposition(c)]

    @pytest.mark.usefixtures("each_kernel")
    def test_tangled_text(self, tangled):
        base = st.sampled_from("aeiouyαιωΩаéǖᾳᾂক가각か\u1100\u1161\u11a8ｶ ")
        marks = st.sampled_from(
            "\u0301\u0300\u0308\u0327\u0323\u0302\u0345\u3099\uff9e\u034f\u200d\u0344\u0f73\u0cd5\u0dcf"
        )

        @examples(300)
        @given(st.lists(st.one_of(st.sampled_from(tangled), base, marks, marks), max_size=10).map("".join))
        def check(content):
            assert canonical(content) == folded(reference.canonical(content))

        check()

    @given(content=texts())
    def test_canonically_equivalent_texts_are_equal(self, content):
        for form in ("NFC", "NFD"):
            assert canonical(unicodedata.normalize(form, content)) == canonical(content)

    def test_words_are_the_characters(self):
        assert "".join(words("It's 3 o’clock, past naïve ﬁancé!")) == "its3oclockpastnaïvefiancé"

    @given(content=texts())
    def test_native_and_specification_agree(self, content):
        for frontend in (CHARACTERS, WORDS, CONSONANTS):
            with pytest.MonkeyPatch.context() as patch:
                native = frontend.stream(content)
                specification.replace_native(patch)
                specified = frontend.stream(content)
            assert rows(native) == rows(specified)


class TestForgotten:
    """What the canonical form does not see."""

    @given(content=texts())
    def test_case(self, content):
        folded = unicodedata.normalize("NFD", content).casefold()  # the standard folds what is decomposed
        for frontend in (CHARACTERS, CONSONANTS):
            assert canonical(folded, frontend) == canonical(content, frontend)

    @given(content=st.text(st.sampled_from("abcdzéñöжщяαβω '.")))
    def test_capitals(self, content):
        for frontend in (CHARACTERS, WORDS, CONSONANTS):
            streams = frontend.stream(content), frontend.stream(content.upper())
            assert streams[0].symbols.tolist() == streams[1].symbols.tolist()

    @given(content=st.text(st.sampled_from("abcXYZéßñжЩ漢字가12"), min_size=1), data=st.data())
    def test_spaces_punctuation_and_invisibles(self, content, data):
        at = data.draw(st.integers(0, len(content)))
        noise = data.draw(
            st.text(st.sampled_from(" \n\t.,;:!?-–—()[]\"'“”«»…_*/\\\u00ad\u200b\u200d\u2060\ufeff\u202e\ufe0f"))
        )
        assert canonical(content[:at] + noise + content[at:]) == canonical(content)

    @pytest.mark.parametrize(
        ("seen", "form"),
        [
            ("ﬁ", "fi"),
            ("①②", "12"),
            ("½", "12"),
            ("Straße", "strasse"),
            ("STRASSE", "strasse"),
            ("ＦＵＬＬ", "full"),
            ("İ", "i"),
            ("ſ", "s"),
            ("Ⅷ", "viii"),
            ("e\u0301", "é"),
            ("e\u0327\u0301", "\u0229"),
            ("e\u0301\u0327", "\u0229"),
            ("x\u0302", "x"),
            ("\u1112\u1161\u11ab\u1100\u1173\u11af", "한글"),
            ("ｶﾞ", "ガ"),
            ("a\u200d\u0301", "á"),
            ("\u1e9b\u0323", "ṩ"),
            ("Å", "å"),
            ("C\u00adO\u200bP\u2060Y\ufeff", "copy"),
            ("\U0001f600 ☃ € +", ""),
            ("αι\u0301", "aί"),
            ("\u0345", "i"),
            ("e\u0301\u0327\u0345", "\u0229i"),
            ("α\u0345\u0301", "άi"),
            ("α\u0345\u034f\u0301", "aί"),
        ],
    )
    @pytest.mark.usefixtures("each_kernel")
    def test_examples(self, seen, form):
        assert canonical(seen) == form

    @pytest.mark.parametrize(
        ("disguised", "plain"),
        [
            ("рареж", "papeж"),  # ж looks like no Latin letter
            ("Сору", "copy"),
            ("сору", "copy"),
            ("ΡΑΡΕR", "paper"),
            ("В", "b"),  # through its capital, В
            ("в", "b"),
            ("ο", "o"),
            ("ЅОМЕ", "some"),
            ("ѕоmе", "some"),
            ("ԁһі", "dhi"),
            ("Ν", "v"),  # the limit: the small letter decides, and ν looks like v
            ("ν", "v"),
        ],
    )
    def test_look_alikes(self, disguised, plain):
        assert canonical(disguised) == plain

    def test_only_letters_of_other_scripts_are_folded(self):
        entries = tables.table("characters").entries & SYMBOL
        for code in np.flatnonzero(entries).tolist():
            if reference.canonical(chr(code)) == [chr(code)] and entries[code] != code:
                assert chr(entries[code]) in "abcdefghijklmnopqrstuvwxyz"
                assert unicodedata.category(chr(code))[0] == "L"
                assert "LATIN" not in unicodedata.name(chr(code))
        assert canonical("0O1lI5S") == "0o1li5s"


class TestKinds:
    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ("Hello, world", ["hello", "world"]),
            ("don't Don’t dont", ["dont"] * 3),
            ("'quoted' rock'n'roll", ["quoted", "rocknroll"]),
            ("a''b a' b 'a", ["a", "b", "a", "b", "a"]),
            ("90's 1'000 a'7", ["90", "s", "1", "000", "a", "7"]),
            ("co\u00adop\u200ber\u0332ate", ["cooperate"]),
            ("well-known and/or", ["well", "known", "and", "or"]),
            ("漢字ab かな", ["漢", "字", "ab", "か", "な"]),
            ("ไทย", ["ไ", "ท", "ย"]),
            ("1½ cups", ["1", "1", "2", "cups"]),
            ("snake_case2", ["snake", "case2"]),
        ],
    )
    @pytest.mark.usefixtures("each_kernel")
    def test_words(self, content, expected):
        stream = WORDS.stream(content)
        assert stream.symbols.tolist() == [words_specification.word_hash([ord(c) for c in word]) for word in expected]

    def test_a_word_spans_from_its_first_to_its_last_code_point(self):
        content = "  (Don\u2019t\u0301) e\u0301te\u0301!"
        assert [content[start:end] for start, end in WORDS.stream(content).spans] == [
            "Don\u2019t\u0301",
            "e\u0301te\u0301",
        ]

    def test_words_do_not_collide(self):
        letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
        content = " ".join(a + b + c + d for a in letters for b in letters for c in letters for d in letters[:8])
        content += " " + " ".join(str(number) for number in range(200_000))
        symbols = WORDS.stream(content).symbols
        assert len(np.unique(symbols)) == len(symbols) == 26**3 * 8 + 200_000
        assert len(np.unique(symbols >> np.uint64(32))) > 0.9999 * len(symbols)

    @pytest.mark.parametrize(
        ("content", "expected"),
        [
            ("The quick brown fox, 42 times: why?", "thqckbrwnfxtmswhy"),
            ("ÀÉÎõü àéîöű ở", ""),
            ("е о", ""),  # Cyrillic vowels that look like ours
            ("ça ñu ß", "çñss"),
            ("漢字", "漢字"),
        ],
    )
    @pytest.mark.usefixtures("each_kernel")
    def test_consonants(self, content, expected):
        assert canonical(content, CONSONANTS) == expected

    def test_a_segment_is_the_span_of_all_that_comes_out_of_it(self):
        assert rows(CHARACTERS.stream("ﬁe\u0301\u00adx")) == [(102, 0, 1), (105, 0, 1), (0xE9, 1, 4), (120, 4, 5)]

    def test_symbols_are_narrow_where_they_can_be(self):
        assert CHARACTERS.stream("“naïve”").symbols.dtype == np.uint8
        assert CHARACTERS.stream("“漢”").symbols.dtype == np.uint32
        assert WORDS.stream("a").symbols.dtype == np.uint64

    def test_an_unknown_kind_is_refused(self):
        with pytest.raises(InputError, match="choose one of characters, words, consonants"):
            TextFrontend("sentences")

    @given(content=texts(), length=st.integers(8, 20))
    def test_a_text_beyond_the_longest_block_has_wide_offsets(self, content, length):
        content = "é, " + ", ".join(content[i : i + 3] for i in range(0, len(content), 3)) + ", end of the text, really"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(text, "LONGEST", length)
            stream = WORDS.stream(content)
        assert stream.starts.dtype == stream.ends.dtype == np.int64
        assert rows(stream) == rows(WORDS.stream(content))


class TestTables:
    def test_versions_are_recorded(self):
        assert set(tables.versions()) == {"unicode", "confusables"}

    def test_nothing_is_loaded_before_it_is_needed(self):
        code = "import whorl, whorl.formats.text; from whorl.formats.tables import _arrays as read; "
        code += "assert read.cache_info().currsize == 0"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_beyond_the_dense_part_there_are_only_runs_of_equal_entries(self):
        for kind in tables.KINDS:
            starts, steps = (tables._arrays()[f"{kind}.{column}"] for column in ("starts", "steps"))
            assert not steps[starts >= tables.DENSE].any()
            assert np.count_nonzero(starts >= tables.DENSE) < 10

    def test_kernels_name_the_flags_alike(self):
        declared = Path(constants.__file__).with_name("text_layout.pxd").read_text()
        flags = re.findall(r"^    (\w+) = (\w+)$", declared, re.MULTILINE)
        assert len(flags) > 20
        for name, value in flags:
            assert {**vars(text_specification), **vars(constants)}.get(name, int(value, 0)) == int(value, 0)


@given(st.lists(texts(), max_size=6), st.sampled_from([CHARACTERS, WORDS, CONSONANTS]))
def test_texts_that_are_read_together_have_the_symbols_that_each_has_alone(several, frontend):
    assert _read_all(frontend, several) == [frontend.stream(one).symbols.tolist() for one in several]


@given(st.text(st.sampled_from("\u200b\u00ad\u034f\u1160ab'1 ß\u0301\u0345α각漢™\u064b\u3099か"), max_size=12))
def test_what_is_nothing_is_nothing_in_any_company(text):
    """Zero-width spaces and their like, beside letters, marks, apostrophes and what composes."""
    assert _read_all(WORDS, [text]) == [WORDS.stream(text).symbols.tolist()]


def test_texts_are_read_together_as_long_as_they_are_short(monkeypatch):
    monkeypatch.setattr(text, "TOGETHER", 10)
    several = ["one two", "three", "", "four five six seven", "é", "eight"] * 3
    for frontend in (WORDS, CHARACTERS):
        assert _read_all(frontend, several) == [frontend.stream(one).symbols.tolist() for one in several]


def test_a_text_that_is_too_long_for_short_offsets_is_read_with_the_others(monkeypatch):
    monkeypatch.setattr(text, "LONGEST", 10)
    several = ["one two", "three", "", "four five six seven"]
    assert _read_all(WORDS, several) == [WORDS.stream(one).symbols.tolist() for one in several]


def _read_all(frontend, several):
    texts = [one.encode("utf-8", "surrogatepass") for one in several]
    data = np.frombuffer(b"".join(texts), np.uint8)
    symbols, bounds = frontend.read_all(data, np.cumsum([0, *map(len, texts)], dtype=np.int64))
    return [symbols[start:end].tolist() for start, end in pairwise(bounds.tolist())]
