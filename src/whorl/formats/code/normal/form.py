"""The normal form of a program: lower its syntax tree, apply the table of rewrites, emit symbols."""

from collections.abc import Callable, Mapping, Set
from functools import cache, lru_cache
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from whorl.formats.code.normal import nodes
from whorl.formats.code.normal.analysis import FunctionScope, scopes, settle, settle_fields
from whorl.formats.code.normal.control import (
    conditional_assigned,
    conditional_returned,
    count_in_order,
    leave_at_first,
    loop_tail_calls,
    nest_chain,
    switch_as_if,
    unify_do,
    unify_for,
    unify_range,
    unify_while,
)
from whorl.formats.code.normal.counters import simplify_counters
from whorl.formats.code.normal.expressions import (
    ask_once,
    compare_boolean,
    compare_once,
    element,
    fold,
    merge_prints,
    mirror,
    multiply_call,
    multiply_operator,
    negate,
    order_operands,
    spell_out_compound,
    spell_out_update,
    split_tuple,
    swap_branches,
    take_apart,
)
from whorl.formats.code.normal.idle import (
    decide_branch,
    decide_each,
    decide_loop,
    drop_idle,
    drop_log_calls,
    drop_try,
    drop_unused_values,
)
from whorl.formats.code.normal.inlining import inline_functions
from whorl.formats.code.normal.lowering import Lowerer, Lowering, LoweringTable, Rule, UnfitError, dropped, opened
from whorl.formats.code.normal.nodes import STATEMENT, TreeNode
from whorl.formats.code.normal.variables import (
    drop_declarations,
    drop_temporaries,
    move_fields,
    order_statements,
    spread_constants,
    spread_literals,
)
from whorl.formats.code.plan import REMEMBERED, Plan, symbol

if TYPE_CHECKING:
    import tree_sitter


# Nodes without a symbol of their own: what is inside them says it.
SILENT: Final = frozenset({"list", "nothing", "class", "parameter", "cast"})

# Nodes whose symbol comes before what is inside them, and after which their end is told.
FIRST: Final = frozenset({"function", "lambda", "each", "switch", "case", "try_statement"})

# Between two statements, in what is still to be told.
CUT: Final = ""

# How a node is told: its symbol after what is inside it, before it and with an end, without one; or as its kind needs.
AFTER: Final = 0
BEFORE: Final = 1
INSIDE: Final = 2
NEVER: Final = 3
BLOCK: Final = 4
BRANCH: Final = 5
LOOP: Final = 6
CALL: Final = 7
DECLARATION: Final = 8

# The way of each kind that is not told after what is inside it. To look it up once is faster than to compare kinds.
WAYS: Final[dict[str, int]] = {
    **dict.fromkeys(FIRST, BEFORE),
    **dict.fromkeys(SILENT, INSIDE),
    "global": NEVER,
    "block": BLOCK,
    "if": BRANCH,
    "loop": LOOP,
    "call": CALL,
    "declare": DECLARATION,
}


def variables(program: TreeNode) -> set[bytes]:
    """Return the names of a program that stand alone anywhere, as every variable does where it is set."""
    names: set[bytes] = set()
    waiting = [program]
    while waiting:
        node = waiting.pop()
        if node.kind == "name":
            names.add(node.text.split(b"\0")[0] if b"\0" in node.text else node.text)
        elif node.kind != "field" or node.children[0].kind != "name":
            waiting += node.children
    return names


