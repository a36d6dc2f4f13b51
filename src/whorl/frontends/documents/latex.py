"""LaTeX to text: one pass over its tokens, with a stack of groups, whatever their depth. No macro is expanded.

Dropped are comments, the preamble but for the title, references and measures. Formulas are text too: their letters and
digits stay, Greek ones included, as they do in a PDF of the same paper. Footnotes follow the paragraph that they
interrupt. Other files of the document are not read, but noted.
"""

import re
import unicodedata
from dataclasses import dataclass, field

from whorl.frontends.documents import macros
from whorl.frontends.documents.extracted import Extracted
from whorl.frontends.encoding import decode

# Every loop is possessive or bounded, so that no token is read over and over.
_TOKEN = re.compile(
    r"(?P<text>(?:[^\\%{}$&~^_`'\n-]++|[`'-](?![`'-])|\n(?![^\S\n]*+\n))++)"
    r"|(?P<comment>%[^\n]*+(?:\n[^\S\n]*+)?+)"
    r"|\\(?P<edge>begin|end)[ \t]*+\{(?P<environment>[^{}\\\s]{1,64}+)\}"
    r"|\\(?:verb|lstinline)\*?+(?P<delimiter>[^\sa-zA-Z*{\[])(?P<verbatim>[^\n]{0,500}?)(?P=delimiter)"
    r"|\\(?P<accent>['`^\"~=.]|[uvHckrbdt](?![a-zA-Z]))[ ]?"
    r"(?:\{[ ]?(?P<braced>\\[ij](?![a-zA-Z])|[^\W\d_])?[ ]?\}|(?P<bare>\\[ij](?![a-zA-Z])|[^\W\d_]))"
    r"|\\(?P<word>[a-zA-Z@]++)\*?+[ \t]*+"
    r"|\\\\\*?+(?:\[[^\]\n]{0,40}\])?+(?P<newline>)"
    r"|\\(?P<sign>(?s:.))"
    r"|(?P<blank>\n[^\S\n]*+\n\s*+)"
    r"|(?P<brace>[{}])"
    r"|(?P<ligature>``|''|---?|(?s:.))"
)
_OPTION = re.compile(r"\[[^\[\]]{0,300}\]")
_OPENING = re.compile(r"(?:\[[^\[\]]{0,300}\])?\s{0,9}\{")
# What may stand before an argument: blanks, options, the parameters of a definition.
_GAP = re.compile(r"(?:\s|#[0-9]|\[[^\[\]]{0,300}\]){0,20}")
_CONTROL = re.compile(r"\\[a-zA-Z@]++")
_EDGE = re.compile(r"[{}]|\\(?s:.)|\n[^\S\n]*+\n")
_BLANK_LINES = re.compile(r"\n[^\S\n]*+\n\s*+")

LIGATURES = {"``": "“", "''": "”", "--": "–", "---": "—", "~": " ", "&": "\t", "`": "`", "'": "'", "-": "-"}
SIGNS = {sign: sign for sign in "%&$#_{}"} | dict.fromkeys(",;: \n", " ") | {"-": "\xad", "[": "\n", "]": "\n"}
MOST_NAMED = 5  # files that a note names


def extract(data: bytes | str) -> Extracted:
    """The text of a document, or of a part of one that has no preamble."""
    reader = _Reader(data if isinstance(data, str) else decode(data).text)
    text = unicodedata.normalize("NFC", reader.read())
    return Extracted(_BLANK_LINES.sub("\n\n", text).strip(), note=_note(reader.included))


def _note(included: list[str]) -> str:
    if not included:
        return ""
    more = f" and {len(included) - MOST_NAMED} more" if len(included) > MOST_NAMED else ""
    return f"other files that it includes were not read: {', '.join(included[:MOST_NAMED])}{more}"


