import pytest

from tests.formats.code.normal.programs import C_LIKE, alike, apart
from whorl.formats.code.normal.nodes import COMPOUND


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


def test_python():
    alike("python", "x += f(y)\n", "x = x + f(y)\n", COMPOUND)
    apart("python", "a[f()] += y\n", "a[f()] = a[f()] + y\n")
