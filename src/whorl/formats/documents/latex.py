"""Extract the text of LaTeX: one pass over its tokens, with tables of its commands. No macro is expanded."""

import re
import unicodedata
from dataclasses import dataclass, field

from whorl.formats.documents.extraction import Extracted
from whorl.formats.encoding import decode

# Commands that are dropped, with how many arguments. All others are dropped alone: what they are applied to is text.
_DROPPED = {
    1: """
    label ref pageref eqref autoref nameref cref Cref vref cite citep citet citealt citealp citeauthor citeyear
    citeyearpar Cite parencite textcite footcite autocite nocite bibliography bibliographystyle addbibresource input
    include includeonly subfile includegraphics graphicspath usepackage RequirePackage documentclass LoadClass pagestyle
    thispagestyle pagenumbering vspace hspace phantom hphantom vphantom index glsadd hypersetup color pagecolor
    newcounter stepcounter refstepcounter usetikzlibrary lstset geometry selectlanguage newif bibitem href cline
    cmidrule theoremstyle linespread lstinputlisting verbatiminput
    """,
    2: """
    setlength addtolength setcounter addtocounter newtheorem numberwithin definecolor rule newcommand renewcommand
    providecommand DeclareMathOperator DeclareRobustCommand def gdef edef xdef
    """,
    3: "newenvironment renewenvironment NewDocumentCommand addcontentsline",
}
DROPPED = {name: count for count, names in _DROPPED.items() for name in names.split()}

# Commands that define something: their arguments may have several paragraphs.
_DEFINITIONS = """
    newcommand renewcommand providecommand DeclareRobustCommand newenvironment renewenvironment NewDocumentCommand
    def gdef edef xdef
"""
DEFINITIONS = frozenset(_DEFINITIONS.split())

# Environments whose first arguments are measures or settings, not text.
MEASURED = {"tabular": 1, "tabular*": 2, "tabularx": 2, "longtable": 1, "array": 1, "minipage": 1, "multicols": 1}
MEASURED |= {"thebibliography": 1, "wrapfigure": 2, "list": 2, "adjustbox": 1, "subfigure": 1, "minted": 1}

# Environments that are read as they stand, or not at all.
UNREAD = frozenset(("comment", "tikzpicture", "picture", "pspicture", "filecontents", "filecontents*"))
VERBATIM = UNREAD | {"verbatim", "verbatim*", "Verbatim", "lstlisting", "minted", "alltt"}

# The condition whose first side is not read.
FALSE = "iffalse"

# Commands that name another file of the document.
INCLUDES = frozenset(("input", "include", "subfile", "lstinputlisting", "verbatiminput"))

