"""Statement insertion: dead code between the statements of a program, evenly, until it has grown to a given size.

After Mossad (arXiv 2010.01700), which inserts statements of the program itself and of a pool wherever they change
nothing. A detector that counts shared runs of tokens loses them to insertions in every run, at little growth.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from experiments.attacks import renaming
from experiments.attacks.grammar import GRAMMARS, INTRICATE, column, is_run, leaf_count, statements
from experiments.attacks.program import Program, programs
from experiments.attacks.statements import ASSIGNMENTS, REACHES
from experiments.attacks.syntax import Edit, Syntax, size
from experiments.attacks.vocabulary import fresh_names

# Where dead statements come from: values of a pool that nobody reads; values of the program's own expressions that
# nobody reads; copies of its own statements behind a condition that never holds, which only running tells; and
# statements of other people's programs for other tasks behind such conditions.
SOURCES = ("pool", "own", "opaque", "foreign")

# Tokens of a statement that is put behind such a condition: larger ones would look odd, smaller ones do little.
SMALLEST, LARGEST = 4, 20

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

# What makes sense only in the function or the object that it was written for.
BOUND = ("yield", "await", "this", "yield_expression", "await_expression")

# What may be done twice, or too early, without harm: it reads names and computes. Dividing may fail.
RISKS = REACHES | INTRICATE


@dataclass(frozen=True, slots=True)
class Gap:
    """A place before a statement, and the values that its names have there by then, with their kinds."""

    before: Node
    values: tuple[tuple[str, str], ...]


def attack(program: Program, chance: random.Random, growth: float = 1.5, source: str = "pool") -> Program:
    """Return the program, grown to so many times its size by dead statements."""
    syntax = Syntax(program.language, program.text)
    gaps = list(_gaps(syntax))
    if source == "own":
        gaps = [gap for gap in gaps if gap.values]
    room = (growth - 1) * size(program.language, program.text)
    inserted: dict[int, list[str]] = {number: [] for number in range(len(gaps))}
    taken = syntax.names()
    bodies = _foreign(program, taken, chance) if source == "foreign" else []
    while room > 0 and gaps:
        for number in chance.sample(range(len(gaps)), len(gaps)):
            name = fresh_names(chance, 1, taken)[0]
            taken.add(name)
            if source in ("opaque", "foreign"):
                dead = _never(syntax, gaps[number], name, bodies, chance)
            else:
                dead = _unread(syntax, gaps[number], name, source, chance)
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


def _unread(syntax: Syntax, gap: Gap, name: str, source: str, chance: random.Random) -> str:
    kind, value = chance.choice(POOL if source == "pool" else gap.values)
    if syntax.language == "python" and value in ("true", "false"):
        value = value.capitalize()
    return DECLARATIONS[syntax.language].format(kind=kind, name=name, value=value)


def _never(syntax: Syntax, gap: Gap, name: str, bodies: Sequence[str], chance: random.Random) -> str:
    """One of these statements, never run; if there are none, a copy of the statement that follows, or of the pool."""
    kind, value = chance.choice(POOL)
    body = DECLARATIONS[syntax.language].format(kind=kind, name=name, value=value)
    if bodies:
        body = chance.choice(bodies)
    elif leaf_count(syntax, gap.before) <= LARGEST and "\n" not in syntax.text(gap.before):
        body = syntax.text(gap.before)
    inner = column(gap.before) + GRAMMARS[syntax.language].indent
    return NEVER[syntax.language].format(word=name, many=chance.randint(40, 99), body=body, inner=inner)


def _foreign(program: Program, taken: set[str], chance: random.Random) -> list[str]:
    """Small statements of programs for other tasks. None sets a name of this program: in Python that would make the
    name a local one."""
    found: list[str] = []
    for other in programs(program.language):
        if other.task != program.task:
            syntax = Syntax(program.language, renaming.attack(other, chance).text)
            found += (syntax.text(each) for block in statements(syntax) for each in block if _is_plain(syntax, each))
    return [text for text in found if not _names_set(program.language, text) & taken]


def _is_plain(syntax: Syntax, statement: Node) -> bool:
    is_simple = statement.type in ("expression_statement", "local_variable_declaration", "lexical_declaration")
    is_small = SMALLEST <= leaf_count(syntax, statement) <= LARGEST and "\n" not in syntax.text(statement)
    is_bound = next(syntax.nodes(*BOUND, within=statement), None) is not None
    return is_simple and is_small and is_run(statement) and not is_bound


def _names_set(language: str, statement: str) -> set[str]:
    syntax = Syntax(language, statement)
    return {name for node in syntax.nodes(*ASSIGNMENTS, "augmented_assignment") for name in syntax.names(within=node)}
