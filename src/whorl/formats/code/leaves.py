"""Parse a program in a worker and walk the leaves of its syntax tree; NumPy is not imported here."""

import re
import time
from array import array
from importlib import import_module
from operator import lt
from typing import TYPE_CHECKING, TypeAlias

from whorl.formats.code.languages import installed, language, missing
from whorl.formats.code.plan import ASK, ERROR, SPELL, Plan, plan
from whorl.formats.code.row import Language, Reader

if TYPE_CHECKING:
    import tree_sitter


# A line that no card has: a statement that begins in the first five columns.
_FREE_LINE = re.compile(rb"^(?:[^cC*!#\s\d]|[ \d]{1,4}[A-Za-z])", re.M)
_CARD = re.compile(rb"^(?:[cC*]| {5}[^ 0\s])", re.M)
_COMMENT = re.compile(rb"^[cC*!][^\n]*+", re.M)
# Looked for once after each stretch of text, so that many blank lines cost no more than one look each.
_CONTINUATION = re.compile(rb"(?<=\S)\s*\n {5}[^ 0\s]")


def free_form(data: bytes) -> bytes:
    """Return the program, equally long, with blank comments and joined continuation lines; free form is returned
    unchanged."""
    if _FREE_LINE.search(data) or not _CARD.search(data):
        return data
    return _CONTINUATION.sub(_blank, _COMMENT.sub(_blank, data))


def _blank(match: re.Match[bytes]) -> bytes:
    return b" " * len(match[0])


# Comments and strings end as for the compiler; directives count only outside them.
_SCANNED = re.compile(
    rb"""(?P<skipped>//(?:\\\r?\n|[^\n])*+|/\*(?s:.*?)(?:\*/|\Z)|R"(?P<mark>[^()\\\s"]{0,16})\((?s:.*?)(?:\)(?P=mark)"|\Z)
    |"(?:[^"\\\n]|\\(?s:.))*+"?|(?:\b(?:L|u8?|U)|(?<!\w))'(?:[^'\\\n]|\\(?s:.))*+'?)
    |^[ \t]*+\#[ \t]*+(?P<word>if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b(?P<rest>(?:\\\r?\n|[^\n])*+)""",
    re.M | re.X,
)
_FALSE = re.compile(rb"[\s(]*(?:0+|0[xX]0+|false)[uUlL]*[\s)]*(?://.*|/\*.*)?", re.S)
_HINT = re.compile(rb"^[ \t]*\#[ \t]*if[\s(]+(?:0|false)", re.M)
_CODE = re.compile(rb"[^\r\n]++")
_OPENING = (b"if", b"ifdef", b"ifndef")


def without_inactive(data: bytes) -> bytes:
    """Return the program, equally long, with blanks for inactive code and its directives."""
    if _HINT.search(data) is None:
        return data
    parts, done = [], 0
    for start, end in _inactive(data):
        parts += [data[done:start], _CODE.sub(_blank, data[start:end])]
        done = end
    return b"".join([*parts, data[done:]])


def _inactive(data: bytes) -> list[tuple[int, int]]:
    """Return the spans to blank, sorted and disjoint. A condition that is never closed blanks nothing."""
    spans: list[tuple[int, int]] = []
    depth, begun, inside, is_active = 0, -1, -1, True  # of the outermost condition that is false
    for directive in _SCANNED.finditer(data):
        word = directive["word"]
        if word is None or _goes_on(data, directive.start()):
            continue
        if begun < 0:
            if word == b"if" and _FALSE.fullmatch(directive["rest"]):
                begun, inside, depth, is_active = directive.start(), directive.end(), 1, False
        elif word in _OPENING:
            depth += 1
        elif word == b"endif":
            depth -= 1
            if depth == 0:
                spans.append((begun if not is_active else directive.start(), directive.end()))
                begun = -1
        elif depth == 1 and not is_active and word == b"else":
            spans.append((begun, directive.end()))
            is_active = True
        elif depth == 1 and not is_active:
            spans.append((inside, directive.start()))  # an #elif, which needs its #if
            begun = -1
    return spans


def _goes_on(data: bytes, start: int) -> bool:
    """Return whether the line before ends with a backslash, so that no directive begins here."""
    return data[max(0, start - 80) : start].rstrip().endswith(b"\\")


