"""What a document is: content before name, and nothing that is binary is taken for text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whorl
from whorl.formats.binary import MAGIC, binary
from whorl.formats.detection import detect, format_of, names

PAGE = b"<!-- saved -->\n<!DOCTYPE html>\n<html><p>Hello</p></html>"
NOTEBOOK = b'{\n "cells": [\n  {\n   "cell_type": "code",\n   "source": []\n  }\n ]\n}'


@pytest.mark.parametrize(
    ("name", "start", "format_"),
    [
        ("Main.java", b"class Main {}", "java"),
        ("folder.d/MAIN.PY", b"", "python"),
        ("tool", b"#!/usr/bin/env python3\nprint()", "python"),
        ("tool.txt", b"#!/usr/bin/ruby\nputs 1", "ruby"),
        ("list.h", b"namespace lists {\n}", "cpp"),
        ("list.h", b"struct list;", "c"),
        ("page", PAGE, "html"),
        ("page.txt", PAGE, "html"),
        ("page.php", PAGE, "html"),
        ("page.php", PAGE + b"<?php echo 1 ?>", "php"),
        ("page.jsp", PAGE, "html"),
        ("page.py", PAGE, "python"),
        ("page.md", PAGE, "markdown"),
        ("page.HTM", b"", "html"),
        ("study.ipynb", b"{}", "notebook"),
        ("study", NOTEBOOK, "notebook"),
        ("essay.txt", b"Once upon a time", "text"),
        ("essay", b"", "text"),
        ("", b"Once upon a time", "text"),
        ("essay.unknown", b"Once upon a time", "text"),
        ("wide.txt", "Once upon a time".encode("utf-16"), "text"),
        ("wide.txt", "Once upon a time".encode("utf-16-le"), "text"),
        ("spoiled.txt", b"Once upon a time " * 20 + b"\0", "text"),
    ],
)
def test_content_and_name_tell(name, start, format_):
    assert detect(name, start) == format_


@pytest.mark.parametrize(
    ("start", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "a PNG image"),
        (b"\x7fELF\x02\x01", "an executable"),
        (b"\xca\xfe\xba\xbe\0\0\0\x34", "an executable"),
        (b"PK\x03\x04", "a zip archive"),
        (b"\x1f\x8b\x08", "a gzip archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office file with a password or from before 2007"),
        (b"\1\2\0\0\3\0\0\0" * 9, "NUL bytes"),
    ],
)
def test_binary_files_are_refused_with_what_they_are(start, kind):
    with pytest.raises(whorl.DocumentError, match=rf"thing\.java: binary \(.*{kind}"):
        detect("thing.java", start)


def test_what_a_document_says_wins():
    assert format_of(whorl.Document("page.html", PAGE, format="text")) == "text"


def test_an_unknown_format_is_said_with_the_known_ones():
    with pytest.raises(whorl.UnknownNameError, match=r"unknown format 'wrod': choose one of .*html.*java.*text"):
        format_of(whorl.Document("a", b"", format="wrod"))


def test_a_string_is_text_unless_its_name_tells_more():
    assert format_of(whorl.Document("", PAGE.decode())) == "text"
    assert format_of(whorl.Document("page.html", PAGE.decode())) == "html"


# What is in the beginning of each document that is a format by its content, whatever other bytes it has.
SIGNS = (b"%PDF-", b"%!PS", b"PK\x03\x04", b"{\\rtf")


@given(st.text(max_size=40), st.binary(max_size=200) | st.binary(max_size=20).map(lambda rest: b"%" + rest))
def test_any_beginning_and_name_are_a_format_or_binary(name, start):
    if not binary(start):
        assert detect(name, start) in names()
    elif not any(sign in start for sign in SIGNS):
        with pytest.raises(whorl.DocumentError, match=": binary "):
            detect(name, start)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1), st.sampled_from(["utf-8", "utf-16"]))
def test_text_is_never_binary(text, encoding):
    data = text.encode(encoding)
    assert binary(data) == "" or data.startswith(tuple(MAGIC))


@pytest.mark.parametrize(
    ("name", "start", "expected"),
    [
        ("a.py", b"#%PDF-1.4\nprint(1)\n", "python"),
        ("a.m", b"%PDF-1.4\nx = 1;\n", "matlab"),
        ("a.pl", b"#%!PS\nprint 1;\n", "perl"),
        ("essay.md", b"About `%PDF-1.4`\n", "markdown"),
        ("essay.txt", b"%PDF-1.4 is how it begins\n", "text"),
        ("scan.txt", b"%PDF-1.4\n1 0 obj\n<< >>\nendobj\n", "pdf"),
        ("scan.py", b"%PDF-1.4\n\xe2\xe3\xcf\xd3\n1 0 obj\n", "pdf"),
    ],
)
def test_a_mark_of_a_format_in_a_text(name, start, expected):
    assert detect(name, start) == expected
