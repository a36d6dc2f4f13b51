"""Extract the text of Word documents, OpenDocument texts and presentations."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from itertools import accumulate

from whorl.errors import DocumentError
from whorl.formats.documents import html, rtf
from whorl.formats.documents.extraction import Extracted, SectionMark, in_parts
from whorl.formats.documents.package import (
    Attributes,
    Package,
    Relation,
    attribute,
    local,
    main_part,
    parse,
    relations,
    resolve,
)
from whorl.formats.encoding import decode

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
PAGES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})


@dataclass
class _Book:
    """The package document: the parts by id, and the ids in reading order."""

    parts: dict[str, str] = field(default_factory=dict)
    spine: list[str] = field(default_factory=list)


def extract(data: bytes) -> Extracted:
    """Return the text of all pages of the spine. A missing page is empty, with a note."""
    package = Package(data)
    chapters = _chapters(package)
    if locked := _encrypted(package) & set(chapters):
        raise DocumentError(f"its part {min(locked)} is encrypted (it is protected against copying)")
    texts = [html.extract(package.read(part)).text if part in package else "" for part in chapters]
    missing = [part for part in chapters if part not in package]
    note = f"{len(missing)} of {len(chapters)} chapters are missing, the first is {missing[0]}" if missing else ""
    return in_parts("chapter", texts, note=note)


def _chapters(package: Package) -> list[str]:
    roots = _values(package, CONTAINER, "rootfile", "full-path")
    if not roots:
        raise DocumentError(f"its {CONTAINER} names no package document")
    book = _Book()

    def start(element: str, attributes: Attributes) -> None:
        name = local(element)
        if name == "item" and attribute(attributes, "media-type") in PAGES:
            book.parts[attribute(attributes, "id")] = resolve(roots[0], attribute(attributes, "href"))
        elif name == "itemref":
            book.spine.append(attribute(attributes, "idref"))

    parse(package.blocks(roots[0]), start)
    return list(dict.fromkeys(book.parts[name] for name in book.spine if name in book.parts))


def _encrypted(package: Package) -> set[str]:
    """Return the encrypted parts. Encrypted fonts are common and do not matter."""
    references = _values(package, ENCRYPTION, "CipherReference", "URI") if ENCRYPTION in package else []
    return {resolve("", name) for name in references}


def _values(package: Package, part: str, element: str, name: str) -> list[str]:
    """Return an attribute of every element of this name in a part."""
    values: list[str] = []

    def start(begun: str, attributes: Attributes) -> None:
        if local(begun) == element:
            values.append(attribute(attributes, name))

    parse(package.blocks(part), start)
    return values


NOTHING: frozenset[str] = frozenset()
FALSE = frozenset({"0", "false", "off"})  # the values that switch a property off; without a value it is on


@dataclass(frozen=True, kw_only=True)
class ElementRoles:
    """The roles of a format's elements, by local name."""

    text: frozenset[str]
    after: Mapping[str, str]
    dropped: frozenset[str] = NOTHING
    aside: frozenset[str] = NOTHING
    paragraphs: frozenset[str] = NOTHING
    runs: frozenset[str] = NOTHING  # what a property that hides is a property of
    hiding: frozenset[str] = NOTHING
    known: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        known = self.text | self.dropped | self.aside | self.paragraphs | self.runs | self.hiding | set(self.after)
        object.__setattr__(self, "known", known)


def text_of(blocks: Iterable[bytes], vocabulary: ElementRoles) -> str:
    """Return the text of one XML document."""
    return _flow_of(blocks, vocabulary, {}).text()


def _flow_of(blocks: Iterable[bytes], vocabulary: ElementRoles, styles: Mapping[str, str]) -> "_Flow":
    flow = _Flow(vocabulary, styles)
    parse(blocks, flow.start, flow.end, flow.data)
    return flow


class _Known(dict[str, str]):
    """Maps qualified names to the local names that have a role, and others to "". Documents have few names."""

    def __init__(self, known: frozenset[str]) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, name: str) -> str:
        known = self[name] = local(name) if local(name) in self._known else ""
        return known


