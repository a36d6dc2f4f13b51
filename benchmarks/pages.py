"""Web pages to streams of characters, beside lexbor (selectolax) and lxml to text, on the pages of a folder.

Give the folder: ``python -m benchmarks.pages /usr/share/doc``. The peers are measured if they are installed. They give
text alone, and their text has words run together where a block ends; Whorl's time includes decoding, parting words,
dropping what is hidden, and the text front-end.
"""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import in_turns, ratio
from whorl.formats.documents.frontend import HtmlFrontend
from whorl.model import Document

ROUNDS = 5
ENOUGH = 64_000_000  # bytes: a round stays within seconds
SMALLEST = 1_000  # shorter pages are redirections


def pages(folder: Path) -> list[bytes]:
    """Return the pages below a folder in the order of their names, as many as are enough."""
    found: list[bytes] = []
    for path in sorted(folder.rglob("*.htm*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size >= SMALLEST:
            found.append(path.read_bytes())
        if sum(map(len, found)) >= ENOUGH:
            break
    return found


def streams(page: bytes) -> int:
    """Whorl's symbols of a page."""
    frontend = HtmlFrontend()
    return sum(len(frontend.read(piece).symbols) for piece in frontend.pieces(Document("page", page)))


def lexbor() -> Callable[[bytes], object]:
    """Return the text of a page by selectolax's second parser."""
    parser = importlib.import_module("selectolax.lexbor").LexborHTMLParser

    def text(page: bytes) -> object:
        tree = parser(page)
        tree.strip_tags(["script", "style", "noscript"])
        return tree.text()

    return text


def lxml() -> Callable[[bytes], object]:
    """Return the text of a page by libxml2's HTML parser."""
    document = importlib.import_module("lxml.html").document_fromstring
    return lambda page: document(page).text_content()


def tools() -> dict[str, Callable[[bytes], object]]:
    """Whorl, and the peers that are installed."""
    found: dict[str, Callable[[bytes], object]] = {"Whorl": streams}
    for name, load in (("lexbor", lexbor), ("lxml", lxml)):
        try:
            found[name] = load()
        except ImportError as error:
            print(f"{name} is left out: {error}")
    return found


def over(tool: Callable[[bytes], object], documents: list[bytes]) -> Callable[[], object]:
    """Run the tool on all pages."""

    def run() -> None:
        for page in documents:
            tool(page)

    return run


def main() -> None:
    """One line a tool."""
    if len(sys.argv) != 2:
        sys.exit("name a folder with web pages: python -m benchmarks.pages FOLDER")
    documents = pages(Path(sys.argv[1]))
    if not documents:
        sys.exit(f"no web pages (*.html, *.htm) below {sys.argv[1]}")
    size = sum(map(len, documents))
    tags = sum(page.count(b"<") for page in documents)
    print(f"{len(documents)} pages, {size / 1e6:.1f} MB, a tag every {size / max(tags, 1):.0f} bytes")
    timings = in_turns({name: over(tool, documents) for name, tool in tools().items()}, ROUNDS)
    for name, timing in timings.items():
        against = "" if name == "Whorl" else f"; Whorl is {ratio(timing, timings['Whorl'])}"
        print(f"  {name:7} {timing.speed(size)}{against}")


if __name__ == "__main__":
    main()