class Emission:
    """The symbols of a tree, the bytes of each, and the rewrites that touched it."""

    def __init__(self, family: str, variables: Set[bytes], *, declares: bool = True) -> None:
        """``variables`` are those of the program, from ``variables``. ``declares``: emit declarations; otherwise emit
        what ``drop_declarations`` leaves of them."""
        self._family, self._variables, self._declares = f"normal:{family}", variables, declares
        self.symbols: list[int] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.marks: list[int] = []
        self._is_first = STATEMENT
        # The symbols of kinds, and of operators by their texts, that were met.
        self._known: dict[str | bytes, int] = {}

    def emit(self, program: TreeNode) -> None:
        """Emit a tree. A ``str`` on the stack precedes a node of which only the symbol is emitted."""
        waiting: list[TreeNode | str] = [program]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                if node:
                    self._put(waiting.pop(), node)  # type: ignore[arg-type]
                else:
                    self._is_first = STATEMENT
                continue
            kind, inside = node.kind, node.children
            way = WAYS.get(kind, AFTER)
            if not inside:
                if way == BLOCK:
                    self._is_first = STATEMENT
                elif way not in (INSIDE, NEVER):
                    self._append(node, kind, node.start, node.end)
                continue
            if way == DECLARATION and not self._declares:
                if len(inside) == 1:
                    continue
                kind = "assign"
            if way == INSIDE:
                waiting += inside[::-1]
            elif way == BLOCK:
                waiting.append(CUT)
                for statement in reversed(inside):
                    waiting.append(statement)
                    waiting.append(CUT)
            elif way == BRANCH:
                condition, then, other = inside
                waiting += [node, "end"]
                waiting += [other, node, "else"] if other.children else []
                waiting += [then, condition, node, "if"]
            elif way == LOOP:
                self._put(node, kind)
                condition, body = inside
                waiting += [node, "end", *((condition, body) if node.text else (body, condition))]
            elif way == CALL and self._is_of_a_class(inside[0]):
                waiting += [node, kind, *inside[:0:-1], inside[0], "name"]
            elif way == BEFORE:
                self._put(node, kind)
                waiting += [node, "end", *inside[::-1]]
            elif way != NEVER:
                waiting.append(node)
                waiting.append(kind)
                for child in reversed(inside):
                    waiting.append(child)

    def _is_of_a_class(self, called: TreeNode) -> bool:
        """Return whether a function is called by the name of its class or module, which only says where it is
        defined."""
        on = called.children[0] if called.kind == "field" and called.children else called
        return on is not called and on.kind == "name" and on.text.split(b"\0")[0] not in self._variables

    def _put(self, node: TreeNode, kind: str) -> None:
        start, end = _place(node, kind)
        self._append(node, kind, start, end)

    def _append(self, node: TreeNode, kind: str, start: int, end: int) -> None:
        key = node.text if kind == "op" else kind
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _symbol(self._family, kind, node.text if kind == "op" else b"")
        if end <= start:  # nothing in the text says it: what stands before it does
            start = max(0, end - 1)
            end = start + 1
        self.symbols.append(known)
        self.starts.append(start)
        self.ends.append(end)
        self.marks.append(node.marks | self._is_first)
        self._is_first = 0


def _place(node: TreeNode, kind: str) -> tuple[int, int]:
    """Return the span of a node's own symbol: between its first two children, or before the first."""
    inside, start, end = node.children, node.start, node.end
    if kind == "else":
        return _between(inside[1].end, inside[2].start, node)
    if kind == "end":
        return max(start, end - 1), end
    if kind in ("op", "assign") and len(inside) > 1:
        return _between(inside[0].end, inside[1].start, node)
    return _between(start, inside[0].start, node)


def _between(start: int, end: int, node: TreeNode) -> tuple[int, int]:
    """Return the span, if it is not empty; else the beginning of the node."""
    return (start, end) if node.start <= start < end <= node.end else (node.start, min(node.start + 1, node.end))


@lru_cache(REMEMBERED)
def _symbol(family: str, kind: str, text: bytes) -> int:
    return symbol(family, f"{kind}:{text.decode('utf-8', 'replace')}" if text else kind)


C_LIKE: Final = frozenset({"c", "cpp", "java", "csharp", "javascript", "typescript", "tsx"})
ALL: Final = C_LIKE | {"go", "python"}


class Rewrite(NamedTuple):
    """A rewrite: its name, its bit, the languages that have it, and its rules for single nodes, by kind. ``form``
    applies its rewrites of whole functions and programs."""

    name: str
    mark: int
    languages: frozenset[str] = ALL
    rules: Mapping[str, tuple[Rule, ...]] = MappingProxyType({})


