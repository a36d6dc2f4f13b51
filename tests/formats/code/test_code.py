"""The conformance suite for every language, on a program of its own, and its tokens by example."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.code import CodeConformance
from tests.formats.code import test_lexed, test_parsed
from tests.sandbox import targets
from whorl.errors import DocumentError, UnknownNameError
from whorl.formats.code import frontend as frontend_module
from whorl.formats.code import languages, leaves, tokens
from whorl.formats.code.frontend import CodeFrontend, Program
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.code.plan import CLASSES, plan, symbol
from whorl.formats.code.regions import SECONDS, read_regions
from whorl.formats.code.row import CLOSERS, Language
from whorl.formats.code.rows_lexed import PLAIN
from whorl.model import Document
from whorl.sandbox import Sandbox

SAMPLES = Path(__file__).with_name("samples")

C_FUNCTION = "int twice(int n) {\n    while (n > 1) { n -= 2; }\n    return n * 2;\n}\n"


def sample(name):
    return (SAMPLES / name).read_text(encoding="utf-8")


class TestC(CodeConformance):
    language = "c"
    sample = sample("list.c")
    function = C_FUNCTION


class TestCpp(CodeConformance):
    language = "cpp"
    sample = sample("shapes.cpp").replace("Kreis ø", "Kreis größe")
    function = C_FUNCTION


class TestCSharp(CodeConformance):
    language = "csharp"
    sample = sample("Bank.cs").replace("Jürgen", "größe")
    function = "class Twice { int Of(int n) { while (n > 1) { n -= 2; } return n * 2; } }\n"


class TestGo(CodeConformance):
    language = "go"
    sample = sample("words.go")
    function = "func twice(n int) int {\n\tfor n > 1 {\n\t\tn -= 2\n\t}\n\treturn n * 2\n}\n"


class TestJava(CodeConformance):
    language = "java"
    sample = sample("Matrix.java")
    function = "class Twice { int of(int n) { while (n > 1) { n -= 2; } return n * 2; } }\n"


class TestJavaScript(CodeConformance):
    language = "javascript"
    sample = sample("queue.js")
    function = "function twice(n) {\n  while (n > 1) { n -= 2; }\n  return n * 2;\n}\n"


class TestTypeScript(TestJavaScript):
    language = "typescript"
    sample = sample("store.ts")


class TestTsx(TestJavaScript):
    language = "tsx"
    sample = sample("List.tsx")


class TestPhp(CodeConformance):
    language = "php"
    sample = sample("cart.php")
    opening = "<?php\n"
    function = "function twice($n) {\n  while ($n > 1) { $n -= 2; }\n  return $n * 2;\n}\n"
    closing = "?>\n"


class TestPython(CodeConformance):
    language = "python"
    sample = sample("inventory.py")
    function = "def twice(n):\n    while n > 1:\n        n -= 2\n    return n * 2\n"


class TestRuby(CodeConformance):
    language = "ruby"
    sample = sample("garden.rb")
    function = "def twice(n)\n  while n > 1 do n -= 2 end\n  n * 2\nend\n"


class TestRust(CodeConformance):
    language = "rust"
    sample = sample("parser.rs")
    function = "fn twice(n: u8) -> u8 {\n    while n > 1 { n -= 2; }\n    n * 2\n}\n"


def classes(language, text):
    """The classes of a text's tokens, an identifier written as _ and a literal by the first letter of its kind."""
    grammar, family = plan(language).grammar, LANGUAGES[language].family
    kinds = [grammar.node_kind_for_id(number) or "" for number in range(grammar.node_kind_count)]
    names = {symbol(family, kind): kind for kind in kinds}
    names |= {symbol(family, name): name.replace("literal:", "")[0].upper() for name in CLASSES.values()}
    names[symbol(family, "identifier")] = "_"
    return " ".join(names[found] for found in CodeFrontend(language).stream(text).symbols.tolist())


CPP = "class _ _ primitive_type _"
JAVASCRIPT = "const _ = async _ => _ _ ?? S + R"
RUST = "fn _ < _ > _ & _ primitive_type -> primitive_type _ ! _ I ..= I"


