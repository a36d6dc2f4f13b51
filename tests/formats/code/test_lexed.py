"""The conformance suite for the languages that a lexer reads, on a program of each."""

import pytest

from tests.conformance.code import CodeConformance
from tests.formats.code.test_parsed import ASCII, sample
from whorl.formats.code.frontend import CodeFrontend
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.code.lexers import syntax
from whorl.formats.code.plan import IDENTIFIER, symbol

LISP_NAME = r"[^\s()\[\]{}\"';]+"


class TestAssembly8086(CodeConformance):
    language = "assembly-8086"
    sample = sample("largest.asm")
    letter = ASCII
    names = 15
    different = 8
    shape = r"\.?\w+:?"
    function = "twice:\n        add ax, bx\n        mov cx, 2\n        inc cx\n        ret\n"


class TestClojure(CodeConformance):
    language = "clojure"
    sample = sample("ledger.clj")
    shape = LISP_NAME
    letter = ASCII
    function = "(defn twice [n]\n  (if (> n 1) (* n 2) (+ n 1)))\n"


class TestCobol(CodeConformance):
    language = "cobol"
    sample = sample("wages.cob")
    letter = ASCII
    names = 30
    different = 9
    shape = r"[\w-]+"
    note = ("\n      * a (note) = it's \"one", "")
    function = "       TWICE-PART.\n           ADD 1 TO NUMBER-ONE.\n           MOVE 2 TO NUMBER-TWO.\n"


class TestCommonLisp(CodeConformance):
    language = "common-lisp"
    sample = sample("parser.lisp")
    letter = ASCII
    shape = LISP_NAME
    function = "(defun twice (n)\n  (if (> n 1) (* n 2) (+ n 1)))\n"


class TestD(CodeConformance):
    language = "d"
    sample = sample("matrix.d")
    function = "int twice(int n)\n{\n    while (n > 1) { n -= 2; }\n    return n * 2;\n}\n"


class TestDart(CodeConformance):
    language = "dart"
    sample = sample("cart.dart")
    letter = ASCII
    note = (" // a (note) = it's \"one", "")  # its lexer knows no comment after "class"
    function = "int twice(int n) {\n  while (n > 1) { n -= 2; }\n  return n * 2;\n}\n"


class TestElixir(CodeConformance):
    language = "elixir"
    sample = sample("basket.ex")
    letter = ASCII
    function = "def twice(n) do\n  if n > 1, do: n * 2, else: n + 1\nend\n"


class TestErlang(CodeConformance):
    language = "erlang"
    sample = sample("server.erl")
    letter = ASCII
    shape = r"#?[\w.]+"
    function = "twice(N) ->\n    if N > 1 -> N * 2; true -> N + 1 end.\n"


class TestGroovy(CodeConformance):
    language = "groovy"
    sample = sample("tasks.groovy")
    letter = ASCII
    note = (" // a (note) = it's \"one", "")  # its lexer knows no comment after "class"
    function = "def twice(int n) {\n    while (n > 1) { n -= 2 }\n    return n * 2\n}\n"


class TestModula2(CodeConformance):
    language = "modula-2"
    sample = sample("Queues.mod")
    letter = ASCII
    function = "PROCEDURE Twice(n: INTEGER): INTEGER;\nBEGIN\n  n := n + 1;\n  RETURN n * 2;\nEND Twice;\n"


class TestNim(CodeConformance):
    language = "nim"
    sample = sample("graph.nim")
    letter = ASCII
    function = "proc twice(n: int): int =\n  if n > 1:\n    return n * 2\n  return n + 1\n"


class TestPascal(CodeConformance):
    language = "pascal"
    sample = sample("Accounts.pas")
    letter = ASCII
    function = "procedure Twice(N: Integer);\nbegin\n  N := N + 1;\n  M := N * 2;\nend;\n"


class TestPlsql(CodeConformance):
    language = "plsql"
    sample = sample("payroll.pls")
    letter = ASCII
    function = "BEGIN\n    a := b + 1;\n    UPDATE c SET d = e * 2;\nEND;\n"


