"""Small programs in every language that has a normal form, and what can be asked of two of them."""

import tree_sitter

from whorl.formats.code.normal import nodes
from whorl.formats.code.normal.form import normal_form, rewritten
from whorl.formats.code.plan import plan

# Where statements stand in the languages that write them alike.
AROUND = {
    "c": "int main(void) {{ {} }}",
    "cpp": "int main() {{ {} }}",
    "csharp": "class A {{ static void Main() {{ {} }} }}",
    "go": 'package main; import ("fmt"; "math"); func main() {{ {} }}',
    "java": "class A {{ public static void main(String[] args) {{ {} }} }}",
    "javascript": "function main() {{ {} }}",
    "typescript": "function main() {{ {} }}",
    "tsx": "function main() {{ {} }}",
}
C_LIKE = tuple(name for name in AROUND if name != "go")
WITH_TYPES = ("c", "cpp", "csharp", "java")


def columns(language, code, chosen=nodes.ALL):
    """Symbols, starts, ends and marks of a program's normal form."""
    data = code.encode()
    return normal_form(plan(language), _tree(language, data), data, chosen)


def tree(language, code, chosen=nodes.ALL):
    """The neutral tree of a program."""
    data = code.encode()
    return rewritten(plan(language), _tree(language, data), data, chosen)


def _tree(language, data):
    return tree_sitter.Parser(plan(language).grammar).parse(data)


def around(language, statements):
    """A whole program of some statements."""
    return AROUND[language].format(statements) if language in AROUND else statements


def same(language, one, two):
    """Programs that lowering alone makes equal."""
    assert columns(language, around(language, one))[0] == columns(language, around(language, two))[0]


def alike(language, one, two, mark):
    """Programs that a rewrite makes equal, and that it alone does."""
    one, two = around(language, one), around(language, two)
    assert columns(language, one)[0] == columns(language, two)[0], (tree(language, one), tree(language, two))
    without = nodes.ALL & ~mark
    assert columns(language, one, without)[0] != columns(language, two, without)[0]
    assert any((*columns(language, one)[3], *columns(language, two)[3]))


def apart(language, one, two):
    """Programs that do different things."""
    one, two = around(language, one), around(language, two)
    assert columns(language, one)[0] != columns(language, two)[0], tree(language, one)
