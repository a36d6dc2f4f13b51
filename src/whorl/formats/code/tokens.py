"""The tokens of a program as arrays: from a worker's parser, or from the plain lexer with the grammar's symbols."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from whorl.formats.code.languages import LANGUAGES, installed, language
from whorl.formats.code.leaves import Plain, PlainNormal, parsed, plain_tokens
from whorl.formats.code.plan import IDENTIFIER, Plan, plan, spelled, symbol
from whorl.formats.code.preprocessing import Edited
from whorl.formats.code.row import NUMBERS, STRINGS, Language, comment_pattern, words

# Words that are keywords nearly everywhere they can stand; any other word is an identifier.
KEYWORDS = words("""
    and as assert async await bool boolean break byte case catch chan char class const continue def default defer del
    delete do double elif else elseif elsif end enum except extends extern false False final finally float fn for
    foreach func function go goto if impl implements in int interface is lambda let long match mod module mut namespace
    new nil None not null nullptr or package pass private protected public raise range return select self short signed
    sizeof static string struct super switch template this throw throws trait true True try type typedef typeof union
    unless unsigned until using var virtual void volatile when where while with yield
""")

# Words that a grammar may take for more than names, though it does not list them.
TYPES = words("""
    NULL size_t ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t wchar_t ptrdiff_t auto
    undefined number any object never unknown symbol bigint str usize isize i8 i16 i32 i64 i128 u8 u16 u32 u64 u128
    f32 f64 of record
