"""Source code to tokens: parse, then walk the leaves of the syntax tree; or lex, where a language has no grammar.

``tokens`` takes and returns plain buffers, so that it can run in another process. For code from strangers it must, in
one that can be killed: some texts of a few kilobytes cost the parser seconds and gigabytes, nothing cheaper than
parsing tells which, and the parser's own time limit does not hold.
"""

import re
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from whorl.frontends.code.cards import free_form
from whorl.frontends.code.languages import installed, language, missing
from whorl.frontends.code.lexer import lex
from whorl.frontends.code.plan import ASK, SPELL, Plan, plan
from whorl.frontends.code.row import Language, Reader

if TYPE_CHECKING:
    import tree_sitter

# The most bytes that a reader is given. For grammars it is memory: syntax trees of real code take about 25 bytes a byte
# of code, those of nested brackets 400. For Pygments it is time: its slower lexers read 0.3 MB a second.
LARGEST: dict[Reader, int] = {"grammar": 16 << 20, "pygments": 2 << 20, "own": 16 << 20}


_INNER_BLANKS = re.compile(rb"(?<=[^\s])[ \t]++")


class Tokens(NamedTuple):
    """Tokens and their spans, in code points of the text. ``fallback`` says why the plain lexer made them, if so."""

    symbols: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    fallback: str = ""


def tokens(name: str, data: bytes) -> Tokens:
    """The tokens of a program in UTF-8, in a language given by its name. Broken code has tokens too."""
    row = language(name)
    if reason := refused(row, data):
        return lexed(name, data, reason)
    return _parsed(plan(name), data) if row.reader == "grammar" else _lexed(row, data)


PlainTokens: TypeAlias = tuple[NDArray[np.uint32], NDArray[np.int32], NDArray[np.int32], str]


def plain_batch(programs: list[tuple[str, bytes]]) -> list[PlainTokens]:
    """``plain_tokens`` of several programs."""
    return [plain_tokens(name, data) for name, data in programs]


def plain_tokens(name: str, data: bytes) -> PlainTokens:
    """``tokens`` for a worker, which gives back plain values only."""
    found = tokens(name, data)
    return found.symbols, found.starts, found.ends, found.fallback


def lexed(name: str, data: bytes, reason: str) -> Tokens:
    """The tokens that the plain lexer sees, for one who could not have the program read otherwise."""
    return Tokens(*lex(language(name), data.decode("utf-8", "replace")), reason)


def refused(row: Language, data: bytes) -> str:
    """Why the language's own reader is not given this program; empty if it is."""
    if len(data) > LARGEST[row.reader]:
        return f"larger than {LARGEST[row.reader] >> 20} MB"
    return "" if installed(row.name) else f"its reader is not installed: {missing(row.name)}"


def _lexed(row: Language, data: bytes) -> Tokens:
    """By a lexer made for the language. A line may end as it likes; a NUL is as blank as a space."""
    text = data.decode("utf-8", "replace").replace("\0", " ")
    text = text.replace("\\\r\n", " \\\n").replace("\r\n", " \n").replace("\r", "\n")
    if row.reader == "own":
        return _arrays(*getattr(import_module(row.module), row.function)(row, text))
    from whorl.frontends.code.pygmented import highlighted

    return _arrays(*highlighted(row, text))


def _arrays(symbols: list[int], starts: list[int], ends: list[int]) -> Tokens:
    count = len(symbols)
    return Tokens(
        np.fromiter(symbols, np.uint32, count), np.fromiter(starts, np.int32, count), np.fromiter(ends, np.int32, count)
    )


def _parsed(how: Plan, data: bytes) -> Tokens:
    import tree_sitter

    # The generated lexers take a NUL for the end of a comment or a string; it is as blank as a space.
    data = data.replace(b"\0", b" ")
    if how.row.cards:
        data = free_form(data)
    if how.row.untabs:
        data = _INNER_BLANKS.sub(lambda found: b" " * len(found[0]), data)
    tree = tree_sitter.Parser(how.grammar).parse(data)
    found = _with_extent(_arrays(*_walk(tree, how, data)))
    if how.row.trims:
        found = _trimmed(found, data)
    return found if data.isascii() else _in_code_points(found, data)


def _with_extent(found: Tokens) -> Tokens:
    """Without what the parser believes to be missing: it has no extent."""
    is_there = found.starts < found.ends
    if is_there.all():
        return found
    return Tokens(found.symbols[is_there], found.starts[is_there], found.ends[is_there])


def _trimmed(found: Tokens, data: bytes) -> Tokens:
    """The same tokens without the blanks around them."""
    held = [data[start:end] for start, end in zip(found.starts, found.ends, strict=True)]
    before = np.array([len(token) - len(token.lstrip()) for token in held], np.int32)
    after = np.array([len(token) - len(token.rstrip()) for token in held], np.int32)
    return _with_extent(found._replace(starts=found.starts + before, ends=found.ends - after))


def _in_code_points(found: Tokens, data: bytes) -> Tokens:
    """The same tokens, their spans counted in code points and no longer in bytes of UTF-8."""
    is_first = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    counts = np.cumsum(is_first, dtype=np.int32)
    return found._replace(starts=counts[found.starts] - np.int32(1), ends=counts[found.ends - 1])


def _walk(tree: "tree_sitter.Tree", how: Plan, data: bytes) -> tuple[list[int], list[int], list[int]]:
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
            if symbol == SPELL:
                symbol = how.spelled(data[node.start_byte : node.end_byte])
            elif children := node.children:
                children.reverse()
                stack += children
                continue
            else:
                symbol = leaves[node.kind_id]
        if symbol:
            symbols.append(symbol)
            starts.append(node.start_byte)
            ends.append(node.end_byte)
    return symbols, starts, ends
