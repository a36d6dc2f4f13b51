"""What a parser is given of a program, and where its tokens stand in the text."""

import re
from array import array
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.examples import examples
from tests.sandbox.impatience import impatient
from whorl.formats.code import directives
from whorl.formats.code.frontend import CodeFrontend
from whorl.formats.code.leaves import preprocess
from whorl.formats.code.lexers import syntax
from whorl.formats.code.preprocessing import Edited
from whorl.formats.code.tokens import tokens


def given_to(language, text):
    """The text that a parser is given."""
    return preprocess(language, text.encode()).data.decode()


def read(language, text):
    """Symbols and texts of the tokens, and symbols of the normal form."""
    arrays = tokens(language, text.encode(), True)
    spans = list(zip(arrays.starts.tolist(), arrays.ends.tolist(), strict=True))
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    assert arrays.normal is not None
    return arrays.symbols.tolist(), [text[start:end] for start, end in spans], arrays.normal.symbols.tolist()


def alike(language, plain, disguised):
    """Assert that two texts have the same tokens and normal form; return the texts of the tokens of the second."""
    first, second = read(language, plain), read(language, disguised)
    assert (first[0], first[2]) == (second[0], second[2])
    return second[1]


class TestEdits:
    stages = st.lists(
        st.lists(st.tuples(st.integers(0, 4), st.integers(1, 3), st.binary(max_size=3)), max_size=6), max_size=3
    )

    @examples(500)
    @given(stages)
    def test_spans_are_those_of_each_byte(self, stages):
        """Each byte has a place in the original: its own, or that of the piece that it stands for."""
        edited, origins = Edited(b"abcdefghij", 10), [(place, place + 1) for place in range(10)]
        for stage in stages:
            pieces, after, done = [], [], 0
            for gap, size, instead in stage:
                first, last = done + gap, done + gap + size
                if last <= len(origins):
                    pieces.append((first, last, instead))
                    after += origins[done:first] + [(origins[first][0], origins[last - 1][1])] * len(instead)
                    done = last
            edited, origins = edited.by(pieces), after + origins[done:]
        assert len(edited.data) == len(origins)
        for place, (start, end) in enumerate(origins):
            assert edited.start(place) == start
            assert edited.end(place + 1) == end


def java(text):
    """Java's letters by its definition (JLS 3.3), one character after the other, and the span of each."""
    letters, at, backslashes = [], 0, 0
    while at < len(text):
        escape = re.compile(r"\\u+([0-9a-fA-F]{4})").match(text, at)
        if escape and backslashes % 2 == 0:
            letters.append((chr(int(escape[1], 16)), at, escape.end()))
            at, backslashes = escape.end(), 0
        else:
            backslashes = backslashes + 1 if text[at] == "\\" else 0
            letters.append((text[at], at, at + 1))
            at += 1
    return letters


class TestEscapes:
    @examples(1000)
    @given(st.lists(st.sampled_from(["\\", "u", "0041", "\\u0042", "\\uu005c", "\\u00e9", "é", "4", " "])).map("".join))
    @example("\\\\u0041\\\\\\u0041")
    @example("\\u005cu005c\\u005c\\u0041")
    def test_those_of_java_are_what_its_definition_says(self, text):
        edited, letters = preprocess("java", text.encode()), java(text)
        assert edited.data.decode() == "".join(letter for letter, _, _ in letters)
        at = 0
        for letter, start, end in letters:
            assert edited.start(at) == len(text[:start].encode())
            at += len(letter.encode())
            assert edited.end(at) == len(text[:end].encode())

    def test_java_decodes_what_is_code_because_of_it(self):
        plain = 'class A { /* a */ int b = f("c"); // d\n int e; }'
        disguised = "".join(f"\\u{'u' * (place % 3)}{ord(sign):04X}" for place, sign in enumerate(plain))
        texts = alike("java", plain, disguised)
        assert [re.sub(r"\\u+(.{4})", lambda match: chr(int(match[1], 16)), text) for text in texts] == read(
            "java", plain
        )[1]

    def test_a_pair_of_surrogates_is_one_letter(self):
        assert given_to("java", "\\ud835\\udc9c") == "\U0001d49c"
        assert given_to("java", "'\\ud835'") == "'?'"

    def test_letters_without_width(self):
        alike("java", "class A { int b = 1; }", "class A { i\\u200bnt\\u200b b\u00ad\\u200b = 1; }")

    @pytest.mark.parametrize(
        ("language", "plain", "disguised"),
        [
            ("javascript", "let abc = 1; f(abc, abc);", "let \\u0061bc = 1; f(a\\u{62}c, ab\\u{0063});"),
            ("typescript", "let größe: X = 1; f(größe);", "let gr\\u00f6ße: X = 1; f(größe);"),
            (
                "csharp",
                "class A { int F(int a) { return a + a; } }",
                "class A { int F(int \\u0061) { return a + \\U00000061; } }",
            ),
        ],
    )
    def test_names(self, language, plain, disguised):
        alike(language, plain, disguised)

    @pytest.mark.parametrize(
        ("language", "text"),
        [
            ("javascript", "a = '\\u0027' + \"\\u0022\" + `\\u0060` + /\\u002f/;"),
            ("javascript", "a = `\\u0024{b}`;"),
            ("javascript", "a = '\\\\u0061';"),
            ("javascript", "a = '\\ud83d\\ude00\\u{110000}';"),
            ("csharp", "class A { int \\u0069f; }"),
            ("c", 'char *a = u8"\\u00e9";'),
            ("python", "a = '\\u0061'"),
        ],
    )
    def test_what_is_none_stays(self, language, text):
        assert given_to(language, text) == text