class TestTokens:
    @pytest.mark.parametrize(
        ("language", "text", "expected"),
        [
            ("java", "import a.b.C;", ""),
            ("java", "@A public static final int x = 0x1F + y.z(2.5, \"a\", 'b');", "int _ = I + _ _ F S C"),
            ("java", "for (int i = 0; i < n; i++) { a[i] = null; }", "for int _ = I _ < _ _ ++ _ _ = null_literal"),
            (
                "python",
                "import os\nfrom a import b\nx = 1 if y is not None else -2.5",
                "_ = I if _ is not none else - F",
            ),
            ("python", "@cached\ndef f(a, *b):\n    '''Says.'''\n    return a @ f'{b}!'", "def _ _ * _ return _ @ S"),
            ("python", "print 'a'\nx = (yield)", "print S _ = yield"),
            ("python", "'Says.'\nx = 1\n'''Is x.'''\ny = 2", "_ = I _ = I"),
            ("python", "def f():\n    'Says.'\n\ndef g():\n    r'Says.'; return 'a'", "def _ def _ return S"),
            ("python", "'a',\n'b',\n", "S S"),
            ("python", "  'a', 'b',  # two\n  'c',\n)", "S S S"),
            ("python", "'a': 'b',\n'c': 'd',\n", "S S S S"),
            ("python", "'a '\n'b '\n'c',\n'd',\n", "S S S S"),
            ("c", '#include <stdio.h>\nstatic const char *s[] = {"a" "b", 0};', "primitive_type * _ = S S N"),
            ("c", "p->x = *q++ & 'c';", "_ -> _ = * _ ++ & C"),
            ("cpp", "using namespace std; class A : public B { public: virtual int f() const; };", CPP),
            ("csharp", "using A; namespace B; [C] public class D { int E => 1; }", "class _ predefined_type _ => I"),
            ("javascript", "import a from 'b'; export const f = async (x) => x?.y ?? `a${b}` + /c/g;", JAVASCRIPT),
            ("typescript", "export class A { private readonly b: string = 'c'; }", "class _ _ string = S"),
            ("tsx", "const a = <b c={1}>text</b>;", "const _ = < _ _ = N > </ _ >"),
            ("go", "package a\nimport \"b\"\nfunc f() { x := y.z[1:2]; _ = 'c' }", "func _ _ := _ _ I I _ = C"),
            ("rust", "use a::b; #[c] pub fn d<'e>(f: &'e str) -> u8 { g!(f); 1..=2 }", RUST),
            ("php", '<html><?php namespace a; use b\\c; $x = $y->z . "a $b"; ?></html>', "_ = _ _ . S"),
            ("php", "<?php namespace a { f(1); }", "namespace _ _ I"),
            ("ruby", '# a\n@x ||= b&.c(:d, "e#{f}")', "_ ||= _ _ S S"),
        ],
    )
    def test_examples(self, language, text, expected):
        assert classes(language, text) == expected

    @pytest.mark.parametrize(
        ("name", "others"), [("queue.js", ("javascript", "typescript", "tsx")), ("list.c", ("c", "cpp"))]
    )
    def test_a_family_shares_its_symbols(self, name, others):
        found = [CodeFrontend(language).stream(sample(name)).symbols.tolist() for language in others]
        assert all(symbols == found[0] for symbols in found)

    def test_families_share_nothing(self):
        text = 'while (a < 1) { b = c("d"); }'
        java, c = (set(CodeFrontend(language).stream(text).symbols.tolist()) for language in ("java", "c"))
        assert not java & c

    def test_the_same_in_another_process(self):
        code = "import sys; from whorl.formats.code.tokens import tokens as read; "
        code += "print(read('go', sys.stdin.buffer.read()).symbols.tolist())"
        found = subprocess.run(
            [sys.executable, "-c", code], input=sample("words.go").encode(), capture_output=True, check=True
        )
        assert found.stdout.decode().strip() == str(CodeFrontend("go").stream(sample("words.go")).symbols.tolist())

    def test_tokens_can_be_sent_to_another_process(self):
        function, found = pickle.loads(pickle.dumps((tokens.tokens, tokens.tokens("c", b"int a = 1;"))))
        assert function("c", b"int a = 1;").symbols.tolist() == found.symbols.tolist()
        assert pickle.loads(pickle.dumps(Program("c", b"int a;"))) == Program("c", b"int a;")


