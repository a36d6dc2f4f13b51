"""Lower a syntax tree to the neutral tree by a language's table, with the lowerings that languages share."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from whorl.formats.code.normal.nodes import FIXED, OF_THIS, PRIVATE, TreeNode, tidy

if TYPE_CHECKING:
    import tree_sitter


# As deep as a tree may be: several times what people nest. Every level costs the rewrites up to four Python calls.
DEEPEST: Final = 100

# As many nodes as a tree may have: about 250 kB of code. If all of them stand in the innermost of a hundred blocks, the
# rewrites take three seconds: a worker is given ten.
LARGEST: Final = 1 << 16

# Operators that chain: (a + b) + c has one node with three operands.
CHAINING: Final = frozenset({b"+", b"*", b"&&", b"||", b"&", b"|", b"^", b"<<", b">>", b"??"})

# Operators that Python writes as words, and C++ may.
SPELLED: Final = {b"and": b"&&", b"or": b"||", b"not": b"!", b"not_eq": b"!="}

# Modifiers of names that are never set again.
FIXING: Final = frozenset({b"const", b"constexpr", b"final", b"readonly"})

Syntax: TypeAlias = "tree_sitter.Node"
Lowering: TypeAlias = Callable[["Lowerer", Syntax], TreeNode | None]
Rule: TypeAlias = Callable[[TreeNode], TreeNode]


class UnfitError(Exception):
    """A program has no normal form; the message says why."""


class LoweringTable(NamedTuple):
    """How a language's syntax becomes the neutral tree: the lowering of each kind, the kinds that are dropped, and the
    kinds that are replaced by their children."""

    lowerings: Mapping[str, Lowering]
    drops: frozenset[str]
    opens: frozenset[str]


class FileNames:
    """The names of a program in whose language inner declarations hide outer ones.

    A local name gets a text of its own, ``name\\0s7``, so that two variables never have the same. ``kinds`` has
    the types of texts, as they are written, where they are known; ``globals`` the texts of the functions, constants and
    variables of the file, ``types`` its types, ``members`` the types of the fields of its structs. ``results`` are
    the named results of the functions around the place that is lowered, ``iota`` the number of the constant there, and
    ``literal`` the type of the literal. ``label`` is that of the next statement, ``targets`` are the kinds and labels
    of the statements around that a jump may leave. ``is_alone``: the outermost function has no other one inside, and
    takes no address.
    """

    def __init__(self) -> None:
        self._visible: list[dict[bytes, bytes]] = []
        self._number = 0
        self.kinds: dict[bytes, bytes] = {}
        self.globals: dict[bytes, bytes] = {}
        self.methods: set[bytes] = set()
        self.packages: set[bytes] = set()
        self.types: dict[bytes, bytes] = {}
        self.members: dict[bytes, dict[bytes, bytes]] = {}
        self.results: list[list[bytes]] = []
        self.label = b""
        self.targets: list[tuple[str, bytes]] = []
        self.is_alone = False
        self.iota = 0
        self.literal = b""

    def enter(self) -> None:
        """Begin a block."""
        self._visible.append({})

    def leave(self) -> None:
        """End a block: its names are not visible any more."""
        self._visible.pop()

    def declare(self, name: bytes, kind: bytes) -> bytes:
        """Return the text of a name that is declared here."""
        text = name
        if self._visible and name != b"_":
            self._number += 1
            text = self._visible[-1][name] = b"%s\0s%d" % (name, self._number)
        self.kinds[text] = kind
        return text

    def local(self, name: bytes) -> bytes:
        """Return the text of a local name; empty if it is none."""
        for block in reversed(self._visible):
            if name in block:
                return block[name]
        return b""

    def text(self, name: bytes) -> bytes:
        """Return the text of a name."""
        return self.local(name) or self.globals.get(name, name)

    def begin(self, kind: str) -> bytes:
        """Begin a statement that jumps may leave; return its label."""
        label, self.label = self.label, b""
        self.targets.append((kind, label))
        return label

    def is_new(self, name: bytes) -> bool:
        """Return whether the innermost block has not declared a name."""
        return not self._visible or name not in self._visible[-1]

    def is_free(self, name: bytes) -> bool:
        """Return whether neither a block nor the file declares a name: it is built in, or from elsewhere."""
        return name not in self.globals and name not in self.types and not self.local(name)


class Lowerer:
    """Lowers one program. ``lowerings`` are keyed by the grammar's numbers, ``rules`` by the kind of a finished
    node. ``receiver`` is the parameter that has the object, in the method that is lowered; ``names`` are those of the
    languages that tell them apart."""

    def __init__(self, data: bytes, lowerings: dict[int, Lowering], rules: dict[str, tuple[Rule, ...]]) -> None:
        self.data, self._lowerings, self._rules = data, lowerings, rules
        self._depth = self._count = 0
        self.receiver = b""
        self.names = FileNames()

    def lower(self, syntax: Syntax) -> TreeNode | None:
        """Return the neutral tree of a syntax node, with the rules for its kind applied; None if it is dropped."""
        self._count += 1
        self._depth += 1
        if self._depth > DEEPEST or self._count > LARGEST:
            raise UnfitError(f"nested deeper than {DEEPEST}" if self._depth > DEEPEST else "too large")
        lowering = self._lowerings.get(syntax.kind_id, composite)
        node = lowering(self, syntax)
        self._depth -= 1
        return None if node is None else self.finish(node)

    def finish(self, node: TreeNode) -> TreeNode:
        """Return a node with the rules for its kind applied, and then those for the kind that it became."""
        if node.kind == "block":
            return tidy(node)
        while (rules := self._rules.get(node.kind)) is not None:
            before = node
            for rule in rules:
                node = rule(node)
                if node.kind != before.kind:
                    break
            if node.kind == before.kind:
                break
            if before.kind in ("augment", "update"):  # what was spelled out is a new operation
                node.children[1] = self.finish(node.children[1])
        return node

    def field(self, syntax: Syntax, name: str) -> TreeNode:
        """Return the lowered content of a field; an empty node if there is none."""
        inside = syntax.child_by_field_name(name)
        node = None if inside is None else self.lower(inside)
        return TreeNode("nothing", [], syntax.end_byte, syntax.end_byte) if node is None else node

    def body(self, syntax: Syntax, name: str) -> TreeNode:
        """Return a field as a block: one statement without braces is a block too."""
        return as_block(self.field(syntax, name))

    def many(self, inside: list[Syntax]) -> list[TreeNode]:
        """Return some lowered syntax nodes; lists are flattened."""
        nodes: list[TreeNode] = []
        for each in inside:
            if each.is_named and (node := self.lower(each)) is not None:
                if node.kind == "list":
                    nodes += node.children
                else:
                    nodes.append(node)
        return nodes

    def text(self, syntax: Syntax) -> bytes:
        """Return the text of a syntax node."""
        return self.data[syntax.start_byte : syntax.end_byte]


def as_block(node: TreeNode) -> TreeNode:
    if node.kind == "block":
        return node
    return tidy(TreeNode("block", [node], node.start, node.end))


def composite(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a kind that no table names: it keeps the grammar's kind."""
    start, end = syntax.start_byte, syntax.end_byte
    return TreeNode(syntax.type, lowerer.many(syntax.children), start, end)