class _Flow:
    """The text so far. Depth is counted, not recursed into. ``styles`` gives the role of a paragraph by its style."""

    def __init__(self, vocabulary: ElementRoles, styles: Mapping[str, str]) -> None:
        self._words = vocabulary
        self._styles, self._role = styles, ""
        self._first = 0  # the item of the output that begins the paragraph
        self._with_role: list[tuple[int, int, str]] = []
        self._known = _Known(vocabulary.known)
        self._dropped = self._holding = 0
        self._hidden = False
        self._out: list[str] = []
        self._outer: list[list[str]] = []  # what is interrupted by an aside
        self._asides: list[str] = []  # what waits for the end of the paragraph

    def text(self) -> str:
        return "".join(self._out + self._asides)

    def marks(self) -> Iterator[tuple[int, int, str]]:
        """Yield the paragraphs with a role: start, end, role."""
        before = [0, *accumulate(map(len, self._out))]
        yield from ((before[first], before[last], role) for first, last, role in self._with_role)

    def start(self, name: str, attributes: Attributes) -> None:
        if self._dropped:
            self._dropped += 1
            if self._styles and local(name) == "pStyle" and not self._outer:
                self._role = self._styles.get(attribute(attributes, "val"), "")
        elif known := self._known[name]:
            self._begin(known, attributes)

    def _begin(self, name: str, attributes: Attributes) -> None:
        words = self._words
        if name in words.text:
            self._holding += 1
        elif name in words.dropped:
            self._dropped = 1
        elif name in words.runs:
            self._hidden = False
        elif name in words.aside:
            self._outer.append(self._out)
            self._out = []
        elif name in words.paragraphs and not self._outer:
            self._first, self._role = len(self._out), ""
        elif name in words.hiding:
            self._hidden = attribute(attributes, "val") not in FALSE

    def end(self, name: str) -> None:
        if self._dropped:
            self._dropped -= 1
        elif known := self._known[name]:
            self._finish(known)

    def _finish(self, name: str) -> None:
        words = self._words
        if name in words.text:
            self._holding -= 1
        if name in words.runs:
            self._hidden = False
        if name in words.paragraphs and self._role and not self._outer:
            self._with_role.append((self._first, len(self._out), self._role))
        if name in words.after:
            self._out.append(words.after[name])
        if name in words.aside:
            self._asides += [*self._out, "\n"]
            self._out = self._outer.pop()
        if name in words.paragraphs and self._asides and not self._outer:
            self._out += self._asides
            self._asides = []

    def data(self, text: str) -> None:
        if self._holding and not self._dropped and not self._hidden:
            self._out.append(text)


DOCX_ROLES = ElementRoles(
    text=frozenset({"t"}),
    after={
        "p": "\n",
        "br": "\n",
        "cr": "\n",
        "tab": "\t",
        "ptab": "\t",
        "noBreakHyphen": "\u2011",
        "softHyphen": "\xad",
    },
    # pPr: a paragraph's properties, which define tab stops by the name of a tab. Fallback: a text box a second time,
    # for old programs. rt: the reading above a word. del and moveFrom: tracked changes.
    dropped=frozenset({"pPr", "Fallback", "del", "moveFrom", "rt"}),
    aside=frozenset({"txbxContent"}),
    paragraphs=frozenset({"p"}),
    runs=frozenset({"r"}),
    hiding=frozenset({"vanish"}),
)
DOCX_BESIDE = ("footnotes", "endnotes", "header", "footer")


# Bytes in which a document inside another one shows its format.
HEAD = 512

# The roles of Word's own styles, by their names; style sheets in any language have these names.
DOCX_STYLES = {"quote": "quotation", "intense quote": "quotation", "bibliography": "bibliography"}


def extract_docx(data: bytes, *, is_inside: bool = False) -> Extracted:
    """Return the text of a document, and of those inside it. Of one that ``is_inside`` another, only its own text."""
    package = Package(data)
    main = main_part(package, "word/document.xml")
    related = relations(package, main)
    beside = sorted((relation for relation in related if relation.kind in DOCX_BESIDE), key=_order)
    parts = dict.fromkeys(relation.part for relation in beside if relation.part in package and relation.part != main)
    flow = _flow_of(package.blocks(main), DOCX_ROLES, _docx_styles(package, related))
    texts = [flow.text().strip("\n"), *(text_of(package.blocks(part), DOCX_ROLES).strip("\n") for part in parts)]
    chunks = [] if is_inside else [each.part for each in related if each.kind == "aFChunk" and each.part in package]
    notes = []
    for part in dict.fromkeys(chunks):
        try:
            texts.append(_text_inside(package.read(part)).strip("\n"))
        except DocumentError as error:
            notes.append(f"its part {part} was not read: {error}")
    text = "\n\n".join(text for text in dict.fromkeys(texts) if text.strip())
    return Extracted(text, tuple(_style_marks(flow)) if texts[0].strip() else (), "; ".join(notes))


