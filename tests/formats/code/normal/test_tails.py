import pytest

from tests.formats.code.normal.programs import alike, apart, columns
from whorl.formats.code.normal.nodes import TAILS

# A function with a parameter, and who calls it.
FUNCTIONS = {
    "c": "void f(int n) {{ {} }} int main(void) {{ f(g()); }}",
    "cpp": "void f(int n) {{ {} }} int main() {{ f(g()); }}",
    "csharp": "class A {{ static void f(int n) {{ {} }} static void Main() {{ f(g()); }} }}",
    "java": "class A {{ static void f(int n) {{ {} }} public static void main(String[] a) {{ f(g()); }} }}",
    "javascript": "function f(n) {{ {} }} f(g());",
    "typescript": "function f(n: number) {{ {} }} f(g());",
}


def whole(language, body):
    return FUNCTIONS[language].format(body)


def alike_whole(language, one, two, mark):
    one, two = whole(language, one), whole(language, two)
    assert columns(language, one)[0] == columns(language, two)[0]
    assert columns(language, one, ~mark)[0] != columns(language, two, ~mark)[0]


def apart_whole(language, one, two):
    assert columns(language, whole(language, one))[0] != columns(language, whole(language, two))[0]


LOOP = "while (n != 0) { h(n % 10); n = n / 10; }"


@pytest.mark.parametrize("language", FUNCTIONS)
def test_a_call_of_itself_at_the_end_goes_round(language):
    alike_whole(language, "if (n != 0) { h(n % 10); f(n / 10); }", LOOP, TAILS)
    alike_whole(language, "if (n != 0) { h(n % 10); n = n / 10; f(n); }", LOOP, TAILS)
    alike_whole(language, "if (n == 0) { return; } h(n % 10); f(n / 10);", LOOP + " return;", TAILS)
    alike_whole(language, "if (n == 0) { k(n); } else { h(n % 10); f(n / 10); }", LOOP + " k(n);", TAILS)


@pytest.mark.parametrize("language", FUNCTIONS)
def test_other_recursion_stays(language):
    apart_whole(language, "if (n != 0) { f(n / 10); h(n % 10); }", LOOP)
    apart_whole(language, "if (n != 0) { h(n % 10); f(n / 10); } k(n);", LOOP + " k(n);")
    apart_whole(language, "if (n != 0) { f(n / 10); f(n / 10); }", LOOP)
    apart_whole(language, "if (n != 0) { h(n % 10); f(h(n)); }", "while (n != 0) { h(n % 10); n = h(n); }")


def test_a_value_that_is_taken_must_be_given_back():
    def program(body):
        return f"class A {{ static int f(int n, int s) {{ {body} }} static void g() {{ p(f(1, 2)); }} }}"

    loop = program("while (n > 0) { s = s + n; n = n - 1; } return s;")
    tail = program("if (n > 0) { return f(n - 1, s + n); } return s;")
    assert columns("java", tail)[0] == columns("java", loop)[0]
    lost = program("if (n > 0) { f(n - 1, s + n); } return s;")
    assert columns("java", lost)[0] != columns("java", loop)[0]
    added = program("if (n > 0) { return n + f(n - 1, s); } return s;")
    assert columns("java", added)[0] != columns("java", loop)[0]


def test_values_that_need_each_other_stay_calls():
    body = "class A {{ static void f(int n, int m) {{ {} }} public static void main(String[] a) {{ f(g(), g()); }} }}"
    swapped = body.format("if (n > 0) { h(n); f(m, n); }")
    loop = body.format("while (n > 0) { h(n); n = m; m = n; }")
    assert columns("java", swapped)[0] != columns("java", loop)[0]


def test_a_value_that_nobody_takes_is_no_obstacle():
    body = "class A {{ static {} }} public static void main(String[] a) {{ f(g()); }} }}"
    valued = body.format("int f(int n) { if (n != 0) { h(n % 10); f(n / 10); } return n;")
    plain = body.format("void f(int n) { while (n != 0) { h(n % 10); n = n / 10; }")
    assert columns("java", valued)[0] == columns("java", plain)[0]


def test_tail_calls_of_python():
    tail = "def f(n):\n    if n:\n        h(n)\n        f(n - 1)\n\n\nf(g())\n"
    loop = "def f(n):\n    while n:\n        h(n)\n        n = n - 1\n\n\nf(g())\n"
    alike("python", tail, loop, TAILS)
    kept = "def f(n):\n    if n:\n        h(lambda: n)\n        f(n - 1)\n\n\nf(g())\n"
    apart("python", kept, "def f(n):\n    while n:\n        h(lambda: n)\n        n = n - 1\n\n\nf(g())\n")


def test_many_recursive_functions_take_time_in_proportion():
    code = "".join(f"void f{n}(int a) {{ if (a) {{ g(a); f{n}(a - 1); }} }}\n" for n in range(2_000))
    assert len(columns("c", code)[0]) > 10_000
