"""Electronic books (EPUB) to text: the pages of the spine, in its order, read as web pages; a mark for each."""

from dataclasses import dataclass, field

from whorl.errors import DocumentError
from whorl.frontends.documents import html
from whorl.frontends.documents.extracted import Extracted, in_parts
from whorl.frontends.documents.package import Package, resolve
from whorl.frontends.documents.xml import Attributes, attribute, local, parse

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
PAGES = frozenset({"application/xhtml+xml", "text/html", "text/x-oeb1-document"})


@dataclass
class _Book:
    """What the package document says: the parts by id, and the ids in reading order."""

    parts: dict[str, str] = field(default_factory=dict)
    spine: list[str] = field(default_factory=list)


def extract(data: bytes) -> Extracted:
    """The text of all pages of the spine. One that is missing is empty, and noted."""
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
    """Parts that nobody can read without a key. Fonts often are, and do not matter."""
    found = _values(package, ENCRYPTION, "CipherReference", "URI") if ENCRYPTION in package else []
    return {resolve("", name) for name in found}


def _values(package: Package, part: str, element: str, name: str) -> list[str]:
    """An attribute of every element of this name in a part."""
    found: list[str] = []

    def start(begun: str, attributes: Attributes) -> None:
        if local(begun) == element:
            found.append(attribute(attributes, name))

    parse(package.blocks(part), start)
    return found
