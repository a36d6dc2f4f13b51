"""Extract the prose of Markdown: drop markup, link targets and front matter, keep code as it stands.

Markdown is HTML with abbreviations. This module turns the abbreviations into HTML with the same text, and ``html`` does
the rest. The dialect is CommonMark with GitHub's tables, footnotes and strike-through, read by regular expressions
without backtracking: where they differ from the standard's grammar, a character of markup stays in the text.
"""

import re
from collections.abc import Callable, Iterator
from html import escape
from operator import itemgetter

from whorl.formats.documents import html
from whorl.formats.documents.extraction import Extracted
from whorl.formats.encoding import decode

# No link text or target is longer; it bounds how far a bracket that is never closed is followed.
LONGEST_LINK = 2000

_FRONT_MATTER = re.compile(
    r"\A(---|\+\+\+)[ \t]*+\n(?:(?!(?:---|\+\+\+|\.\.\.)[ \t]*+(?:\n|\Z))[^\n]*+\n)*+(?:\1|\.\.\.)[ \t]*+(?:\n|\Z)"
)
# Expressions of lines begin with the end of the line before: the engine finds a letter much faster than ``^``.
_FENCE = re.compile(r"\n[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?(`{3,}+(?=[^`\n]*+$)|~{3,}+)[^\n]*+", re.MULTILINE)
_DEFINITION = re.compile(
    r"""\n[ >]{0,9}\[(?!\^)([^\[\]\n]{1,999})\]:[ \t]*+(?:\n[ \t]*+)?+[^ \t\n]++(?:[ \t]++["'(][^\n]*+)?+[ \t]*+$""",
    re.MULTILINE,
)

# What a line begins with: quotes, bullets, numbers, task boxes, headings; and lines that are nothing else.
_RULE = re.compile(r"\n[ \t>]*+(?:=++|(?:[-*_][ \t]*+){3,}+|-++|(?=[^\n]*-)[|:\- \t]{3,}+)[ \t]*+$", re.MULTILINE)
_LEAD = re.compile(
    r"\n(?=[ \t>\-*+\d#\[])[ \t]*+(?:>[ \t]*+)*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?+)*+"
    r"(?:#{1,6}(?:[ \t]++|$))?+(?:\[\^[^\[\]\n]{1,99}\]:)?+",
    re.MULTILINE,
)

# What protects its content from all other rules. A tag must be whole: `a <b` is no markup.
BLANK = r"\t\n\f\r "
_COMMENT = r"!--(?!-)(?:>|[^-]++(?:-(?!-!?>)[^-]*+)*+(?:--!?>|\Z))"  # one that is never closed ends with the document
_VALUE = rf"""[^{BLANK}"'=<>`]++|"[^"]*+"|'[^']*+'"""
_ATTRIBUTE = rf"[{BLANK}]++[a-zA-Z_:][\w.:-]*+(?:[{BLANK}]*+=[{BLANK}]*+(?:{_VALUE}))?+"
_TAG = rf"/?[a-zA-Z][a-zA-Z0-9-]*+(?:{_ATTRIBUTE})*+[{BLANK}]*+/?+>"
_PROTECTED = re.compile(
    r"`(?P<ticks>`*+)(?:(?P<code>[^`]++)`(?P=ticks)(?!`))?+"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])?+"
    rf"|<(?:(?P<link>[a-zA-Z][a-zA-Z0-9+.-]{{1,31}}:[^{BLANK}<>]*+|[\w.!#$%&'*+/=?^`{{|}}~-]++@[\w.-]++)>"
    rf"|(?P<tag>{_TAG}|{_COMMENT})|(?:<(?=<))*+)"
)
_LABEL = rf"([^\[\]]{{0,{LONGEST_LINK}}}+)\]"
_TARGET = (
    rf"\([{BLANK}]*+(?:<[^<>\n]{{0,{LONGEST_LINK}}}+>|(?:[^{BLANK}()<]|\([^{BLANK}()]*+\)){{0,{LONGEST_LINK}}}+)"
    rf"""(?:[{BLANK}]++(?:"[^"]{{0,{LONGEST_LINK}}}+"|'[^']{{0,{LONGEST_LINK}}}+'|\([^()]{{0,{LONGEST_LINK}}}+\)))?+[{BLANK}]*+\)"""
)
_LINK = re.compile(rf"(?:\[|!\[){_LABEL}{_TARGET}")
_REFERENCE = re.compile(rf"(?:\[|!\[){_LABEL}(?:\[([^\[\]]{{0,999}}+)\])?+")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,99}\]")
# Delimiters that hold no other of their kind: the innermost; a second and third pass see what stood around them.
_EMPHASIS = (
    re.compile(r"\*(\*{0,2}+)(?=[^\s*])([^*\n]*+(?:\n[^*\n]++)*+)(?<!\s)\*\1(?!\*)"),
    re.compile(r"_(?<![\w\\]_)(_{0,2}+)(?=[^\s_])([^_\n]*+(?:\n[^_\n]++)*+)(?<!\s)_\1(?!\w)"),
    re.compile(r"(~~)(?=[^\s~])([^~\n]*+)(?<!\s)\1(?!~)"),
)
NESTING = 3


