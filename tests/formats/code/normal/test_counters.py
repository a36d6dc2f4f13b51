import pytest

from tests.formats.code.normal.programs import C_LIKE, WITH_TYPES, alike, apart, columns
from whorl.formats.code.normal.nodes import COUNTERS

UP = "int m = 1; while (m < 11) { f(m); m = m + 1; }"


@pytest.mark.parametrize("language", WITH_TYPES)
def test_a_loop_with_two_counters_has_one(language):
    alike(language, "int m = 1; for (int i = 10; i > 0; i--) { f(m); m = m + 1; }", UP, COUNTERS)
    alike(language, "int m = 1; int i = 0; while (i <= 9) { i = i + 1; f(m); m = m + 1; }", UP, COUNTERS)
    alike(language, "int m = 1; for (int i = 20; i > 0; i -= 2) { f(m); m = m + 1; }", UP, COUNTERS)


@pytest.mark.parametrize("language", WITH_TYPES)
def test_a_counter_that_somebody_reads_stays(language):
    apart(language, "int m = 1; for (int i = 10; i > 0; i--) { f(i); m = m + 1; } f(m);", UP + " f(m);")
    apart(language, "int m = 1; int i = 10; for (; i > 0; i--) { f(m); m = m + 1; } f(i);", UP + " f(m);")
    apart(language, "int m = 1; for (int i = 10; i > n; i--) { f(m); m = m + 1; }", UP)
    apart(language, "int m = 1; for (int i = 10; i > 0; i--) { if (g()) { continue; } f(m); m = m + 1; }", UP)


@pytest.mark.parametrize("language", C_LIKE)
def test_a_counter_that_nobody_reads_counts_up(language):
    declared = "let" if language in ("javascript", "typescript", "tsx") else "int"
    up = f"for ({declared} i = 0; i < 5; i++) {{ f(x); }}"
    alike(language, f"for ({declared} i = 5; i > 0; i--) {{ f(x); }}", up, COUNTERS)
    alike(language, f"for ({declared} i = 9; i >= 0; i -= 2) {{ f(x); }}", up, COUNTERS)
    apart(
        language, f"for ({declared} i = 5; i > 0; i--) {{ f(i); }}", f"for ({declared} i = 0; i < 5; i++) {{ f(i); }}"
    )
    apart(
        language, f"for ({declared} i = 5; i > n; i--) {{ f(x); }}", f"for ({declared} i = 0; i < n; i++) {{ f(x); }}"
    )


@pytest.mark.parametrize("language", C_LIKE)
def test_a_loop_that_runs_once_is_its_body(language):
    declared = "let" if language in ("javascript", "typescript", "tsx") else "int"
    alike(language, f"for ({declared} i = 0; i < 1; i++) {{ f(x); g(y); }}", "f(x); g(y);", COUNTERS)
    apart(language, f"for ({declared} i = 0; i < 1; i++) {{ if (x) {{ break; }} g(y); }}", "g(y);")
    apart(language, f"for ({declared} i = 0; i < 2; i++) {{ f(x); }}", "f(x);")


def test_counters_of_python():
    once = "def main():\n    for i in range(1):\n        f(x)\n"
    alike("python", once, "def main():\n    f(x)\n", COUNTERS)
    down = "def main():\n    for i in range(5, 0, -1):\n        f(x)\n"
    alike("python", down, "def main():\n    for i in range(5):\n        f(x)\n", COUNTERS)
    apart("python", down + "    f(i)\n", "def main():\n    for i in range(5):\n        f(x)\n    f(i)\n")


def test_what_var_declares_is_seen_after_its_block():
    down = "if (a) {{ for ({0} i = 5; i > 0; i--) {{ f(x); }} }} f(i);"
    up = "if (a) {{ for ({0} i = 0; i < 5; i++) {{ f(x); }} }} f(i);"
    apart("javascript", down.format("var"), up.format("var"))


def test_two_loops_may_have_a_counter_of_one_name():
    both = "for (int i = 3; i > 0; i--) { f(x); } for (int i = 0; i < n; i++) { g(i); }"
    alike("java", both, both.replace("int i = 3; i > 0; i--", "int i = 0; i < 3; i++"), COUNTERS)


def test_many_loops_take_time_in_proportion():
    code = "class A { void f() { " + "for (int i = 9; i > 0; i--) { f(x); } " * 2_000 + "} }"
    assert len(columns("java", code)[0]) > 20_000
