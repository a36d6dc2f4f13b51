"""What is fuzzed: every front-end by name, with the documents that it is given and the way it is asked."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from zlib import crc32

from fuzz import seeds
from fuzz.invariants import Verdict, verdict_of_streams, verdict_of_walk
from whorl.catalog import FRONTENDS
from whorl.formats.code.frontend import CodeFrontend
from whorl.formats.code.languages import LANGUAGES
from whorl.formats.documents.frontend import CellsFrontend
from whorl.formats.text import TextFrontend

# Whose parser belongs to others: it runs in a worker of the sandbox, which may be stopped or die.
SANDBOXED = frozenset({"docx", "epub", "odt", "pdf", "postscript", "pptx"})
# Formats that are nothing but bytes.
BINARY = SANDBOXED
SYMBOLS = ("characters", "words", "consonants")


@dataclass(frozen=True)
class Target:
    """A front-end. ``sandboxed``: what kills or stops its parser is contained, if the sandbox says so."""

    name: str
    make: Callable[[Random], bytes]
    read: Callable[[bytes], Verdict]
    sandboxed: bool

    def document(self, seed: int, number: int) -> bytes:
        """Return the document of one execution."""
        return self.make(Random(seed << 64 | crc32(self.name.encode()) << 32 | number))


@cache
def names() -> tuple[str, ...]:
    """Return every target: text in its three kinds, the document formats, the languages, archives."""
    texts = tuple(f"text-{symbols}" for symbols in SYMBOLS)
    return (*texts, *documents(), "notebook-code", "archive", *LANGUAGES_BY_TARGET)


@cache
def documents() -> tuple[str, ...]:
    """Return the document formats whose readers are at hand."""
    found = (name for name in FRONTENDS.declared if name not in ("code", "text"))
    return tuple(name for name in found if not FRONTENDS.row(name).missing())


LANGUAGES_BY_TARGET = {f"code-{name}": name for name in LANGUAGES}


@cache
def target(name: str) -> Target:
    """Return the target of this name."""
    if name == "archive":
        return Target(name, seeds.archives(), verdict_of_walk, sandboxed=False)
    if name == "notebook-code":
        return Target(name, seeds.document("notebook"), verdict_of_streams(CellsFrontend(), as_text), sandboxed=True)
    if name.startswith("text-"):
        front = TextFrontend(name.removeprefix("text-"))
        return Target(name, seeds.text(), verdict_of_streams(front, as_text), sandboxed=False)
    if name in LANGUAGES_BY_TARGET:
        language = LANGUAGES_BY_TARGET[name]
        return Target(name, seeds.code(language), verdict_of_streams(CodeFrontend(language), as_text), sandboxed=True)
    front = FRONTENDS.row(name).load()()
    form = bytes if name in BINARY else as_text
    return Target(name, seeds.document(name), verdict_of_streams(front, form), sandboxed=name in SANDBOXED)


def as_text(data: bytes) -> bytes | str:
    """Return a document; every fourth is given as a string, with lone surrogates where it is no UTF-8.

    The content alone decides which, so that a document that was saved is read in the same way again.
    """
    return data.decode("utf-8", "surrogateescape") if crc32(data) % 4 == 0 else data
