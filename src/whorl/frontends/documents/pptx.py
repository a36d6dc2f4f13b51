"""Presentations (PPTX) to text: slides in the order in which they are shown, each with its diagrams and notes."""

from whorl.frontends.documents.extracted import Extracted, in_parts
from whorl.frontends.documents.flow import Vocabulary, text_of
from whorl.frontends.documents.package import Package
from whorl.frontends.documents.relations import main_part, relations
from whorl.frontends.documents.xml import Attributes, local, parse

VOCABULARY = Vocabulary(
    text=frozenset({"t"}),
    after={"p": "\n", "br": "\n"},
    dropped=frozenset({"fld", "Fallback"}),  # fld: the number of the slide, the date
)
BESIDE = ("diagramData", "notesSlide")


def extract(data: bytes) -> Extracted:
    """The text of all slides, each with its mark."""
    package = Package(data)
    main = main_part(package, "ppt/presentation.xml")
    slides = {relation.id: relation.part for relation in relations(package, main) if relation.kind == "slide"}
    shown = [slides[name] for name in _shown(package, main) if slides.get(name, "") in package]
    return in_parts("slide", [_slide(package, part) for part in dict.fromkeys(shown)])


def _shown(package: Package, main: str) -> list[str]:
    """The ids of the slides' relations, in order."""
    found: list[str] = []

    def start(element: str, attributes: Attributes) -> None:
        if local(element) == "sldId":  # its own id, and that of its relation, which is in a namespace
            found.extend(value for name, value in attributes.items() if name.endswith(":id"))

    parse(package.blocks(main), start)
    return found


def _slide(package: Package, part: str) -> str:
    beside = [relation.part for relation in relations(package, part) if relation.kind in BESIDE]
    parts = dict.fromkeys([part, *(name for name in beside if name in package)])
    return "\n".join(filter(None, (text_of(package.blocks(name), VOCABULARY).strip("\n") for name in parts)))
