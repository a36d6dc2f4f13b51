"""Rewrites of expressions: conditions, assignments, constants, powers, output."""

from collections.abc import Callable
from itertools import islice
from operator import is_
from typing import Final

from whorl.formats.code.normal.analysis import FunctionScope, effects
from whorl.formats.code.normal.lowering import CHAINING
from whorl.formats.code.normal.nodes import (
    ASKED,
    COMPOUND,
    CONSTANTS,
    ELEMENTS,
    LEAVES,
    NEGATION,
    OPERANDS,
    OUTPUT,
    POWERS,
    SEEN,
    SPLIT,
    TRUTH,
    TreeNode,
    block,
    equal,
)

# Expressions without side effects that give the same value when evaluated again at once.
STEADY: Final = LEAVES | {"op", "field", "index", "cast"}


def ask_once(node: TreeNode) -> TreeNode:
    """Rewrite ``while (c) { if (c) a else b; d }`` as ``while (c) { a; d }``, and ``if`` alike. A loop that tests at
    its end does not know its condition in the first round."""
    condition, body = node.children[:2]
    if not body.children or body.children[0].kind != "if" or node.text:
        return node
    first = body.children[0]
    if not equal(condition, first.children[0]) or not all(each.kind in STEADY for each in condition.walk()):
        return node
    for each in first.children[1].children[:1]:
        each.marks |= ASKED
    inside = block([*first.children[1].children, *body.children[1:]], body)
    return node.at(node.kind, [condition, inside, *node.children[2:]], node.text, ASKED)


def compare_once(node: TreeNode) -> TreeNode:
    """Rewrite ``(a < b) == true`` as ``a < b``, and ``(a < b) == false`` as its negation. The
    other side must be a boolean for certain."""
    if node.text not in EQUALITIES or len(node.children) != 2:
        return node
    for value, truth in (node.children, node.children[::-1]):
        if truth.kind == "constant" and truth.text in TRUTHS and _is_boolean(value):
            value.marks |= ASKED
            return value if TRUTHS[truth.text] == EQUALITIES[node.text] else negated(value)
    return node


# Comparisons of equality: whether they hold for equal operands.
EQUALITIES: Final = {b"==": True, b"===": True, b"is": True, b"!=": False, b"!==": False, b"is not": False}
TRUTHS: Final = {b"true": True, b"True": True, b"false": False, b"False": False}


def compare_boolean(node: TreeNode) -> TreeNode:
    """Rewrite ``a == true`` as ``a`` in languages that compare only booleans with it."""
    if node.text not in (b"==", b"!=") or len(node.children) != 2:
        return node
    for value, truth in (node.children, node.children[::-1]):
        if truth.kind == "constant" and truth.text in TRUTHS:
            value.marks |= TRUTH
            return value if TRUTHS[truth.text] == EQUALITIES[node.text] else negated(value)
    return node


def _is_boolean(value: TreeNode) -> bool:
    if value.kind != "op" or len(value.children) < 2:
        return value.kind == "op" and value.text == b"!"
    return value.text in OPPOSITE or (value.text in DUAL and all(map(_is_boolean, value.children)))


def split_tuple(node: TreeNode) -> TreeNode:
    """Rewrite ``a, b = c, d`` as ``a = c; b = d``, if no value reads a name that was set before it. A call could read a
    field, so values beside fields must be pure. In JavaScript only declarations are split: an assignment may be part of
    an expression. In Go, what is set may be read through memory or by a call, unless it is new."""
    target, value = node.children if len(node.children) == 2 else (node, node)
    if target.kind != ("tuple" if node.kind == "assign" else "array_pattern") or value.kind not in ("tuple", "array"):
        return node
    names, values = target.children, value.children
    if len(names) != len(values) or any(each.kind != "name" for each in names):
        return node
    has_field = any(b"." in each.text for each in names)
    lost: set[bytes] = set()
    for name, each in zip(names, values, strict=True):
        done = effects(each)
        if lost and node.text == SEEN and not (done.is_pure and not done.looks):
            return node
        is_safe = done.is_pure or not (has_field or any(inner.kind == "named_expression" for inner in each.walk()))
        if not is_safe or done.reads & lost:
            return node
        lost.add(name.text)
    pairs = zip(names, values, strict=True)
    return node.at("list", [each.at(node.kind, [name, each], node.text, SPLIT) for name, each in pairs])


def element(node: TreeNode) -> TreeNode:
    """Rewrite ``*(a + i)`` as ``a[i]``."""
    inside = node.children[0]
    if node.text != b"*" or len(node.children) != 1 or inside.kind != "op" or inside.text != b"+":
        return node
    base, *steps = inside.children[::-1] if inside.children[0].kind == "number" else inside.children
    if not steps:
        return node
    step = steps[0] if len(steps) == 1 else fold(inside.at("op", steps, b"+"))
    return node.at("index", [base, step], marks=ELEMENTS)


