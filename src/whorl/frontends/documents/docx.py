"""Word documents (DOCX) to text: the body, then footnotes, endnotes, headers and footers, each text once.

Read is what a reader sees: deleted and moved-away text, field codes and hidden runs are dropped, inserted text stays.
Comments are remarks about the text and are not read.
"""

from whorl.frontends.documents.extracted import Extracted
from whorl.frontends.documents.flow import Vocabulary, text_of
from whorl.frontends.documents.package import Package
from whorl.frontends.documents.relations import Relation, main_part, relations

VOCABULARY = Vocabulary(
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
BESIDE = ("footnotes", "endnotes", "header", "footer")


def extract(data: bytes) -> Extracted:
    """The text of a document."""
    package = Package(data)
    main = main_part(package, "word/document.xml")
    beside = sorted((relation for relation in relations(package, main) if relation.kind in BESIDE), key=_order)
    parts = dict.fromkeys([main, *(relation.part for relation in beside if relation.part in package)])
    texts = dict.fromkeys(text_of(package.blocks(part), VOCABULARY).strip("\n") for part in parts)
    return Extracted("\n\n".join(text for text in texts if text.strip()))


def _order(relation: Relation) -> int:
    return BESIDE.index(relation.kind)
