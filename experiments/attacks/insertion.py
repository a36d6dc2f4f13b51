"""Statement insertion: dead code between the statements of a program, evenly, until it has grown to a given size.

After Mossad (arXiv 2010.01700), which inserts statements of the program itself and of a pool wherever they change
nothing. A detector that counts shared runs of tokens loses them to insertions in every run, at little growth.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from experiments.attacks.grammar import GRAMMARS, INTRICATE, column, is_run, leaf_count, statements
from experiments.attacks.program import Program
from experiments.attacks.statements import REACHES
from experiments.attacks.syntax import Edit, Syntax, size
from experiments.attacks.vocabulary import fresh_names

# Where dead statements come from: values of a pool that nobody reads; values of the program's own expressions that
# nobody reads; and copies of its own statements behind a condition that never holds, which only running tells.
SOURCES = ("pool", "own", "opaque")

# Values of a pool, by what a variable of them is declared as in Java.
POOL = (
    ("int", "7 * 3"), ("int", "(4 + 9) % 5"), ("int", "12 - 5 * 2"), ("int", "100 / 4 + 1"), ("double", "2.5 * 1.5"),
    ("boolean", "3 < 9"), ("String", '"draft"'), ("String", '"a" + "b"'),
)  # fmt: skip

DECLARATIONS = {"java": "{kind} {name} = {value};", "javascript": "let {name} = {value};", "python": "{name} = {value}"}

# Conditions that never hold, though no constant says so.
NEVER = {
    "java": 'if ("{word}".length() > {many}) {{ {body} }}',
    "javascript": 'if ("{word}".length > {many}) {{ {body} }}',
    "python": 'if len("{word}") > {many}:\n{inner}{body}',
}

# What may be done twice, or too early, without harm: it reads names and computes. Dividing may fail.
RISKS = REACHES | INTRICATE


@dataclass(frozen=True, slots=True)
class Gap:
    """A place before a statement, and the values that its names have there by then, with their kinds."""

    before: Node
    values: tuple[tuple[str, str], ...]


def attack(program: Program, chance: random.Random, growth: float = 1.5, source: str = "pool") -> Program:
    """The program, grown to so many times its size by dead statements."""
    syntax = Syntax(program.language, program.text)
    gaps = list(_gaps(syntax))
    if source == "own":
        gaps = [gap for gap in gaps if gap.values]
    room = (growth - 1) * size(program.language, program.text)
    inserted: dict[int, list[str]] = {number: [] for number in range(len(gaps))}
    taken = syntax.names()
    while room > 0 and gaps:
        for number in chance.sample(range(len(gaps)), len(gaps)):
            name = fresh_names(chance, 1, taken)[0]
            taken.add(name)
            dead = _dead(syntax, gaps[number], name, source, chance)
            inserted[number].append(dead)
            room -= size(program.language, dead)
            if room <= 0:
                break
    return program.with_text(syntax.edited(_edit(gaps[number], dead) for number, dead in inserted.items() if dead))


def _edit(gap: Gap, dead: list[str]) -> Edit:
    at = gap.before.start_byte
    return Edit(at, at, "".join(f"{each}\n{column(gap.before)}" for each in dead))


def _gaps(syntax: Syntax) -> Iterator[Gap]:
    """Before every statement that is run; with the values of the statement before it, whose names are all set."""
    for block in statements(syntax):
        before: Node | None = None
        for statement in block:
            if is_run(statement) and "class" not in statement.type:
                yield Gap(statement, tuple(_values(syntax, before, statement)))
            before = statement


def _values(syntax: Syntax, before: Node | None, after: Node) -> Iterator[tuple[str, str]]:
    """Kinds and texts of expressions that can be computed between two statements."""
    condition = after.child_by_field_name("condition") if after.type == "if_statement" else None
    if condition is not None and _is_harmless(syntax, condition):
        yield "boolean", syntax.text(condition)
    if before is None:
        return
    for node in syntax.nodes("variable_declarator", "assignment", within=before):
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        kind = node.parent.child_by_field_name("type") if node.parent is not None else None
        if value is not None and _is_harmless(syntax, value) and node.parent in (before, before.parent):
            yield syntax.text(kind) if kind is not None else "int", syntax.text(value)


def _is_harmless(syntax: Syntax, node: Node) -> bool:
    leaves = {syntax.text(leaf) for leaf in syntax.leaves(node)}
    return next(syntax.nodes(*RISKS, within=node), None) is None and not leaves & {"/", "//", "%"}


def _dead(syntax: Syntax, gap: Gap, name: str, source: str, chance: random.Random) -> str:
    if source == "opaque":
        return _never(syntax, gap, name, chance)
    kind, value = chance.choice(POOL if source == "pool" else gap.values)
    if syntax.language == "python" and value in ("true", "false"):
        value = value.capitalize()
    return DECLARATIONS[syntax.language].format(kind=kind, name=name, value=value)


def _never(syntax: Syntax, gap: Gap, name: str, chance: random.Random) -> str:
    """A copy of the statement that follows, never run. Large ones would look odd, and are not needed."""
    grammar = GRAMMARS[syntax.language]
    kind, value = chance.choice(POOL)
    body = DECLARATIONS[syntax.language].format(kind=kind, name=name, value=value)
    if leaf_count(syntax, gap.before) <= 20 and "\n" not in syntax.text(gap.before):
        body = syntax.text(gap.before)
    inner = column(gap.before) + grammar.indent
    return NEVER[syntax.language].format(word=name, many=chance.randint(40, 99), body=body, inner=inner)
