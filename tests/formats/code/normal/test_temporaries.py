import pytest

from tests.formats.code.normal.programs import WITH_TYPES, alike, apart, columns
from whorl.formats.code.normal import nodes
from whorl.formats.code.normal.nodes import TEMPORARIES


@pytest.mark.parametrize("language", WITH_TYPES)
def test_a_value_that_is_used_once_stands_where_it_is_used(language):
    alike(language, "int t = f(x) + 1; return t;", "return f(x) + 1;", TEMPORARIES)
    alike(language, "int t = f(x); if (t < 3) { g(); }", "if (f(x) < 3) { g(); }", TEMPORARIES)


@pytest.mark.parametrize("language", WITH_TYPES)
def test_a_number_that_never_changes_is_a_number(language):
    alike(language, "int n = 4; f(n); g(n);", "f(4); g(4);", TEMPORARIES)
    apart(language, "int n = 4; f(n); n = h(); g(n);", "f(4); h(); g(4);")


CONSTANTS = {
    "c": "const int N = {}; int f(int x) {{ return x * {}; }} int h(void) {{ k({}); }}",
    "cpp": "constexpr int N = {}; int f(int x) {{ return x * {}; }} int h() {{ k({}); }}",
    "csharp": "class A {{ public const int N = {}; int f(int x) {{ return x * {}; }} void h() {{ k({}); }} }}",
    "java": "class A {{ public static final int N = {}; int f(int x) {{ return x * {}; }} void h() {{ k({}); }} }}",
    "javascript": "const N = {}; function f(x) {{ return x * {}; }} function h() {{ k({}); }}",
    "typescript": "export const N: any = {}; function f(x) {{ return x * {}; }} function h() {{ k({}); }}",
    "tsx": "let N = {}; function f(x) {{ return x * {}; }} function h() {{ k({}); }}",
    "python": "N = {}\ndef f(x):\n    return x * {}\ndef h():\n    k({})\n",
}


@pytest.mark.parametrize("language", CONSTANTS)
def test_a_constant_of_the_file_is_what_it_stands_for(language):
    def symbols(*values, chosen=nodes.ALL):
        return columns(language, CONSTANTS[language].format(*values), chosen)[0]

    assert symbols("5", "N", "N") == symbols("5", "5", "5")
    assert symbols('"a"', "N", "N") == symbols('"a"', '"b"', '"c"')
    assert symbols("5", "N", "N + 1") == symbols("5", "5", "6")
    assert symbols("5", "N", "N", chosen=nodes.ALL & ~TEMPORARIES) != symbols("5", "5", "5")
    assert symbols("p()", "N", "N") != symbols("p()", "5", "5")
    assert symbols("5", "N", "N = 3") != symbols("5", "5", "3")


@pytest.mark.parametrize(
    ("language", "code"),
    [("javascript", "const N = 5; g({});"), ("python", "N = 5\ng({})\n")],
)
def test_a_field_of_what_is_called_is_no_constant(language, code):
    apart(language, code.format("h().N"), code.format("5"))


@pytest.mark.parametrize("language", ["csharp", "java"])
def test_a_constant_of_a_class_may_be_called_by_it(language):
    used = CONSTANTS[language]
    assert columns(language, used.format(5, "A.N", "A.N"))[0] == columns(language, used.format(5, 5, 5))[0]
    assert columns(language, used.format(5, "b.N", "N"))[0] != columns(language, used.format(5, 5, 5))[0]
    field = used.replace("static final", "").replace("const", "").replace("public", "private")
    assert columns(language, field.format(5, "N", "N"))[0] == columns(language, used.format(5, 5, 5))[0]
    assert columns(language, field.format(5, "N", "b.N = 2"))[0] != columns(language, field.format(5, 5, "b.N = 2"))[0]
    public = field.replace("private", "public")
    assert columns(language, public.format(5, "N", "N"))[0] != columns(language, public.format(5, 5, 5))[0]


