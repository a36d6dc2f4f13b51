"""Fortran on cards: the same tokens as the same program in free form."""

import pytest

from whorl.formats.code.frontend import CodeFrontend
from whorl.formats.code.preprocessing import free_form

CARDS = """\
C     Sums numbers, as it's done.
      PROGRAM SUMS
      INTEGER I, TOTAL
      TOTAL = 0
      DO 10 I = 1, 10
*     adds
         TOTAL = TOTAL + I
10    CONTINUE
      CALL SHOW(TOTAL,
c     goes on
     &          I,
     1          2)
      END
"""
FREE = """\
! Sums numbers, as it's done.
program sums
integer i, total
total = 0
do 10 i = 1, 10
! adds
total = total + i
10 continue
call show(total, &
          i, &
          2)
end
"""


def test_the_tokens_are_those_of_the_free_form():
    cards, free = (CodeFrontend("fortran").stream(text) for text in (CARDS, FREE))
    assert cards.symbols.tolist() == free.symbols.tolist()
    assert [CARDS[start:end].lower() for start, end in cards.spans] == [FREE[start:end] for start, end in free.spans]


def test_free_form_is_left_alone():
    for text in (FREE, "      x = 1\n      y = 2\n", "call f(x)\nc = 1\nprint *, c\n", "", "\n" * 1000):
        assert free_form(text.encode()) == text.encode()


@pytest.mark.parametrize("piece", ["\n", " ", "\nC", "\n     &", "\n     ", "     \n"])
def test_hostile_text_is_linear(piece):
    data = CARDS.encode() + piece.encode() * 300_000
    assert len(free_form(data)) == len(data)
