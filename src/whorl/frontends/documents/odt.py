"""OpenDocument texts (ODT) to text: the body as it reads, without tracked deletions and annotations."""

from whorl.errors import DocumentError
from whorl.frontends.documents.extracted import Extracted
from whorl.frontends.documents.flow import Vocabulary, text_of
from whorl.frontends.documents.package import Package
from whorl.frontends.documents.xml import Attributes, local, parse

CONTENT = "content.xml"
MANIFEST = "META-INF/manifest.xml"

VOCABULARY = Vocabulary(
    text=frozenset({"p", "h"}),
    after={"p": "\n", "h": "\n", "line-break": "\n", "tab": "\t", "s": " "},
    # tracked-changes holds what was deleted; note-citation is a footnote's number, ruby-text the reading above a word.
    dropped=frozenset({"tracked-changes", "annotation", "note-citation", "ruby-text"}),
    aside=frozenset({"note-body", "text-box"}),
    paragraphs=frozenset({"p", "h"}),
)


def extract(data: bytes) -> Extracted:
    """The text of a document."""
    package = Package(data)
    if _is_encrypted(package):
        raise DocumentError("it is encrypted: save it without a password")
    return Extracted(text_of(package.blocks(CONTENT), VOCABULARY).strip("\n"))


def _is_encrypted(package: Package) -> bool:
    found: list[str] = []

    def start(element: str, _attributes: Attributes) -> None:
        if local(element) == "encryption-data":
            found.append(element)

    if MANIFEST in package:
        parse(package.blocks(MANIFEST), start)
    return bool(found)
