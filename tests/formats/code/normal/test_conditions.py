import pytest

from tests.formats.code.normal.programs import C_LIKE, alike, apart, same
from whorl.formats.code.normal.nodes import NEGATION, OPERANDS


@pytest.mark.parametrize("language", C_LIKE)
def test_branches_follow_the_condition_that_is_not_negated(language):
    alike(language, "if (!a) { f(); } else { g(); }", "if (a) { g(); } else { f(); }", NEGATION)
    alike(language, "if (a != b) { f(); } else { g(); }", "if (a == b) { g(); } else { f(); }", NEGATION)
    alike(language, "if (!(a < b)) { f(); } else { g(); }", "if (a < b) { g(); } else { f(); }", NEGATION)
    alike(language, "if (a) { } else { g(); }", "if (!a) { g(); }", NEGATION)
    apart(language, "if (!a) { f(); } else { g(); }", "if (a) { f(); } else { g(1); }")
    apart(language, "if (!a) { f(); }", "if (a) { f(); }")


@pytest.mark.parametrize("language", C_LIKE)
def test_negations(language):
    alike(language, "x = !(a == b);", "x = a != b;", NEGATION)
    alike(language, "x = !!a;", "x = a;", NEGATION)
    apart(language, "x = !a;", "x = a;")


@pytest.mark.parametrize("language", C_LIKE)
def test_negations_of_joined_conditions(language):
    alike(language, "x = !(a && b < c);", "x = !a || b >= c;", NEGATION)
    alike(language, "while (!(a || !(b && !c))) { f(); }", "while (b && !c && !a) { f(); }", NEGATION)
    alike(language, "if (!(a || b)) { f(); } else { g(); }", "if (a || b) { g(); } else { f(); }", NEGATION)
    alike(language, "if (!a && !b) { f(); } else { g(); }", "if (a || b) { g(); } else { f(); }", NEGATION)
    alike(language, "if (a && b) { } else { g(); }", "if (!a || !b) { g(); }", NEGATION)
    same(language, "while (true) { if (!a || b < 1) break; f(); }", "while (a && b >= 1) { f(); }")
    apart(language, "x = !(a && b);", "x = !a && !b;")
    apart(language, "x = !(a && b);", "x = a || b;")
    apart(language, "x = !(a && b < c);", "x = !a || b > c;")
    apart(language, "if (a || b) { f(); } else { g(1); }", "if (a || b) { g(1); } else { f(); }")
    apart(language, "x = !(f() && g());", "x = !g() || !f(1);")


@pytest.mark.parametrize("language", C_LIKE)
def test_comparisons_go_in_one_direction(language):
    alike(language, "x = f(a) > b;", "x = b < f(a);", OPERANDS)
    alike(language, "while (a >= b) { f(); }", "while (b <= a) { f(); }", OPERANDS)
    apart(language, "x = a > b;", "x = a >= b;")


@pytest.mark.parametrize("language", C_LIKE)
def test_operands_in_one_order(language):
    alike(language, "x = 2 * y;", "x = y * 2;", OPERANDS)
    alike(language, "x = a * (b * 3);", "x = a * b * 3;", OPERANDS)
    apart(language, "x = f() * y;", "x = y * f();")
    apart(language, "x = 2 - y;", "x = y - 2;")


def test_python():
    alike("python", "if not a:\n    f()\nelse:\n    g()\n", "if a:\n    g()\nelse:\n    f()\n", NEGATION)
    alike("python", "f(not (a and b in c))\n", "f(not a or b not in c)\n", NEGATION)
    alike("python", "if a is not b:\n    f()\nelse:\n    g()\n", "if a is b:\n    g()\nelse:\n    f()\n", NEGATION)
    alike("python", "if a:\n    pass\nelse:\n    g()\n", "if not a:\n    g()\n", NEGATION)
    same("cpp", "x = not a and b or c not_eq d;", "x = !a && b || c != d;")
    alike("python", "x = f(a) > b\n", "x = b < f(a)\n", OPERANDS)
    apart("python", "if a < b < c:\n    f()\n", "if a < b and c < b:\n    f(1)\n")
