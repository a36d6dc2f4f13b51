"""Parse a program in a worker and walk the leaves of its syntax tree; NumPy is not imported here."""

import time
from array import array
from importlib import import_module
from operator import lt
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from whorl.formats.code.languages import installed, language, missing
from whorl.formats.code.plan import ASK, ERROR, SPELL, Plan, plan
from whorl.formats.code.preprocessing import Edited, preprocessed
from whorl.formats.code.row import Language, Reader

if TYPE_CHECKING:
    import tree_sitter


# The most bytes that a reader is given. For grammars it is memory: syntax trees of real code take about 25 bytes a byte
# of code, those of nested brackets 400. For Pygments it is time: its slower lexers read 0.3 MB a second.
LARGEST: dict[Reader, int] = {"grammar": 16 << 20, "pygments": 2 << 20, "own": 16 << 20}

# The share of a program that a parser may make no sense of before it is read in regions. Of 941 labelled programs in C,
# C++, Java and Python, 8 have more, for their macros; a line of stray brackets costs most of the file.
BROKEN = 0.1

# Symbols, starts and ends of tokens.
Columns: TypeAlias = tuple[list[int], list[int], list[int]]

# The same as arrays of 32 bits in the machine's own order; whether the spans count bytes of UTF-8 and not code points;
# why the language's own reader was not given the program, if so; the normal form, if it was asked for; and how many
# bytes the parser could make no sense of.
Plain: TypeAlias = tuple[bytes, bytes, bytes, bool, str, "PlainNormal | None", int]

# Symbols, starts, ends and rewrites of the normal form as such arrays, and after them those of the statements as they
# stand; how many symbols the normal form has; why there is none, and the seconds that it took.
PlainNormal: TypeAlias = tuple[bytes, bytes, bytes, bytes, int, str, float]


def plain_batch(programs: list[tuple[str, bytes]], normal: bool = False) -> list[Plain]:
    """Return ``plain_tokens`` of several programs, without the normal form of those that are read in regions then."""
    return [plain_tokens(name, data, normal, normal_if_broken=not has_lines(data)) for name, data in programs]


def plain_regions(name: str, regions: list[tuple[bytes, bool]], normal: bool = False) -> list[tuple[Plain, float]]:
    """Return the tokens of regions of a preprocessed program, and the processor seconds of each: of a broken one
    without the normal form, and without tokens if it can be cut, as the flag beside it says. Nobody asks for these."""
    readings = []
    for data, can_be_cut in regions:
        before = time.process_time()
        wanted = _Wanted(normal, normal_if_broken=False, tokens_if_broken=not can_be_cut)
        readings.append((_tokens(name, Edited(data, len(data)), wanted), time.process_time() - before))
    return readings


def plain_edits(name: str, data: bytes) -> tuple[bytes, list[tuple[bytes, bytes, bytes, bytes]]]:
    """Return a program in UTF-8 as its parser is given it, and the edits that led to it."""
    edited = preprocess(name, data)
    return edited.data, [
        (edits.starts.tobytes(), edits.ends.tobytes(), edits.first.tobytes(), edits.last.tobytes())
        for edits in edited.edits
    ]


def plain_tokens(name: str, data: bytes, normal: bool = False, *, normal_if_broken: bool = True) -> Plain:
    """Return the tokens of a program in UTF-8 in the named language, and its ``normal`` form if the language has one.
    Broken code has both, too."""
    too_large = bool(refused(language(name), data))
    edited = Edited(data, len(data)) if too_large else preprocess(name, data)
    return _tokens(name, edited, _Wanted(normal, normal_if_broken))


class _Wanted(NamedTuple):
    """What is wanted of a program."""

    normal: bool
    normal_if_broken: bool = True
    tokens_if_broken: bool = True


def _tokens(name: str, edited: Edited, wanted: _Wanted) -> Plain:
    row = language(name)
    if reason := refused(row, edited.data):
        return b"", b"", b"", False, reason, None, 0
    if row.reader != "grammar":
        return *_arrays(_lexed(row, edited.data)), False, "", None, 0
    how = plan(name)
    tree = parse(how, edited)
    lost = _lost(tree, edited)
    broken = is_broken(lost, edited.size)
    if broken and not wanted.tokens_if_broken:
        return b"", b"", b"", True, "", None, lost
    second = _normal(tree, how, edited) if wanted.normal and (wanted.normal_if_broken or not broken) else None
    return *_arrays(_apart(_leaves(tree, how, edited.data), edited)), True, "", second, lost


def is_broken(lost: int, size: int) -> bool:
    """Return whether a program of ``size`` bytes, of which a parser could not parse ``lost``, is read in regions."""
    return lost > BROKEN * size


def has_lines(data: bytes) -> bool:
    """Return whether a program has several lines, and so several regions."""
    return b"\n" in data.strip()


def _lost(tree: "tree_sitter.Tree", edited: Edited) -> int:
    """Return the number of bytes of the original that the parser could not parse. Only the paths to them are walked."""
    root = tree.root_node
    if not root.has_error:
        return 0
    total, stack = 0, [root]
    while stack:
        node = stack.pop()
        if node.kind_id == ERROR:
            total += edited.end(node.end_byte) - edited.start(node.start_byte)
        else:
            stack += [child for child in node.children if child.has_error]
    return total


