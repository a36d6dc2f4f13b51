"""XML read as a stream, without a tree: nothing is held, no depth can be exceeded, no entity can be declared.

Names have their prefix; ``local`` is what stands after it. Which namespace that is matters nowhere here, and one format
has two for each.
"""

from collections.abc import Callable, Iterable, Mapping
from xml.parsers import expat

from whorl.errors import DocumentError

Attributes = Mapping[str, str]
Start = Callable[[str, Attributes], None]
End = Callable[[str], None]
Data = Callable[[str], None]


def parse(blocks: Iterable[bytes], start: Start, end: End | None = None, data: Data | None = None) -> None:
    """Hand the elements and the text of a document to whoever asked; see ``attribute`` for the attributes."""
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
    """The attribute of this local name; empty where there is none."""
    return next((value for key, value in attributes.items() if local(key) == name), "")


def local(name: str) -> str:
    """A name without its prefix."""
    return name[name.rfind(":") + 1 :]


def _doctype(_name: str, _system: str | None, _public: str | None, declares: int) -> None:
    """Old books name a document type, which is never fetched. What one declares itself can expand without end."""
    if declares:
        raise DocumentError("its XML declares entities or attributes of its own, which are not read")
