import pytest

from tests.formats.code.normal.programs import WITH_TYPES, alike, apart
from whorl.formats.code.normal.nodes import TEMPORARIES


@pytest.mark.parametrize("language", WITH_TYPES)
def test_a_value_that_is_used_once_stands_where_it_is_used(language):
    alike(language, "int t = f(x) + 1; return t;", "return f(x) + 1;", TEMPORARIES)
    alike(language, "int t = f(x); if (t < 3) { g(); }", "if (f(x) < 3) { g(); }", TEMPORARIES)


@pytest.mark.parametrize("language", WITH_TYPES)
def test_a_number_that_never_changes_is_a_number(language):
    alike(language, "int n = 4; f(n); g(n);", "f(4); g(4);", TEMPORARIES)
    apart(language, "int n = 4; f(n); n = h(); g(n);", "f(4); h(); g(4);")


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
