"""The places of a manuscript that do not count: quotations and bibliography, by their marks, headings and structure."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from heapq import merge
from itertools import pairwise

from whorl.errors import DocumentError
from whorl.formats.documents.extraction import SectionMark
from whorl.formats.encoding import decode, load_content
from whorl.formats.reading import choose, is_extracting
from whorl.matching.passage import union
from whorl.model import Document, Span
from whorl.scheme import Scheme


class Reason(StrEnum):
    """Why a place in the manuscript does not count."""

    QUOTATION = "quotation"
    BIBLIOGRAPHY = "bibliography"
    BASE = "base"


# Marks of a quotation: opening → closing. German „…“, »…« and ‚…‘ open with marks that close in other languages.
# Swedish and Finnish ”…” and »…» open as they close.
_MARKS = {
    "“": "”“", "„": "“”", "«": "»", "»": "«»", "‹": "›", "›": "‹›", "‘": "’", "‚": "‘’", '"': '"', "'": "'",
    "「": "」", "『": "』", "”": "”", "״": "״",
}  # fmt: skip
# Scripts without spaces between words: Thai and Lao, Burmese, Khmer, kana, Han.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
# No letter is before or after a quotation, but in these scripts, and in Korean, where a particle follows. The number of
# a note may follow, too.
_BESIDE = rf"[{_UNSPACED}\uac00-\ud7a3]"
_BEFORE = rf"(?:(?<!\w)|(?<={_BESIDE}))"
_BEHIND = rf"(?:(?!\w)|(?={_BESIDE})|(?=[\d\u00b2\u00b3\u00b9\u2070-\u2079]{{1,3}}(?!\w)))"
_PARAGRAPH = re.compile(r"\S.*(?:\n(?![ \t]*\n).*)*")
_LINE = re.compile(r"\S.*")
# In French a space follows. '90s has an apostrophe. Marks that close in other languages open only before a word.
_OPENING = re.compile(
    rf"{_BEFORE}(?:[«‹]|[“„‚\"「『״](?=\S)|[‘'](?!\d\ds\b)(?=\S)|(?<![^\s(\[—–-])[”»›](?=[\w¿¡(\[„‚‘“]))"
)
_QUOTED_LINES = re.compile(r"^(?: {0,3}>.*\n?)+", re.MULTILINE)

# The quotations and bibliographies that a format itself marks: how they begin and end. A group is the name of one that
# has others inside it, and ends with the same name.
_ENVIRONMENT = r"\{(quote|quotation|displayquote|quoting)\}"
_STRUCTURES = {
    # A line of text that follows a quoted one at once is a part of the quotation.
    "markdown": ((Reason.QUOTATION, r"^ {0,3}>", r"$(?!\n {0,3}(?:>|(?![-*+#`~|<]|\d+[.)])\S))"),),
    "html": ((Reason.QUOTATION, r"(?i)<(blockquote|q)\b", r"(?i)</(blockquote|q)\s*>"),),
    "latex": (
        (Reason.QUOTATION, rf"\\begin{_ENVIRONMENT}", rf"\\end{_ENVIRONMENT}"),
        (Reason.BIBLIOGRAPHY, r"\\begin\{(thebibliography)\}", r"\\end\{(thebibliography)\}"),
    ),
}
# Commands of LaTeX's csquotes up to the brace that opens the quotation.
_OPTIONS = r"(?:\[[^\]\n]*\])*"
_QUOTING = re.compile(
    rf"\\(?:(?:en|text|block)quote\*?|(?:foreign|hyphen)quote\*?\{{[\w-]+\}}"
    rf"|(?:text|block)cquote\*?{_OPTIONS}\{{[^{{}}\n]*\}}){_OPTIONS}\{{"
)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_COMMENTS = {"html": re.compile(r"(?s)<!--.*?-->"), "latex": re.compile(r"(?<!\\)%.*")}
# Characters of private use, to mark the beginnings and ends of structures in a source while its text is extracted.
_PRIVATE = range(0xE000, 0xF8FF)
# Letters of a piece of a text that may occur elsewhere by chance.
_BY_CHANCE = 20
# Stretches that may be missing when marks changed the reading. Each costs a search of the whole text.
_MISSED = 100

# Headings of a bibliography in some thirty languages, and of what may follow it.
_HEADING = re.compile(
    r"^[ \t#*]*(?:(?:\d+|[IVX]+)[.)]?[ \t]+)?(?:(?:list of |cited |selected |further )?"
    r"(?:references?(?: cited)?|bibliography|works cited|literature(?: cited)?|reading)|"
    r"literatur(?:verzeichnis|liste)?|quellen(?:verzeichnis)?|bibliogra(?:ph|f)ie|"
    r"références(?: bibliographiques)?|ouvrages cités|bibliograf[ií]a|"
    r"referencias(?: bibliográficas)?|obras citadas|riferimenti(?: bibliografici)?|referências(?: bibliográficas)?|"
    r"literatuur(?:lijst)?|referenties|bronnen|literatura|seznam literatury|referenser|källor|litteratur(?:liste)?|"
    r"käll- och litteraturförteckning|referencer|referanser|kilder|lähteet|kirjallisuus|irodalom(?:jegyzék)?|"
    r"kaynakça|kaynaklar|βιβλιογραφία|(?:список )?литератур[аы]|библиография|(?:список )?літератур[аи]|"
    r"参考文献|參考文獻|引用文献|[参參]考[书書]目|참고 ?문헌|ביבליוגרפיה|(?:רשימת )?מקורות|רשימה ביבליוגרפית|"
    r"(?:قائمة )?(?:المراجع|المصادر|المصادر والمراجع|المراجع والمصادر)|(?:فهرست )?منابع(?: و مآخذ)?|مراجع|"
    r"บรรณานุกรม|เอกสารอ้างอิง|tài liệu tham khảo|daftar pustaka|संदर्भ(?: ग्रंथ सूची)?)[ \t]*[:.]?[ \t*#]*$",
    re.IGNORECASE | re.MULTILINE,
)
_AFTER = re.compile(
    r"^[ \t#*]*(?:(?:\d+|[A-Z])[.)]?[ \t]+)?(?:(?:appendi(?:x|ces|ce)|annexe?s?|anhang|apéndices?|apêndices?|anexos?|"
    r"bijlagen?|bilag(?:a|or|er)?|vedlegg|liitteet|liite|függelék|příloha|załącznik|ekler|"
    r"acknowledge?ments|danksagung|remerciements|agradecimientos|agradecimentos|ringraziamenti|dankwoord|"
    r"supplement(?:ary material)?|author contributions|приложени[ея]|благодарности|נספח(?:ים)?|(?:ال)?مل(?:حق|احق)|"
    r"پیوست(?:‌?ها)?|phụ lục|lampiran)\b.{0,60}|"
    r"(?:附录|附錄|付録|致谢|致謝|謝辞|부록|감사의 글|ภาคผนวก).{0,30})$",
    re.IGNORECASE | re.MULTILINE,
)
# Signs of a reference, and how an entry begins: a number, or a surname and initials. A year may touch a Chinese letter.
_YEAR = re.compile(r"(?<![0-9A-Za-z_])(?:1[5-9]|20)\d\d[a-z]?(?![0-9A-Za-z_])")
_SIGNS = re.compile(rf"{_YEAR.pattern}|\bdoi\b|\barXiv\b|https?://|\bpp?\.|\bS\.\s\d|\bISBN\b", re.IGNORECASE)
_BEGINNING = re.compile(r"[ \t]*(?:[-*•][ \t]+)?(?:\[\w+\]|\(?\d+[.)]|[^\W\d_][\w’'-]+,[ \t]+[^\W\d_]\.)")
_ENTRY = re.compile(rf"{_BEGINNING.pattern}|[^\W\d_][\w’'-]+,[ \t]+[^\W\d_]\w+")
# Words: two letters of a script without spaces, or letters up to the next space.
_WORDS = re.compile(rf"[{_UNSPACED}]{{1,2}}|[^\s{_UNSPACED}]+")

# Words of an entry at most, words for one sign of a reference at most, and words of prose that ends a list.
_LONGEST_ENTRY, _WORDS_PER_SIGN, _PROSE = 80, 50, 40
# Neighbouring entries without a heading that make a bibliography.
_ENTRIES = 3


def find_places(
    document: Document, text: str, form: str, marks: Sequence[SectionMark], scheme: Scheme
) -> dict[Reason, tuple[Span, ...]]:
    """Return the quotations and the bibliography of a manuscript, given its text, its format and its marks."""
    styled = [(Reason(mark.label), Span(mark.start, mark.end)) for mark in marks if mark.kind == "style"]
    marked = [*styled, *_structures(document, text, form, scheme)]
    lines = text.replace("\r\n", " \n").replace("\r", "\n")  # as long as the text, so that spans are the same
    places = {Reason.QUOTATION: quotations(lines), Reason.BIBLIOGRAPHY: bibliography(lines)}
    return {
        reason: tuple(union((*spans, *(span for each, span in marked if each is reason))))
        for reason, spans in places.items()
    }


def quotations(text: str) -> list[Span]:
    """Return the quotations of a text, with their marks. One ends in its paragraph, unless the next paragraph begins
    with its mark again. Lines that begin with > are quotations too."""
    spans = [Span(*match.span()) for match in _QUOTED_LINES.finditer(text)]
    closings = {mark: _closings(text, marks) for mark, marks in _MARKS.items()}
    paragraphs = [match.span() for match in _PARAGRAPH.finditer(text)]
    for (start, end), (following, _) in pairwise([*paragraphs, (len(text), 0)]):
        behind = start
        for match in _OPENING.finditer(text, start, end):
            place, ends = match.start(), closings[match[0]]
            number = bisect_left(ends, place + 2)
            if place >= behind and number < len(ends) and ends[number] < end:
                behind = ends[number] + 1
                spans.append(Span(place, behind))
            elif place >= behind and match[0] not in "'\"‘‚" and text.startswith(match[0], following):
                behind = end
                spans.append(Span(place, end))
    return union(spans)


def _closings(text: str, marks: str) -> list[int]:
    """Return the places where marks can close a quotation. An apostrophe within a word closes nothing."""
    apart = r"(?<!\s)" if set(marks) & set("'’‘") else ""
    return [match.start() for match in re.finditer(rf"{apart}[{marks}]{_BEHIND}", text)]


def letters_of(text: str) -> str:
    """Return the letters and digits of a text."""
    return "".join(filter(str.isalnum, text))


def locate(pieces: Iterable[str], text: str) -> tuple[list[Span], int]:
    """Return the places of the pieces of a text, and the number of letters without one. Letters are compared. A piece
    follows the one before, or is longer than any that occurs by chance."""
    places, letters = [place for place, character in enumerate(text) if character.isalnum()], letters_of(text)
    spans, behind, missed, searched = list[Span](), 0, 0, 0
    for piece in pieces:
        wanted = letters_of(piece)
        start = behind if letters.startswith(wanted, behind) else -1
        if start < 0 and len(wanted) >= _BY_CHANCE and searched <= _MISSED:
            start = letters.find(wanted, behind)
            start = letters.find(wanted) if start < 0 else start
            searched += start < 0
        if start < 0:
            missed += len(wanted)
        elif wanted:
            behind = start + len(wanted)
            spans.append(Span(places[start], places[behind - 1] + 1))
    return union(spans), missed


def bibliography(text: str) -> list[Span]:
    """Return the lists of references of a text: after a heading, or several entries in a row."""
    spans, behind = list[Span](), 0
    parts = [match.start() for match in _AFTER.finditer(text)]
    for match in _HEADING.finditer(text):
        if match.start() >= behind:
            behind, has_references = _list_end(text, match.end(), parts)
            spans += [Span(match.start(), behind)] if has_references else []
    return union((*spans, *_entries(text, _PARAGRAPH), *_entries(text, _LINE)))


def _list_end(text: str, start: int, parts: Sequence[int]) -> tuple[int, bool]:
    """Return the end of the list after a heading, and whether it has any references: before the next of the parts that
    begin at ``parts``, or before prose. That is one paragraph, or several short ones, with hardly a sign of a
    reference."""
    following = bisect_left(parts, start)
    end = parts[following] if following < len(parts) else len(text)
    has_references, prose, total = False, start, 0
    for match in _PARAGRAPH.finditer(text, start, end):
        words, signs = len(_WORDS.findall(match[0])), len(_SIGNS.findall(match[0]))
        if signs * _WORDS_PER_SIGN >= words or (words < _PROSE and _BEGINNING.match(match[0])):
            has_references, total = True, 0
            continue
        prose, total = prose if total else match.start(), total + words
        if total >= _PROSE:
            return prose, has_references
    return end, has_references


def _entries(text: str, unit: re.Pattern[str]) -> Iterator[Span]:
    """Yield neighbouring paragraphs, or lines, that are entries of a bibliography."""
    run: list[re.Match[str]] = []
    for match in (*unit.finditer(text), None):
        if match is not None and _is_entry(match[0]):
            run.append(match)
            continue
        if len(run) >= _ENTRIES:
            yield Span(run[0].start(), run[-1].end())
        run = []


def _is_entry(text: str) -> bool:
    return bool(_ENTRY.match(text) and _YEAR.search(text)) and len(_WORDS.findall(text)) <= _LONGEST_ENTRY


def _structures(document: Document, text: str, form: str, scheme: Scheme) -> Iterator[tuple[Reason, Span]]:
    """Yield the stretches that the format marks. The source is read once more, with a character before and after each
    of them."""
    content = load_content(document.content) if form in _STRUCTURES else ""
    source = content if isinstance(content, str) else decode(content).text
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    shown = _COMMENTS[form].sub(lambda match: " " * len(match[0]), source) if form in _COMMENTS else source
    for reason, opening, closing in _STRUCTURES.get(form, ()):
        if pieces := _pieces(shown, form, opening, closing):
            begin, end = _unused(source)
            line = "\n" if form == "markdown" else ""  # a line of its own leaves the lines of the quotation as they are
            surrounded = _surrounded(source, pieces, begin + line, line + end)
            marked = _extracted(surrounded, document.name, form, scheme)
            yield from ((reason, span) for span in _between(marked, text, begin, end))


def _pieces(source: str, form: str, opening: str, closing: str) -> list[Span]:
    """Return the pieces of a source from each opening to its closing: the next one, or that of the same name if others
    are inside."""
    openings, closings = (re.finditer(pattern, source, re.MULTILINE) for pattern in (opening, closing))
    if form == "markdown":
        return list(_to_the_next(openings, [match.end() for match in closings]))
    commands = _commands(source) if form == "latex" and _ENVIRONMENT in opening else ()
    return union((*_nested(openings, closings), *commands))


def _to_the_next(openings: Iterable[re.Match[str]], ends: Sequence[int]) -> Iterator[Span]:
    behind = 0
    for match in openings:
        number = bisect_left(ends, match.end())
        if match.start() >= behind and number < len(ends):
            behind = ends[number]
            yield Span(match.start(), behind)


def _nested(openings: Iterable[re.Match[str]], closings: Iterable[re.Match[str]]) -> Iterator[Span]:
    """Yield the pieces from openings to closings of the same name. One that is never closed is none."""
    opened = defaultdict[str, list[int]](list)
    for match, opens in merge(
        ((match, True) for match in openings), ((match, False) for match in closings), key=lambda each: each[0].start()
    ):
        places = opened[match[1].lower()]
        if opens:
            places.append(match.start())
        elif places:
            yield Span(places.pop(), match.end())


def _commands(source: str) -> Iterator[Span]:
    """Yield the commands of LaTeX that quote, up to the brace that closes them."""
    braces, opened = dict[int, int](), list[int]()
    for match in _BRACE.finditer(source):
        if match[0] == "{":
            opened.append(match.end())
        elif match[0] == "}" and opened:
            braces[opened.pop()] = match.end()
    for match in _QUOTING.finditer(source):
        if match.end() in braces:
            yield Span(match.start(), braces[match.end()])


def _unused(source: str) -> tuple[str, str]:
    """Return two characters that a source does not have."""
    used = set(source)
    free = [chr(code) for code in _PRIVATE if chr(code) not in used]
    if len(free) < 2:
        raise DocumentError("it has every character of private use; none is left to mark its quotations")
    return free[0], free[1]


def _surrounded(source: str, pieces: Sequence[Span], begin: str, end: str) -> str:
    parts, behind = list[str](), 0
    for piece in pieces:
        parts += [source[behind : piece.start], begin, source[slice(*piece)], end]
        behind = piece.end
    return "".join((*parts, source[behind:]))


def _extracted(source: str, name: str, form: str, scheme: Scheme) -> str:
    document = Document(name, source, format=form)
    front = choose(scheme, document).frontend
    return front.extract(document).text if is_extracting(front) else source


def _between(marked: str, text: str, begin: str, end: str) -> Iterator[Span]:
    """Yield the spans of a text between two characters that ``marked``, another reading of it, has.

    Both have the same letters, so a letter has the same number in both. If a mark changed the reading, look for the
    stretch behind the one before.
    """
    places = [place for place, character in enumerate(text) if not character.isspace()]
    letters, behind, missed = "".join(text.split()), 0, 0
    for number, stretch in _marked(marked, begin, end):
        start = number if letters.startswith(stretch, number) else letters.find(stretch, behind)
        if start >= 0:
            behind = start + len(stretch)
            yield Span(places[start], places[behind - 1] + 1)
        elif (missed := missed + 1) > _MISSED:
            return


def _marked(marked: str, begin: str, end: str) -> Iterator[tuple[int, str]]:
    """Yield the stretches between two characters: the number of letters before each, and its letters."""
    before, is_inside = 0, False
    for piece in re.split(f"([{begin}{end}])", marked):
        if piece in (begin, end):
            is_inside = piece == begin
            continue
        letters = "".join(piece.split())
        if is_inside and letters:
            yield before, letters
        before, is_inside = before + len(letters), False
