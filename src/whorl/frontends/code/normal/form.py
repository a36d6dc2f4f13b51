"""The normal form of a program: its syntax tree is lowered, rewritten, and told as symbols."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeAlias

from whorl.frontends.code.normal import marks
from whorl.frontends.code.normal.counters import simplify_counters
from whorl.frontends.code.normal.declarations import drop_declarations, move_fields
from whorl.frontends.code.normal.emission import Emission, variables
from whorl.frontends.code.normal.idle import drop_idle, drop_unused_values
from whorl.frontends.code.normal.inlining import inline_functions
from whorl.frontends.code.normal.lowering import Lowerer, Lowering, Table, UnfitError
from whorl.frontends.code.normal.node import Node
from whorl.frontends.code.normal.ordering import order_statements
from whorl.frontends.code.normal.output import merge_prints
from whorl.frontends.code.normal.scope import Scope, scopes, settle, settle_fields
from whorl.frontends.code.normal.shapes import dropped, opened
from whorl.frontends.code.normal.table import rules
from whorl.frontends.code.normal.tails import loop_tail_calls
from whorl.frontends.code.normal.temporaries import drop_temporaries, spread_literals
from whorl.frontends.code.plan import Plan

if TYPE_CHECKING:
    import tree_sitter

# Which module has the table of a language.
TABLES = {
    "c": "lower_c",
    "cpp": "lower_c",
    "csharp": "lower_csharp",
    "java": "lower_java",
    "javascript": "lower_javascript",
    "python": "lower_python",
    "tsx": "lower_javascript",
    "typescript": "lower_javascript",
}

# Languages in which whoever assigns a name declares it.
IMPLICIT = frozenset({"python"})

# Languages whose programs do what stands outside all functions.
SCRIPTS = frozenset({"python", "javascript", "typescript", "tsx"})

# Languages without ``this``: the word in their comments says nothing.
WITHOUT_THIS = frozenset({"c", "python"})

# What is done to each block of a function, in this order.
STEPS: tuple[tuple[int, Callable[[Node, Scope], Node]], ...] = (
    (marks.DECLARATIONS, drop_declarations),
    (marks.IDLE, drop_idle),
    (marks.TEMPORARIES, drop_temporaries),
    (marks.ORDER, order_statements),
    (marks.OUTPUT, merge_prints),
)

# Symbols, starts, ends, and the rewrites that touched each, as bits.
Columns: TypeAlias = tuple[list[int], list[int], list[int], list[int]]


def has_normal_form(name: str) -> bool:
    """Whether programs of a language have a normal form."""
    return name in TABLES


def normal_form(how: Plan, tree: "tree_sitter.Tree", data: bytes, chosen: int = marks.ALL) -> Columns:
    """The symbols of a program's normal form. ``chosen`` are the rewrites that are done."""
    program = lowered(how, tree, data, chosen)
    known = variables(program)
    return _told(rewrite(how, program, data, chosen), how, known)


def both_forms(how: Plan, tree: "tree_sitter.Tree", data: bytes) -> tuple[Columns, Columns]:
    """The symbols of a program's normal form, and those of its statements as they stand: after the rewrites of single
    nodes, before any that look at what else there is."""
    program = lowered(how, tree, data)
    known = variables(program)
    standing = _told(program, how, known, declares=False)
    return _told(rewrite(how, program, data), how, known), standing


def rewritten(how: Plan, tree: "tree_sitter.Tree", data: bytes, chosen: int = marks.ALL) -> Node:
    """The neutral tree of a program after all rewrites."""
    return rewrite(how, lowered(how, tree, data, chosen), data, chosen)


def lowered(how: Plan, tree: "tree_sitter.Tree", data: bytes, chosen: int = marks.ALL) -> Node:
    """The neutral tree of a program after the rewrites of single nodes."""
    found = Lowerer(data, _lowerings(how), rules(how.row.name, chosen)).lower(tree.root_node)
    if found is None:
        raise UnfitError("it is empty")
    return found


def rewrite(how: Plan, found: Node, data: bytes, chosen: int = marks.ALL) -> Node:
    """Do the rewrites of whole functions and programs."""
    name = how.row.name
    implicit, script = name in IMPLICIT, name in SCRIPTS
    # Without it there is no field to tell from a name, and a walk is saved.
    if b"this" in data and name not in WITHOUT_THIS:
        settle_fields(scopes(found, implicit=implicit))
    scoped = scopes(found, implicit=implicit)
    if chosen & marks.TAILS and loop_tail_calls(scoped):
        scoped = scopes(found, implicit=implicit)
    if chosen & marks.INLINED:
        scoped = inline_functions(found, scoped, implicit=implicit, script=script)
    else:
        settle(scoped, script=script)
    if chosen & marks.DECLARATIONS and move_fields(scoped):
        scoped = scopes(found, implicit=implicit)
        settle(scoped, script=script)
    for names in scoped:
        _settle(names, chosen)
    return found


def _told(program: Node, how: Plan, known: set[bytes], *, declares: bool = True) -> Columns:
    told = Emission(how.row.family, known, declares=declares)
    told.emit(program)
    return told.symbols, told.starts, told.ends, told.marks


def _settle(names: Scope, chosen: int) -> None:
    """The rewrites of a whole function, inner blocks first."""
    if chosen & marks.COUNTERS:
        for each in names.blocks:
            simplify_counters(each, names)
    if chosen & marks.TEMPORARIES:
        spread_literals(names)
    if chosen & marks.IDLE:
        drop_unused_values(names)
    for each in reversed(names.blocks):
        for mark, rewrite in STEPS:
            if chosen & mark:
                rewrite(each, names)


@cache
def _table(module: str) -> Table:
    table: Table = import_module(f"{__package__}.{module}").TABLE
    return table


@cache
def _by_number(name: str) -> Mapping[int, Lowering]:
    from whorl.frontends.code.plan import plan

    grammar, table = plan(name).grammar, _table(TABLES[name])
    kinds = {**dict.fromkeys(table.opens, opened), **dict.fromkeys(table.drops, dropped), **table.lowerings}
    return {
        number: kinds[kind]
        for number in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(number) and (kind := grammar.node_kind_for_id(number) or "") in kinds
    }


def _lowerings(how: Plan) -> Mapping[int, Lowering]:
    return _by_number(how.row.name)