def test_a_constant_is_what_it_stands_for_where_nothing_else_has_its_name():
    for code in (
        "N = 5\ndef f():\n    global N\n    N = 3\ndef g():\n    return {}\n",
        "N = 5\ndef f(N):\n    return {}\n",
        "N = 5\ndef f(N=3):\n    return {}\n",
        "N = 5\ndef f(x):\n    N, x = x, 1\n    return {}\n",
        "N = 5\ndef f(x):\n    for N in x:\n        g({})\n",
        "if x:\n    N = 5\nprint({})\n",
    ):
        apart("python", code.format("N"), code.format("5"))
    named = columns("python", "N = 5\nf(N=N)\n")[0]
    assert named == columns("python", "f(N=5)\n")[0]
    apart("cpp", "} const int N = 5; void f(int &N) { g(N); ", "} const int N = 5; void f(int &N) { g(5); ")
    apart("cpp", "} int N = 5; void f() { g(N); ", "} int N = 5; void f() { g(5); ")
    assert columns("javascript", "const N = 5; f({N: N});")[0] == columns("javascript", "f({N: 5});")[0]


@pytest.mark.parametrize("language", WITH_TYPES)
def test_what_a_number_was_put_into_is_reckoned(language):
    alike(language, "int n = 4; a[1] = n * x; g(n + 1);", "a[1] = 4 * x; g(5);", TEMPORARIES)


def test_a_field_that_is_set_through_another_object_is_no_variable_of_main():
    field = "class A {{ private int q = 4; public static void main() {{ f({0}); b.q = 7; f({0}); }} }}"
    assert columns("java", field.format("q"))[0] != columns("java", field.format("4"))[0]


@pytest.mark.parametrize(
    "change", ["n, m = m, n", "f(n := g(m))", "with g(m) as n:\n        pass", "for n, m in g(m):\n        f(m)",
               "f([m for n in m])", "match m:\n        case n:\n            pass"],
)  # fmt: skip
def test_a_number_that_a_pattern_changes_is_kept_in_python(change):
    kept = "def h(m):\n    n = 4\n    {}\n    return n + {}\n"
    apart("python", kept.format(change, "n"), kept.format(change, "4"))


@pytest.mark.parametrize("change", ["[n, m] = [m, n];", "({n, m} = g(m));", "for ([n, m] of g(m)) { f(m); }"])
def test_a_number_that_a_pattern_changes_is_kept_in_javascript(change):
    apart("javascript", f"let n = 4; {change} f(n);", f"let n = 4; {change} f(4);")


@pytest.mark.parametrize("by", ["out", "ref"])
def test_a_number_that_is_given_by_reference_is_kept(by):
    apart("csharp", f"int n = 4; G({by} n); F(n);", f"int n = 4; G({by} n); F(4);")


@pytest.mark.parametrize("language", WITH_TYPES)
def test_what_could_change_the_value_keeps_it_in_its_place(language):
    apart(language, "int t = a[0]; g(); h(t);", "g(); h(a[0]);")
    apart(language, "int t = f(); g(); h(t);", "g(); h(f());")
    apart(language, "int t = x; x = y; h(t);", "x = y; h(x);")
    apart(language, "int t = x * 2; g(); h(t);", "g(); h(x * 2);")  # g may know x
    apart(language, "int t = x; h(g(), t);", "h(g(), x);")
    apart(language, "int n; if (a) { n = 4; } f(n);", "if (a) { } f(4);")
    apart(language, "int t = f(); h(g(), t);", "h(g(), f());")
    apart(language, "int t = f(); if (a && t) { h(); }", "if (a && f()) { h(); }")
    apart(language, "int t = f(); while (a) { h(t); }", "while (a) { h(f()); }")
    apart(language, "int t = f(); h(t, t);", "h(f(), f());")


@pytest.mark.parametrize("language", WITH_TYPES)
def test_what_is_reckoned_goes_before_what_is_called(language):
    kept = "int x = k(); int a = f(); g(); h(x + a, x);"
    alike(language, "int x = k(); int a = f(); int b = x + a; g(); h(b, x);", kept, TEMPORARIES)


def test_python():
    alike("python", "def m(x):\n    t = f(x)\n    return t\n", "def m(x):\n    return f(x)\n", TEMPORARIES)
    apart("python", "def m(x):\n    t = f(x)\n    return [t for _ in x]\n", "def m(x):\n    return [f(x) for _ in x]\n")
    apart("python", "def m(x):\n    global t\n    t = f(x)\n    return t\n", "def m(x):\n    return f(x)\n")