""")

OPERATORS = tuple("-+*/%&|^!<>=?~")

# Small programs in which a word may stand. Those that do not parse tell nothing.
CONTEXTS = (
    "{} x;", "{} x = y;", "x = {};", "x = {} y;", "x = y {} z;", "{} (x) {{ }}", "{} {{ }}", "{};", "{} x {{ }}",
    "if (x) {{ }} {} {{ }}", "class A {{ {} int x; }}", "class A {{ {} void f() {{ }} }}", "{} f(int x) {{ }}",
    "void f() {{ {} x; }}", "void f() {{ {} (x) {{ }} }}", "void f() {{ x = {}; }}", "void f() {{ {}; }}",
    "{} x\n", "x = {}\n", "x = {} y\n", "x = y {} z\n", "{} x:\n  pass\n", "if x:\n  pass\n{}:\n  pass\n",
    "{}:\n  pass\n", "def f():\n  {} x\n", "for x {} y:\n  pass\n", "{}\n", "{} x as y:\n  pass\n", "{} f() {{ }}",
    "function f() {{ {} x; }}", "for (x {} y) {{ }}", "{} A {{ }}", "func f() {{ {} x }}", "fn f() {{ {} x; }}",
    "for (const x {} y) {{ }}", "fn f() {{ let {} x = y; }}", "fn f(x: {}) {{ }}", "fn f() {{ for x {} y {{ }} }}",
)  # fmt: skip

# Constructs that a grammar drops as a whole, recognised at the beginning of a line.
DROPPED = {
    "preproc_include": r"\#[ \t]*include[^\n]*+",
    "import_declaration": r"import\b[^\n;]*+;?",
    "import_statement": r"import\b[^\n;]*+;?",
    "import_from_statement": r"from\b[^\n]*+",
    "package_declaration": r"package\b[^\n;]*+;?",
    "package_clause": r"package\b[^\n]*+",
    "using_directive": r"using\b[^\n;(=]*+;",
    "using_declaration": r"using\b[^\n;(=]*+;",
    "use_declaration": r"use\b[^\n;]*+;",
    "annotation": r"@[\w.]++(?:\([^()\n]*+\))?",
    "decorator": r"@[\w.]++(?:\([^()\n]*+\))?",
    "attribute_item": r"\#!?\[[^\n]*+\]",
}
# As ``Plan.is_dropped`` knows it: a comma or another string after it makes it a part of a list.
_DOCSTRING = (
    r"""(?>[bfruBFRU]{0,2}(?:\"{3}(?s:.*?)\"{3}|'{3}(?s:.*?)'{3}|"[^"\n]*+"|'[^'\n]*+'))"""
    r"""(?=[ \t]*$)(?!\s*+[bfruBFRU]{0,2}["'])"""
)
_QUOTE = re.compile("[\"'`]")
_FLOAT = re.compile(r"(?!0[xX]).*(?:\.|[eE])")

# The groups of the lexer's pattern, in order.
COMMENT, STRING, NUMBER, NAMED = 1, 2, 3, 4


@dataclass(frozen=True)
class LexerVocabulary:
    """The symbols of words and operators by their text, 0 for dropped ones, and of anything else.

    ``known`` has a symbol for any word: other words are identifiers."""

    known: Mapping[str, int]
    integer: int
    real: int
    strings: Mapping[str, int]
    """By the quotation mark."""
    operators: tuple[str, ...]
    dropped: str

    def symbol(self, match: re.Match[str]) -> int:
        """Return the symbol of a match of the lexer's pattern."""
        text = match[0]
        if match.lastindex == NAMED:
            return self.known[text]
        if match.lastindex == NUMBER:
            return self.real if _FLOAT.match(text) else self.integer
        return self.strings[_QUOTE.search(text)[0]]  # type: ignore[index]


class _Words(dict[str, int]):
    """The symbols of words. Those of ``reserved`` are learned when they are first asked for: it takes some 40 small
    programs a word, and a program has few of the hundreds of words of its grammar."""

    def __init__(self, signs: Mapping[str, int], reserved: Set[str], learn: Callable[[str], int], other: int) -> None:
        super().__init__(signs)
        self._reserved, self._learn, self._other = reserved, learn, other

    def __missing__(self, word: str) -> int:
        if word not in self._reserved:
            return self._other
        self[word] = token = self._learn(word)
        return token


def vocabulary(row: Language) -> LexerVocabulary:
    """Return the vocabulary of a language."""
    if row.reader != "grammar" or row.name not in LANGUAGES or not installed(row.name):
        return _unknown(row)
    return _of_grammar(row.name)


@cache
def _of_grammar(name: str) -> LexerVocabulary:
    how, row = plan(name), language(name)
    kinds = {how.grammar.node_kind_for_id(number) or "" for number in _anonymous(how)}
    named = {kind for kind in kinds if re.fullmatch(r"[^\W\d]\w*", kind)} | KEYWORDS | TYPES
    signs = {kind for kind in kinds if kind and not re.match(r"[\w\s\"'`]", kind) and not re.search(r"\s", kind)}
    signs -= {"()", "[]", "{}"}
    usual = {how.grammar.node_kind_for_id(number) or "": max(0, how.actions[number]) for number in _anonymous(how)}
    identifier = symbol(row.family, IDENTIFIER)

    def learn(word: str) -> int:
        return _learned(how, word, usual.get(word, identifier))

    known = _Words({sign: usual[sign] for sign in signs}, named, learn, identifier)
    literals = {word: _learned(how, word, 0) for word in ("1", "1.5", '"a"', "'a'", "`a`")}
    text = literals['"a"'] or symbol(row.family, "literal:string")
    return LexerVocabulary(
        known, literals["1"] or symbol(row.family, "literal:number"), literals["1.5"] or literals["1"],
        {'"': text, "'": literals["'a'"] or text, "`": literals["`a`"] or text}, tuple(signs), _dropped(row),
    )  # fmt: skip


def _unknown(row: Language) -> LexerVocabulary:
    """Return the vocabulary of a language without a grammar, whose reader spells keywords and signs too."""
    number, text = symbol(row.family, "literal:number"), symbol(row.family, "literal:string")
    identifier = symbol(row.family, IDENTIFIER)
    known = _Words({sign: spelled(row, sign) for sign in OPERATORS}, KEYWORDS, partial(spelled, row), identifier)
    strings = dict.fromkeys("\"'`", text)
    return LexerVocabulary(known, number, number, strings, OPERATORS, "")


def _anonymous(how: Plan) -> list[int]:
    """Return the words and signs of a grammar. Its first kind is the end of the file."""
    return [number for number in range(1, how.grammar.node_kind_count) if not how.grammar.node_kind_is_named(number)]


def _learned(how: Plan, word: str, otherwise: int) -> int:
    """Return the symbol of a word in most small programs that parse; a reserved word is no identifier if possible."""
    counts = Counter(_becomes(how, word, context) for context in CONTEXTS)
    del counts[None]
    identifier = symbol(how.row.family, IDENTIFIER)
    if not counts or (counts.keys() == {identifier} and word in KEYWORDS):
        return otherwise
    is_reserved = word in KEYWORDS or word in TYPES
    return max(counts, key=lambda token: (is_reserved and token != identifier, counts[token])) or 0


def _becomes(how: Plan, word: str, context: str) -> int | None:
    """Return the symbol of a word in a small program, 0 if it is dropped; None if that is no program."""
    start = len(how.row.opening + context.partition("{}")[0].format())
    data = (how.row.opening + context.format(word)).encode()
    (symbols, starts, ends), is_sound = parsed(how, data)
    if not is_sound:
        return None
    for token, first, last in zip(symbols, starts, ends, strict=True):
        if first < start + len(word) and last > start:
            return token if (first, last) == (start, start + len(word)) else None
    return 0


def _dropped(row: Language) -> str:
    """Return a pattern of what is dropped with its contents."""
    patterns = [pattern for kind, pattern in DROPPED.items() if kind in row.drops]
    if row.drops_lone:
        patterns.append(_DOCSTRING)
    return rf"(?m:^[ \t]*+(?:{'|'.join(patterns)}))" if patterns else ""


# Tokens that are held as Python's own numbers at a time: few enough for the cache, and they take nine times the memory.
HELD = 1 << 12

PREFIXED = rf"[bfrulBFRUL]{{0,2}}(?:{STRINGS})"
WORDS = r"[^\W\d]\w*+"


def lex(row: Language, text: str) -> tuple[NDArray[np.uint32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the symbols of a program and their spans, in code points. If the operators are unknown, each character of
    one is a token, so that blanks do not count."""
    known = vocabulary(row)
    pattern = _pattern(row.comments, known.operators, known.dropped)
    matches = (match for match in pattern.finditer(text) if match.lastindex != COMMENT)
    parts: list[NDArray[np.uint32]] = [np.empty((3, 0), np.uint32)]
    while batch := [(known.symbol(it), it.start(), it.end()) for it in islice(matches, HELD)]:
        parts.append(np.array([token for token in batch if token[0]], np.uint32).reshape(-1, 3).T)
    whole = np.concatenate(parts, axis=1)
    return whole[0].copy(), whole[1].view(np.int32), whole[2].view(np.int32)


def untouchable(row: Language, text: str) -> list[tuple[int, int]]:
    """Return the spans of comments and strings, in order: no line that begins in one is a line of code."""
    matches = _pattern(row.comments, OPERATORS, "").finditer(text)
    return [match.span() for match in matches if match.lastindex in (COMMENT, STRING)]


@cache
def _pattern(comments: tuple[str, ...], operators: tuple[str, ...], dropped: str) -> re.Pattern[str]:
    comment = "|".join([comment_pattern(comments), *filter(None, [dropped])])
    named = "|".join([WORDS, *map(re.escape, sorted(operators, key=len, reverse=True))])
    return re.compile("|".join(f"({pattern})" for pattern in (comment, PREFIXED, NUMBERS, named)))


class NormalForm(NamedTuple):
    """The normal form of a program: symbols, their spans in code points, not in order, and the bits of the rewrites
    that touched each. The first ``size`` symbols are the normal form; those of the original statements follow.
    ``missing`` says why there is none; ``seconds`` is its cost."""

    symbols: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    marks: NDArray[np.uint32]
    size: int
    missing: str = ""
    seconds: float = 0.0


class TokenArrays(NamedTuple):
    """Tokens and their spans, in code points of the text. ``fallback`` notes irregularities of the reading. ``normal``
    is set if requested and the language has one."""

    symbols: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    fallback: str = ""
    normal: NormalForm | None = None


def tokens(name: str, data: bytes, normal: bool = False) -> TokenArrays:
    """Return the tokens of a program in UTF-8 in the named language, read in this process."""
    return from_plain(name, data, plain_tokens(name, data, normal))


def from_plain(name: str, data: bytes, plain: Plain) -> TokenArrays:
    """Return the tokens of a worker's plain values."""
    symbols, starts, ends, in_bytes, reason, second, _ = plain
    if reason:
        return lexed(name, data, reason)
    tokens = TokenArrays(
        np.frombuffer(symbols, np.uint32), np.frombuffer(starts, np.int32), np.frombuffer(ends, np.int32)
    )
    if second is not None:
        tokens = tokens._replace(normal=_normal(second))
    return _in_code_points(tokens, data) if in_bytes and not data.isascii() else tokens


def _normal(second: PlainNormal) -> NormalForm:
    symbols, starts, ends, marks, size, missing, seconds = second
    offsets = np.frombuffer(starts, np.int32), np.frombuffer(ends, np.int32)
    return NormalForm(
        np.frombuffer(symbols, np.uint32), *offsets, np.frombuffer(marks, np.uint32), size, missing, seconds
    )


def lexed(name: str, data: bytes, reason: str) -> TokenArrays:
    """Return the tokens of the plain lexer; ``fallback`` says why it was used."""
    return TokenArrays(*lex(language(name), data.decode("utf-8", "replace")), reason)


def _in_code_points(tokens: TokenArrays, data: bytes) -> TokenArrays:
    """Return the same tokens with spans in code points instead of bytes of UTF-8."""
    is_first = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    counts = np.cumsum(is_first, dtype=np.int32)
    starts, ends = _counted(counts, tokens.starts, tokens.ends)
    tokens = tokens._replace(starts=starts, ends=ends)
    if tokens.normal is None:
        return tokens
    starts, ends = _counted(counts, tokens.normal.starts, tokens.normal.ends)
    return tokens._replace(normal=tokens.normal._replace(starts=starts, ends=ends))


def in_original(tokens: TokenArrays, edited: Edited, data: bytes) -> TokenArrays:
    """Return the tokens of an edited program, in code points of its text, with their spans in the original."""
    if not edited.edits:
        return tokens
    first = np.append(np.flatnonzero((np.frombuffer(edited.data, np.uint8) & 0xC0) != 0x80), len(edited.data))
    starts, ends = _moved(edited, first, tokens.starts, tokens.ends)
    reached = np.maximum.accumulate(np.append(np.int32(0), ends[:-1]))
    is_apart = (reached <= starts) & (starts < ends)
    moved = TokenArrays(tokens.symbols[is_apart], starts[is_apart], ends[is_apart], tokens.fallback, tokens.normal)
    if tokens.normal is not None:
        starts, ends = _moved(edited, first, tokens.normal.starts, tokens.normal.ends)
        moved = moved._replace(normal=tokens.normal._replace(starts=starts, ends=ends))
    return moved if data.isascii() else _in_code_points(moved, data)


def _moved(
    edited: Edited, first: NDArray[np.int64], starts: NDArray[np.int32], ends: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return spans in bytes of the original. ``first`` has the first byte of each code point of the edited program."""
    return (
        np.array([edited.start(place) for place in first[starts].tolist()], np.int32),
        np.array([edited.end(place) for place in first[ends].tolist()], np.int32),
    )


def _counted(
    counts: NDArray[np.int32], starts: NDArray[np.int32], ends: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return counts[starts] - np.int32(1), counts[ends - 1]