class TestProlog(CodeConformance):
    language = "prolog"
    sample = sample("family.pro")
    letter = ASCII
    function = "twice(N, M) :- N > 1, M is N * 2.\ntwice(N, N).\n"


class TestR(CodeConformance):
    language = "r"
    sample = sample("model.R")
    letter = ASCII
    shape = r"[\w.]+"
    function = "twice <- function(n) {\n  while (n > 1) { n <- n - 2 }\n  n * 2\n}\n"


class TestScheme(CodeConformance):
    language = "scheme"
    sample = sample("primes.scm")
    letter = ASCII
    shape = LISP_NAME
    function = "(define (twice n)\n  (if (> n 1) (* n 2) (+ n 1)))\n"


class TestSml(CodeConformance):
    language = "sml"
    sample = sample("heap.sml")
    letter = ASCII
    function = "fun twice n = if n > 1 then n * 2 else n + 1\n"


class TestSpice(CodeConformance):
    language = "spice"
    sample = sample("amplifier.cir")
    opening = "* a title\n"
    note = (" ; a (note) = it's \"one", "")
    function = "R7 one two 4k\nC7 two 0 10u\n.tran 1u 5m\n"


class TestTcl(CodeConformance):
    language = "tcl"
    sample = sample("turtle.tcl")
    letter = ASCII
    note = (" ;# a (note) = so", "")
    function = "proc twice {n} {\n    while {$n > 1} { incr n -2 }\n    return [expr {$n * 2}]\n}\n"


class TestVisualBasic(CodeConformance):
    language = "visual-basic"
    sample = sample("Orders.vb")
    letter = ASCII
    function = "Function Twice(n As Integer) As Integer\n    n = n + 1\n    Return n * 2\nEnd Function\n"


class TestFsharp(CodeConformance):
    language = "fsharp"
    sample = sample("Shapes.fs")
    body = sample[sample.index("// Shapes") :]
    note = (" // a (note) = it's \"one", "")
    function = "let twice n =\n    let m = n * 2 + 1\n    m - 1\n"


class TestKotlin(CodeConformance):
    language = "kotlin"
    sample = sample("Library.kt")
    body = sample[sample.index("// A library") :]
    note = (" // a (note) = it's \"one", "")  # its lexer knows no comment after "val"
    function = "fun twice(n: Int): Int {\n    while (n > 1) { n -= 2 }\n    return n * 2\n}\n"


LITERALS = ("string", "number", "character", "symbol", "regex", "boolean")


def classes(language, text):
    """The tokens of a text: an identifier written as _, a literal by the first letter of its kind, others as they
    are."""
    family = LANGUAGES[language].family
    names = {symbol(family, f"literal:{kind}"): kind[0].upper() for kind in LITERALS}
    names |= {symbol(family, IDENTIFIER): "_", symbol(family, "register"): "%"}
    names |= {symbol(family, f"element:{letter}"): f"{letter}*" for letter in "cdelmqrvx"}
    stream = CodeFrontend(language).stream(text)
    held = [text[start:end] for start, end in stream.spans]
    return " ".join(names.get(found, there) for found, there in zip(stream.symbols.tolist(), held, strict=True))


