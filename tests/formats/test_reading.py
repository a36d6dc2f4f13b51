"""Which front-end reads a document under a scheme."""

import json

import pytest

import whorl
from whorl.formats.code.frontend import CodeFrontend
from whorl.formats.documents.frontend import CellsFrontend, HtmlFrontend
from whorl.formats.reading import choose
from whorl.formats.text import TextFrontend

CODE, TEXT = whorl.PRESETS["code"], whorl.PRESETS["text"]


@pytest.mark.parametrize(
    ("scheme", "document", "front"),
    [
        (TEXT, whorl.Document("a.html", b"<p>a"), HtmlFrontend()),
        (TEXT, whorl.Document("a.java", b"class A {}"), TextFrontend()),
        (TEXT, whorl.Document("a.txt", b"a"), TextFrontend()),
        (TEXT, whorl.Document("", "a"), TextFrontend()),
        (whorl.PRESETS["web"], whorl.Document("a.html", b"<p>a"), HtmlFrontend("words")),
        (CODE, whorl.Document("a.java", b"class A {}"), CodeFrontend("java")),
        (CODE, whorl.Document("a.txt", b"class A {}", format="java"), CodeFrontend("java")),
        (CODE, whorl.Document("a.ipynb", b"{}"), CellsFrontend()),
        (whorl.Scheme(frontend="html", k=5, w=5), whorl.Document("a.txt", b"<p>a"), HtmlFrontend()),
    ],
)
def test_the_scheme_and_the_format_choose(scheme, document, front):
    assert choose(scheme, document).frontend == front


def test_prose_is_no_program():
    with pytest.raises(whorl.DocumentError, match=r"a\.txt: cannot tell the programming language, and it looks like"):
        choose(CODE, whorl.Document("a.txt", b"Once upon a time"))


def notebook(*cells: tuple[str, str]) -> whorl.Document:
    result = {
        "metadata": {"language_info": {"name": "python"}},
        "cells": [{"cell_type": kind, "source": source, "outputs": ["x = 1"]} for kind, source in cells],
    }
    return whorl.Document("study.ipynb", json.dumps(result).encode())


def test_the_code_of_a_notebook_is_that_of_its_cells():
    program = "total = 0\nfor number in numbers:\n    total += number\n"
    scheme = whorl.Scheme(frontend="code", k=3, w=2)
    found = whorl.fingerprint(notebook(("markdown", "# for x in y"), ("code", program)), scheme)
    plain = whorl.fingerprint(whorl.Document("a.py", program), scheme)
    assert found.hashes.tolist() == plain.hashes.tolist()
    text = CellsFrontend().extract(notebook(("markdown", "# for x in y"), ("code", program))).text
    assert [text[start:end] for start, end in found.spans] == [program[start:end] for start, end in plain.spans]


def test_a_notebook_without_code_has_no_tokens():
    assert whorl.fingerprint(notebook(("markdown", "prose")), CODE).symbols == 0
