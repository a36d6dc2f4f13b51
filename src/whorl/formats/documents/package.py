"""The zip container and the XML of office documents and books, read within limits of expansion."""

import io
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import unquote
from xml.parsers import expat

from whorl.errors import DocumentError
from whorl.formats.archives.names import RefusedFileError, damage, reason
from whorl.formats.archives.rules import Budget, Rules
from whorl.formats.archives.zips import DEFLATED, STORED, ZipArchive, ZipMember

MEGABYTE = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    # Bytes out, of all parts that are read. The text of a thousand pages is 3 MB, and 30 MB of XML in an office file.
    total: int = 128 * MEGABYTE
    # Bytes out for each byte in. XML shrinks to a tenth, or a hundredth where it is monotonous; a bomb to a thousandth.
    ratio: int = 200
    # Bytes out before the ratio counts: a small part that is all blanks shrinks as well as a bomb does.
    floor: int = 8 * MEGABYTE
    # Parts. A book with a picture on each of a thousand pages has some thousands.
    entries: int = 10_000

    def check_size(self, part: str, packed: int, out: int, total: int) -> None:
        """Refuse a part, or all parts read so far, that are too large."""
        if out > self.floor and out > self.ratio * max(packed, 1):
            raise DocumentError(f"its part {part} expands more than {self.ratio} times")
        if total > self.total:
            raise DocumentError(f"its parts expand to more than {self.total // MEGABYTE} MB")


METHODS = (STORED, DEFLATED)  # all that the formats allow; neither can expand a millionfold
COMPOUND = b"\xd0\xcf\x11\xe0"  # how Office's older container begins, which also holds encrypted documents


class Package:
    """The parts of one document."""

    def __init__(self, data: bytes, expansion: Expansion | None = None) -> None:
        self._expansion = expansion or Expansion()
        self._total = 0
        if data.startswith(COMPOUND):
            raise DocumentError("it is encrypted, or in Office's format before 2007: save it anew without a password")
        self._zip = ZipArchive(io.BytesIO(data), len(data), Budget(len(data), Rules(entries=self._expansion.entries)))
        try:
            entries = list(self._zip.listing())
        except RefusedFileError as refusal:
            raise DocumentError(str(refusal)) from refusal
        self._parts = {"/".join(entry.parts): entry for entry in entries if entry.parts}
        for name, part in self._parts.items():
            if isinstance(part, ZipMember) and part.overlaps:
                raise DocumentError(f"its part {name} overlaps another")

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def blocks(self, name: str) -> Iterator[bytes]:
        """Unpack a part block by block."""
        part = self._parts.get(name)
        if part is None:
            raise DocumentError(f"its part {name} is missing")
        if not isinstance(part, ZipMember) or part.method not in METHODS:
            raise DocumentError(f"its part {name} is encrypted or packed in a way that the format does not allow")
        size = 0
        try:
            for block in self._zip.blocks(part):
                size += len(block)
                self._total += len(block)
                self._expansion.check_size(name, part.packed, size, self._total)
                yield block
        except RefusedFileError as refusal:
            raise DocumentError(f"its part {name}: {refusal}") from refusal
        except damage() as error:
            raise DocumentError(f"its part {name} is damaged: {reason(error)}") from error

    def read(self, name: str) -> bytes:
        """Return a whole part."""
        return b"".join(self.blocks(name))


def resolve(base: str, target: str) -> str:
    """Return the part that ``target`` names in the part ``base``. A path cannot leave the package."""
    path = unquote(target.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(base), path)).lstrip("/")


Attributes = Mapping[str, str]
Start = Callable[[str, Attributes], None]
End = Callable[[str], None]
Data = Callable[[str], None]


def parse(blocks: Iterable[bytes], start: Start, end: End | None = None, data: Data | None = None) -> None:
    """Call the handlers for the elements and the text of a document; see ``attribute`` for the attributes."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _doctype
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = data
    try:
        for block in blocks:
            parser.Parse(block, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise DocumentError(f"its XML is damaged: {error}") from error
    except (ValueError, LookupError) as error:  # how expat answers an encoding that Python does not know
        raise DocumentError(f"its XML cannot be decoded: {error}") from error


def attribute(attributes: Attributes, name: str) -> str:
    """Return the attribute of this local name; "" if there is none."""
    return next((value for key, value in attributes.items() if local(key) == name), "")


def local(name: str) -> str:
    """Return a name without its prefix."""
    return name[name.rfind(":") + 1 :]


def _doctype(_name: str, _system: str | None, _public: str | None, declares: int) -> None:
    """Refuse declarations in a document type, which can expand without end. Old books name a document type, which is
    never fetched."""
    if declares:
        raise DocumentError("its XML declares entities or attributes of its own, which are not read")


@dataclass(frozen=True, slots=True)
class Relation:
    """``kind`` is the last word of the type's address, which two editions of the standard begin differently."""

    id: str
    kind: str
    part: str


def relations(package: Package, part: str = "") -> list[Relation]:
    """Return what a part refers to within the package, in order; without a part, what the package itself refers to."""
    folder, name = posixpath.split(part)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    targets: list[Relation] = []

    def start(element: str, attributes: Attributes) -> None:
        if local(element) == "Relationship" and attribute(attributes, "TargetMode") != "External":
            kind = attribute(attributes, "Type").rpartition("/")[2]
            target = resolve(part, attribute(attributes, "Target"))
            targets.append(Relation(attribute(attributes, "Id"), kind, target))

    if path in package:
        parse(package.blocks(path), start)
    return targets


def main_part(package: Package, usual: str) -> str:
    """Return the part that holds the document."""
    named = [relation.part for relation in relations(package) if relation.kind == "officeDocument"]
    part = named[0] if named else usual
    if part not in package:
        raise DocumentError(f"its main part {part} is missing: it is another format, or damaged")
    return part
