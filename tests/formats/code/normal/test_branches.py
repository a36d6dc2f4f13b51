import pytest

from tests.formats.code.normal.programs import C_LIKE, alike, apart, columns, same
from whorl.formats.code.normal.nodes import BRANCHES, CHAINED

SWITCH = "switch (x) {{ case 1: f(x); break; case 2: case 3: g(x); break; default: h(x); {} }}"


@pytest.mark.parametrize("language", C_LIKE)
def test_a_switch_is_a_chain(language):
    chain = "if (x == 1) { f(x); } else { if (x == 2 || x == 3) { g(x); } else { h(x); } }"
    alike(language, SWITCH.format("break;"), chain, BRANCHES)


@pytest.mark.parametrize("language", [name for name in C_LIKE if name != "csharp"])  # which has no falling through
def test_a_switch_that_falls_through_stays(language):
    falls = "switch (x) { case 1: f(x); case 2: g(x); break; default: h(x); }"
    apart(language, falls, falls.replace("f(x);", "f(x); break;"))
    apart(language, falls, "if (x == 1) { f(x); } else { if (x == 2) { g(x); } else { h(x); } }")


@pytest.mark.parametrize("language", C_LIKE)
def test_a_break_inside_a_case_stays(language):
    apart(
        language,
        "switch (x) { case 1: if (y) { break; } f(x); break; default: h(x); break; }",
        "if (x == 1) { if (y) { } f(x); } else { h(x); }",
    )


@pytest.mark.parametrize("language", C_LIKE)
def test_conditional_expressions(language):
    alike(language, "x = c ? f(1) : y;", "if (c) { x = f(1); } else { x = y; }", BRANCHES)
    alike(language, "return c ? x : y;", "if (c) { return x; } else { return y; }", BRANCHES)
    nested = "if (c) { x = 1; } else { if (d) { x = 2; } else { x = y; } }"
    alike(language, "x = c ? 1 : d ? 2 : y;", nested, BRANCHES)
    apart(language, "x = c ? y : f(1);", "if (c) { x = f(1); } else { x = y; }")


@pytest.mark.parametrize("language", C_LIKE)
def test_chains(language):
    same(language, "if (a) f(); else if (b) g(); else h();", "if (a) { f(); } else { if (b) { g(); } else { h(); } }")
    apart(language, "if (a) f(); else if (b) g();", "if (a) f(); if (b) g();")


def test_python():
    alike("python", "x = f(1) if c else y\n", "if c:\n    x = f(1)\nelse:\n    x = y\n", BRANCHES)
    chain = "if a:\n    f()\nelif b:\n    g()\nelse:\n    h()\n"
    same("python", chain, "if a:\n    f()\nelse:\n    if b:\n        g()\n    else:\n        h()\n")
    apart("python", chain, chain.replace("elif b", "elif c.d"))


def test_a_chain_is_reported_of():
    assert any(bits & CHAINED for bits in columns("c", "int m() { if (a) f(); else if (b) g(); }")[3])
    assert not any(bits & CHAINED for bits in columns("c", "int m() { if (a) f(); else { if (b) g(); } }")[3])
