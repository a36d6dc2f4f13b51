"""Markdown to its prose: markup, link targets and front matter dropped, code kept as it stands.

Markdown is HTML with abbreviations, so this module only takes the abbreviations out: what it gives is HTML whose text
is the document's, and ``html`` does the rest. The dialect is CommonMark's with GitHub's tables, footnotes and
strike-through, read by expressions that never look back, not by the standard's grammar: where the two differ, a
character of markup stays in the text.
"""

import re
from collections.abc import Callable, Iterator
from html import escape

from whorl.frontends.documents import html
from whorl.frontends.documents.extracted import Extracted
from whorl.frontends.documents.tags import BLANK, COMMENT
from whorl.frontends.encoding import decode

# No link text or target is longer; it bounds how far a bracket that is never closed is followed.
LONGEST_LINK = 2000

_FRONT_MATTER = re.compile(
    r"\A(---|\+\+\+)[ \t]*+\n(?:(?!(?:---|\+\+\+|\.\.\.)[ \t]*+(?:\n|\Z))[^\n]*+\n)*+(?:\1|\.\.\.)[ \t]*+(?:\n|\Z)"
)
_FENCE = re.compile(r"^([ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?)(`{3,}+(?=[^`\n]*+$)|~{3,}+)[^\n]*+\n?", re.MULTILINE)
_DEFINITION = re.compile(
    r"""^[ >]{0,9}\[(?!\^)([^\[\]\n]{1,999})\]:[ \t]*+(?:\n[ \t]*+)?+[^ \t\n]++(?:[ \t]++["'(][^\n]*+)?+[ \t]*+$""",
    re.MULTILINE,
)

# What a line begins with: quotes, bullets, numbers, task boxes, headings; and lines that are nothing else.
_RULE = re.compile(r"^[ \t>]*+(?:=++|(?:[-*_][ \t]*+){3,}+|-++|(?=[^\n]*-)[|:\- \t]{3,}+)[ \t]*+$", re.MULTILINE)
_LEAD = re.compile(
    r"^[ \t]*+(?:>[ \t]*+)*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++(?:\[[ xX]\][ \t]++)?+)*+(?:#{1,6}(?:[ \t]++|$))?+"
    r"(?:\[\^[^\[\]\n]{1,99}\]:)?+",
    re.MULTILINE,
)
_TRAIL = re.compile(r"(?<![ \t#\\])(?:[ \t]++#++)?+[ \t\\]*+$", re.MULTILINE)

# What protects its content from all other rules. A tag must be whole: `a <b` is no markup.
_VALUE = rf"""[^{BLANK}"'=<>`]++|"[^"]*+"|'[^']*+'"""
_ATTRIBUTE = rf"[{BLANK}]++[a-zA-Z_:][\w.:-]*+(?:[{BLANK}]*+=[{BLANK}]*+(?:{_VALUE}))?+"
_TAG = rf"/?[a-zA-Z][a-zA-Z0-9-]*+(?:{_ATTRIBUTE})*+[{BLANK}]*+/?+>"
_PROTECTING = re.compile(r"[`\\<]")
_PROTECTED = re.compile(
    r"(?P<ticks>`++)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    rf"|<(?P<link>[a-zA-Z][a-zA-Z0-9+.-]{{1,31}}:[^{BLANK}<>]*+|[\w.!#$%&'*+/=?^`{{|}}~-]++@[\w.-]++)>"
    rf"|(?P<tag><(?:{_TAG}|(?=!--[^-]){COMMENT}))"
)
_LABEL = rf"\[([^\[\]]{{0,{LONGEST_LINK}}}+)\]"
_TARGET = (
    rf"\([{BLANK}]*+(?:<[^<>\n]{{0,{LONGEST_LINK}}}+>|(?:[^{BLANK}()<]|\([^{BLANK}()]*+\)){{0,{LONGEST_LINK}}}+)"
    rf"""(?:[{BLANK}]++(?:"[^"]{{0,{LONGEST_LINK}}}+"|'[^']{{0,{LONGEST_LINK}}}+'|\([^()]{{0,{LONGEST_LINK}}}+\)))?+[{BLANK}]*+\)"""
)
_LINK = re.compile(rf"!?+{_LABEL}{_TARGET}")
_REFERENCE = re.compile(rf"!?+{_LABEL}(?:\[([^\[\]]{{0,999}}+)\])?+")
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,99}\]")
# Delimiters that hold no other of their kind: the innermost; a second and third pass see what stood around them.
_EMPHASIS = (
    re.compile(r"(\*{1,3}+)(?=[^\s*])([^*\n]*+(?:\n[^*\n]++)*+)(?<!\s)\1(?!\*)"),
    re.compile(r"(?<![\w\\])(_{1,3}+)(?=[^\s_])([^_\n]*+(?:\n[^_\n]++)*+)(?<!\s)\1(?!\w)"),
    re.compile(r"(~~)(?=[^\s~])([^~\n]*+)(?<!\s)\1(?!~)"),
)
NESTING = 3