def _arrays(columns: Columns) -> tuple[bytes, bytes, bytes]:
    symbols, starts, ends = columns
    return array("I", symbols).tobytes(), array("i", starts).tobytes(), array("i", ends).tobytes()


def refused(row: Language, data: bytes) -> str:
    """Return why the language's own reader is not used for this program; "" if it is."""
    if len(data) > LARGEST[row.reader]:
        return f"larger than {LARGEST[row.reader] >> 20} MB"
    return "" if installed(row.name) else f"its reader is not installed: {missing(row.name)}"


def _lexed(row: Language, data: bytes) -> Columns:
    """Lex the program with the lexer of its language. Line ends are unified; a NUL counts as a blank."""
    text = data.decode("utf-8", "replace").replace("\0", " ")
    text = text.replace("\\\r\n", " \\\n").replace("\r\n", " \n").replace("\r", "\n")
    if row.reader == "own":
        columns: Columns = getattr(import_module(row.module), row.function)(row, text)
        return columns
    from whorl.formats.code.lexers import highlighted

    return highlighted(row, text)


def _normal(tree: "tree_sitter.Tree", how: Plan, edited: Edited) -> "PlainNormal | None":
    """Return the normal form of a parsed program, or why it has none; None if its language has no normal forms."""
    from whorl.formats.code.normal.form import both_forms, has_normal_form
    from whorl.formats.code.normal.lowering import UnfitError

    if not has_normal_form(how.row.name):
        return None
    before = time.process_time()
    try:
        form, standing = both_forms(how, tree, edited.data)
    except UnfitError as error:
        return b"", b"", b"", b"", 0, str(error), time.process_time() - before
    except Exception as error:  # what no test has seen must not cost the program its tokens; the note tells of it
        return b"", b"", b"", b"", 0, f"it cannot be made: {error!r}", time.process_time() - before
    symbols, starts, ends, marks = (mine + theirs for mine, theirs in zip(form, standing, strict=True))
    columns = *_arrays(_original((symbols, starts, ends), edited)), array("I", marks).tobytes()
    return *columns, len(form[0]), "", time.process_time() - before


def preprocess(name: str, data: bytes) -> Edited:
    """Return a program as its reader is given it."""
    row = language(name)
    return preprocessed(row, data, lambda: plan(name).keywords) if row.reader == "grammar" else Edited(data, len(data))


def parse(how: Plan, edited: Edited) -> "tree_sitter.Tree":
    """Return the syntax tree of a preprocessed program."""
    import tree_sitter

    return tree_sitter.Parser(how.grammar).parse(edited.data)


def parsed(how: Plan, data: bytes) -> tuple[Columns, bool]:
    """Return the tokens of a program, and whether it parses without errors."""
    edited = preprocess(how.row.name, data)
    tree = parse(how, edited)
    return _apart(_leaves(tree, how, edited.data), edited), not tree.root_node.has_error


def _original(columns: Columns, edited: Edited) -> Columns:
    """Return tokens of an edited program with their spans in the original."""
    if not edited.edits:
        return columns
    symbols, starts, ends = columns
    return symbols, [edited.start(place) for place in starts], [edited.end(place) for place in ends]


def _apart(columns: Columns, edited: Edited) -> Columns:
    """Return the same without tokens at the place of another: a parser may make several of what is one character or
    blanks that were put in, in some broken code."""
    if not edited.edits:
        return columns
    kept: list[tuple[int, int, int]] = []
    reached = 0
    for symbol, start, end in zip(*_original(columns, edited), strict=True):
        if reached <= start < end:
            kept.append((symbol, start, end))
            reached = end
    return [each[0] for each in kept], [each[1] for each in kept], [each[2] for each in kept]


def _leaves(tree: "tree_sitter.Tree", how: Plan, data: bytes) -> Columns:
    columns = _walk(tree, how, data)
    return _with_extent(_trimmed(columns, data) if how.row.trims else columns)


def _with_extent(columns: Columns) -> Columns:
    """Drop empty tokens, which the parser inserts as missing."""
    symbols, starts, ends = columns
    if all(map(lt, starts, ends)):
        return columns
    visible = [number for number, (start, end) in enumerate(zip(starts, ends, strict=True)) if start < end]
    return (
        [symbols[number] for number in visible],
        [starts[number] for number in visible],
        [ends[number] for number in visible],
    )


def _trimmed(columns: Columns, data: bytes) -> Columns:
    """Return the tokens without the blanks around them."""
    symbols, starts, ends = columns
    texts = [data[start:end] for start, end in zip(starts, ends, strict=True)]
    first = [start + len(token) - len(token.lstrip()) for start, token in zip(starts, texts, strict=True)]
    last = [end - len(token) + len(token.rstrip()) for end, token in zip(ends, texts, strict=True)]
    return symbols, first, last


def _walk(tree: "tree_sitter.Tree", how: Plan, data: bytes) -> Columns:
    """Return the symbols of the tree and their spans in bytes, in order.

    The walk costs two thirds of the parsing, mostly for creating nodes. A cursor is as fast, and a query for the leaves
    is slower.
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
            if symbol == ASK and how.is_dropped(node, stack[-1] if stack else None):
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
