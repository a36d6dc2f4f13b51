import pytest

from tests.formats.code.normal.programs import C_LIKE, alike, apart, tree
from whorl.formats.code.normal.nodes import CONSTANTS


@pytest.mark.parametrize("language", [*C_LIKE, "python"])
def test_numbers_and_strings(language):
    alike(language, "f(2 * 3 + 1);", "f(7);", CONSTANTS)
    apart(language, "f(2 * x);", "f(7);")
    apart(language, "f(2.5 * 3);", "f(7);")


@pytest.mark.parametrize("language", ["java", "javascript", "csharp"])
def test_joined_strings(language):
    alike(language, 'f("a" + "b");', 'f("ab");', CONSTANTS)
    apart(language, 'f("a" + b);', 'f("ab");')


def test_huge_numbers_are_left_alone():
    assert "op" in repr(tree("python", f"f({'9' * 4000} * {'9' * 4000})"))
    assert "op" not in repr(tree("python", "f(3 - 5)"))