REWRITES: Final = (
    Rewrite(
        "loops unified",
        nodes.LOOPS,
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
        "compound assignments and increments expanded",
        nodes.COMPOUND,
        ALL,
        {"augment": (spell_out_compound,), "update": (spell_out_update,)},
    ),
    Rewrite("else-if chains nested", nodes.CHAINED, ALL, {"if": (nest_chain,)}),
    Rewrite(
        "switch and conditional expressions as if",
        nodes.BRANCHES,
        ALL,
        {
            "switch": (switch_as_if,),
            "assign": (conditional_assigned,),
            "declare": (conditional_assigned,),
            "return": (conditional_returned,),
        },
    ),
    Rewrite(
        "tuple assignments split",
        nodes.SPLIT,
        frozenset({"go", "javascript", "python", "tsx", "typescript"}),
        {"assign": (split_tuple,), "declare": (split_tuple,)},
    ),
    Rewrite("pointer sums as elements", nodes.ELEMENTS, frozenset({"c", "cpp"}), {"op": (element,)}),
    Rewrite("prints merged", nodes.OUTPUT, ALL, {"print": (take_apart,)}),
    Rewrite("constants folded", nodes.CONSTANTS, ALL, {"op": (fold,)}),
    Rewrite("small powers expanded", nodes.POWERS, ALL, {"call": (multiply_call,), "op": (multiply_operator,)}),
    Rewrite(
        "negated conditions unified",
        nodes.NEGATION,
        ALL,
        {"op": (negate,), "if": (swap_branches,)},
    ),
    Rewrite(
        "redundant conditions dropped",
        nodes.ASKED,
        ALL,
        {"if": (ask_once,), "loop": (ask_once,), "op": (compare_once,)},
    ),
    Rewrite(
        "comparisons with true dropped", nodes.TRUTH, frozenset({"csharp", "go", "java"}), {"op": (compare_boolean,)}
    ),
    Rewrite("operands sorted", nodes.OPERANDS, ALL, {"op": (mirror, order_operands)}),
    Rewrite("tail recursion as a loop", nodes.TAILS),
    Rewrite("small functions inlined", nodes.INLINED),
    Rewrite("loop counters unified", nodes.COUNTERS),
    Rewrite("declarations dropped", nodes.DECLARATIONS),
    Rewrite("temporaries dropped", nodes.TEMPORARIES),
    Rewrite(
        "dead code dropped",
        nodes.IDLE,
        ALL,
        {"if": (decide_branch,), "loop": (decide_loop,), "each": (decide_each,), "try_statement": (drop_try,)},
    ),
    Rewrite("independent statements sorted", nodes.ORDER),
)


@cache
def rules(language: str, chosen: int = nodes.ALL) -> dict[str, tuple[Rule, ...]]:
    """Return the rules of a language for single nodes, by kind, in the order of the table."""
    by_kind: dict[str, list[Rule]] = {}
    for rewrite in REWRITES:
        if rewrite.mark & chosen and language in rewrite.languages:
            for kind, functions in rewrite.rules.items():
                by_kind.setdefault(kind, []).extend(functions)
    return {kind: tuple(functions) for kind, functions in by_kind.items()}


def names(bits: int) -> tuple[str, ...]:
    """Return the names of the rewrites whose bits are set."""
    return tuple(rewrite.name for rewrite in REWRITES if rewrite.mark & bits)


# Which module has the table of a language.
TABLES: Final = {
    "c": "lower_c",
    "cpp": "lower_c",
    "csharp": "lower_csharp",
    "go": "lower_go",
    "java": "lower_java",
    "javascript": "lower_javascript",
    "python": "lower_python",
    "tsx": "lower_javascript",
    "typescript": "lower_javascript",
}

# Languages in which whoever assigns a name declares it.
IMPLICIT: Final = frozenset({"python"})

# Languages whose programs do what stands outside all functions.
SCRIPTS: Final = frozenset({"python", "javascript", "typescript", "tsx"})

# Languages without ``this``: the word in their comments says nothing.
WITHOUT_THIS: Final = frozenset({"c", "go", "python"})

# The rewrites of each block of a function, in this order.
STEPS: Final[tuple[tuple[int, Callable[[TreeNode, FunctionScope], TreeNode]], ...]] = (
    (nodes.DECLARATIONS, drop_declarations),
    (nodes.IDLE, drop_idle),
    (nodes.TEMPORARIES, drop_temporaries),
    (nodes.ORDER, order_statements),
    (nodes.OUTPUT, merge_prints),
)

# Symbols, starts, ends, and the rewrites that touched each, as bits.
Columns: TypeAlias = tuple[list[int], list[int], list[int], list[int]]


def has_normal_form(name: str) -> bool:
    """Return whether programs of a language have a normal form."""
    return name in TABLES


