"""Real files that are on every machine: each has a stream or a reason that is told, and nothing breaks.

``make real`` does the same for thousands of files of all formats, which it fetches.
"""

import sys
import sysconfig
from collections import Counter
from itertools import chain, islice
from pathlib import Path

import pytest

from whorl.errors import DocumentError
from whorl.formats.archives.rules import Rules
from whorl.formats.archives.walk import walk
from whorl.formats.code.frontend import CodeFrontend
from whorl.formats.reading import choose
from whorl.model import Document, Skipped
from whorl.scheme import preset

# Files of each kind: enough to meet what people write, few enough for some seconds.
PYTHON = 600
HEADERS = 200
PAGES = 300
# Bytes of the largest file that is taken: a test has no need of the largest tables.
LARGEST = 1 << 17

LIBRARY = Path(sysconfig.get_path("stdlib"))
INCLUDES = (Path(sysconfig.get_path("include")), Path("/usr/include"))
DOCUMENTATION = Path("/usr/share/doc")


def small(paths):
    return (path for path in paths if path.is_file() and not path.is_symlink() and path.stat().st_size < LARGEST)


def programs(paths, count):
    """Streams of many programs, read together as a comparison reads them."""
    documents = [Document(str(path), path) for path in islice(small(paths), count)]
    front = CodeFrontend()
    streams = list(front.read_all(piece for document in documents for piece in front.pieces(document)))
    assert len(streams) == len(documents)
    return documents, streams


def test_the_standard_library():
    documents, streams = programs(sorted(LIBRARY.rglob("*.py")), PYTHON)
    assert len(documents) >= 500
    assert not [stream.note for stream in streams if stream.note]
    # Some hold nothing but imports, comments and docstrings.
    assert sum(not len(stream) for stream in streams) < len(documents) / 10


def test_headers():
    found = chain.from_iterable(sorted(folder.rglob("*.h")) for folder in INCLUDES if folder.is_dir())
    documents, streams = programs(found, HEADERS)
    if not documents:
        pytest.skip("no C headers beside the interpreter")
    assert sum(len(stream) > 0 for stream in streams) > len(documents) / 2
    # Macros without a semicolon can lead a parser of C astray; no line is left to the plain lexer.
    notes = [stream.note for stream in streams if stream.note]
    assert len(notes) < len(documents) / 20
    assert set(notes) <= {"read in pieces, not as a whole: the parser failed on most of it"}


def test_what_packages_document():
    """Texts, pages and changes, packed or not: a document is read or refused, and the walk says what it leaves out."""
    folder = DOCUMENTATION if DOCUMENTATION.is_dir() else Path(sys.prefix)
    result: Counter[str] = Counter()
    for item in islice(walk(folder, Rules(member=LARGEST)), PAGES):
        result[outcome(item)] += 1
    assert sum(result.values()) > 20
    assert not result["without a stream or a reason"]
    assert result["read"] + result["left out"] > 0


def outcome(item):
    if isinstance(item, Skipped):
        return "left out" if item.reason else "without a stream or a reason"
    if isinstance(item.content, Path) and item.content.stat().st_size > LARGEST:
        return "large"
    try:
        front = choose(preset("text"), item).frontend
        streams = [front.read(piece) for piece in front.pieces(item)]
    except DocumentError as error:
        return "refused" if str(error) else "without a stream or a reason"
    return "read" if streams else "without a stream or a reason"
