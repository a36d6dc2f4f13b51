"""Extract the text of rich text (RTF): one pass over its control words, with a stack of groups of any depth.

Invisible content is dropped: tables of fonts and styles, pictures, field codes, hidden and deleted text. Footnotes
follow the paragraph that they interrupt.
"""

import codecs
import re
from dataclasses import dataclass, field
from typing import NamedTuple

from whorl.errors import DocumentError
from whorl.formats.documents.extraction import Extracted

_TOKEN = re.compile(
    r"(?P<text>[^\\{}\r\n]++)"
    r"|\\(?:(?P<word>[a-zA-Z]{1,32}+)(?P<number>-?[0-9]{1,10}+)?+ ?+|'(?P<byte>[0-9a-fA-F]{2})|(?P<sign>(?s:.)))"
    r"|(?P<brace>[{}])|[\r\n]++|\\"
)
_UNITS = re.compile("[\ud800-\udfff]")

# Destinations without text of the document. One that is optional ({\*…}) is unknown to most readers and has none.
_SKIPPED = """
    fonttbl colortbl stylesheet info pict object fldinst listtable listoverridetable revtbl rsidtbl generator
    latentstyles themedata colorschememapping datastore xmlnstbl filetbl annotation atnid atnauthor bkmkstart bkmkend
    template passwordhash mmathPr xe tc pntext listtext
"""
SKIPPED = frozenset(_SKIPPED.split())
TEXTS = dict.fromkeys(("par", "line", "sect", "page", "row", "column"), "\n")
TEXTS |= dict.fromkeys(("tab", "cell", "nestcell"), "\t") | dict.fromkeys(("emspace", "enspace", "qmspace"), " ")
TEXTS |= {"emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022"}
TEXTS |= {"lquote": "\u2018", "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d"}
SIGNS = {"~": "\xa0", "-": "\xad", "_": "\u2011", "{": "{", "}": "}", "\\": "\\", "\n": "\n", "\r": "\n"}
PROPERTIES = frozenset(("uc", "v", "deleted", "plain", "footnote", "f", "fcharset", "ansicpg", "mac", "pc", "pca"))
PROPERTIES |= {"cf", "fs"}
PARAGRAPHS = frozenset({"par", "sect", "page", "row"})

# Windows' numbers of character sets (\fcharset) that are not that of the whole document.
CHARSETS = {77: 10000, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258}
CHARSETS |= {177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250}
NAMED = {10000: "mac_roman", 65001: "utf-8", 936: "gbk"}  # code pages that Python knows by another name
USUAL = "cp1252"


class _Group(NamedTuple):
    """The state within a pair of braces."""

    skipped: bool = False
    hidden: bool = False
    fallback: int = 1  # characters after a \u that stand for it in readers without Unicode
    codec: str = USUAL
    aside: bool = False
    fonts: bool = False
    colour: int = 0  # the number of the letters' colour in the table of colours
    size: int = 24  # of the letters, in half points


def extract(data: bytes | str) -> Extracted:
    return Extracted(_Reader(_source(data), isinstance(data, str)).read().strip("\n"))


def runs(data: bytes | str) -> list[tuple[str, int, int]]:
    """Return the runs of the text in order, each with the number of its colour and its size in half points."""
    reader = _RunReader(_source(data), isinstance(data, str))
    reader.read()
    return reader.runs


def _source(data: bytes | str) -> str:
    text = data if isinstance(data, str) else data.decode("latin-1")
    if not text.lstrip("\ufeff\r\n\t ").startswith("{\\rtf"):
        raise DocumentError("it is no RTF: it does not begin with {\\rtf")
    return text


