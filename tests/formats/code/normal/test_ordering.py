import pytest

from tests.formats.code.normal.programs import C_LIKE, alike, apart
from whorl.formats.code.normal.nodes import ORDER


@pytest.mark.parametrize("language", C_LIKE)
def test_independent_statements_in_one_order(language):
    alike(language, "x = y * 2; z = w + 1; f(x, z);", "z = w + 1; x = y * 2; f(x, z);", ORDER)


@pytest.mark.parametrize("language", C_LIKE)
def test_dependent_statements_stay(language):
    apart(language, "x = y * 2; z = x + 1; f(x, z);", "z = x + 1; x = y * 2; f(x, z);")
    apart(language, "x = y * 2; y = w + 1; f(x, y);", "y = w + 1; x = y * 2; f(x, y);")
    apart(language, "f(1, x); g(y);", "g(y); f(1, x);")
    apart(language, "a[i] = 1; x = a[j] + 1; f();", "x = a[j] + 1; a[i] = 1; f();")
    apart(language, "x = y + 1; f();", "f(); x = y + 1;")  # f may know both
    apart(language, "x = a[j] + 1; f(1, y);", "f(1, y); x = a[j] + 1;")


def test_python():
    alike("python", "x = y * 2\nz = w + 1\nf(x, z, x, z)\n", "z = w + 1\nx = y * 2\nf(x, z, x, z)\n", ORDER)
    apart("python", "x = y * 2\nz = x + 1\nf(x, z)\n", "z = x + 1\nx = y * 2\nf(x, z)\n")
