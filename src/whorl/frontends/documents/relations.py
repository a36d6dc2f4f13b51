"""How the parts of an Office document refer to each other: a part's relations are in a part beside it."""

import posixpath
from dataclasses import dataclass

from whorl.errors import DocumentError
from whorl.frontends.documents.package import Package, resolve
from whorl.frontends.documents.xml import Attributes, attribute, local, parse


@dataclass(frozen=True, slots=True)
class Relation:
    """``kind`` is the last word of the type's address, which two editions of the standard begin differently."""

    id: str
    kind: str
    part: str


def relations(package: Package, part: str = "") -> list[Relation]:
    """What a part refers to within the package, in order; of the package itself, if no part is named."""
    folder, name = posixpath.split(part)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    found: list[Relation] = []

    def start(element: str, attributes: Attributes) -> None:
        if local(element) == "Relationship" and attribute(attributes, "TargetMode") != "External":
            kind = attribute(attributes, "Type").rpartition("/")[2]
            target = resolve(part, attribute(attributes, "Target"))
            found.append(Relation(attribute(attributes, "Id"), kind, target))

    if path in package:
        parse(package.blocks(path), start)
    return found


def main_part(package: Package, usual: str) -> str:
    """The part that is the document proper."""
    named = [relation.part for relation in relations(package) if relation.kind == "officeDocument"]
    part = named[0] if named else usual
    if part not in package:
        raise DocumentError(f"its main part {part} is missing: it is another format, or damaged")
    return part