class TestSpellings:
    PLAIN = "int f(int a[3]) { if (a[0] && !a[1] || a[2] != 3) { return a[0] ^ a[1]; } return ~a[0]; }"

    @pytest.mark.parametrize("language", ["c", "cpp", "objective-c"])
    @pytest.mark.parametrize("spellings", [("<%", "%>", "<:", ":>"), ("??<", "??>", "??(", "??)")])
    def test_brackets(self, language, spellings):
        disguised = self.PLAIN
        for sign, spelling in zip("{}[]", spellings, strict=True):
            disguised = disguised.replace(sign, spelling)
        assert given_to(language, disguised) == self.PLAIN

    def test_words(self):
        disguised = self.PLAIN
        for sign, word in {"&&": "and", "||": "or", "!=": "not_eq", "!": "not ", "^": "xor", "~": "compl "}.items():
            disguised = disguised.replace(sign, word)
        texts = alike("cpp", self.PLAIN, disguised)
        assert {"and", "or", "not_eq", "not", "xor", "compl"} < set(texts)
        assert given_to("c", disguised) == disguised
        alike("c", self.PLAIN, f"#include <iso646.h>\n{disguised}")

    def test_directives(self):
        text = "%:include <a.h>\n??=define A(b) b\n%:define C\n %: ifdef X\n%:endif\n#define D(a) a%:%:b\n"
        assert given_to("c", text).splitlines() == [
            "#include <a.h>", "#define A(b) b", "#define C", " # ifdef X", "#endif", "#define D(a) a%:%:b",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        "text",
        [
            "char *a = \"<% and ??(\"; // <: N and\n/* %> */ char b = '<%';",
            "std::vector<::std::string> a;",
            'auto a = u8R"x(<% )" and)x";',
            "int a = 1'000'000;",
            "// a ??/\nint b;",
        ],
    )
    def test_what_is_none_stays(self, text):
        assert given_to("cpp", text) == text

    def test_brackets_after_a_sign_of_less(self):
        assert given_to("cpp", "a<:::b:> = c<::> + d<::>;") == "a[::b] = c[] + d[];"

    def test_lines_joined_inside_tokens(self):
        assert given_to("c", "in\\\nt a \\\n= 1 +\\\r\n+ b;") == "int a \\\n= 1 ++ b;"
        alike("c", "int f() { return 10; }", "i\\\nnt f() { re\\\n\\\nturn 1\\\r\n0; }")