def spell_out_compound(node: TreeNode) -> TreeNode:
    """Rewrite ``a += b`` as ``a = a + b``. The target is duplicated, so only names, and their elements and fields, are
    rewritten: anything else could have effects twice."""
    target, value = node.children
    if not _is_simple(target):
        return node
    result = node.at("op", [target.copy(), value], node.text, COMPOUND)
    return node.at("assign", [target, result], marks=COMPOUND)


def spell_out_update(node: TreeNode) -> TreeNode:
    """Rewrite ``a++`` as ``a = a + 1``."""
    if len(node.children) != 1 or not _is_simple(node.children[0]):
        return node
    one = node.at("number", [], b"1", COMPOUND)
    result = node.at("op", [node.children[0].copy(), one], node.text[:1], COMPOUND)
    return node.at("assign", [node.children[0], result], marks=COMPOUND)


def _is_simple(target: TreeNode) -> bool:
    return all(node.kind in LEAVES or node.kind in ("field", "index", "op") for node in target.walk())


# The negation of each comparison. For numbers that are none (NaN) ``!(a < b)`` is not ``b <= a``; no copy hides there.
OPPOSITE: Final = {
    b"==": b"!=", b"!=": b"==", b"===": b"!==", b"!==": b"===", b"<": b">=", b">=": b"<", b">": b"<=", b"<=": b">",
    b"in": b"not in", b"not in": b"in", b"is": b"is not", b"is not": b"is",
}  # fmt: skip

# Comparisons that are written the other way round.
MIRRORED: Final = {b">": b"<", b">=": b"<="}

# Of two opposite conditions the branches follow the first.
SECOND: Final = frozenset({b"!=", b"!==", b"<=", b"||", b"is not", b"not in"})

# What joins the negations of the operands in the negation of the whole.
DUAL: Final = {b"&&": b"||", b"||": b"&&"}


def negate(node: TreeNode) -> TreeNode:
    """Rewrite ``!(a < b)`` as ``b <= a``, ``!!a`` as ``a``, and ``!(a && b)`` as ``!a || !b``."""
    if node.text != b"!" or len(node.children) != 1:
        return node
    inside = node.children[0]
    if inside.kind == "op" and len(inside.children) == 2 and inside.text in OPPOSITE:
        return inside.at("op", inside.children, OPPOSITE[inside.text], NEGATION)
    if inside.kind == "op" and len(inside.children) == 1 and inside.text == b"!":
        inside.children[0].marks |= NEGATION
        return inside.children[0]
    if inside.kind == "op" and len(inside.children) > 1 and inside.text in DUAL:
        return inside.at("op", [negated(child) for child in inside.children], DUAL[inside.text], NEGATION)
    return node


def mirror(node: TreeNode) -> TreeNode:
    """Rewrite ``a > b`` as ``b < a``."""
    if node.text in MIRRORED and len(node.children) == 2:
        node = node.at("op", node.children[::-1], MIRRORED[node.text], OPERANDS)
    return node


def swap_branches(node: TreeNode) -> TreeNode:
    """Rewrite ``if (!c) a else b`` as ``if (c) b else a``. If the first branch is empty, swap the branches and negate
    the condition."""
    condition, then, other = node.children
    if other.kind != "block":
        return node
    if not then.children and other.children:
        return node.at("if", [negated(condition), other, then], marks=NEGATION)
    if other.children and _is_second(condition):
        return node.at("if", [negated(condition), other, then], marks=NEGATION)
    return node


def _is_second(condition: TreeNode) -> bool:
    if condition.kind != "op":
        return False
    is_not = condition.text == b"!" and len(condition.children) == 1
    return is_not or (condition.text in SECOND and len(condition.children) > 1)


def negated(condition: TreeNode) -> TreeNode:
    """Return the negation of a condition."""
    if condition.kind == "op" and condition.text == b"!" and len(condition.children) == 1:
        condition.children[0].marks |= NEGATION
        return condition.children[0]
    return order_operands(mirror(negate(condition.at("op", [condition], b"!", NEGATION))))


# Digits that a number may have and be reckoned with: what is longer is data, and its product would be longer still.
DIGITS: Final = 9

RECKONED: Final[dict[bytes, Callable[[int, int], int]]] = {
    b"+": lambda a, b: a + b,
    b"-": lambda a, b: a - b,
    b"*": lambda a, b: a * b,
}

COMMUTING: Final = frozenset({b"*", b"&&", b"||", b"==", b"!=", b"===", b"!==", b"&", b"|", b"^"})


