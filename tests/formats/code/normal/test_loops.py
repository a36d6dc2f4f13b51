import pytest

from tests.formats.code.normal.programs import C_LIKE, alike, apart
from whorl.formats.code.normal.nodes import LOOPS


@pytest.mark.parametrize("language", C_LIKE)
def test_a_for_is_a_while(language):
    alike(language, "for (i = 0; i < n; i = i + 1) { f(i); }", "i = 0; while (i < n) { f(i); i = i + 1; }", LOOPS)


@pytest.mark.parametrize("language", C_LIKE)
def test_a_continue_does_not_skip_the_step(language):
    one = "for (; i < n; i = i + 1) { if (a) { continue; } f(i); }"
    alike(language, one, "while (i < n) { if (a) { i = i + 1; continue; } f(i); i = i + 1; }", LOOPS)
    apart(language, one, "while (i < n) { if (a) { continue; } f(i); i = i + 1; }")


@pytest.mark.parametrize("language", C_LIKE)
def test_a_loop_that_ends_at_a_number_goes_up_to_it(language):
    alike(language, "while (i != n) { f(i); i = i + 1; }", "while (i < n) { f(i); i = i + 1; }", LOOPS)
    alike(language, "while (i != n) { f(i); i = i - 1; }", "while (n < i) { f(i); i = i - 1; }", LOOPS)
    apart(language, "while (i != n) { i = f(i); }", "while (i < n) { i = f(i); }")


@pytest.mark.parametrize("language", C_LIKE)
def test_an_endless_loop_that_is_left_at_first_asks_for_that(language):
    once = "while (i < n) { f(i); i = i + 1; }"
    alike(language, "while (true) { if (!(i < n)) { break; } f(i); i = i + 1; }", once, LOOPS)
    alike(language, "while (true) { if (i < n) { f(i); } else { break; } i = i + 1; }", once, LOOPS)
    alike(language, "for (;; i = i + 1) { if (i >= n) { break; } f(i); }", once, LOOPS)
    apart(language, "while (true) { f(i); if (!(i < n)) { break; } i = i + 1; }", once)
    apart(language, "while (true) { if (!(i < n)) { f(i); break; } i = i + 1; }", once)


@pytest.mark.parametrize("language", C_LIKE)
def test_loops_that_differ_stay_apart(language):
    apart(language, "do { f(i); } while (i < n);", "while (i < n) { f(i); }")
    apart(language, "for (i = 0; i < n; i = i + 1) { f(i); }", "for (i = 0; i < n; i = i - 1) { f(i); }")
    apart(language, "while (i < n) { f(i); }", "if (i < n) { f(i); }")


def test_a_range_counts():
    counted = "i = 0\nwhile i < n:\n    f(i)\n    i = i + 1\n"
    alike("python", "for i in range(n):\n    f(i)\n", counted, LOOPS)
    alike("python", "for i in range(a, n, 2):\n    f(i)\n", "i = a\nwhile i < n:\n    f(i)\n    i = i + 2\n", LOOPS)
    alike("python", "for i in range(a, n, -1):\n    f(i)\n", "i = a\nwhile n < i:\n    f(i)\n    i = i - 1\n", LOOPS)


def test_a_range_whose_counter_is_changed_is_left_alone():
    apart(
        "python",
        "for i in range(n):\n    f(i)\n    i = g(i)\n",
        "i = 0\nwhile i < n:\n    f(i)\n    i = g(i)\n    i = i + 1\n",
    )
    apart("python", "for i in range(a, n, s):\n    f(i)\n", "i = a\nwhile i < n:\n    f(i)\n    i = i + s\n")
    apart("python", "for i in range(n):\n    f(i)\nelse:\n    g()\n", "for i in range(n):\n    f(i)\ng()\n")
    apart("python", "while a:\n    f()\nelse:\n    g()\n", "while a:\n    f()\ng()\n")
