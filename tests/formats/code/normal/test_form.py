"""What holds of every normal form: spans lead back, and hostile programs have none or a small one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.formats.code.normal.programs import C_LIKE, apart, around, columns, same, tree
from whorl.formats.code.frontend import CodeFrontend, Program
from whorl.formats.code.leaves import plain_tokens
from whorl.formats.code.normal.form import TABLES
from whorl.formats.code.normal.lowering import DEEPEST, UnfitError
from whorl.formats.code.tokens import tokens

HOSTILE = [
    "(" * 200_000,
    "a+" * 100_000 + "a",
    "if (a) { " * 50_000,
    "x = " * 50_000,
    "{" * 100_000,
    "/*" + "a" * 1_000_000,
    "f(" * 3_000 + ")" * 3_000,
    "a" + "[0]" * 20_000,
    "if(a)b();else " * 20_000,
    "\0" * 1000,
    "int x = y;" * 20_000,
    "x = y; y = x;" * 10_000,
    "int f(int a) { return f(a); }" * 5_000,
    "int a = b; int b = c; int c = a; f(a);" * 5_000,
]

STATEMENTS = st.sampled_from([
    "x = y + 1;", "int a = f(x);", "int b;", "i++;", "x += a;", "f(x, y);", "g(a);", "if (x < y) { f(x); }",
    "if (!x) { y = 1; } else { y = 2; }", "while (i < 3) { i++; }", "for (int j = 0; j < x; j++) { f(j); }",
    "x = a ? b : 3;", "return x;", "{ y = 2; }", ";", "a[i] = x * 2;", "do { x--; } while (x > 0);",
])  # fmt: skip


@pytest.mark.parametrize("language", ["cpp", "csharp", "go", "java", "javascript", "python"])
@pytest.mark.parametrize("code", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_programs_have_a_small_one_or_none(language, code):
    _, _, _, is_parsed, _, second, _ = plain_tokens(language, code.encode()[:20_000], normal=True)
    assert is_parsed
    assert second is not None
    symbols, _, _, _, _, missing, _ = second
    assert len(symbols) // 4 < 100_000
    assert not (missing and symbols)


def test_a_program_that_is_nested_too_deep_has_none():
    deep = "f(" * (DEEPEST + 10) + ")" * (DEEPEST + 10)
    with pytest.raises(UnfitError, match="nested deeper than"):
        columns("python", deep)
    found = tokens("python", deep.encode(), normal=True)
    assert len(found.symbols)
    assert found.normal is not None
    assert "nested deeper" in found.normal.missing


def test_a_long_sum_is_not_deep():
    assert len(columns("python", "f(" + "+".join(["a"] * 20_000) + ")")[0]) > 20_000


@pytest.mark.parametrize("language", [*C_LIKE, "go"])
@examples(30)
@given(statements=st.lists(STATEMENTS, max_size=12))
def test_spans_lead_back_to_the_source(language, statements):
    code = around(language, "\n".join(statements))
    symbols, starts, ends, bits = columns(language, code)
    assert len(symbols) == len(starts) == len(ends) == len(bits)
    assert all(0 <= start < end <= len(code) for start, end in zip(starts, ends, strict=True))


@examples(50)
@given(statements=st.lists(STATEMENTS, max_size=12), names=st.permutations(["alpha", "beta", "gamma", "delta"]))
def test_names_and_layout_say_nothing(statements, names):
    code = around("java", "\n".join(statements))
    other = around("java", "  \n\n // a comment\n".join(statements))
    for old, new in zip("xyab", names, strict=True):
        other = other.replace(f" {old} ", f" {new} ")
    assert columns("java", code)[0] == columns("java", around("java", "\n\n/* c */ ".join(statements)))[0]
    assert len(columns("java", other)[0])


@examples(60)
@given(code=st.text(alphabet="(){}[];=<>!&|+-*/,.:?ab1 \n\"'", max_size=200), language=st.sampled_from(list(TABLES)))
def test_broken_code(code, language):
    try:
        symbols, starts, ends, _ = columns(language, code)
    except UnfitError:
        return
    assert all(0 <= start <= end <= len(code.encode()) for start, end in zip(starts, ends, strict=True))
    assert len(symbols) == len(starts)


def test_spans_count_code_points():
    text = 'class A { void m() { f("äöü", x); g(y); } }'
    found = tokens("java", text.encode(), normal=True).normal
    assert found is not None
    assert {text[start:end] for start, end in zip(found.starts, found.ends, strict=True)} >= {'"äöü"', "x", "y", "g"}


def test_workers_give_the_same():
    programs = [Program("java", around("java", "int x = f(); g(x);").encode()), Program("rust", b"fn main() {}")]
    (stream, normal), (_, other) = CodeFrontend().read_both(programs)
    assert normal is not None
    assert normal.symbols[: normal.size].tolist() == columns("java", around("java", "int x = f(); g(x);"))[0]
    assert stream.symbols.tolist() == tokens("java", programs[0].data).symbols.tolist()
    assert other is None
    assert all(second is None for _, second in CodeFrontend().read_both(programs, normal=False))


def test_symbols_are_not_those_of_the_plain_stream():
    code = around("java", 'int x = f(1) + 2; while (x < y) { x++; g("a"); }').encode()
    found = tokens("java", code, normal=True)
    assert found.normal is not None
    assert not set(found.symbols.tolist()) & set(found.normal.symbols.tolist())


def test_what_is_inlined_comes_from_the_function():
    code = "class A { static int sq(int a) { return a * a * 77; } public static void main() { f(sq(3)); } }"
    _, starts, ends, _ = columns("java", code)
    assert "77" in {code[start:end] for start, end in zip(starts, ends, strict=True)}
    assert "main" not in repr(tree("java", "class A { }"))


@pytest.mark.parametrize("language", ["csharp", "java", "javascript", "typescript"])
def test_a_function_may_be_called_by_the_name_of_its_class(language):
    same(language, "x = Helpers.total(y, z);", "x = total(y, z);")
    same(language, "x = helpers.total(y, z);", "x = total(y, z);")
    apart(language, "helper = f(); x = helper.total(y, z); g(helper);", "helper = f(); x = total(y, z); g(helper);")
    apart(language, "x = Helpers.total(y, z);", "x = total(y);")


COUNTER = """class Counter:
    def __init__(self, start: int):
        self.count = start

    @property
    def double(self):
        def inner():
            return self.count
        return inner() + self.count

    async def add(self: "Counter", *, more=1):
        self.count += more
        return self.count
"""


@pytest.mark.parametrize("name", ["this", "s", "_", "me"])
def test_the_first_parameter_of_a_method_is_its_object_whatever_its_name(name):
    """Half of the normal form differed after ``self`` had been renamed: a field of it is one name, of others two."""
    same("python", COUNTER, re.sub(r"\bself\b", name, COUNTER))


@pytest.mark.parametrize(
    "method",
    [
        "@staticmethod\n    def f(self):", "@classmethod\n    def f(self):", "def __new__(self):",
        "def f(other, self):", "def f(*self):",
    ],
)  # fmt: skip
def test_other_parameters_are_no_object(method):
    program = f"class A:\n    {method}\n        return this.count + 1\n".replace("self", "this")
    apart("python", program, "class A:\n    def f(this):\n        return this.count + 1\n")


def test_the_object_of_a_method_is_known_inside_of_it_only():
    method = "class A:\n    def f(this):\n        return this.count\n"
    apart("python", f"{method}print(this.count)\n", f"{method}print(self.count)\n")