@dataclass
class _Reader:
    """The state of one pass."""

    source: str
    at: int = 0
    out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # that wait for the end of the paragraph
    title: str = ""
    included: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)  # of each open brace, the command whose argument it holds
    outer: list[list[str]] = field(default_factory=list)  # what notes and titles interrupt
    endless: set[str] = field(default_factory=set)  # environments that nothing closes from here on
    unclosed: bool = False  # whether a definition had no end

    def read(self) -> str:
        while found := _TOKEN.match(self.source, self.at):
            self.at = found.end()
            kind = found.lastgroup
            if kind == "text":
                self.out.append(found[0])
            elif kind == "environment":
                self._environment(found["edge"], found["environment"])
            elif kind is not None:
                self._take(kind, found)
        while self.groups:
            self._close()
        return "".join(self.out + self.notes)

    def _take(self, kind: str, found: re.Match[str]) -> None:
        if kind == "word":
            self._word(found["word"], found[0])
        elif kind == "brace":
            self._brace(found[0])
        elif kind in ("accent", "braced", "bare"):
            letter = (found["braced"] or found["bare"] or "").lstrip("\\")
            self.out.append(letter + macros.ACCENTS[found["accent"]] if letter else found["accent"])
        elif kind == "blank":
            self._paragraph()
        elif kind == "ligature":
            self.out.append(LIGATURES.get(found[0], ""))
        elif kind == "sign":
            self.out.append(SIGNS.get(found["sign"], ""))
        elif kind == "newline":
            self.out.append("\n")
        elif kind == "verbatim":
            self.out.append(found["verbatim"])

    def _paragraph(self) -> None:
        self.out.append("\n\n")
        if not self.outer:
            self.out += self.notes
            self.notes = []

    def _brace(self, brace: str) -> None:
        if brace == "{":
            self.groups.append("")
        elif self.groups:
            self._close()

    def _close(self) -> None:
        command = self.groups.pop()
        if command in macros.NOTES:
            self.notes += ["\n", *self.out, "\n"]
            self.out = self.outer.pop()
        elif command == "title":
            self.title = "".join(self.out)
            self.out = self.outer.pop()
            self.out += [self.title, "\n"]
        elif command:
            self.out.append("\n")

    def _word(self, word: str, written: str) -> None:
        if word in macros.TEXTS:
            self.out.append(macros.TEXTS[word])
        elif word in macros.DROPPED:
            self._drop(word)
        elif word in macros.HEADINGS or word in macros.NOTES:
            self._open(word)
        elif word == "par":
            self._paragraph()
        elif word in macros.BREAKS:
            self.out.append(macros.BREAKS[word])
        elif not written.endswith((" ", "\t")) and (option := _OPTION.match(self.source, self.at)):
            self.at = option.end()
        elif not self.source.startswith("{", self.at):
            self.out.append(" ")  # a macro of the writer's that stands for something between two words, or a setting

    def _open(self, word: str) -> None:
        """The argument of a heading or a note."""
        if word in macros.HEADINGS:
            self.out.append("\n")
        if opening := _OPENING.match(self.source, self.at):
            self.at = opening.end()
            titled = word == "title" and not self.outer  # one within another is a heading like others
            self.groups.append("heading" if word == "title" and not titled else word)
            if word in macros.NOTES or titled:
                self.outer.append(self.out)
                self.out = []

    def _drop(self, word: str) -> None:
        for _ in range(macros.DROPPED[word]):
            argument = self._argument(word in macros.DEFINITIONS)
            if word in macros.INCLUDES and argument.strip():
                self.included.append(argument.strip())

    def _argument(self, long: bool = False) -> str:
        """Pass over an argument, if one follows. It ends at its brace, or with the paragraph, unless it is ``long``."""
        gap = _GAP.match(self.source, self.at)
        start = gap.end() if gap else self.at
        if control := _CONTROL.match(self.source, start):
            self.at = control.end()
            return ""
        if not self.source.startswith("{", start):
            return ""
        long = long and not self.unclosed
        end, closed = self._end(start, long)
        if long and not closed:  # found out once: from here on, all ends with the paragraph
            self.unclosed = True
            end, closed = self._end(start, long=False)
        self.at = end
        return self.source[start + 1 : end - closed]

    def _end(self, start: int, long: bool) -> tuple[int, bool]:
        """Where a group ends, and whether a brace ends it."""
        depth = 0
        for edge in _EDGE.finditer(self.source, start):
            if edge[0] == "{":
                depth += 1
            elif edge[0] == "}":
                depth -= 1
                if not depth:
                    return edge.end(), True
            elif edge[0][0] == "\n" and not long:
                return edge.start(), False
        return len(self.source), False

    def _environment(self, edge: str, name: str) -> None:
        self.out.append("\n")
        if name == "document":
            self._document(edge)
        elif edge == "begin":
            if option := _OPTION.match(self.source, self.at):
                self.at = option.end()
            for _ in range(macros.MEASURED.get(name, 0)):
                self._argument()
            if name in macros.VERBATIM and name not in self.endless:
                self._verbatim(name)

    def _document(self, edge: str) -> None:
        """What stands before the document is its preamble; what stands after it is not read."""
        if edge == "end":
            self.at = len(self.source)
            return
        self.out = [self.title, "\n\n"] if self.title else []
        self.notes, self.groups, self.outer, self.included = [], [], [], []

    def _verbatim(self, name: str) -> None:
        closing = f"\\end{{{name}}}"
        end = self.source.find(closing, self.at)
        if end < 0:
            self.endless.add(name)
            return
        if name not in macros.UNREAD:
            self.out += [self.source[self.at : end], "\n"]
        self.at = end + len(closing)
