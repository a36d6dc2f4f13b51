"""PostScript: pages with their marks, by a Ghostscript that can do no harm."""

import shutil

import pytest

from tests.conformance.document import PROSE, DocumentConformance
from tests.formats.documents.writers import postscript
from whorl.errors import DocumentError
from whorl.formats.documents.frontend import PostscriptFrontend
from whorl.formats.text import TextFrontend
from whorl.model import Document

needs_ghostscript = pytest.mark.skipif(shutil.which("gs") is None, reason="Ghostscript (gs) is not installed")


def extract(data):
    return PostscriptFrontend().extract(Document("old.ps", data))


@needs_ghostscript
class TestPostscript(DocumentConformance):
    frontend = PostscriptFrontend()
    refuses = binary = True
    trials = 3
    prose = PROSE[:3]  # what Latin-1 can say

    def write(self, paragraphs):
        return postscript([paragraphs])

    def variants(self, paragraphs):
        yield postscript([[text] for text in paragraphs])

    def test_the_same_prose_gives_the_same_stream_as_plain_text(self):
        for kind in ("characters", "words", "consonants"):
            expected = TextFrontend(kind).stream("\n\n".join(self.prose)).symbols.tolist()
            assert self.of_kind(kind, self.write(self.prose)) == expected

    def test_text_around_changes_no_symbol(self):
        for kind in ("characters", "words"):
            parts = [symbol for text in self.prose for symbol in self.of_kind(kind, self.write([text]))]
            assert self.of_kind(kind, self.write(self.prose)) == parts


@needs_ghostscript
def test_pages_are_marked():
    found = extract(postscript([["one", "light-", "house"], [], ["th      ree"]]))
    assert [(mark.number, found.text[mark.start : mark.end]) for mark in found.marks] == [
        (1, "one\nlighthouse"),
        (2, ""),
        (3, "th ree"),
    ]


@needs_ghostscript
def test_an_error_after_some_pages_is_noted():
    found = extract(postscript([["one"]]) + b"\nnonsense")
    assert found.text == "one"
    assert found.note == "Ghostscript stopped early: undefined in nonsense"
    with pytest.raises(DocumentError, match=r"old.ps: cannot be read as PostScript: Ghostscript .*: undefined"):
        extract(b"%!PS\nnonsense")


@needs_ghostscript
def test_files_are_out_of_reach(tmp_path):
    (tmp_path / "secret").write_text("hidden")
    program = f"({tmp_path}/secret) (r) file 80 string readline pop 40 700 moveto show showpage"
    with pytest.raises(DocumentError, match="invalidfileaccess"):
        extract(b"%!PS\n/Helvetica findfont 12 scalefont setfont\n" + program.encode())


@needs_ghostscript
def test_an_endless_program_is_stopped(monkeypatch):
    from whorl.formats.documents import extraction
    from whorl.sandbox import Limits, Sandbox
    from whorl.sandbox.jail import JailPolicy

    with Sandbox(workers=1, limits=Limits(seconds=1), policy=JailPolicy(run=shutil.which("gs"))) as sandbox:
        monkeypatch.setattr(extraction, "default_sandbox", lambda run: sandbox)
        with pytest.raises(DocumentError, match="took longer than 1 s"):
            extract(b"%!PS\n{} loop")


def test_the_program_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(DocumentError, match=r"old.ps: cannot be read as PostScript: install the package ghostscript"):
        extract(b"%!PS")
