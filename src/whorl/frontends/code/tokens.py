"""Source code to tokens: parse, then walk the leaves of the syntax tree.

``tokens`` takes and returns plain buffers, so that it can run in another process. For code from strangers it must, in
one that can be killed: some texts of a few kilobytes cost the parser seconds and gigabytes, nothing cheaper than
parsing tells which, and the parser's own time limit does not hold.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.frontends.code.languages import Language, installed, language
from whorl.frontends.code.lexer import lex
from whorl.frontends.code.plan import ASK, Plan, plan

if TYPE_CHECKING:
    import tree_sitter

# Syntax trees of real code take about 25 bytes a byte of code, those of nested brackets 400: this is memory.
LARGEST = 16 << 20


class Tokens(NamedTuple):
    """Tokens and their spans, in code points of the text. ``fallback`` says why the plain lexer made them, if so."""

    symbols: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    fallback: str = ""


def tokens(name: str, data: bytes) -> Tokens:
    """The tokens of a program in UTF-8, in a language given by its name. Broken code has tokens too."""
    reason = _refused(language(name), data)
    return lexed(name, data, reason) if reason else _parsed(plan(name), data)


def plain_tokens(name: str, data: bytes) -> tuple[NDArray[np.uint32], NDArray[np.int32], NDArray[np.int32], str]:
    """``tokens`` for a worker, which gives back plain values only."""
    found = tokens(name, data)
    return found.symbols, found.starts, found.ends, found.fallback


def lexed(name: str, data: bytes, reason: str) -> Tokens:
    """The tokens that the plain lexer sees, for one who could not have the program parsed."""
    return _arrays(*lex(language(name), data.decode("utf-8", "replace")), reason)


def _refused(row: Language, data: bytes) -> str:
    if len(data) > LARGEST:
        return f"larger than {LARGEST >> 20} MB"
    return "" if installed(row.name) else f"no grammar: pip install tree-sitter {row.distribution}"


def _arrays(symbols: list[int], starts: list[int], ends: list[int], fallback: str = "") -> Tokens:
    return Tokens(np.array(symbols, np.uint32), np.array(starts, np.int32), np.array(ends, np.int32), fallback)


def _parsed(how: Plan, data: bytes) -> Tokens:
    import tree_sitter

    # The generated lexers take a NUL for the end of a comment or a string; it is as blank as a space.
    tree = tree_sitter.Parser(how.grammar).parse(data.replace(b"\0", b" "))
    found = _with_extent(_arrays(*_walk(tree, how)))
    return found if data.isascii() else _in_code_points(found, data)


def _with_extent(found: Tokens) -> Tokens:
    """Without what the parser believes to be missing: it has no extent."""
    is_there = found.starts < found.ends
    if is_there.all():
        return found
    return Tokens(found.symbols[is_there], found.starts[is_there], found.ends[is_there])


def _in_code_points(found: Tokens, data: bytes) -> Tokens:
    """The same tokens, their spans counted in code points and no longer in bytes of UTF-8."""
    is_first = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    counts = np.cumsum(is_first, dtype=np.int32)
    return found._replace(starts=counts[found.starts] - np.int32(1), ends=counts[found.ends - 1])


def _walk(tree: "tree_sitter.Tree", how: Plan) -> tuple[list[int], list[int], list[int]]:
    """The symbols of the tree and their spans in bytes, in order.

    It costs two thirds of what the parsing does, most of it in making the nodes: a cursor is as fast, and a query that
    captures the leaves is slower.
    """
    actions, leaves = how.actions, how.leaves
    symbols: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    stack = tree.root_node.children
    stack.reverse()
    while stack:
        node = stack.pop()
        symbol = actions[node.kind_id]
        if symbol < 0:
            if symbol == ASK and how.is_dropped(node):
                continue
            if children := node.children:
                children.reverse()
                stack += children
                continue
            symbol = leaves[node.kind_id]
        if symbol:
            symbols.append(symbol)
            starts.append(node.start_byte)
            ends.append(node.end_byte)
    return symbols, starts, ends
