import pytest

from tests.formats.code.normal.programs import C_LIKE, alike, apart
from whorl.formats.code.normal.nodes import ASKED


@pytest.mark.parametrize("language", C_LIKE)
def test_what_is_known_is_not_asked_again(language):
    alike(language, "while (x != y) { if (x != y) { f(x); } g(y); }", "while (x != y) { f(x); g(y); }", ASKED)
    alike(language, "if (x < y) { if (x < y) { f(x); } else { g(x); } }", "if (x < y) { f(x); }", ASKED)


@pytest.mark.parametrize("language", C_LIKE)
def test_what_may_have_changed_is_asked_again(language):
    apart(language, "while (x != y) { g(y); if (x != y) { f(x); } }", "while (x != y) { g(y); f(x); }")
    apart(language, "while (h(x)) { if (h(x)) { f(x); } }", "while (h(x)) { f(x); }")
    apart(language, "do { if (x != y) { f(x); } } while (x != y);", "do { f(x); } while (x != y);")
    apart(language, "if (x < y) { if (y < x) { f(x); } }", "if (x < y) { f(x); }")


def test_what_is_known_in_python():
    alike("python", "while x:\n    if x:\n        f(y)\n", "while x:\n    f(y)\n", ASKED)
