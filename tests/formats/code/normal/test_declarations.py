import pytest

from tests.formats.code.normal.programs import WITH_TYPES, alike, apart, around, columns, same, tree
from whorl.formats.code.normal.nodes import DECLARATIONS


@pytest.mark.parametrize("language", WITH_TYPES)
def test_a_declaration_is_an_assignment(language):
    alike(language, "int x; x = f(); g(x, x);", "int x = f(); g(x, x);", DECLARATIONS)
    apart(language, "int x = f(); g(x, x);", "int x = f(1); g(x, x);")


@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
def test_scripts(language):
    alike(language, "let x; x = f(); g(x, x);", "const x = f(); g(x, x);", DECLARATIONS)


def test_types_say_nothing():
    one, two = (f"class A {{ void m() {{ {kind} x = f(); g(x, x); }} }}" for kind in ("int", "List<String>"))
    assert columns("java", one)[0] == columns("java", two)[0]
    typed = columns("typescript", "function m(a: number): string { let x: A<B> = f(a); return g(x, x); }")[0]
    assert typed == columns("javascript", "function m(a) { let x = f(a); return g(x, x); }")[0]


def test_a_field_that_main_alone_uses_is_a_variable():
    field = "class A { private static Scanner s = new Scanner(System.in); public static void main() { f(s, s); } }"
    local = "class A { public static void main() { Scanner s = new Scanner(System.in); f(s, s); } }"
    assert columns("java", field)[0] == columns("java", local)[0]
    shared = field.replace("f(s, s); }", "f(s, s); } void m() { g(s); }")
    assert (
        columns("java", shared)[0] != columns("java", local.replace("f(s, s); }", "f(s, s); } void m() { g(s); }"))[0]
    )


# Statements of each language; each call of ``p`` must be in the normal form.
CALLS = {
    "c": "int (*g)(int) = p(); int a[] = {p(), [2] = p()}; struct S s = {p(), .y = p()}; if (p()) p(); else p();",
    "cpp": "auto [a, b] = p(); const auto& [c, d] = p(); int& r = p(); int&& t = p(); auto *q = new int[p()]; "
    "while (int x = p()) p(); for (auto& [k, v] : p()) p(); A e(1, p()); A f{p(), p()}; A g(h(p(x)), n * p(y)); "
    "class B { int x = p(), y, z{p()}; static const int w = p(); B(int n) : x(p()), y{n, p()} { p(); } };",
    "csharp": "var (a, b) = p(); (a, b) = p(); var c = new A(p()) { X = p(), Y = p() }; "
    "var d = new List<int> { p(), p() }; var e = new D { [p()] = p(), { p(), p() } }; int[] f = new int[p()]; "
    "var g = new int[] { p() }; h(n * p(), m * x); foreach (var (k, v) in p()) p();",
    "java": "run(new A(p()) { int x = p(); void m() { p(); } }); "
    "new Thread(new Runnable() { public void run() { p(); } });",
    "javascript": "function f(a = p(), { b = p() } = p()) { p(); } let [c, d = p()] = p(); new A(() => p());",
    "typescript": "function f(a: number = p(), { b = p() } = p()) { p(); } let [c, d = p()] = p(); new A(() => p());",
}


@pytest.mark.parametrize("language", CALLS)
def test_no_call_is_lost(language):
    program = tree(language, around(language, CALLS[language]))
    kept = sum(node.kind == "call" and node.children[0].text == b"p" for node in program.walk())
    assert kept == CALLS[language].count("p("), program


def test_indices_and_sizes_stay():
    apart("python", "def m(a, i):\n    return a[i + 1]\n", "def m(a, i):\n    return a[i]\n")
    apart("python", "def m(a):\n    return a[0]\n", "def m(a):\n    return a[1, 2]\n")
    assert "index(name:a, name:i)" in repr(tree("python", "def m(a, i):\n    f(a[i])\n"))
    apart("java", "int[] a = new int[n]; g(a, a);", "int[] a = new int[n + 1]; g(a, a);")
    apart("csharp", "int[] a = new int[n]; g(a, a);", "int[] a = new int[n + 1]; g(a, a);")


def test_what_a_constructor_is_given():
    same("cpp", "vector<int> v(n); g(v, v);", "vector<int> v = n; g(v, v);")
    same("cpp", "ifstream in(argv[1]); A a(x * y, f(n)); g(in, a);", "A in = argv[1]; A a{x * y, f(n)}; g(in, a);")
    apart("cpp", "vector<int> v(n); g(v, v);", "vector<int> v(n, 3); g(v, v);")
    for prototype in ("int f(int);", "A f(B b);", "void f(A);", "A f();", "A *f(B);"):
        same("cpp", f"{prototype} g();", "g();")
    assigned = "struct A {{ int x; A(int {0}) {1} }};"
    one, two = assigned.format("a", ": x(a) { g(); }"), assigned.format("a", "{ x = a; g(); }")
    assert columns("cpp", one)[0] == columns("cpp", two)[0]
    one, two = assigned.format("x", ": x(x) { g(); }"), assigned.format("x", "{ this->x = x; g(); }")
    assert columns("cpp", one)[0] == columns("cpp", two)[0]
    based = "class A : B {{ A(int a) {} }}"
    assert columns("csharp", based.format(": base(a) { }"))[0] != columns("csharp", based.format("{ }"))[0]


def test_references_are_other_variables():
    apart("cpp", "int a = 1; int& r = a; r = f(); g(a);", "int a = 1; int r = a; r = f(); g(1);")
    apart("cpp", "auto& x = v[i]; x = 3;", "auto x = v[i]; x = 3;")
    apart("csharp", "int a = 1, b = 2; (a, b) = (b, a); g(a, b);", "int a = 1, b = 2; (a, b) = (b, a); g(1, 2);")