@dataclass
class _Reader:
    """The state of one pass."""

    source: str
    decoded: bool  # whether letters beyond ASCII are themselves, not bytes of a code page
    group: _Group = field(default_factory=_Group)
    outer: list[_Group] = field(default_factory=list)
    out: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    raw: bytearray = field(default_factory=bytearray)  # bytes of one code page, not yet decoded
    fonts: dict[int, str] = field(default_factory=dict)
    font: int = 0
    codec: str = USUAL
    ignored: int = 0  # characters that a \u still stands for
    resume: int = 0  # where binary data end

    def read(self) -> str:
        for match in _TOKEN.finditer(self.source):
            if match.start() < self.resume:
                continue
            kind = match.lastgroup
            if kind == "text":
                self._text(match[0])
            elif kind == "byte":
                self._byte(int(match[0][2:], 16))
            elif kind == "brace":
                self._brace(match[0])
            elif kind == "sign":
                self._sign(match[0][1])
            elif kind is not None:
                self._word(match)
        self._flush()
        return _paired("".join(self.out + self.notes))

    def _emit(self, text: str) -> None:
        if self.raw:
            self._flush()
        if not self.group.skipped and not self.group.hidden:
            (self.notes if self.group.aside else self.out).append(text)

    def _flush(self) -> None:
        """Decode the pending bytes: letters of some code pages have two."""
        text = self.raw.decode(self.group.codec, "replace")
        self.raw = bytearray()
        self._emit(text)

    def _text(self, text: str) -> None:
        skip = min(self.ignored, len(text))
        self.ignored -= skip
        if len(text) == skip:
            return
        if self.decoded or (text.isascii() and not self.raw):
            self._emit(text[skip:])
        else:
            self.raw += text[skip:].encode("latin-1")

    def _byte(self, byte: int) -> None:
        if self.ignored:
            self.ignored -= 1
        elif not self.group.skipped:
            self.raw.append(byte)

    def _brace(self, brace: str) -> None:
        if self.raw:
            self._flush()
        self.ignored = 0
        if brace == "{":
            self.outer.append(self.group)
        elif self.outer:
            ended, self.group = self.group, self.outer.pop()
            if ended.aside and not self.group.aside:
                self.notes.append("\n")

    def _sign(self, sign: str) -> None:
        if sign == "*":
            self.group = self.group._replace(skipped=True)
        elif sign in SIGNS and not self.ignored:
            self._emit(SIGNS[sign])
        self.ignored = max(self.ignored - 1, 0)

    def _word(self, match: re.Match[str]) -> None:
        word, number = match["word"], int(match["number"]) if match["number"] else None
        if word == "u" and number is not None:
            self._character(number)
        elif word == "bin":
            self.resume = match.end() + max(number or 0, 0)
        elif word in TEXTS:
            self._emit(TEXTS[word])
            if word in PARAGRAPHS and not self.group.aside:
                self.out += self.notes
                self.notes = []
        elif word in PROPERTIES or word in SKIPPED:
            self._emit("")
            self._property(word, number)

    def _character(self, number: int) -> None:
        """Append a UTF-16 unit, written as a signed number. Surrogate pairs are joined at the end."""
        self._emit(chr(number & 0xFFFF) if abs(number) <= 0xFFFF else "\ufffd")
        self.ignored = self.group.fallback

    def _property(self, word: str, number: int | None) -> None:
        if word in SKIPPED:
            self.group = self.group._replace(skipped=True, fonts=self.group.fonts or word == "fonttbl")
        elif word == "uc":
            self.group = self.group._replace(fallback=min(max(number or 0, 0), 16))
        elif word in ("v", "deleted"):
            self.group = self.group._replace(hidden=number != 0)
        elif word == "plain":
            self.group = self.group._replace(hidden=False, colour=0, size=24)
        elif word == "footnote":
            self.group = self.group._replace(aside=True)
        elif word == "cf":
            self.group = self.group._replace(colour=number or 0)
        elif word == "fs":
            self.group = self.group._replace(size=24 if number is None else number)
        else:
            self._encoding(word, number or 0)

    def _encoding(self, word: str, number: int) -> None:
        if word == "f":
            self.font = number
            self.group = self.group._replace(codec=self.fonts.get(number, self.codec))
        elif word == "fcharset":
            if self.group.fonts and number in CHARSETS:
                self.fonts[self.font] = _codec(CHARSETS[number])
        else:
            self.codec = _codec({"mac": 10000, "pc": 437, "pca": 850}.get(word, number))
            self.group = self.group._replace(codec=self.codec)


@dataclass
class _RunReader(_Reader):
    """A pass that keeps how each run of the text looks."""

    runs: list[tuple[str, int, int]] = field(default_factory=list)

    def _emit(self, text: str) -> None:
        super()._emit(text)
        if text and not self.group.skipped and not self.group.hidden:
            self.runs.append((text, self.group.colour, self.group.size))


def _paired(text: str) -> str:
    """Return the text with each pair of UTF-16 units made one character; a unit without its other half is U+FFFD."""
    if not _UNITS.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _codec(page: int) -> str:
    name = NAMED.get(page, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return USUAL