def extract(data: bytes | str) -> Extracted:
    """The prose and the code of a document, without the markup."""
    text = data if isinstance(data, str) else decode(data).text
    return html.extract(to_html(text))


def to_html(text: str) -> str:
    """HTML with the same text; not the HTML that shows it as it should look."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _FRONT_MATTER.sub("", text)
    parts = [(is_code, escape(part, quote=False) if is_code else _protect(part)) for is_code, part in _parts(text)]
    labels = {_normal(label) for is_code, part in parts if not is_code for label in _DEFINITION.findall(part)}
    return "".join(part if is_code else _prose(part, labels) for is_code, part in parts)


def _parts(text: str) -> Iterator[tuple[bool, str]]:
    """Prose and fenced code, in order. A fence that is never closed ends with the document."""
    at = 0
    while fence := _FENCE.search(text, at):
        mark = fence[2]
        closing = re.compile(rf"^[ \t>]*+{mark[0]}{{{len(mark)},}}+[ \t]*+$\n?", re.MULTILINE).search(text, fence.end())
        end, after = (closing.start(), closing.end()) if closing else (len(text), len(text))
        yield False, text[at : fence.start()]
        yield True, "\n" + text[fence.end() : end] + "\n"
        at = after
    yield False, text[at:]


def _prose(text: str, labels: set[str]) -> str:
    text = _DEFINITION.sub("", text) if labels else text
    text = _TRAIL.sub("", _LEAD.sub("", _RULE.sub("", text)))
    if "[" in text:
        text = _links(text, labels)
    return _plain(text)


def _protect(text: str) -> str:
    """Code spans and escaped characters as entities, so that no other rule sees them."""
    parts, at = [], 0
    following = _ticks(text)
    while found := _PROTECTING.search(text, at):
        parts.append(text[at : found.start()])
        shield = _PROTECTED.match(text, found.start())
        at = shield.end() if shield else found.end()
        if shield and (ticks := shield["ticks"]):
            end = following(len(ticks), at)
            parts.append(ticks if end < 0 else _entities(text[at:end]))
            at = at if end < 0 else end + len(ticks)
        else:
            parts.append(_shielded(shield) if shield else _entities(found[0]))
    return "".join([*parts, text[at:]])


def _ticks(text: str) -> Callable[[int, int], int]:
    """Finds where the next run of so many backticks begins: -1 if there is none. A run is looked at once."""
    places: dict[int, list[int]] = {}
    for run in re.finditer("`+", text):
        places.setdefault(len(run[0]), []).append(run.start())
    for starts in places.values():
        starts.reverse()

    def following(length: int, at: int) -> int:
        starts = places.get(length, [])
        while starts and starts[-1] < at:
            starts.pop()
        return starts[-1] if starts else -1

    return following


def _shielded(found: re.Match[str]) -> str:
    return found["tag"] or _entities(found["escaped"] or found["link"])


_SHIELDED = {ord(character): f"&#{ord(character)};" for character in "!#&*+-<>[\\]_`|~="}


def _entities(text: str) -> str:
    return text.translate(_SHIELDED)


def _links(text: str, labels: set[str]) -> str:
    """Links, references and images become their texts; twice, for an image may be the text of a link."""
    for _ in range(2):
        text = _LINK.sub(r"\1", text)
        if labels:
            text = _REFERENCE.sub(lambda found: found[1] if _normal(found[2] or found[1]) in labels else found[0], text)
    return _FOOTNOTE.sub(" ", text)


def _plain(text: str) -> str:
    """Without the marks of emphasis."""
    for delimiter, expression in zip("*_~", _EMPHASIS, strict=True):
        for _ in range(NESTING if delimiter in text else 0):
            text = expression.sub(r"\2", text)
    return text


def _normal(label: str) -> str:
    return " ".join(label.casefold().split())
