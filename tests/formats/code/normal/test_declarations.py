import pytest

from tests.formats.code.normal.programs import WITH_TYPES, alike, apart, columns
from whorl.formats.code.normal.nodes import DECLARATIONS


@pytest.mark.parametrize("language", WITH_TYPES)
def test_a_declaration_is_an_assignment(language):
    alike(language, "int x; x = f(); g(x, x);", "int x = f(); g(x, x);", DECLARATIONS)
    apart(language, "int x = f(); g(x, x);", "int x = f(1); g(x, x);")


@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
def test_scripts(language):
    alike(language, "let x; x = f(); g(x, x);", "const x = f(); g(x, x);", DECLARATIONS)


def test_types_say_nothing():
    one, two = (f"class A {{ void m() {{ {kind} x = f(); g(x, x); }} }}" for kind in ("int", "List<String>"))
    assert columns("java", one)[0] == columns("java", two)[0]
    typed = columns("typescript", "function m(a: number): string { let x: A<B> = f(a); return g(x, x); }")[0]
    assert typed == columns("javascript", "function m(a) { let x = f(a); return g(x, x); }")[0]


def test_a_field_that_main_alone_uses_is_a_variable():
    field = "class A { private static Scanner s = new Scanner(System.in); public static void main() { f(s, s); } }"
    local = "class A { public static void main() { Scanner s = new Scanner(System.in); f(s, s); } }"
    assert columns("java", field)[0] == columns("java", local)[0]
    shared = field.replace("f(s, s); }", "f(s, s); } void m() { g(s); }")
    assert (
        columns("java", shared)[0] != columns("java", local.replace("f(s, s); }", "f(s, s); } void m() { g(s); }"))[0]
    )
