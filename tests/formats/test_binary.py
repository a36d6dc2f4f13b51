"""Files without text, told by their first bytes."""

import pytest

from whorl.formats.binary import binary

# How each DVI file begins: the command, the version, and the unit of length as two numbers of 32 bits.
DVI = b"\xf7\x02\x01\x83\x92\xc0\x1c\x3b\x00\x00"


@pytest.mark.parametrize("rest", [b"", b" TeX output 2022.05.01:1200 words and words" * 100])
def test_dvi_has_few_nul_bytes_and_is_no_text(rest):
    assert binary(DVI + rest) == "a DVI file; convert it to PDF"


def test_text_may_begin_with_the_same_byte():
    assert binary("÷ divides".encode("cp1252")) == ""


def test_text_that_begins_like_an_image():
    assert binary(b"GIF89a = 1\nprint(GIF89a)\n") == ""
    assert binary(b"GIF89a\x01\x00\x01\x00\x80") == "a GIF image"


def test_nul_bytes_in_a_program():
    head = b"/*" + b"\0" * 500 + b"*/ int main(void) { return 0; }"
    assert binary(head) == "it has NUL bytes"
    assert binary(head, is_program=True) == ""
    assert binary(b"\1\2\0" + head, is_program=True) == "it has NUL bytes"