def normal_form(how: Plan, tree: "tree_sitter.Tree", data: bytes, chosen: int = nodes.ALL) -> Columns:
    """Return the symbols of a program's normal form. ``chosen`` are the bits of the rewrites to apply."""
    program = lowered(how, tree, data, chosen)
    known = variables(program)
    return _emitted(rewrite(how, program, data, chosen), how, known)


def both_forms(how: Plan, tree: "tree_sitter.Tree", data: bytes) -> tuple[Columns, Columns]:
    """Return the symbols of a program's normal form, and those of its statements after the rewrites of single nodes
    only."""
    program = lowered(how, tree, data)
    known = variables(program)
    standing = _emitted(program, how, known, declares=False)
    return _emitted(rewrite(how, program, data), how, known), standing


def rewritten(how: Plan, tree: "tree_sitter.Tree", data: bytes, chosen: int = nodes.ALL) -> TreeNode:
    """Return the neutral tree of a program after all rewrites."""
    return rewrite(how, lowered(how, tree, data, chosen), data, chosen)


def lowered(how: Plan, tree: "tree_sitter.Tree", data: bytes, chosen: int = nodes.ALL) -> TreeNode:
    """Return the neutral tree of a program after the rewrites of single nodes."""
    program = Lowerer(data, _lowerings(how), rules(how.row.name, chosen)).lower(tree.root_node)
    if program is None:
        raise UnfitError("it is empty")
    return program


def rewrite(how: Plan, program: TreeNode, data: bytes, chosen: int = nodes.ALL) -> TreeNode:
    """Apply the rewrites of whole functions and programs."""
    name = how.row.name
    implicit, script = name in IMPLICIT, name in SCRIPTS
    scoped = scopes(program, implicit=implicit)
    # Without it there is no field to tell from a name, and a walk is saved.
    if b"this" in data and name not in WITHOUT_THIS and settle_fields(scoped):
        scoped = scopes(program, implicit=implicit)
    is_spread = bool(chosen & nodes.TEMPORARIES) and spread_constants(scoped, script=script)
    if (chosen & nodes.IDLE and drop_log_calls(scoped)) or is_spread:
        scoped = scopes(program, implicit=implicit)
    if chosen & nodes.TAILS and loop_tail_calls(scoped):
        scoped = scopes(program, implicit=implicit)
    if chosen & nodes.INLINED:
        scoped = inline_functions(program, scoped, implicit=implicit, script=script)
    else:
        settle(scoped, script=script)
    if chosen & nodes.DECLARATIONS and move_fields(scoped):
        scoped = scopes(program, implicit=implicit)
        settle(scoped, script=script)
    for names in scoped:
        _settle(names, chosen)
    return program


def _emitted(program: TreeNode, how: Plan, known: set[bytes], *, declares: bool = True) -> Columns:
    emission = Emission(how.row.family, known, declares=declares)
    emission.emit(program)
    return emission.symbols, emission.starts, emission.ends, emission.marks


def _settle(names: FunctionScope, chosen: int) -> None:
    """Apply the rewrites of a whole function, inner blocks first."""
    if chosen & nodes.COUNTERS:
        for each in names.blocks:
            simplify_counters(each, names)
    if chosen & nodes.TEMPORARIES:
        spread_literals(names)
    if chosen & nodes.IDLE:
        drop_unused_values(names)
    for each in reversed(names.blocks):
        for mark, rewrite in STEPS:
            if chosen & mark:
                rewrite(each, names)


@cache
def _table(module: str) -> LoweringTable:
    table: LoweringTable = import_module(f"{__package__}.{module}").TABLE
    return table


@cache
def _by_number(name: str) -> dict[int, Lowering]:
    from whorl.formats.code.plan import plan

    grammar, table = plan(name).grammar, _table(TABLES[name])
    kinds = {**dict.fromkeys(table.opens, opened), **dict.fromkeys(table.drops, dropped), **table.lowerings}
    return {
        number: kinds[kind]
        for number in range(grammar.node_kind_count)
        if grammar.node_kind_is_named(number) and (kind := grammar.node_kind_for_id(number) or "") in kinds
    }


def _lowerings(how: Plan) -> dict[int, Lowering]:
    return _by_number(how.row.name)
