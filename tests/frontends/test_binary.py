"""Files without text, told by their first bytes."""

import pytest

from whorl.frontends.binary import binary

# How each DVI file begins: the command, the version, and the unit of length as two numbers of 32 bits.
DVI = b"\xf7\x02\x01\x83\x92\xc0\x1c\x3b\x00\x00"


@pytest.mark.parametrize("rest", [b"", b" TeX output 2022.05.01:1200 words and words" * 100])
def test_dvi_has_few_nul_bytes_and_is_no_text(rest):
    assert binary(DVI + rest) == "TeX's output before PDF; make a PDF of it"


def test_text_may_begin_with_the_same_byte():
    assert binary("÷ divides".encode("cp1252")) == ""