def fold(node: TreeNode) -> TreeNode:
    """Rewrite ``2 * 3`` as ``6``, ``"a" + "b"`` as one string, ``-1`` as a number."""
    kinds = {child.kind for child in node.children}
    if kinds == {"string"} and node.text == b"+":
        return node.at("string", [], marks=CONSTANTS)
    if kinds != {"number"} or node.text not in RECKONED:
        return node
    if len(node.children) == 1:
        return node.at("number", [], node.text + node.children[0].text) if node.text == b"-" else node.children[0]
    numbers = [whole_number(child) for child in node.children]
    total = numbers[0]
    for number in numbers[1:]:
        if total is None or number is None:
            return node
        total = RECKONED[node.text](total, number)
    return node.at("number", [], str(total).encode(), CONSTANTS)


def whole_number(node: TreeNode) -> int | None:
    """Return the value of a decimal literal; None for anything else, such as an octal or a very long one."""
    text = node.text.removeprefix(b"-")
    is_octal = text.startswith(b"0") and len(text) > 1
    return int(node.text) if node.kind == "number" and text.isdigit() and len(text) <= DIGITS and not is_octal else None


def order_operands(node: TreeNode) -> TreeNode:
    """Sort commutative operands: names before larger ones, literals last; ``a * (b * c)`` becomes ``a * b * c``.
    Operands with a call keep their place."""
    operator = node.text
    if operator not in COMMUTING or len(node.children) < 2:
        return node
    inside: list[TreeNode] = []
    for child in node.children:
        is_same = child.kind == "op" and child.text == operator and operator in CHAINING and len(child.children) > 1
        inside += child.children if is_same else [child]
    keys = [_key(child) for child in inside]
    ordered = sorted(inside, key=_key) if all(keys) else inside
    if len(ordered) == len(node.children) and all(map(is_, ordered, node.children)):
        return node
    return node.at("op", ordered, operator, OPERANDS)


def _key(operand: TreeNode) -> str:
    """Return the sort key of an operand: the kinds of all its nodes; empty if it has effects."""
    words: list[str] = []
    waiting = [operand]
    while waiting:
        node = waiting.pop()
        if node.kind not in LEAVES and node.kind not in ("op", "field", "index", "cast"):
            return ""
        words.append("a" if node.kind == "name" else f"b{node.kind}" if node.children else f"c{node.kind}")
        waiting += node.children
    return " ".join(words)


# Calls that raise a number to a power, by their name. A program that declares another function of this name
# and calls it with the number 2 gets the product of a number that it does not reckon: nobody was seen to.
CALLED: Final = frozenset({b"pow", b"Pow", b"math.Pow"})

# On what the power is called, if on anything.
HOLDERS: Final = frozenset({b"Math", b"math", b"std"})

# The powers that people write as products.
TIMES: Final = {b"2": 2, b"2.0": 2, b"3": 3, b"3.0": 3}

# Nodes of what is multiplied: longer things nobody writes twice.
LONG: Final = 24


def multiply_call(node: TreeNode) -> TreeNode:
    """Rewrite ``Math.pow(a, 2)`` as ``a * a``."""
    if len(node.children) != 3 or node.children[0].text not in CALLED:
        return node
    called, base, exponent = node.children
    receiver = called.children[0].text if called.children else b""
    return _product(node, base, exponent) if not called.children or receiver in HOLDERS else node


def multiply_operator(node: TreeNode) -> TreeNode:
    """Rewrite ``a ** 2`` as ``a * a``."""
    if node.text != b"**" or len(node.children) != 2:
        return node
    return _product(node, *node.children)


def _product(node: TreeNode, base: TreeNode, exponent: TreeNode) -> TreeNode:
    """Return a product of an operand that can be repeated without effects."""
    times = TIMES.get(exponent.text, 0) if exponent.kind == "number" else 0
    nodes = list(islice(base.walk(), LONG + 1))
    is_simple = len(nodes) <= LONG and all(
        each.kind in LEAVES or each.kind in ("op", "field", "index", "cast") for each in nodes
    )
    if not times or not is_simple:
        return node
    return node.at("op", [base, *(base.copy() for _ in range(times - 1))], b"*", POWERS)


def merge_prints(node: TreeNode, names: FunctionScope) -> TreeNode:
    """Merge each run of prints in a block."""
    merged: list[TreeNode] = []
    for child in node.children:
        if child.kind == "print" and merged and merged[-1].kind == "print":
            before = merged[-1]
            merged[-1] = TreeNode("print", before.children + child.children, before.start, child.end, b"",
                              before.marks | child.marks | OUTPUT)  # fmt: skip
        else:
            merged.append(child)
    if len(merged) < len(node.children):
        node.children = merged
    return node


def take_apart(node: TreeNode) -> TreeNode:
    """Rewrite ``print("a" + b)`` as ``print("a"); print(b)``: split a sum with a string into its operands. The end of a
    line is a string too."""
    pieces: list[TreeNode] = []
    for child in node.children:
        is_sum = child.kind == "op" and child.text == b"+" and any(each.kind == "string" for each in child.children)
        pieces += child.children if is_sum else [child]
    node.children = pieces or [node.at("string", [])]
    return node