class TestMacros:
    def test_a_use_stands_where_it_is_written(self):
        plain = "int f(int a) { for (;;) { if (a == 100) { return a; } } }"
        defines = "RET return", "BEGIN {", "END }", "EQ ==", "N 100", "KWORD for", "NOTHING"
        disguised = "".join(f"#define {each}\n" for each in defines) + (
            "int f(int a) BEGIN KWORD (;;) BEGIN NOTHING if (a EQ N) BEGIN RET a; END END END"
        )
        assert [
            text for text in alike("c", plain, disguised) if text.isupper() or text.isdigit()
        ] == ["KWORD", "EQ", "N", "RET"]  # fmt: skip

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("N\n#define N 1\nN\n#undef N\nN", "N\n\n1\n\nN"),
            ("#define A B\n#define B C\n#define C 1\nA B C", "\n\n\n1 1 1"),
            ("#define C 1\n#define B C\n#define A B\nA B C\n#define C 2\nA", "\n\n\n1 1 1\n\n2"),
            ("#define A B\n#define B A\nA B", "#define A B\n#define B A\nA B"),
            ("#define C A\n#define A B\n#define B A\nC", "\n\n\nA"),
            ("#define A A\nA", "#define A A\nA"),
            ("#define N /* a\nb */ 1 // c\nN", "\n1"),
            ("#define N \\\n 1\nN", "\n1"),
            ("#/**/define/**/N/**/1\nN", "#/**/define/**/N/**/1\nN"),
            ("/**/ # define/**/N/**/1\nN", "/**/ \n1"),
            ("#define F(a) a\n#define G (1)\n#define H 1 + 2\nF(1) G H", None),
            ("#define N 1\n#define N(a) a\nN(2)", None),
            ('#define N 1\nchar *a = "N"; // N\n/* N */ int bN, N1; char c = \'N\'; double d = 0xN;', None),
            ("#define N -\na = -N-b;", "\na = - - -b;"),
            ("#define N 1\n#if N > 2 && defined N\n#endif", "\n#if 1 > 2 && defined N\n#endif"),
            ("#define N 1\n#if A\n#elif defined (N)\n#endif", None),
            ("#define N 1\n#ifdef N\n#endif\n#pragma N\n#define F(a) a + N", None),
            ("#define OPEN <%\nOPEN }", "\n{ }"),
            ("#define A_B 'a'\n#define X \"N\"\nA_B X", "\n\n'a' \"N\""),
        ],
    )  # fmt: skip
    def test_rules(self, text, expected):
        assert given_to("c", text) == (text if expected is None else expected)

    @pytest.mark.parametrize(
        "condition", ["ifdef NEVER", "ifndef EVER", "if NEVER", "if !EVER", "if !defined(EVER)", "if defined NEVER"]
    )
    def test_a_definition_that_is_never_compiled_counts_not(self, condition):
        before = "#define EVER 1\n#define RET return\n"
        text = f"{before}#{condition}\n#define RET x\n#undef RET\n#elif 1\n#else\n#define RET y\n#endif\nRET"
        if condition == "if !EVER":  # an expression, which nobody calculates
            assert given_to("c", text).endswith("\nRET")
        else:
            assert given_to("c", text).endswith("\nreturn")

    @pytest.mark.parametrize("condition", ["ifndef NEVER", "ifdef EVER", "if EVER", "if defined(EVER)", "if A > 2"])
    def test_the_other_branch_counts_not(self, condition):
        text = f"#define EVER 1\n#{condition}\n#define RET return\n#else\n#define RET x\n#endif\nRET"
        assert given_to("c", text).endswith("\nreturn")

    def test_a_condition_may_be_a_macro(self):
        plain = "int f() { return 1; }"
        alike("c", plain, f"#define NEVER 0\n#if NEVER\n}}}}((\n#endif\n{plain}")

    def test_other_languages_have_none(self):
        text = "#define N\nclass A { int N; } // <%"
        assert given_to("csharp", text) == text

    @pytest.mark.parametrize("count", [1, 20])
    def test_a_program_that_is_read_in_regions_keeps_its_macros(self, count):
        plain = "int größe(int a) { if (a == 1) { return a; } return 2; }\n"
        defines = "#define RET return\n#define BEGIN {\n#define END }\n#define WHEN if\n"
        disguised = plain.replace("{", "BEGIN").replace("}", "END").replace("return", "RET").replace("if", "WHEN")
        garbage = "((((" * 40 + "\n"
        with impatient(workers=1):
            first = CodeFrontend("c").stream(plain * count + garbage + plain)
            text = defines + disguised * count + garbage + disguised
            second = CodeFrontend("c").stream(text)
        assert second.note.startswith("read in pieces")
        assert first.symbols.tolist() == second.symbols.tolist()
        assert [text[start:end] for start, end in second.spans[:10]] == [
            "int", "größe", "int", "a", "WHEN", "a", "==", "1", "RET", "a",
        ]  # fmt: skip

    def test_chains_end_when_they_took_too_many_steps(self, monkeypatch):
        """Or else a long chain that is defined anew before each of its uses takes quadratic time."""
        chain = "".join(f"#define A{number} A{number + 1}\n" for number in range(100))
        text = chain + "#define Z 1\nA0\n" * 100
        monkeypatch.setattr(directives, "STEPS", -len(text) + 150)
        assert re.findall(r"^A\d+", given_to("c", text), re.M)[:4] == ["A100", "A52", "A1", "A1"]


def test_colours_stand_where_the_text_does():
    text = 'class A { \\u0069nt b = 1; /* é */ String c = \\u0022d"; }'
    starts, ends, letters = syntax("java", text.encode())
    spans = zip(array("i", starts), array("i", ends), letters, strict=True)
    assert [(text[start:end], letter) for start, end, letter in spans] == [
        ("class", "k"), ("A", "f"), ("\\u0069nt", "k"), ("1", "m"), ("/* é */", "c"), ('\\u0022d"', "t"),
    ]  # fmt: skip
