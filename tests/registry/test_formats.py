"""What is registered as text is found as PDF, PostScript, a web page or a Word document, and the other way round."""

import shutil

import pytest

from tests.formats.documents import writers
from tests.registry.corpus import prose
from whorl import Document
from whorl.registry.registry import Registry

LINES = prose(1, 1200).splitlines()
PAGES = [LINES[at : at + 40] for at in range(0, len(LINES), 40)]


def as_pdf():
    pytest.importorskip("pypdfium2", reason="reading PDF needs pypdfium2")
    return writers.pdf(PAGES)


def as_postscript():
    if shutil.which("gs") is None:
        pytest.skip("Ghostscript (gs) is not installed")
    return writers.postscript(PAGES)


def as_web_page() -> bytes:
    body = "".join(f"<p>{line}</p>\n" for line in LINES)
    return f"<!doctype html><html><head><title>x</title></head><body>{body}</body></html>".encode()


FORMS = {"paper.pdf": as_pdf, "paper.ps": as_postscript, "paper.html": as_web_page}


@pytest.mark.parametrize("name", FORMS)
def test_a_converted_copy_is_found(tmp_path, name):
    data = FORMS[name]()
    with Registry.create(tmp_path / "registry") as registry:
        registry.add(Document("text", "\n".join(LINES)))
        assert registry.search(Document(name, data))[0].ratio >= 0.9
        registry.remove("text")
        registry.add(Document("other form", data))
        assert registry.search("\n".join(LINES))[0].ratio >= 0.9