def extract(data: bytes | str) -> Extracted:
    """Return the prose and the code of a document, without the markup."""
    text = data if isinstance(data, str) else decode(data).text
    return html.extract(to_html(text))


def to_html(text: str) -> str:
    """Return HTML with the same text, not the HTML that renders it."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _FRONT_MATTER.sub("", text)
    parts = [(is_code, escape(part, quote=False) if is_code else _protect(part)) for is_code, part in _parts(text)]
    labels = {_normal(label) for is_code, part in parts if not is_code for label in _labels(part)}
    return "".join(part if is_code else _prose(part, labels) for is_code, part in parts)


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Yield prose and fenced code, in order. An open fence ends with the document."""
    text, at = f"\n{text}", 1
    while fence := _FENCE.search(text, at - 1):
        mark = fence[1]
        closing = re.compile(rf"\n[ \t>]*+{mark[0]}{{{len(mark)},}}+[ \t]*+$", re.MULTILINE).search(text, fence.end())
        end, after = (closing.start() + 1, closing.end() + 1) if closing else (len(text), len(text))
        yield False, text[at : fence.start() + 1]
        yield True, "\n" + text[fence.end() + 1 : end] + "\n"
        at = min(after, len(text))
    yield False, text[at:]


def _labels(text: str) -> list[str]:
    """Return the labels that links refer to."""
    return _DEFINITION.findall(f"\n{text}") if "]:" in text else []


def _prose(text: str, labels: set[str]) -> str:
    text = f"\n{text}"
    text = _DEFINITION.sub("\n", text) if labels else text
    text = _LEAD.sub("\n", _RULE.sub("\n", text))[1:]
    text = "\n".join(map(_without_trail, text.split("\n")))
    if "[" in text:
        text = _links(text, labels)
    return _plain(text)


def _without_trail(line: str) -> str:
    """Return the line without trailing blanks and the closing number signs of a heading."""
    if not line.endswith((" ", "\t", "#")):
        return line
    stripped = line.rstrip(" \t")
    if not stripped.endswith("#"):
        return stripped
    heading = stripped.rstrip("#").rstrip(" \t")
    return heading if stripped.startswith((" ", "\t"), len(heading)) else line


def _protect(text: str) -> str:
    """Turn code spans and escaped characters into entities, so that no other rule applies to them."""
    parts, at = [], 0
    following = _ticks(text)
    while match := _PROTECTED.search(text, at):
        start, at = at, match.end()
        parts.append(text[start : match.start()])
        if (ticks := match["ticks"]) is None:
            parts.append(_shielded(match))
        elif code := match["code"]:
            parts.append(_entities(code))
        elif (end := following(len(ticks) + 1, at)) < 0:
            parts.append(match[0])
        else:
            parts.append(_entities(text[at:end]))
            at = end + len(match[0])
    return "".join([*parts, text[at:]])


def _ticks(text: str) -> Callable[[int, int], int]:
    """Return a function that finds the next run of so many backticks, or -1. Each run is looked at once."""
    places: dict[int, list[int]] = {}

    def following(length: int, at: int) -> int:
        if not places:
            for run in re.finditer("`+", text):
                places.setdefault(len(run[0]), []).append(run.start())
            for starts in places.values():
                starts.reverse()
        starts = places.get(length, [])
        while starts and starts[-1] < at:
            starts.pop()
        return starts[-1] if starts else -1

    return following


def _shielded(match: re.Match[str]) -> str:
    """Return a tag as it is, the text of an escaped character or a link, and a bare ``<`` or backslash as an entity."""
    return f"<{match['tag']}" if match["tag"] else _entities(match["escaped"] or match["link"] or match[0])


_SHIELDING = re.compile(r"[!#&*+\-<>\[\\\]_`|~=]")


def _entities(text: str) -> str:
    return _SHIELDING.sub(lambda match: f"&#{ord(match[0])};", text)


def _links(text: str, labels: set[str]) -> str:
    """Replace links, references and images by their texts; twice, because an image may be the text of a link."""
    for _ in range(2):
        text = _LINK.sub(itemgetter(1), text)
        if labels:
            text = _REFERENCE.sub(lambda match: match[1] if _normal(match[2] or match[1]) in labels else match[0], text)
    return _FOOTNOTE.sub(" ", text)


def _plain(text: str) -> str:
    """Remove the marks of emphasis."""
    for delimiter, expression in zip("*_~", _EMPHASIS, strict=True):
        left = NESTING if delimiter in text else 0
        while left:
            text, count = expression.subn(itemgetter(2), text)
            left = left - 1 if count else 0
    return text


def _normal(label: str) -> str:
    return " ".join(label.casefold().split())
