"""The rewrites: what each is called, what it says in a report, which languages have it, and in which order they run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from whorl.frontends.code.normal import marks
from whorl.frontends.code.normal.asked import ask_once
from whorl.frontends.code.normal.assignments import spell_out_compound, spell_out_update
from whorl.frontends.code.normal.branches import (
    conditional_assigned,
    conditional_returned,
    nest_chain,
    switch_as_if,
)
from whorl.frontends.code.normal.conditions import mirror, negate, swap_branches
from whorl.frontends.code.normal.constants import fold, order_operands
from whorl.frontends.code.normal.loops import (
    count_in_order,
    leave_at_first,
    unify_do,
    unify_for,
    unify_range,
    unify_while,
)
from whorl.frontends.code.normal.lowering import Rule
from whorl.frontends.code.normal.output import take_apart
from whorl.frontends.code.normal.powers import multiply_call, multiply_operator

C_LIKE = frozenset({"c", "cpp", "java", "csharp", "javascript", "typescript", "tsx"})
ALL = C_LIKE | {"python"}


@dataclass(frozen=True)
class Rewrite:
    """A rewrite: its name, its bit, the languages that have it, and its rules for single nodes, by kind. What it does
    to whole functions and programs is in ``whole``."""

    name: str
    mark: int
    languages: frozenset[str] = ALL
    rules: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict)


REWRITES = (
    Rewrite(
        "loops unified",
        marks.LOOPS,
        ALL,
        {
            "while": (unify_while,),
            "do": (unify_do,),
            "for": (unify_for,),
            "range": (unify_range,),
            "loop": (leave_at_first, count_in_order),
        },
    ),
    Rewrite(
        "compound assignments and increments spelled out",
        marks.COMPOUND,
        ALL,
        {"augment": (spell_out_compound,), "update": (spell_out_update,)},
    ),
    Rewrite("chained else-if nested alike", marks.CHAINED, ALL, {"if": (nest_chain,)}),
    Rewrite(
        "switch and conditional expressions as if",
        marks.BRANCHES,
        ALL,
        {
            "switch": (switch_as_if,),
            "assign": (conditional_assigned,),
            "declare": (conditional_assigned,),
            "return": (conditional_returned,),
        },
    ),
    Rewrite("prints merged", marks.OUTPUT, ALL, {"print": (take_apart,)}),
    Rewrite("constants folded", marks.CONSTANTS, ALL, {"op": (fold,)}),
    Rewrite("small powers multiplied out", marks.POWERS, ALL, {"call": (multiply_call,), "op": (multiply_operator,)}),
    Rewrite(
        "negated conditions with swapped branches in one order",
        marks.NEGATION,
        ALL,
        {"op": (negate,), "if": (swap_branches,)},
    ),
    Rewrite("conditions that are known to hold left out", marks.ASKED, ALL, {"if": (ask_once,), "loop": (ask_once,)}),
    Rewrite("operands in one order", marks.OPERANDS, ALL, {"op": (mirror, order_operands)}),
    Rewrite("calls of itself at a function's end as a loop", marks.TAILS),
    Rewrite("small local functions inlined", marks.INLINED),
    Rewrite("counters that only count left out", marks.COUNTERS),
    Rewrite("declarations dropped", marks.DECLARATIONS),
    Rewrite("parentheses and trivial temporaries gone", marks.TEMPORARIES),
    Rewrite("statements that cannot affect the output dropped", marks.IDLE),
    Rewrite("independent neighbouring statements in one order", marks.ORDER),
)


@cache
def rules(language: str, chosen: int = marks.ALL) -> Mapping[str, tuple[Rule, ...]]:
    """The rules of a language for single nodes, by kind, in the order of the table."""
    found: dict[str, list[Rule]] = {}
    for rewrite in REWRITES:
        if rewrite.mark & chosen and language in rewrite.languages:
            for kind, functions in rewrite.rules.items():
                found.setdefault(kind, []).extend(functions)
    return {kind: tuple(functions) for kind, functions in found.items()}


def names(bits: int) -> tuple[str, ...]:
    """The names of the rewrites whose bits are set."""
    return tuple(rewrite.name for rewrite in REWRITES if rewrite.mark & bits)
