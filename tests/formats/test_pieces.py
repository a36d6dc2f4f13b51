"""Documents in pieces: the same text and offsets whatever the size of a piece, the encoding or the source."""

import codecs
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whorl.errors import DocumentError
from whorl.formats.encoding import Source, decode
from whorl.formats.text import of_text, pieces, utf8_length

contents = st.text(max_size=60)
damaged = st.tuples(contents, st.binary(max_size=4), contents).map(
    lambda p: p[0].encode("utf-8", "replace") + p[1] + p[2].encode("utf-8", "replace")
)


def text_of(found):
    return "".join(map(chr, (code for piece in found for code in piece.codes.tolist())))


def before_the_last(codes):
    """Cuts anywhere but before a vowel, so that some pieces must grow."""
    at = len(codes) - 1
    while at > 0 and chr(codes[at]) in "aeiou":
        at -= 1
    return max(at, 0)


def check(content, expected, size):
    found = list(pieces(content, before_the_last, size))
    assert text_of(found) == expected
    offset = 0
    for piece in found:
        assert piece.offset == offset
        offset += len(piece.codes)
    return found


@given(contents, st.integers(1, 9))
def test_of_a_string(content, size):
    check(content, content, size)


@given(damaged, st.integers(1, 9))
def test_of_bytes(data, size):
    check(data, decode(data).text, size)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252", "ascii"])
@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_of_a_file(tmp_path, encoding, size):
    text = "plain" * 9 if encoding == "ascii" else "Ça était «déjà» vu — naïf " * 3
    path = tmp_path / "document"
    path.write_bytes(
        text.replace("—", "-").encode(encoding)
        if encoding != "utf-16"
        else codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    )
    check(path, decode(path.read_bytes()).text, size)


def test_a_piece_that_cannot_be_cut_grows():
    (piece,) = check("a" * 1000, "a" * 1000, 10)
    assert len(piece.codes) == 1000


def test_ascii_stays_narrow():
    assert {piece.codes.itemsize for piece in pieces(b"abc" * 100, before_the_last, 50)} == {1}


@given(contents)
def test_lengths_in_utf8(content):
    assert utf8_length(of_text(content)) == len(content.encode("utf-8", "surrogatepass"))


def test_a_pipe_is_read_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"from a pipe",))
    writer.start()
    assert text_of(pieces(path, before_the_last, 4)) == "from a pipe"
    writer.join()


def test_what_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(DocumentError, match="cannot be read"):
            Source(path)