# The most bytes that a reader is given. For grammars it is memory: syntax trees of real code take about 25 bytes a byte
# of code, those of nested brackets 400. For Pygments it is time: its slower lexers read 0.3 MB a second.
LARGEST: dict[Reader, int] = {"grammar": 16 << 20, "pygments": 2 << 20, "own": 16 << 20}

_INNER_BLANKS = re.compile(rb"(?<=[^\s])[ \t]++")

# Characters without width or effect, in UTF-8; and one with the rest of the word that it stands in.
_UNSEEN = (
    rb"(?:\xc2\xad|\xcd\x8f|\xe1\xa0\x8e|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf"
    rb"|\xf3\xa0[\x80\x81][\x80-\xbf])"
)
UNSEEN_SIGN = re.compile(_UNSEEN)
UNSEEN_WORD = re.compile(rb"%b(?:%b|\w|[\xc2-\xf4][\x80-\xbf]++)*+" % (_UNSEEN, _UNSEEN))

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
    """Return ``plain_tokens`` of regions of a program, and the processor seconds of each: of a broken one without the
    normal form, and without tokens if it can be cut, as the flag beside it says. Nobody asks for these."""
    readings = []
    for data, can_be_cut in regions:
        before = time.process_time()
        plain = plain_tokens(name, data, normal, normal_if_broken=False, tokens_if_broken=not can_be_cut)
        readings.append((plain, time.process_time() - before))
    return readings


def plain_tokens(
    name: str, data: bytes, normal: bool = False, *, normal_if_broken: bool = True, tokens_if_broken: bool = True
) -> Plain:
    """Return the tokens of a program in UTF-8 in the named language, and its ``normal`` form if the language has one.
    Broken code has both, too."""
    row = language(name)
    if reason := refused(row, data):
        return b"", b"", b"", False, reason, None, 0
    if row.reader != "grammar":
        return *_arrays(_lexed(row, data)), False, "", None, 0
    how = plan(name)
    size = len(data)
    data, tree = parse(how, data)
    lost = _lost(tree)
    broken = is_broken(lost, size)
    if broken and not tokens_if_broken:
        return b"", b"", b"", True, "", None, lost
    second = _normal(tree, how, data) if normal and (normal_if_broken or not broken) else None
    return *_arrays(_leaves(tree, how, data)), True, "", second, lost


def is_broken(lost: int, size: int) -> bool:
    """Return whether a program of ``size`` bytes, of which a parser could not parse ``lost``, is read in regions."""
    return lost > BROKEN * size


def has_lines(data: bytes) -> bool:
    """Return whether a program has several lines, and so several regions."""
    return b"\n" in data.strip()


def _lost(tree: "tree_sitter.Tree") -> int:
    """Return the number of bytes that the parser could not parse. Only the paths to them are walked."""
    root = tree.root_node
    if not root.has_error:
        return 0
    total, stack = 0, [root]
    while stack:
        node = stack.pop()
        if node.kind_id == ERROR:
            total += node.end_byte - node.start_byte
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


def _normal(tree: "tree_sitter.Tree", how: Plan, data: bytes) -> "PlainNormal | None":
    """Return the normal form of a parsed program, or why it has none; None if its language has no normal forms."""
    from whorl.formats.code.normal.form import both_forms, has_normal_form
    from whorl.formats.code.normal.lowering import UnfitError

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


def parse(how: Plan, data: bytes) -> tuple[bytes, "tree_sitter.Tree"]:
    """Return a program as given to its parser, and its syntax tree."""
    import tree_sitter

    # The generated lexers take a NUL for the end of a comment or a string; it is as blank as a space.
    data = UNSEEN_WORD.sub(_put_behind, data.replace(b"\0", b" "))
    if how.row.preprocessed:
        data = without_inactive(data)
    if how.row.cards:
        data = free_form(data)
    if how.row.untabs:
        data = _INNER_BLANKS.sub(lambda match: b" " * len(match[0]), data)
    return data, tree_sitter.Parser(how.grammar).parse(data)


def _put_behind(match: re.Match[bytes]) -> bytes:
    """Move zero-width characters behind the word that holds them, as blanks: Java and JavaScript allow them in names,
    grammars do not. Nothing outside the word moves."""
    return UNSEEN_SIGN.sub(b"", match[0]).ljust(len(match[0]))


def parsed(how: Plan, data: bytes) -> tuple[Columns, bool]:
    """Return the tokens of a program, and whether it parses without errors."""
    data, tree = parse(how, data)
    return _leaves(tree, how, data), not tree.root_node.has_error


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