def _text_inside(data: bytes) -> str:
    """Return the text of a document in another format that Word shows in a place of its own (``altChunk``): exporters
    leave the conversion to Word, above all of web pages, alone or as MHTML."""
    start = data[:HEAD].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(b"pk"):
        return extract_docx(data, is_inside=True).text
    if start.startswith(b"{\\rtf"):
        return rtf.extract(data).text
    if start.startswith(b"<"):
        return html.extract(data).text
    parts = [part for part in message_from_bytes(data).walk() if part.get_content_type() in PAGES]
    pages = [part.get_payload(decode=True) for part in parts]
    return "\n".join(html.extract(page).text for page in pages if isinstance(page, bytes)) or decode(data).text


def _docx_styles(package: Package, related: Iterable[Relation]) -> dict[str, str]:
    """Return the roles of styles, by their ids. A style has the role of the one that it is based on. Styles that are
    damaged have none: the text can be read without them."""
    names: dict[str, str] = {}
    based: dict[str, str] = {}
    current = ""

    def start(name: str, attributes: Attributes) -> None:
        nonlocal current
        if local(name) == "style":
            current = attribute(attributes, "styleId")
        elif local(name) in ("name", "basedOn"):
            known = names if local(name) == "name" else based
            known.setdefault(current, attribute(attributes, "val"))

    for part in dict.fromkeys(each.part for each in related if each.kind == "styles" and each.part in package):
        try:
            parse(package.blocks(part), start)
        except DocumentError:
            return {}
    roles = {style: DOCX_STYLES.get(name.lower(), "") for style, name in names.items()}
    return {style: role for style in names if (role := roles[style] or roles.get(based.get(style, ""), ""))}


def _style_marks(flow: "_Flow") -> Iterator[SectionMark]:
    """Yield the paragraphs with a role, as marks in the text without the empty lines around it."""
    text = flow.text()
    before, size = len(text) - len(text.lstrip("\n")), len(text.strip("\n"))
    spans = [(max(0, start - before), min(size, end - before), role) for start, end, role in flow.marks()]
    kept = ((start, end, role) for start, end, role in spans if start < end)
    yield from (SectionMark("style", number, start, end, role) for number, (start, end, role) in enumerate(kept, 1))


def _order(relation: Relation) -> int:
    return DOCX_BESIDE.index(relation.kind)


CONTENT = "content.xml"
MANIFEST = "META-INF/manifest.xml"

ODT_ROLES = ElementRoles(
    text=frozenset({"p", "h"}),
    after={"p": "\n", "h": "\n", "line-break": "\n", "tab": "\t", "s": " "},
    # tracked-changes holds what was deleted; note-citation is a footnote's number, ruby-text the reading above a word.
    dropped=frozenset({"tracked-changes", "annotation", "note-citation", "ruby-text"}),
    aside=frozenset({"note-body", "text-box"}),
    paragraphs=frozenset({"p", "h"}),
)


def extract_odt(data: bytes) -> Extracted:
    package = Package(data)
    if _is_encrypted(package):
        raise DocumentError("it is encrypted: save it without a password")
    return Extracted(text_of(package.blocks(CONTENT), ODT_ROLES).strip("\n"))


def _is_encrypted(package: Package) -> bool:
    encrypted: list[str] = []

    def start(element: str, _attributes: Attributes) -> None:
        if local(element) == "encryption-data":
            encrypted.append(element)

    if MANIFEST in package:
        parse(package.blocks(MANIFEST), start)
    return bool(encrypted)


PPTX_ROLES = ElementRoles(
    text=frozenset({"t"}),
    after={"p": "\n", "br": "\n"},
    dropped=frozenset({"fld", "Fallback"}),  # fld: the number of the slide, the date
)
PPTX_BESIDE = ("diagramData", "notesSlide")


def extract_pptx(data: bytes) -> Extracted:
    """Return the text of all slides, each with its mark."""
    package = Package(data)
    main = main_part(package, "ppt/presentation.xml")
    slides = {relation.id: relation.part for relation in relations(package, main) if relation.kind == "slide"}
    shown = [slides[name] for name in _shown(package, main) if slides.get(name, "") in package]
    return in_parts("slide", [_slide(package, part) for part in dict.fromkeys(shown)])


def _shown(package: Package, main: str) -> list[str]:
    """Return the ids of the slides' relations, in order."""
    identifiers: list[str] = []

    def start(element: str, attributes: Attributes) -> None:
        if local(element) == "sldId":  # its own id, and that of its relation, which is in a namespace
            identifiers.extend(value for name, value in attributes.items() if name.endswith(":id"))

    parse(package.blocks(main), start)
    return identifiers


def _slide(package: Package, part: str) -> str:
    beside = [relation.part for relation in relations(package, part) if relation.kind in PPTX_BESIDE]
    parts = dict.fromkeys([part, *(name for name in beside if name in package)])
    return "\n".join(filter(None, (text_of(package.blocks(name), PPTX_ROLES).strip("\n") for name in parts)))
