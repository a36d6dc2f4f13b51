"""What C's preprocessor does to the tokens of a file: inactive code, lines joined inside tokens, other spellings of
signs, and macros of one token or none. Macros with parameters or more tokens stay as they are, and no other file is
read. NumPy is not imported here."""

import re
from array import array
from collections.abc import Iterator
from functools import cache

from whorl.formats.code.row import Language

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
        parts += [data[done:start], _CODE.sub(blank, data[start:end])]
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


def blank(match: re.Match[bytes]) -> bytes:
    """Return blanks for a match."""
    return b" " * len(match[0])


def _goes_on(data: bytes, start: int) -> bool:
    """Return whether the line before ends with a backslash, so that no directive begins here."""
    return data[max(0, start - 80) : start].rstrip().endswith(b"\\")


_SPLICE = re.compile(rb"(?:\\\r?\n)++(?=\S)")


def joined_lines(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the ends of lines inside C's tokens, with a backslash before them. Between blanks they may stay."""
    return (
        (*match.span(), b"")
        for match in _SPLICE.finditer(data)
        if not data[max(0, match.start() - 1) : match.start()].isspace()
    )


# Other spellings of C's signs. The trigraph of the backslash is none by default: it would make a comment of the next
# line.
_SPELLINGS = {
    b"<%": b"{", b"%>": b"}", b"<:": b"[", b":>": b"]", b"%:": b"#", b"%:%:": b"##", b"??=": b"#", b"??(": b"[",
    b"??)": b"]", b"??<": b"{", b"??>": b"}", b"??!": b"|", b"??'": b"^", b"??-": b"~",
}  # fmt: skip

# Keywords of C++, and macros of C's iso646.h.
_OPERATOR_WORDS = {
    b"and": b"&&", b"or": b"||", b"not": b"!", b"xor": b"^", b"bitand": b"&", b"bitor": b"|", b"compl": b"~",
    b"and_eq": b"&=", b"or_eq": b"|=", b"xor_eq": b"^=", b"not_eq": b"!=",
}  # fmt: skip

_ISO646 = re.compile(rb"include[ \t]*[<\"]iso646\.h\b")

# Literals and comments of C, which stay as they are. A number may contain an apostrophe.
_TEXT = rb"""(?:u8?|[UL])?(?:"(?:[^"\\\n]|\\(?s:.))*+"?|'(?:[^'\\\n]|\\(?s:.))*+'?)"""
_NUMBER = rb"\.?[0-9](?:[eEpP][-+]|'(?=\w)|[\w.])*+"
_WORD = rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*+"
_SPELLING = b"|".join(map(re.escape, sorted(_SPELLINGS, key=len, reverse=True)))
_COMMENT = rb"//(?:\\\r?\n|[^\n])*+|/\*(?s:.*?)(?:\*/|\Z)"

# In C++, ``<::`` is a sign of less and two colons unless a third or an angle bracket follows. Words come first, since
# most matches are words, but for the prefixes of literals. Other text is skipped up to the end of its line.
_SIGN = re.compile(rb"#|%:|\?\?=")
_C_TOKEN = re.compile(
    rb"(?P<word>(?!(?:u8?|[UL])?[\"']|(?:u8?|[UL])?R\")%(word)b)"
    rb"|^(?:[ \t]|/\*[^*\n]*+\*/)*+(?P<directive>(?P<sign>%(sign)b)[ \t]*+(?P<name>[a-z]++)"
    rb"(?P<rest>(?:\\\r?\n|%(comment)b|%(text)b|[^\n])*+))"
    rb"|(?:[^\w\"'/#%%<:?\n$\x80-\xff]++\n?|\n|%(comment)b|(?:u8?|[UL])?R\"(?P<mark>[^()\\\s\"]{0,16})\((?s:.*?)"
    rb"(?:\)(?P=mark)\"|\Z)|%(text)b|%(number)b|<<|::|<(?=::[^:>]))"
    rb"|(?P<spelling>%(spelling)b)"
    % {b"comment": _COMMENT, b"text": _TEXT, b"number": _NUMBER, b"word": _WORD, b"spelling": _SPELLING,
       b"sign": _SIGN.pattern},
    re.M,
)  # fmt: skip
_COMMENTS_AND_TEXTS = re.compile(rb"(?P<comment>%b|\\\r?\n)|%b" % (_COMMENT, _TEXT))
_DEFINED = re.compile(rb"[ \t]*+(?P<name>%b)(?P<body>[\s\S]*)" % _WORD)
_ONE_TOKEN = re.compile(
    rb"(?:%b|%b|%b|%b|<<=|>>=|<=>|->\*?|\+\+|--|<<|>>|&&|\|\||::|[-+*/%%&|^<>=!]=?|[~?:;,.(){}\[\]])?"
    % (_TEXT, _NUMBER, _WORD, _SPELLING)
)
_CONDITION = re.compile(rb"defined[\s(]*+%b|(?P<word>%b)" % (_WORD, _WORD))
_IS_DEFINED = re.compile(rb"\s*+(?P<not>!?)\s*+defined[\s(]*+(?P<name>%b)[\s)]*" % _WORD)
_LONE_WORD = re.compile(rb"[\s(]*(?P<name>%b)[\s)]*" % _WORD)

# Beside these no sign can become a part of another.
_APART = frozenset(b" \t\r\n;,()[]{}")

# How many steps chains of macros may take in all, beside one for each byte: those that people write take one a use.
STEPS = 1 << 16


class _Macros:
    """The macros of one token or none that are defined at some place of a program, and which names are defined."""

    def __init__(self, tokens: dict[bytes, bytes], steps: int) -> None:
        self.tokens, self._steps = tokens, steps
        self._resolved: dict[bytes, bytes] = {}
        self.defined = set(tokens)
        self.used: set[bytes] = set()

    def define(self, name: bytes, body: bytes) -> None:
        """``body`` begins behind the name, with the bracket if the macro has parameters."""
        self.undefine(name)
        self.defined.add(name)
        text = body.strip()
        if not body.startswith(b"(") and _ONE_TOKEN.fullmatch(text):
            self.tokens[name] = _SPELLINGS.get(text, text)

    def undefine(self, name: bytes) -> None:
        self.defined.discard(name)
        self.tokens.pop(name, None)
        self._resolved = {}

    def resolve(self, name: bytes) -> bytes:
        """Return the token that replaces a name after all macros. A name that leads back to itself is not replaced."""
        token = self._resolved.get(name)
        if token is None:
            seen, token = {name}, self.tokens.get(name, name)
            while token in self.tokens and token not in seen and self._steps > 0:
                seen.add(token)
                token = self.tokens[token]
                self._steps -= 1
            self._resolved[name] = token
            if token != name:
                self.used |= seen
        return token


class _Conditions:
    """Whether directives count at some place of a program. Conditions that only the compiler can decide
    are true, but names that are not defined in the file are not defined."""

    def __init__(self, macros: _Macros) -> None:
        self._macros = macros
        self._around: list[tuple[bool, bool]] = []  # whether directives count around it, and whether a branch was taken
        self.is_active = True

    def meet(self, word: bytes, rest: bytes) -> None:
        if word in _OPENING:
            holds = self._holds(word, rest)
            self._around.append((self.is_active, holds))
            self.is_active = self.is_active and holds
        elif self._around and word == b"endif":
            self.is_active, _ = self._around.pop()
        elif self._around and (word == b"else" or word.startswith(b"elif")):
            around, is_taken = self._around[-1]
            holds = not is_taken and (word == b"else" or self._holds(word[2:], rest))
            self._around[-1] = around, is_taken or holds
            self.is_active = around and holds

    def _holds(self, word: bytes, rest: bytes) -> bool:
        lone, defined = _LONE_WORD.fullmatch(rest), _IS_DEFINED.fullmatch(rest)
        if lone is not None and word != b"if":
            return (lone["name"] in self._macros.defined) == (word == b"ifdef")
        if defined is not None:
            return (defined["name"] in self._macros.defined) != bool(defined["not"])
        if lone is not None and lone["name"] in self._macros.defined:
            rest = self._macros.resolve(lone["name"])
        elif lone is not None:
            return lone["name"] == b"true"
        return _FALSE.fullmatch(rest) is None


@cache
def _occasion(has_operator_words: bool) -> re.Pattern[bytes]:
    """Return a pattern that matches in every program with something to substitute."""
    words = rb"|\b(?:%b)\b" % b"|".join(_OPERATOR_WORDS) if has_operator_words else b""
    return re.compile(rb"define|%b%b" % (_SPELLING, words))


def substituted_tokens(row: Language, data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the replacements of other spellings of C's signs and of macros of at most one token. Remove the definitions
    of macros that are used."""
    has_operator_words = row.operator_words or _ISO646.search(data) is not None
    if _occasion(has_operator_words).search(data) is None:
        return
    macros = _Macros(dict(_OPERATOR_WORDS) if has_operator_words else {}, STEPS + len(data))
    # Millions of them need little memory like this. Instead of None, the definition of the name comes or goes.
    starts, ends, instead, names = array("i"), array("i"), list[bytes | None](), list[bytes]()
    for start, end, text, name in _met(data, macros):
        starts.append(start)
        ends.append(end)
        instead.append(text)
        if text is None:
            names.append(name)
    defined = iter(names)
    for start, end, text in zip(starts, ends, instead, strict=True):
        if text is not None:
            yield start, end, text
        elif next(defined) in macros.used:
            yield start, end, b""
        elif data[start] != ord("#"):
            yield start, start + len(_SIGN.match(data, start)[0]), b"#"  # type: ignore[index]


def _met(data: bytes, macros: _Macros) -> Iterator[tuple[int, int, bytes | None, bytes]]:
    """Yield the replacements, and with None the directives that define a name or end its definition."""
    conditions = _Conditions(macros)
    for match in _C_TOKEN.finditer(data):
        kind = match.lastgroup
        if kind == "word":
            word = match[0]
            if word in macros.tokens and (token := macros.resolve(word)) != word:
                yield *match.span(), _apart(data, match, token), word
        elif kind == "spelling":
            yield *match.span(), _SPELLINGS[match[0]], b""
        elif kind == "directive":
            yield from _directive(data, match, macros, conditions)


def _directive(
    data: bytes, match: re.Match[bytes], macros: _Macros, conditions: _Conditions
) -> Iterator[tuple[int, int, bytes | None, bytes]]:
    word = match["name"]
    rest = _COMMENTS_AND_TEXTS.sub(lambda each: b" " if each["comment"] else each[0], match["rest"])
    named = _DEFINED.match(rest) if word in (b"define", b"undef") else None
    if named is not None:
        if conditions.is_active and word == b"define":
            macros.define(named["name"], named["body"])
        elif conditions.is_active:
            macros.undefine(named["name"])
        yield *match.span("directive"), None, named["name"]
        return
    if match["sign"] != b"#":
        yield *match.span("sign"), b"#", b""
    if word in (b"if", b"elif"):
        for each in _CONDITION.finditer(data, *match.span("rest")):
            if each["word"] is not None and (token := macros.resolve(each[0])) != each[0]:
                yield *each.span(), _apart(data, each, token), each[0]
    conditions.meet(word, rest)


def _apart(data: bytes, match: re.Match[bytes], token: bytes) -> bytes:
    """Return a token with blanks, so that it becomes no part of a sign beside it."""
    before, after = data[max(0, match.start() - 1) : match.start()], data[match.end() : match.end() + 1]
    return b"%b%b%b" % (
        b"" if not before or before[0] in _APART else b" ",
        token,
        b"" if not after or after[0] in _APART else b" ",
    )
