import pytest

from tests.formats.code.normal.programs import C_LIKE, alike, apart
from whorl.formats.code.normal.nodes import ASKED, TRUTH


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


@pytest.mark.parametrize("language", ["cpp", "javascript", "typescript", "tsx"])
def test_what_is_true_or_false_is_not_compared_with_it(language):
    alike(language, "if ((x < y) == true) { f(x); }", "if (x < y) { f(x); }", ASKED)
    alike(language, "while (false == (x < y && !a)) { f(x); }", "while (!(x < y && !a)) { f(x); }", ASKED)
    alike(language, "z = (x == y) != true;", "z = x != y;", ASKED)
    apart(language, "z = (x < y) != true;", "z = x < y;")
    apart(language, "z = x == true;", "z = x;")
    apart(language, "z = (x + y) == true;", "z = x + y;")
    apart(language, "z = (x && y) == true;", "z = x && y;")


@pytest.mark.parametrize("language", ["csharp", "java"])
def test_only_what_is_true_or_false_can_be_compared_with_it(language):
    alike(language, "if (f(x) == true) { g(x); }", "if (f(x)) { g(x); }", TRUTH)
    alike(language, "while (x != true || false == y) { g(x); }", "while (!x || !y) { g(x); }", TRUTH)
    apart(language, "if (x == false) { g(x); }", "if (x) { g(x); }")
    apart(language, "if (x == null) { g(x); }", "if (x) { g(x); }")


def test_what_is_known_in_python():
    alike("python", "while x:\n    if x:\n        f(y)\n", "while x:\n    f(y)\n", ASKED)
    alike("python", "if (x < y) is True:\n    f(y)\n", "if x < y:\n    f(y)\n", ASKED)
    alike("python", "if (x in y) == False:\n    f(y)\n", "if x not in y:\n    f(y)\n", ASKED)
    apart("python", "if x is True:\n    f(y)\n", "if x:\n    f(y)\n")
