import pytest

from tests.formats.code.normal.programs import C_LIKE, alike, apart, same
from whorl.formats.code.normal.nodes import COMPOUND, ELEMENTS, SPLIT


@pytest.mark.parametrize("language", C_LIKE)
def test_increments_are_assignments(language):
    for written in ("x++;", "++x;", "x += 1;"):
        alike(language, written, "x = x + 1;", COMPOUND)
    alike(language, "a[i] *= y;", "a[i] = a[i] * y;", COMPOUND)
    apart(language, "x--;", "x++;")
    apart(language, "x += y;", "x = y;")


@pytest.mark.parametrize("language", C_LIKE)
def test_what_does_something_is_not_written_twice(language):
    apart(language, "a[f()] += y;", "a[f()] = a[f()] + y;")


def test_several_names_at_once():
    alike("python", "a, b = 1, x\nf(a, b, a, b)\n", "a = 1\nb = x\nf(a, b, a, b)\n", SPLIT)
    alike("python", "(self.a, b) = [1, x]\nf(b, b)\n", "self.a = 1\nb = x\nf(b, b)\n", SPLIT)
    alike("python", "p = a, b = 1, 2\nf(p, p)\n", "a, b = 1, 2\np = a, b\nf(p, p)\n", SPLIT)
    apart("python", "def m(a, b):\n    a, b = b, a\n    f(a, b)\n", "def m(a, b):\n    a = b\n    b = a\n    f(a, b)\n")
    alike("python", "a, b = f(x), {}\nh(a, b, a, b)\n", "a = f(x)\nb = {}\nh(a, b, a, b)\n", SPLIT)
    apart("python", "self.a, b = 1, f()\nh(b, b)\n", "self.a = 1\nb = f()\nh(b, b)\n")
    apart("python", "a, b = 1, f(a := 2)\nh(a, b, a, b)\n", "a = 1\nb = f(a := 2)\nh(a, b, a, b)\n")
    apart("python", "a, *b = 1, x\nf(a, b, a, b)\n", "a = 1\nb = x\nf(a, b, a, b)\n")
    for language in ("javascript", "typescript", "tsx"):
        alike(language, "let [a, b] = [1, x]; f(a, b, a, b);", "let a = 1, b = x; f(a, b, a, b);", SPLIT)
        apart(language, "g([a, b] = [1, x]); f(a, b);", "g(a = 1, b = x); f(a, b);")


def test_a_chain_of_assignments():
    same("python", "a = b = c = 1\nf(a, b, c, a, b, c)\n", "a = 1\nb = 1\nc = 1\nf(a, b, c, a, b, c)\n")
    apart("python", "a = b = []\nf(a, b, a, b)\n", "a = []\nb = []\nf(a, b, a, b)\n")
    apart("python", "p = a, b = 1, 2\nf(p, p)\n", "a, b = 1, 2\np = 2\nf(p, p)\n")


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_pointers_to_elements(language):
    alike(language, "*(a + i) = *(b + 2) + x;", "a[i] = b[2] + x;", ELEMENTS)
    alike(language, "f(*(*(a + i) + j), *(1 + a), *(a + i + 1));", "f(a[i][j], a[1], a[i + 1]);", ELEMENTS)
    apart(language, "f(*a + i);", "f(a[i]);")
    apart(language, "f(b * (a + i));", "f(b[a + i]);")
    apart(language, "f(*(a - i));", "f(a[i]);")


def test_python():
    alike("python", "x += f(y)\n", "x = x + f(y)\n", COMPOUND)
    apart("python", "a[f()] += y\n", "a[f()] = a[f()] + y\n")