def leaf(kind: str) -> Lowering:
    """Lower a node to a leaf with its text."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
        start, end = syntax.start_byte, syntax.end_byte
        return TreeNode(kind, [], start, end, lowerer.data[start:end])

    return lowering


def dropped(lowerer: Lowerer, syntax: Syntax) -> None:
    """Drop the node."""


def opened(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Replace a node by its children, as a list if there are several."""
    inside = lowerer.many(syntax.children)
    return inside[0] if len(inside) == 1 else TreeNode("list", inside, syntax.start_byte, syntax.end_byte)


def all_of(kind: str) -> Lowering:
    """Lower a node with all its children."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
        return TreeNode(kind, lowerer.many(syntax.children), syntax.start_byte, syntax.end_byte)

    return lowering


def several(field: str) -> Lowering:
    """Return a list of all nodes in a field."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
        inside = lowerer.many(syntax.children_by_field_name(field))
        return TreeNode("list", inside, syntax.start_byte, syntax.end_byte)

    return lowering


def fields(lowering: Lowering, modifier: str) -> Lowering:
    """Lower the fields of a class. A field that is neither public nor protected is known only in the file, and one may
    never be set again: the text of their declarations says so."""

    def lowered(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
        node = lowering(lowerer, syntax)
        modifiers = b" ".join(lowerer.text(child) for child in syntax.children if child.type == modifier).split()
        is_known = b"public" in modifiers or b"protected" in modifiers
        text = (FIXED if FIXING.intersection(modifiers) else b"") if is_known else PRIVATE
        for each in [] if node is None or not text else node.children if node.kind == "list" else [node]:
            each.text = text if each.kind == "declare" else each.text
        return node

    return lowered


def shape(kind: str, *fields: str, text: str = "") -> Lowering:
    """Lower a node to the content of these fields, in this order. Prefix ``:`` makes a block of a field, ``*`` a block
    of all fields of the name, ``&`` takes them as they are, ``+`` takes all children of one, ``?`` drops it if it is
    empty."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
        inside: list[TreeNode] = []
        for name in fields:
            if name[0] == ":":
                inside.append(lowerer.body(syntax, name[1:]))
            elif name[0] == "*":
                nodes = lowerer.many(syntax.children_by_field_name(name[1:]))
                inside.append(TreeNode("block", nodes, syntax.start_byte, syntax.start_byte))
            elif name[0] == "&":
                inside += lowerer.many(syntax.children_by_field_name(name[1:]))
            elif name[0] == "+":
                found_in = syntax.child_by_field_name(name[1:])
                inside += [] if found_in is None else lowerer.many(found_in.children)
            elif name[0] == "?":
                if (child := syntax.child_by_field_name(name[1:])) is not None:
                    inside += lowerer.many([child])
            else:
                inside.append(lowerer.field(syntax, name))
        word = None if not text else syntax.child_by_field_name(text)
        return TreeNode(kind, inside, syntax.start_byte, syntax.end_byte, b"" if word is None else lowerer.text(word))

    return lowering


def binary(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower a chain of operators in a loop: sums of thousands of terms do not recurse."""
    spine = [syntax]
    while True:
        left = spine[-1].child_by_field_name("left")
        if left is None or left.kind_id != syntax.kind_id:
            break
        spine.append(left)
    node = lowerer.field(spine[-1], "left")
    for each in reversed(spine):
        sign = each.child_by_field_name("operator")
        operator = b"" if sign is None else SPELLED.get(lowerer.text(sign), lowerer.text(sign))
        right = lowerer.field(each, "right")
        if node.kind == "op" and node.text == operator and operator in CHAINING and len(node.children) > 1:
            node.children.append(right)
            node.end = each.end_byte
        else:
            inner = lowerer.finish(node) if each is not spine[-1] else node
            node = TreeNode("op", [inner, right], each.start_byte, each.end_byte, operator)
    return node


def unary(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower an operator with one operand; ``++`` and ``--`` are updates."""
    signs = [child for child in syntax.children if not child.is_named]
    operator = SPELLED.get(lowerer.text(signs[0]), lowerer.text(signs[0])) if signs else b""
    kind = "update" if operator in (b"++", b"--") else "op"
    return TreeNode(kind, lowerer.many(syntax.children), syntax.start_byte, syntax.end_byte, operator)


def assignment(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower ``a = b`` or ``a += b``."""
    sign = syntax.child_by_field_name("operator")
    operator = b"=" if sign is None else lowerer.text(sign)
    inside = [lowerer.field(syntax, "left"), lowerer.field(syntax, "right")]
    if operator == b"=":
        return TreeNode("assign", inside, syntax.start_byte, syntax.end_byte)
    return TreeNode("augment", inside, syntax.start_byte, syntax.end_byte, operator.removesuffix(b"="))


def declaration(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower a declared name, and its first value if it has one."""
    target, value = lowerer.field(syntax, "name"), lowerer.field(syntax, "value")
    inside = [target] if value.kind == "nothing" else [target, value]
    return TreeNode("declare", inside, syntax.start_byte, syntax.end_byte)


def member(of: str, name: str) -> Lowering:
    """Lower ``a.b``; ``this.b`` is a name, which ``settle_fields`` renames to ``b`` where that means the same."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
        inside, named = lowerer.field(syntax, of), syntax.child_by_field_name(name)
        text = b"" if named is None else lowerer.text(named)
        if inside.kind == "this":
            return TreeNode("name", [], syntax.start_byte, syntax.end_byte, OF_THIS + text)
        return TreeNode("field", [inside], syntax.start_byte, syntax.end_byte, text)

    return lowering


def text_with_values(*values: str) -> Lowering:
    """Lower a string; with values in it, in syntax nodes of these kinds, to the sum of its pieces."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
        start, end = syntax.start_byte, syntax.end_byte
        inside = [child for child in syntax.named_children if child.type in values]
        if not inside:
            return TreeNode("string", [], start, end, lowerer.data[start:end])
        pieces: list[TreeNode] = []
        at = start
        for child in inside:
            pieces.append(TreeNode("string", [], at, child.start_byte))
            pieces += lowerer.many(child.named_children)[:1]
            at = child.end_byte
        return TreeNode("op", pieces, start, end, b"+")

    return lowering


def word(kind: str) -> Lowering:
    """Lower a node that its kind alone describes."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
        return TreeNode(kind, [], syntax.start_byte, syntax.end_byte)

    return lowering


def returned(lowerer: Lowerer, syntax: Syntax) -> TreeNode:
    """Lower an expression body to a block that returns it."""
    start, end = syntax.start_byte, syntax.end_byte
    return TreeNode("block", [TreeNode("return", lowerer.many(syntax.children), start, end)], start, end)


def first(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
    """Lower the first child; the rest, such as a type, is dropped."""
    inside = lowerer.many(syntax.named_children[:1])
    return inside[0] if inside else None


def printed(names: frozenset[bytes], call: Lowering) -> Lowering:
    """Lower a call; a call of one of these names is output of its arguments."""

    def lowering(lowerer: Lowerer, syntax: Syntax) -> TreeNode | None:
        called = syntax.child_by_field_name("function")
        if called is None or lowerer.text(called) not in names:
            return call(lowerer, syntax)
        arguments = syntax.child_by_field_name("arguments")
        named = [] if arguments is None else [child for child in arguments.children if child.type != "keyword_argument"]
        return TreeNode("print", lowerer.many(named), syntax.start_byte, syntax.end_byte)

    return lowering