class TestTokens:
    @pytest.mark.parametrize(
        ("language", "text", "expected"),
        [
            ("pascal", "uses A, B;\nx := y + 2.5; { no } if a = 'b' then", "_ : = _ + N if _ = S then"),
            ("pascal", "x:=-1", "_ : = - N"),
            ("scheme", '; no\n(define (f x) (if (> x 1) \'a "b"))', "( define ( _ _ ( if ( > _ N S S"),
            ("common-lisp", "(DEFUN f (x) (+ x 1))", "( DEFUN _ ( _ ( + _ N"),
            ("clojure", "(defn  f [x]\n(if (> x 1) :a))", "( defn _ _ ( if ( > _ N S"),
            ("prolog", "a(X) :- b(X, c), X \\= 1.", "_ _ : - _ _ _ _ \\ = N"),
            ("visual-basic", "Imports A\nPublic Sub F() ' no\nDim x As Integer = 1", "Sub _ Dim _ As Integer = N"),
            ("modula-2", "IMPORT A;\nIF x # 1 THEN y := x END", "IF _ # N THEN _ : = _ END"),
            ("assembly-8086", "start: mov ax, [si] ; no\n add bx, 10h", "_ mov % % add % N"),
            ("plsql", "begin x := y.z + 1; end; -- no", "begin _ : = _ _ + N end"),
            ("sml", "fun f (x :: xs) = x + 1 (* no *)", "fun _ _ : : _ = _ + N"),
            ("r", "f <- function(x) x[[1]] # no", "_ < - function _ _ N"),
            ("tcl", "set x [expr {$y + 1}] ;# no", "set _ expr _ + N"),
            ("kotlin", "package a\nimport b.c\nprivate fun f(x: Int) = x ?: 1", "fun _ _ Int = _ ? N"),
            ("fsharp", "open System\nlet f x = x * 2.5 // no", "let _ _ = _ * N"),
            ("erlang", "f(X) when X > 1 -> X * 2. % no", "_ _ when _ > N - > _ * N"),
            ("spice", "a title\nR1 in out 10k\n+ tc=1 ; no\n* no\n.TRAN 1u 5m", "r* _ _ N _ = N .TRAN N N"),
            (
                "spice",
                "t\nM1 d g s b NCH W=1u $ no\nX2 a b amp\nV1 a 0 DC 5",
                "m* _ _ _ _ _ _ = N x* _ _ _ v* _ N DC N",
            ),
        ],
    )
    def test_examples(self, language, text, expected):
        assert classes(language, text) == expected

    def test_an_import_without_an_end_does_not_take_the_program(self):
        assert len(CodeFrontend("pascal").stream("uses a " + "x + y " * 100)) > 200

    def test_a_line_may_end_anyhow(self):
        text = "(define a 1)\n(define b 2)\n"
        found = [CodeFrontend("scheme").stream(text.replace("\n", end)) for end in ("\n", "\r\n", "\r")]
        assert len({tuple(stream.symbols.tolist()) for stream in found}) == 1


def coloured(language: str, text: str) -> list[tuple[str, str]]:
    starts, ends, letters = syntax(language, text.encode("utf-8", "surrogatepass"))
    spans = zip(memoryview(starts).cast("i"), memoryview(ends).cast("i"), letters, strict=True)
    return [(text[start:end], letter) for start, end, letter in spans]


@pytest.mark.parametrize("language", ["python", "groovy"])
def test_a_string_and_its_quotes_are_one_coloured_span(language: str):
    spans = coloured(language, "x = 'ab' + 'c'\nreturn 'd'\n")
    assert [text for text, letter in spans if letter == "t"] == ["'ab'", "'c'", "'d'"]


def test_a_grammar_colours_comments_keywords_texts_numbers_and_defined_names():
    text = "@cached\ndef twice(n):  # once more\n    return 2 * n if n not in 'añb' else None\n\n\nclass Größe: pass\n"
    assert coloured("python", text) == [
        ("cached", "f"), ("def", "k"), ("twice", "f"), ("# once more", "c"), ("return", "k"), ("2", "m"), ("if", "k"),
        ("not in", "k"), ("'añb'", "t"), ("else", "k"), ("None", "k"), ("class", "k"), ("Größe", "f"), ("pass", "k"),
    ]  # fmt: skip
    assert coloured("java", "class A { void b() { c(1.5); } }") == [
        ("class", "k"), ("A", "f"), ("void", "k"), ("b", "f"), ("1.5", "m")
    ]  # fmt: skip
    assert coloured("c", "int twice(int n) { return n; }")[:2] == [("int", "k"), ("twice", "f")]


@pytest.mark.parametrize("text", ["", "\ud800 def \udfff", "def (((", "'" * 1001, "\0\ufeff", "def " * 5000])
def test_odd_programs_are_coloured_in_order_and_inside_the_text(text: str):
    starts, ends, letters = syntax("python", text.encode("utf-8", "surrogatepass"))
    bounds = [
        place for span in zip(*(memoryview(each).cast("i") for each in (starts, ends)), strict=True) for place in span
    ]
    assert bounds == sorted(bounds)
    assert len(bounds) == 2 * len(letters)
    assert all(0 <= place <= len(text) for place in bounds)
