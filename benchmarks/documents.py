"""Documents to streams: PDF against pdftotext, an office file, and what the way to a worker costs small pages.

PDF files are given by a path: ``python -m benchmarks.documents FOLDER``. By the clock on the wall, since both do their
work in another process; Whorl's time includes the text front-end, pdftotext's that it is started.
"""

import io
import random
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import Timing, in_turns, ratio
from whorl.formats.documents import extraction
from whorl.formats.documents.frontend import DocumentFrontend, DocxFrontend, HtmlFrontend, PdfFrontend
from whorl.model import Document

ROUNDS = 5
PAGES = 500  # small web pages: a folder of them
PAGE = 4_000  # characters of each
PARAGRAPHS = 10_000  # of the office file
NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
WORDS = "the keeper of light climbed ninety steps and lit lamp before dusk in 1911 as log says".split()  # noqa: SIM905


def streams(frontend: DocumentFrontend, content: bytes | Path) -> int:
    """Return how many symbols a document has."""
    pieces = frontend.pieces(Document(str(content) if isinstance(content, Path) else "document", content))
    return sum(len(frontend.read(piece)) for piece in pieces)


def pdf(folder: Path) -> None:
    """Each file, then all together."""
    files = sorted(folder.rglob("*.pdf"))
    frontend = PdfFrontend()
    print(f"PDF to stream against pdftotext, {len(files)} files, {ROUNDS} rounds each")
    measured: dict[str, list[Timing]] = {"pdftotext": [], "whorl": []}
    for file in files:
        work: dict[str, Callable[[], object]] = {
            "pdftotext": lambda file=file: pdftotext(file),  # type: ignore[misc]
            "whorl": lambda file=file: streams(frontend, file),  # type: ignore[misc]
        }
        for name, timing in in_turns(work, ROUNDS, time.perf_counter).items():
            measured[name].append(timing)
        report(file.name, measured["pdftotext"][-1], measured["whorl"][-1])
    report("all", together(measured["pdftotext"]), together(measured["whorl"]))


def report(name: str, slower: Timing, faster: Timing) -> None:
    """One line: seconds, and how many times faster."""
    print(f"  {name:24} {faster.median:6.2f} s  {ratio(slower, faster)}", flush=True)


def together(timings: list[Timing]) -> Timing:
    """Return the rounds of all files, added up."""
    return Timing(tuple(map(sum, zip(*(timing.seconds for timing in timings), strict=True))))


def pdftotext(file: Path) -> bytes:
    """Return the result of the function."""
    return subprocess.run(["pdftotext", str(file), "-"], stdout=subprocess.PIPE, check=True).stdout


def docx() -> None:
    """An office file as programs write it, with properties on every run."""
    chosen = random.Random(0)
    run = '<w:r w:rsidRPr="00B2"><w:rPr><w:rFonts w:ascii="Times"/><w:sz w:val="24"/></w:rPr><w:t>{} </w:t></w:r>'
    start = '<w:p w:rsidR="00A1"><w:pPr><w:pStyle w:val="Normal"/><w:jc w:val="both"/></w:pPr>'
    paragraphs = (
        start + "".join(run.format(" ".join(chosen.choices(WORDS, k=12))) for _ in range(6)) + "</w:p>"
        for _ in range(PARAGRAPHS)
    )
    xml = f'<w:document xmlns:w="{NAMESPACE}"><w:body>{"".join(paragraphs)}</w:body></w:document>'
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("word/document.xml", xml)
    packed = data.getvalue()
    text = DocxFrontend().extract(Document("document", packed)).text
    timing = in_turns({"docx": lambda: streams(DocxFrontend(), packed)}, ROUNDS, time.perf_counter)["docx"]
    print(f"DOCX to stream: text {timing.speed(len(text))}, XML {timing.speed(len(xml))}")


def small_pages() -> None:
    """A folder of small pages, read in this process and in a worker."""
    text = " ".join(f"<p>{' '.join(random.Random(i).choices(WORDS, k=20))}</p>" for i in range(PAGE // 100))
    frontend = HtmlFrontend()

    def read(limit: int) -> None:
        usual, extraction.IN_PROCESS = extraction.IN_PROCESS, limit
        for _ in range(PAGES):
            streams(frontend, text.encode())
        extraction.IN_PROCESS = usual

    work = {"here": lambda: read(extraction.IN_PROCESS), "worker": lambda: read(0)}
    timings = in_turns(work, ROUNDS, time.perf_counter)
    for name, timing in timings.items():
        print(f"{PAGES} pages of {len(text)} bytes, {name}: {1e3 * timing.median / PAGES:.2f} ms each")
    print(f"  worker / here {ratio(timings['worker'], timings['here'])}")


def main() -> None:
    """PDF if a folder is given, and the rest."""
    if len(sys.argv) > 1:
        pdf(Path(sys.argv[1]))
    docx()
    small_pages()


if __name__ == "__main__":
    main()