HIDDEN = "\xad\u200b\u2060\ufeff\U000e0041"
NAMES = st.builds("{}{}{}".format, st.text(HIDDEN, max_size=2), st.sampled_from("aé漢"), st.text("bé漢1_" + HIDDEN))


@given(st.lists(NAMES, min_size=1))
def test_tokens_are_where_they_stand_without_the_signs_that_nobody_sees(names):
    seen = [name.translate(dict.fromkeys(map(ord, HIDDEN))) for name in names]
    text, plain = " + ".join(names), " + ".join(seen)
    found, expected = (tokens.tokens("python", each.encode()) for each in (text, plain))
    assert found.symbols.tolist() == expected.symbols.tolist()
    held = [text[start:end] for start, end in zip(found.starts, found.ends, strict=True)]
    assert [each.translate(dict.fromkeys(map(ord, HIDDEN))) for each in held[::2]] == seen
    assert set(held[1::2]) <= {"+"}


class TestLexer:
    @pytest.fixture(params=[row.name for row in PLAIN], autouse=True)
    def _no_grammar(self, request, monkeypatch):
        self.name = request.param
        monkeypatch.setattr(leaves, "installed", lambda _: False)

    def test_it_says_why(self):
        found = tokens.tokens(self.name, b"int a;")
        assert found.fallback == "its reader is not installed: pip install whorl"
        assert [array.dtype for array in found[:3]] == [np.uint32, np.int32, np.int32]

    def test_layout_comments_and_names(self):
        mark = LANGUAGES[self.name].comments[0]
        ones = tokens.tokens(self.name, b'while (a <= 1) { b_2 = \'x\' + "y\\""; } return 0x1f;')
        others = tokens.tokens(self.name, f"while(größe<=17)\n{{ {mark} it's\n c = 'z'+\"\"}}\n return 27".encode())
        assert ones.symbols.tolist() == others.symbols.tolist()
        assert len(set(ones.symbols.tolist())) >= 8

    def test_spans_are_code_points(self):
        text = "größe = '漢字🎉' + b"
        found = tokens.tokens(self.name, text.encode())
        assert [text[start:end] for start, end in zip(found.starts, found.ends, strict=True)] == [
            "größe",
            "=",
            "'漢字🎉'",
            "+",
            "b",
        ]

    def test_its_symbols_are_those_of_the_grammar(self):
        (parsed, _, _), _ = leaves.parsed(plan("java"), b"while (a < 1) b();")
        assert tokens.lex(LANGUAGES["java"], "while (a < 1) b();")[0].tolist() == parsed

    @pytest.mark.parametrize("piece", ["/*", "(", '"', "'''", "\\", "a", "1.", "é", "'\\", "`", "1e+"])
    def test_hostile_text_is_linear(self, piece):
        text = piece * 50_000
        assert len(tokens.tokens(self.name, text.encode()).symbols) <= len(text)


