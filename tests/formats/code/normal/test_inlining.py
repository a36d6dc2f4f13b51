import pytest

from tests.formats.code.normal.programs import columns, tree
from whorl.formats.code.normal import nodes
from whorl.formats.code.normal.nodes import INLINED

# Where functions and the statements of the main one stand.
PROGRAMS = {
    "c": "{} int main(void) {{ {} }}",
    "cpp": "{} int main() {{ {} }}",
    "csharp": "class A {{ {} static void Main() {{ {} }} }}",
    "java": "class A {{ {} public static void main(String[] args) {{ {} }} }}",
}


def program(language, functions, statements):
    return PROGRAMS[language].format(functions, statements)


def alike(language, functions, one, two):
    left, right = program(language, functions, one), program(language, "", two)
    assert columns(language, left)[0] == columns(language, right)[0], (tree(language, left), tree(language, right))
    without = nodes.ALL & ~INLINED
    assert columns(language, left, without)[0] != columns(language, right, without)[0]
    assert any(bits & INLINED for bits in columns(language, left)[3])


def stays(language, functions, statements, name):
    """A function that is not put in the place of its calls."""
    assert f"function:{name}" in repr(tree(language, program(language, functions, statements)))


@pytest.mark.parametrize("language", PROGRAMS)
class TestInlining:
    def test_an_expression(self, language):
        alike(language, "int sq(int a) { return a * a; }", "f(sq(x) + 1);", "f(x * x + 1);")

    def test_statements_before_the_value(self, language):
        area = "int area(int r) { int s = f(r); g(s); return s * r; }"
        plain = "int x = k(); int s = f(x); g(s); int y = s * x; h(y, y);"
        alike(language, area, "int x = k(); int y = area(x); h(y, y);", plain)

    def test_a_procedure(self, language):
        show, given = "void show(int a, int b) { f(a); g(b); }", "int x = k(); int y = k(); "
        alike(language, show, given + "show(x, y);", given + "f(x); g(y);")

    def test_an_empty_function(self, language):
        alike(language, "void skip(int a) { }", "int x = k(); skip(x); f(x);", "int x = k(); f(x);")

    def test_a_parameter_that_is_changed_is_a_variable(self, language):
        down = "void down(int n) { while (0 < n) { f(n); n = n - 1; } }"
        alike(language, down, "int m = g(); down(m); h();", "int m = g(); while (0 < m) { f(m); m = m - 1; } h();")
        copied = "int m = g(); int n = m; while (0 < n) { f(n); n = n - 1; } h(m);"
        alike(language, down, "int m = g(); down(m); h(m);", copied)

    def test_functions_in_functions(self, language):
        both = "int sq(int a) { return a * a; } int quad(int a) { return sq(a) * sq(a); }"
        assert "function:quad" not in repr(tree(language, program(language, both, "f(quad(x));")))

    def test_equal_calls_are_made_once(self, language):
        area = "int area(int r) { return r * r * 3; }"
        shared = "int r = f(); int s = r * r * 3; g(s); h(s);"
        alike(language, area, "int r = f(); g(area(r)); h(area(r));", shared)

    def test_recursion_is_left_alone(self, language):
        stays(language, "int fac(int n) { return n * fac(n - 1); }", "f(fac(x));", "fac")
        mutual = "int even(int n) { return odd(n - 1); } int odd(int n) { return even(n - 1); }"
        stays(language, mutual, "f(even(x));", "even")

    def test_what_cannot_stand_elsewhere_is_left_alone(self, language):
        stays(language, "int m(int a) { if (a) { return 1; } return 2; }", "f(m(x));", "m")
        stays(language, "int m(int a) { g(a); return 2; }", "if (x && m(x)) { f(); }", "m")
        stays(language, "int m(int a) { g(a); return 2; }", "f(h(), m(x));", "m")
        stays(language, "int m(int a) { g(a); return 2; }", "while (m(x)) { f(); }", "m")
        stays(language, "int m(int a) { return a; }", "f(m(x, y));", "m")

    def test_what_others_may_change_is_kept(self, language):
        functions = "void m(int a) { g(); f(a); }"
        given = columns(language, program(language, functions, "m(x);"))[0]
        assert given == columns(language, program(language, "", "int a = x; g(); f(a);"))[0]
        assert given != columns(language, program(language, "", "g(); f(x);"))[0]

    def test_growth_is_bounded(self, language):
        doubling = "".join(f"int f{i}(int a) {{ g(a); return f{i - 1}(a) + f{i - 1}(a + 1); }}" for i in range(1, 12))
        whole = program(language, "int f0(int a) { g(a); return h(a) + h(a); }" + doubling, "g(f11(x));")
        assert sum(1 for _ in tree(language, whole).walk()) < 20 * len(whole)

    def test_long_functions_that_are_called_twice_stay(self, language):
        long = "void m(int a) { " + "f(a + a);" * 60 + " }"
        stays(language, long, "m(x); m(y);", "m")


def test_python():
    functions = "def area(r):\n    a = r * r\n    return a\n\ndef main():\n    print(area(f()))\n\n"
    code = functions + "if __name__ == '__main__':\n    main()\n"
    assert columns("python", code)[0] == columns("python", "r = f()\nprint(r * r)\n")[0]


def test_scripts():
    for function in (
        "function sq(a) { return a * a; }",
        "const sq = (a) => a * a;",
        "const sq = a => { return a * a; };",
    ):
        assert columns("javascript", f"{function} f(sq(x));")[0] == columns("javascript", "f(x * x);")[0]


def test_what_is_given_by_reference_is_left_alone():
    stays("cpp", "void set(int &a) { a = f(a); }", "set(x); g(x);", "set")
    stays("csharp", "static void Set(ref int a) { a = F(a); }", "Set(ref x); G(x);", "Set")


def test_decorated_and_generating_functions_are_left_alone():
    for head, value in (("@cache\n", "return a * a"), ("", "yield a * a")):
        assert "function" in repr(tree("python", f"{head}def sq(a):\n    {value}\n\nf(sq(x))\n"))


@pytest.mark.parametrize("language", ["csharp", "java"])
def test_calls_on_objects_are_not_the_constructor(language):
    """A constructor has no name of its own, and neither has what is called on an object."""
    constructor = "A(int n) { show(n); }"
    twice = "int twice(int n) { if (n > 3) { return 1; } return n + n; }"
    calls = "list.add(n); list.remove(n + 1);"
    source = f"class A {{ {constructor} {twice} void run(L list, int n) {{ f(twice(n)); {calls} }} }}"
    inside = repr(tree(language, source))
    assert "function(block(parameter(name:n)), block(call(name:show, name:n)))" in inside
    assert "call(field:add(name:list), name:n)" in inside
    assert "call(field:remove(name:list), op:+(name:n, number:1))" in inside


@pytest.mark.parametrize("language", ["csharp", "java"])
def test_an_abstract_method_may_do_anything(language):
    stays(language, "abstract void skip(int a);", "skip(1); f(2);", "skip")
    assert "call(name:skip" in repr(tree(language, program(language, "abstract void skip(int a);", "skip(1); f(2);")))
