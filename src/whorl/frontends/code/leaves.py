"""What a worker does with a program: parse it and walk the leaves of the syntax tree, or lex it where a language has
no grammar.

It takes and gives plain values, for it runs in another process, one that can be killed: some texts of a few kilobytes
cost a parser seconds and gigabytes, nothing cheaper than parsing tells which, and the parser's own time limit does not
hold. NumPy is not imported here: that would be half of a worker's start.
"""

import re
import time
from array import array
from importlib import import_module
from operator import lt
from typing import TYPE_CHECKING, TypeAlias

from whorl.frontends.code.cards import free_form
from whorl.frontends.code.languages import installed, language, missing
from whorl.frontends.code.plan import ASK, SPELL, Plan, plan
from whorl.frontends.code.row import Language, Reader

if TYPE_CHECKING:
    import tree_sitter

# The most bytes that a reader is given. For grammars it is memory: syntax trees of real code take about 25 bytes a byte
# of code, those of nested brackets 400. For Pygments it is time: its slower lexers read 0.3 MB a second.
LARGEST: dict[Reader, int] = {"grammar": 16 << 20, "pygments": 2 << 20, "own": 16 << 20}

_INNER_BLANKS = re.compile(rb"(?<=[^\s])[ \t]++")

# Characters without width or effect, in UTF-8; and one with the rest of the word that it stands in.
_UNSEEN = (
    rb"(?:\xc2\xad|\xcd\x8f|\xe1\xa0\x8e|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf"
    rb"|\xf3\xa0[\x80\x81][\x80-\xbf])"
)
_UNSEEN_ONE = re.compile(_UNSEEN)
_UNSEEN_WORD = re.compile(rb"%b(?:%b|\w|[\xc2-\xf4][\x80-\xbf]++)*+" % (_UNSEEN, _UNSEEN))

# Symbols, starts and ends of tokens.
Columns: TypeAlias = tuple[list[int], list[int], list[int]]

# The same as arrays of 32 bits in the machine's own order; whether the spans count bytes of UTF-8 and not code points;
# why the language's own reader was not given the program, if so; and the normal form, if it was asked for.
Plain: TypeAlias = tuple[bytes, bytes, bytes, bool, str, "PlainNormal | None"]

# Symbols, starts, ends and rewrites of the normal form as such arrays, and after them those of the statements as they
# stand; how many symbols the normal form has; why there is none, and the seconds that it took.
PlainNormal: TypeAlias = tuple[bytes, bytes, bytes, bytes, int, str, float]


def plain_batch(programs: list[tuple[str, bytes]], normal: bool = False) -> list[Plain]:
    """``plain_tokens`` of several programs."""
    return [plain_tokens(name, data, normal) for name, data in programs]


def plain_tokens(name: str, data: bytes, normal: bool = False) -> Plain:
    """The tokens of a program in UTF-8, in a language given by its name, and its ``normal`` form if the language has
    one. Broken code has tokens too."""
    row = language(name)
    if reason := refused(row, data):
        return b"", b"", b"", False, reason, None
    if row.reader != "grammar":
        return *_arrays(_lexed(row, data)), False, "", None
    how = plan(name)
    if not normal:
        return *_arrays(_parsed(how, data)), True, "", None
    data, tree = _tree(how, data)
    return *_arrays(_leaves(tree, how, data)), True, "", _normal(tree, how, data)


def _arrays(found: Columns) -> tuple[bytes, bytes, bytes]:
    symbols, starts, ends = found
    return array("I", symbols).tobytes(), array("i", starts).tobytes(), array("i", ends).tobytes()


def refused(row: Language, data: bytes) -> str:
    """Why the language's own reader is not given this program; empty if it is."""
    if len(data) > LARGEST[row.reader]:
        return f"larger than {LARGEST[row.reader] >> 20} MB"
    return "" if installed(row.name) else f"its reader is not installed: {missing(row.name)}"


def _lexed(row: Language, data: bytes) -> Columns:
    """By a lexer made for the language. A line may end as it likes; a NUL is as blank as a space."""
    text = data.decode("utf-8", "replace").replace("\0", " ")
    text = text.replace("\\\r\n", " \\\n").replace("\r\n", " \n").replace("\r", "\n")
    if row.reader == "own":
        found: Columns = getattr(import_module(row.module), row.function)(row, text)
        return found
    from whorl.frontends.code.pygmented import highlighted

    return highlighted(row, text)


def _normal(tree: "tree_sitter.Tree", how: Plan, data: bytes) -> "PlainNormal | None":
    """The normal form of a parsed program, or why it has none; None if no program of its language has one."""
    from whorl.frontends.code.normal.form import both_forms, has_normal_form
    from whorl.frontends.code.normal.lowering import UnfitError

    if not has_normal_form(how.row.name):
        return None
    before = time.process_time()
    try:
        form, standing = both_forms(how, tree, data)
    except UnfitError as error:
        return b"", b"", b"", b"", 0, str(error), time.process_time() - before
    except Exception as error:  # what no test has seen must not cost the program its tokens; the note tells of it
        return b"", b"", b"", b"", 0, f"it cannot be made: {error!r}", time.process_time() - before
    symbols, starts, ends, marks = (mine + theirs for mine, theirs in zip(form, standing, strict=True))
    columns = *_arrays((symbols, starts, ends)), array("I", marks).tobytes()
    return *columns, len(form[0]), "", time.process_time() - before


def _tree(how: Plan, data: bytes) -> tuple[bytes, "tree_sitter.Tree"]:
    """A program as its parser is given it, and its syntax tree."""
    import tree_sitter

    # The generated lexers take a NUL for the end of a comment or a string; it is as blank as a space.
    data = _UNSEEN_WORD.sub(_put_behind, data.replace(b"\0", b" "))
    if how.row.cards:
        data = free_form(data)
    if how.row.untabs:
        data = _INNER_BLANKS.sub(lambda found: b" " * len(found[0]), data)
    return data, tree_sitter.Parser(how.grammar).parse(data)


def _put_behind(found: re.Match[bytes]) -> bytes:
    """Characters without width go behind the word that they stand in, as blanks: Java and JavaScript allow them in
    names, grammars do not. Nothing outside the word moves."""
    return _UNSEEN_ONE.sub(b"", found[0]).ljust(len(found[0]))


def _parsed(how: Plan, data: bytes) -> Columns:
    data, tree = _tree(how, data)
    return _leaves(tree, how, data)


def _leaves(tree: "tree_sitter.Tree", how: Plan, data: bytes) -> Columns:
    found = _walk(tree, how, data)
    return _with_extent(_trimmed(found, data) if how.row.trims else found)


def _with_extent(found: Columns) -> Columns:
    """Without what the parser believes to be missing: it has no extent."""
    symbols, starts, ends = found
    if all(map(lt, starts, ends)):
        return found
    kept = [number for number, (start, end) in enumerate(zip(starts, ends, strict=True)) if start < end]
    return [symbols[number] for number in kept], [starts[number] for number in kept], [ends[number] for number in kept]


def _trimmed(found: Columns, data: bytes) -> Columns:
    """The same tokens without the blanks around them."""
    symbols, starts, ends = found
    held = [data[start:end] for start, end in zip(starts, ends, strict=True)]
    first = [start + len(token) - len(token.lstrip()) for start, token in zip(starts, held, strict=True)]
    last = [end - len(token) + len(token.rstrip()) for end, token in zip(ends, held, strict=True)]
    return symbols, first, last


def _walk(tree: "tree_sitter.Tree", how: Plan, data: bytes) -> Columns:
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
