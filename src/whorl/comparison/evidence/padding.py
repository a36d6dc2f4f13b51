"""Padding: how much of a program cannot matter to what it does, by the names in it alone.

A value is idle if it is computed without a call and nobody reads it, or only what is idle does. A statement is repeated
if the same stands before it in the file, word for word. Both are common in a small way; what is odd is a submission
that has far more of them than its class. This is no proof: nothing is run, and no type is known.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

# The least share of its statements that a submission must have of them, how often the class's median that must be, and
# how many statements it must be at least: programs of a few lines repeat themselves.
LEAST, TIMES, STATEMENTS = 0.12, 3.0, 5

# Letters and signs of the shortest statement that counts as repeated: ``return 0`` and ``i += 1`` are everybody's.
REPEATED = 10

# The longest statement that may be a plain assignment: longer ones are tables, and matter.
LONGEST = 400

# Languages in which braces hold values and not statements.
BRACES_HOLD = frozenset({"python"})

_BOUNDS = re.compile(r"[()\[\]{};\n]")
_NAME = re.compile(r"[^\W\d]\w*+")

# What stands before the name that an assignment sets (a type, modifiers, ``let``), the name, and the value: no call, no
# field and no element on the left, and no comparison.
_ASSIGNMENT = re.compile(
    r"(?:[\w<>\[\]?&*:$ \t]*[\s\]>*&])?([^\W\d]\w*+)\s*+(?::[^=()]*+)?[-+*/%&|^]?=(?![=>])(.*+)", re.DOTALL
)
_CALL = re.compile(r"\w\s*+\(")


@dataclass(frozen=True, slots=True)
class Padding:
    """How many statements there are, and how many of them are idle or repeated."""

    statements: int
    idle: int
    repeated: int

    @property
    def share(self) -> float:
        """The share of statements that are one or the other."""
        return (self.idle + self.repeated) / max(1, self.statements)


def padding(files: Sequence[tuple[str, str]]) -> Padding:
    """The padding of a submission's programs, given by language and bare text. A name may be read in another file."""
    by_file = [list(_statements(*file)) for file in files]
    every = [each for found in by_file for each in found]
    long = [[shape for each in found if len(shape := "".join(each.split())) >= REPEATED] for found in by_file]
    repeated = sum(len(shapes) - len(set(shapes)) for shapes in long)
    return Padding(len(every), len(every) - len(_live(every)), repeated)


def is_odd(found: Padding, everyone: Sequence[float]) -> bool:
    """Whether a submission's share is far above those of its class."""
    is_much = found.idle + found.repeated >= STATEMENTS and found.share >= LEAST
    return is_much and found.share >= TIMES * median(everyone)


def _statements(language: str, text: str) -> Iterator[str]:
    """The statements of a program, roughly: what stands between line ends, semicolons and braces, outside brackets."""
    opens, closes = ("([{", ")]}") if language in BRACES_HOLD else ("([", ")]")
    depth = start = 0
    for found in _BOUNDS.finditer(text):
        sign = found[0]
        if sign in opens:
            depth += 1
        elif sign in closes:
            depth = max(0, depth - 1)
        elif not depth or sign in "{}":
            if statement := text[start : found.start()].strip():
                yield statement
            start = found.end()
    if statement := text[start:].strip():
        yield statement


def _live(statements: Sequence[str]) -> set[int]:
    """The numbers of the statements that may matter: those that are no plain assignment, and what they read, on."""
    assignments = [_assignment(each) for each in statements]
    setters: dict[str, list[int]] = defaultdict(list)
    for number, found in enumerate(assignments):
        if found is not None:
            setters[found[1]].append(number)
    live = {number for number, found in enumerate(assignments) if found is None}
    waiting = list(live)
    while waiting:
        number = waiting.pop()
        found = assignments[number]
        for name in _NAME.findall(statements[number] if found is None else found[2]):
            fresh = setters.pop(name, ())
            live.update(fresh)
            waiting += fresh
    return live


def _assignment(statement: str) -> re.Match[str] | None:
    """A plain assignment: the name that it sets, and the value; None if a statement is another, or may do more."""
    found = _ASSIGNMENT.fullmatch(statement) if len(statement) <= LONGEST else None
    return None if found is None or _CALL.search(found[2]) else found