# Commands whose argument stands on lines of its own, and those whose argument follows the paragraph.
HEADINGS = frozenset(("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "caption", "title"))
NOTES = frozenset(("footnote", "footnotetext", "thanks", "marginpar", "endnote"))
BREAKS = dict.fromkeys(("item", "newline", "linebreak", "newpage", "clearpage", "tabularnewline", "hline"), "\n")

ACCENTS = {"'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307"}
ACCENTS |= {"u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a"}
ACCENTS |= {"b": "\u0331", "d": "\u0323", "t": "\u0361"}

_LETTERS = {"ss": "ß", "SS": "ẞ", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł"}
_LETTERS |= {"aa": "å", "AA": "Å", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ"}
_LETTERS |= {"i": "ı", "j": "ȷ", "TeX": "TeX", "LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX"}
_LETTERS |= {"ldots": "…", "dots": "…", "textellipsis": "…", "textendash": "–", "textemdash": "—", "textbar": "|"}
_LETTERS |= {"textbackslash": "\\", "textasciitilde": "~", "textasciicircum": "^", "textquoteright": "’"}
_LETTERS |= {"quad": " ", "qquad": " ", "space": " ", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€"}
# Greek, as a formula prints it.
_GREEK = """
    alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ
    nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω
    Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω ell ℓ hbar ℏ
"""
_PAIRS = _GREEK.split()
_OPERATORS = "sin cos tan log ln exp lim max min sup inf det dim ker gcd arg deg mod Pr sinh cosh tanh limsup liminf"
TEXTS = _LETTERS | dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True))
TEXTS |= {operator: f" {operator} " for operator in _OPERATORS.split()}


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
# The beginning, the division and the end of a condition of TeX; comments and escaped signs are passed over.
_CONDITION = re.compile(
    r"%[^\n]*+|\\(?P<begin>if(?:cat|num|dim|odd|[vhm]mode|inner|void|[hv]box|x|eof|true|false|case|defined|csname)?+)(?![a-zA-Z@])"
    r"|\\(?P<end>else|fi)(?![a-zA-Z@])|\\(?s:.)"
)
_BLANK_LINES = re.compile(r"\n[^\S\n]*+\n\s*+")

LIGATURES = {"``": "“", "''": "”", "--": "–", "---": "—", "~": " ", "&": "\t", "`": "`", "'": "'", "-": "-"}
SIGNS = {sign: sign for sign in "%&$#_{}"} | dict.fromkeys(",;: \n", " ") | {"-": "\xad", "[": "\n", "]": "\n"}
MOST_NAMED = 5  # files that a note names


def extract(data: bytes | str) -> Extracted:
    """Return the text of a document, or of a part of one that has no preamble."""
    reader = _Reader(data if isinstance(data, str) else decode(data).text)
    text = unicodedata.normalize("NFC", reader.read())
    return Extracted(_BLANK_LINES.sub("\n\n", text).strip(), note=_note(reader.included))


def _note(included: list[str]) -> str:
    if not included:
        return ""
    more = f" and {len(included) - MOST_NAMED} more" if len(included) > MOST_NAMED else ""
    return f"included files were not read: {', '.join(included[:MOST_NAMED])}{more}"


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
        while match := _TOKEN.match(self.source, self.at):
            self.at = match.end()
            kind = match.lastgroup
            if kind == "text":
                self.out.append(match[0])
            elif kind == "environment":
                self._environment(match["edge"], match["environment"])
            elif kind is not None:
                self._take(kind, match)
        while self.groups:
            self._close()
        return "".join(self.out + self.notes)

    def _take(self, kind: str, match: re.Match[str]) -> None:
        if kind == "word":
            self._word(match["word"], match[0])
        elif kind == "brace":
            self._brace(match[0])
        elif kind in ("accent", "braced", "bare"):
            letter = (match["braced"] or match["bare"] or "").lstrip("\\")
            self.out.append(letter + ACCENTS[match["accent"]] if letter else match["accent"])
        elif kind == "blank":
            self._paragraph()
        elif kind == "ligature":
            self.out.append(LIGATURES.get(match[0], ""))
        elif kind == "sign":
            self.out.append(SIGNS.get(match["sign"], ""))
        elif kind == "newline":
            self.out.append("\n")
        elif kind == "verbatim":
            self.out.append(match["verbatim"])

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
        if command in NOTES:
            self.notes += ["\n", *self.out, "\n"]
            self.out = self.outer.pop()
        elif command == "title":
            self.title = "".join(self.out)
            self.out = self.outer.pop()
            self.out += [self.title, "\n"]
        elif command:
            self.out.append("\n")

    def _word(self, word: str, written: str) -> None:
        if word in TEXTS:
            self.out.append(TEXTS[word])
        elif word in DROPPED:
            self._drop(word)
        elif word in HEADINGS or word in NOTES:
            self._open(word)
        elif word == "par":
            self._paragraph()
        elif word == FALSE and word not in self.endless:
            self._skip_condition()
        elif word in BREAKS:
            self.out.append(BREAKS[word])
        elif not written.endswith((" ", "\t")) and (option := _OPTION.match(self.source, self.at)):
            self.at = option.end()
        elif not self.source.startswith("{", self.at):
            self.out.append(" ")  # a macro of the writer's that stands for something between two words, or a setting

    def _skip_condition(self) -> None:
        """Skip what is never printed, up to the end or the other side of its condition: a long comment."""
        depth = 1
        for part in _CONDITION.finditer(self.source, self.at):
            depth += part["begin"] is not None
            depth -= part["end"] == "fi"
            if not depth or (depth == 1 and part["end"] == "else"):
                self.at = part.end()
                return
        self.endless.add(FALSE)

    def _open(self, word: str) -> None:
        """Open the argument of a heading or a note."""
        if word in HEADINGS:
            self.out.append("\n")
        if opening := _OPENING.match(self.source, self.at):
            self.at = opening.end()
            titled = word == "title" and not self.outer  # one within another is a heading like others
            self.groups.append("heading" if word == "title" and not titled else word)
            if word in NOTES or titled:
                self.outer.append(self.out)
                self.out = []

    def _drop(self, word: str) -> None:
        for _ in range(DROPPED[word]):
            argument = self._argument(word in DEFINITIONS)
            if word in INCLUDES and argument.strip():
                self.included.append(argument.strip())

    def _argument(self, long: bool = False) -> str:
        """Skip an argument, if one follows. It ends at its brace, or with the paragraph, unless it is ``long``."""
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
        """Return where a group ends, and whether a brace ends it."""
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
            for _ in range(MEASURED.get(name, 0)):
                self._argument()
            if name in VERBATIM and name not in self.endless:
                self._verbatim(name)

    def _document(self, edge: str) -> None:
        """Enter or leave the document: the preamble before it and the text after it are not read."""
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
        if name not in UNREAD:
            self.out += [self.source[self.at : end], "\n"]
        self.at = end + len(closing)
