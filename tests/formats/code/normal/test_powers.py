import pytest

from tests.formats.code.normal.programs import alike, apart
from whorl.formats.code.normal.nodes import POWERS

CALLS = {
    "c": "pow",
    "csharp": "Math.Pow",
    "go": "math.Pow",
    "java": "Math.pow",
    "javascript": "Math.pow",
    "typescript": "Math.pow",
}


@pytest.mark.parametrize("language", CALLS)
def test_small_powers_are_products(language):
    power = CALLS[language]
    alike(language, f"x = {power}(y, 2);", "x = y * y;", POWERS)
    alike(language, f"x = {power}(y, 3) * z;", "x = z * y * y * y;", POWERS)
    alike(language, f"x = {power}(y * 4, 2);", "x = (y * 4) * (y * 4);", POWERS)


@pytest.mark.parametrize("language", CALLS)
def test_other_powers_stay(language):
    power = CALLS[language]
    apart(language, f"x = {power}(y, n);", "x = y * y;")
    apart(language, f"x = {power}(y, 9);", "x = y * y;")
    apart(language, f"x = {power}(f(y), 2);", "x = f(y) * f(y);")
    apart(language, f"x = {power}(y, 2);", f"x = {power}(y, 3);")


def test_powers_by_an_operator():
    alike("python", "x = y ** 2\nf(x)\nf(x)", "x = y * y\nf(x)\nf(x)", POWERS)
    alike("javascript", "x = y ** 2;", "x = y * y;", POWERS)
    apart("python", "x = y ** n\nf(x)\nf(x)", "x = y * y\nf(x)\nf(x)")


def test_the_power_of_anything_else_is_a_call():
    apart("java", "x = shop.pow(y, 2);", "x = y * y;")