class TestLexerOfAll:
    @pytest.mark.parametrize("row", languages.ROWS, ids=lambda row: row.name)
    def test_every_comment_is_left_out(self, row):
        for mark in row.comments:
            text = f"a\n{mark} b = it's {CLOSERS.get(mark, '')}\nd"
            symbols, starts, ends = tokens.lex(row, text)
            assert [text[start:end] for start, end in zip(starts, ends, strict=True)] == ["a", "d"]
            assert symbols.tolist() == [symbol(row.family, "identifier")] * 2

    @pytest.mark.parametrize(
        "text",
        [
            "x = 1\n'Is x.'\ny = 2",
            "def f():\n    '''Says\n    this.'''  \n    return 1",
            'def f():\n    r"""Says\n    that."""\n\ndef g():\n    return 1',
            '"""{}""".format(a)\nx = """b"""\n"""Is x."""\ny = 2',
            "'a',\n'b',\n",
            "'a '\n'b '\n'c',\n'd',\n",
        ],
    )
    def test_it_drops_the_docstrings_that_the_parser_drops(self, text):
        (parsed, _, _), _ = leaves.parsed(plan("python"), text.encode())
        assert tokens.lex(LANGUAGES["python"], text)[0].tolist() == parsed

    @pytest.mark.parametrize("piece", ["'a'\n", '"""', "'a'\n" + "\n" * 1000, "r'", "'''a\n"])
    def test_docstrings_that_never_end_are_linear(self, piece):
        text = piece * (300_000 // len(piece))
        assert len(tokens.lex(LANGUAGES["python"], text)[0]) <= len(text)

    @pytest.mark.parametrize("row", languages.ROWS, ids=lambda row: row.name)
    def test_a_reader_that_is_not_installed_is_named(self, row, monkeypatch):
        monkeypatch.setattr(leaves, "installed", lambda _: False)
        stream = CodeFrontend(row.name).stream("a = b")
        assert stream.note == (
            f"read by the plain lexer, not as {row.name}: its reader is not installed: {languages.missing(row.name)}"
        )
        assert len(stream) >= 2

    @pytest.mark.parametrize("mark", [*CLOSERS, "*", "--", ";", "%", "!"])
    def test_comments_that_never_end_are_linear(self, mark):
        row = Language(name="some", module="none", extensions=(), comments=(mark,))
        assert len(tokens.lex(row, (mark + " ") * 100_000)[0]) <= 600_000


class TestFrontend:
    @pytest.mark.parametrize("path", sorted(SAMPLES.iterdir()), ids=lambda path: path.name)
    def test_a_file_is_a_text_is_bytes(self, path):
        frontend = CodeFrontend()
        contents = (path, path.read_bytes(), path.read_text(encoding="utf-8"))
        (first, *others) = [frontend.read(*frontend.pieces(Document(path.name, content))) for content in contents]
        assert len(first) > 100
        assert all(other.symbols.tolist() == first.symbols.tolist() for other in others)

    def test_many_at_once_are_the_same_as_one_by_one(self):
        frontend = CodeFrontend()
        documents = [Document(path.name, path) for path in sorted(SAMPLES.iterdir())]
        pieces = [piece for document in documents for piece in frontend.pieces(document)] * 3
        one_by_one = [frontend.read(piece) for piece in pieces]
        together = list(frontend.read_all(iter(pieces)))
        assert [stream.symbols.tolist() for stream in together] == [stream.symbols.tolist() for stream in one_by_one]
        assert [stream.ends.tolist() for stream in together] == [stream.ends.tolist() for stream in one_by_one]
        assert list(frontend.read_all([])) == []

    @pytest.mark.parametrize("ahead", [0, 2, 64])
    def test_broken_programs_keep_their_turn(self, monkeypatch, ahead):
        """They are read in regions on other threads, while those after them are parsed."""
        monkeypatch.setattr(frontend_module, "AHEAD", ahead)
        frontend = CodeFrontend()
        sound = [f"def f{number}(a):\n    return a + {number}\n" * number for number in range(1, 13)]
        broken = [text + ("(((((" * 20 + "\n") * 3 + text for text in sound]
        texts = [text for pair in zip(sound, broken, strict=True) for text in pair]
        pieces = [Program("python", text.encode()) for text in texts]
        one_by_one = [frontend.read(piece) for piece in pieces]
        assert all(stream.note.startswith("read in pieces") for stream in one_by_one[1::2])
        together = list(frontend.read_all(pieces))
        assert [stream.symbols.tolist() for stream in together] == [stream.symbols.tolist() for stream in one_by_one]
        assert [stream.note for stream in together] == [stream.note for stream in one_by_one]

    def test_other_encodings(self):
        text = "# größe\nx = 'größe' + y\n"
        expected = CodeFrontend("python").stream(text)
        for encoding in ("cp1252", "utf-16", "utf-8-sig"):
            document = Document("a.py", text.encode(encoding))
            found = CodeFrontend().read(*CodeFrontend().pieces(document))
            assert found.symbols.tolist() == expected.symbols.tolist()
            assert found.ends.tolist() == expected.ends.tolist()

    @pytest.mark.parametrize("declared", ["iso-2022-jp", "hz"])
    def test_ascii_bytes_that_declare_what_they_are(self, declared):
        text = f"# -*- coding: {declared} -*-\nx = '日本' + y\n"
        (piece,) = CodeFrontend().pieces(Document("a.py", text.encode(declared)))
        assert piece.data == text.encode()

    def test_an_unknown_language_names_the_remedy(self):
        with pytest.raises(
            DocumentError,
            match=r"notes: cannot tell the programming language by .*: give the language, one of ada, .*as text",
        ):
            list(CodeFrontend().pieces(Document("notes", b"hello")))
        with pytest.raises(DocumentError, match="no language given: choose one of ada, assembly"):
            CodeFrontend().stream("x")
        with pytest.raises(UnknownNameError, match="unknown language 'perl6'"):
            CodeFrontend("perl6")

    def test_a_forced_language(self):
        assert next(CodeFrontend("go").pieces(Document("a.py", b""))).language == "go"

    def test_what_is_too_large_to_parse_is_lexed(self, monkeypatch):
        monkeypatch.setattr(leaves, "LARGEST", {"grammar": 1 << 20})
        found = tokens.tokens("c", b"a" * (1 << 19) + b" = 1;\n" * 100_000)
        assert found.fallback == "larger than 1 MB"
        assert found.symbols.tolist()[:3] == tokens.lex(LANGUAGES["c"], "a = 1")[0].tolist()

    def test_no_grammar_is_loaded_before_it_is_needed(self):
        code = "import sys, whorl.formats.code.frontend; "
        code += "assert not [name for name in sys.modules if name.startswith('tree_sitter')]"
        subprocess.run([sys.executable, "-c", code], check=True)

    def test_every_language_has_a_suite(self):
        things = {**globals(), **vars(test_parsed), **vars(test_lexed)}.values()
        suites = [thing for thing in things if isinstance(thing, type) and issubclass(thing, CodeConformance)]
        assert {str(suite.language) for suite in suites if suite is not CodeConformance} == set(languages.LANGUAGES)


class TestRegions:
    """A program that is broken in two places, between sound functions."""

    SOUND = "def {0}(a):\n    for b in a:\n        if b > 2:\n            print(b, a[b])\n    return a\n\n\n"
    BROKEN = "(" * 40 + " {0}\n"
    TEXT = "".join(
        [SOUND.format("f0"), BROKEN.format("n1"), *map(SOUND.format, ("f2", "f3", "f4")), BROKEN.format("n4")]
    )
    TEXT += SOUND.format("f7")

    def read(self, reader, broken=None):
        return read_regions(languages.language("python"), self.TEXT.encode(), reader, broken)

    def test_regions_are_the_same_read_together_or_each_alone(self):
        together = self.read(lambda regions: iter(leaves.plain_regions("python", regions, True)))
        alone = self.read(lambda regions: ((leaves.plain_tokens("python", region, True), 0.0) for region, _ in regions))
        assert together.lexed == alone.lexed == 0
        for mine, theirs in zip(together.tokens[:3], alone.tokens[:3], strict=True):
            np.testing.assert_array_equal(mine, theirs)
        for mine, theirs in zip(together.tokens.normal[:4], alone.tokens.normal[:4], strict=True):
            np.testing.assert_array_equal(mine, theirs)

    def test_what_was_read_whole_is_not_read_again(self):
        asked: list[bytes] = []

        def reader(regions):
            asked.extend(region for region, _ in regions)
            return iter(leaves.plain_regions("python", regions, True))

        expected = self.read(reader)
        assert asked.count(self.TEXT.encode()) == 1
        asked.clear()
        regions = self.read(reader, leaves.plain_tokens("python", self.TEXT.encode(), True))
        assert self.TEXT.encode() not in asked
        for mine, theirs in zip(regions.tokens[:3], expected.tokens[:3], strict=True):
            np.testing.assert_array_equal(mine, theirs)

    def test_a_region_that_stops_its_worker_is_lexed_alone(self):
        def reader(regions):
            readings = leaves.plain_regions("python", regions, True)
            for (region, _), (plain, seconds) in zip(regions, readings, strict=True):
                yield None if b"n4" in region else plain, seconds

        regions = self.read(reader)
        assert regions.lexed == 1
        np.testing.assert_array_equal(regions.tokens.starts, np.sort(regions.tokens.starts))
        assert regions.tokens.starts[-1] > self.TEXT.index("f7")

    @pytest.mark.parametrize("seconds", [SECONDS + 1, 0.0, float("nan")])
    def test_what_is_left_when_parsers_have_had_their_time_is_lexed(self, monkeypatch, seconds):
        monkeypatch.setattr("whorl.formats.code.regions.LEAST", SECONDS / 2)
        asked: list[bytes] = []

        def reader(regions):
            for region, _ in regions:
                asked.append(region)
                yield None, seconds

        regions = self.read(reader)
        assert regions.lexed == regions.lines
        assert len(asked) == (1 if seconds > SECONDS else 3)

    def test_waiting_for_a_worker_takes_no_time_from_a_program(self, monkeypatch):
        """Another task keeps the worker busy for longer than the parsers of a program may take."""
        monkeypatch.setattr("whorl.formats.code.regions.SECONDS", 0.3)
        frontend, program = CodeFrontend(), Program("python", self.TEXT.encode())
        expected = frontend.read(program)
        with Sandbox(workers=1) as sandbox:

            def on_a_busy_machine(*arguments):
                sandbox.begin(f"{targets.__name__}:nap", 0, 0.8)
                return read_regions(*arguments)

            monkeypatch.setattr(frontend_module, "default_sandbox", lambda: sandbox)
            monkeypatch.setattr(frontend_module, "read_regions", on_a_busy_machine)
            found = frontend.read(program)
        assert (found.note, found.symbols.tolist()) == (expected.note, expected.symbols.tolist())

    def test_a_string_that_is_open_does_not_go_on_over_lines_taken_out(self):
        reader = lambda regions: iter(leaves.plain_regions("bash", regions, False))  # noqa: E731
        tokens = read_regions(languages.language("bash"), b'="n\ne=$(', reader).tokens
        assert tokens.starts.tolist() == sorted(tokens.starts.tolist())
        assert tokens.ends.tolist() == sorted(tokens.ends.tolist())

    @pytest.mark.parametrize("can_be_cut", [False, True])
    def test_a_broken_region_has_no_normal_form_and_no_tokens_if_it_can_be_cut(self, can_be_cut):
        regions = [(self.SOUND.format("f").encode(), can_be_cut), (self.BROKEN.encode(), can_be_cut)]
        (sound, _), (broken, _) = leaves.plain_regions("python", regions, True)
        assert sound[0]
        assert sound[5] is not None
        assert bool(broken[0]) != can_be_cut
        assert broken[5] is None
        assert broken[-1]

    @pytest.mark.parametrize("least", [0.0, 2.0], ids=["regions", "whole"])
    def test_a_normal_form_is_that_of_what_is_kept(self, monkeypatch, least):
        monkeypatch.setattr(frontend_module, "KEPT", least)
        program = Program("python", self.TEXT.encode())
        ((stream, normal),) = CodeFrontend().read_both([program])
        whole = tokens.from_plain("python", program.data, leaves.plain_tokens("python", program.data, True))
        assert (stream.symbols.tolist() == whole.symbols.tolist()) == (least > 1)
        assert normal is not None
        assert whole.normal is not None
        assert (normal.symbols.tolist() == whole.normal.symbols.tolist()) == (least > 1)
