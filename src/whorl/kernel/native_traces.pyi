"""Find the traces of programs. Defined by ``tests/kernel/specification/traces.py``. NumPy is not imported here."""

from array import array
from typing import TypeAlias

# The code points of a text, as numbers of 32 bits.
Codes: TypeAlias = memoryview | array[int]

def lexemes(codes: Codes, marks: bytes) -> array[int]:
    """Return the comments, strings and numbers of a program: of each its kind (1, 2, 3), its start, its end, and how
    many letters, digits and underscores it has. ``marks`` begin and end the comments: four bytes and four bytes, filled
    with zeros; no end if it is the end of the line."""

def bare(codes: Codes, lexemes: array[int]) -> array[int]:
    """Return the code points of a program with a blank for each comment and a number for each string."""

def statements(codes: Codes, begin: int, braces_hold: bool) -> array[int]:
    """Return the start and the end of each statement from ``begin`` on. ``braces_hold`` values, or else statements."""

def shapes(codes: Codes, spans: array[int], shortest: int) -> array[int]:
    """Return the statements that have at least so many signs, without blanks, each with a line feed after it."""

def assignments(codes: Codes, spans: array[int], longest: int) -> tuple[array[int], array[int]]:
    """Return the names that occur in statements that are no plain assignments, as ``words`` writes them, and the
    names of each assignment: what it sets, then what it reads. A blank follows a name, a line feed the last name of an
    assignment. Longer statements are no assignments."""

def words(codes: Codes) -> array[int]:
    """Return the words of a text, also those inside names, each with a blank after it. A word
    that repeats the last one of its slot is left out."""

def odd_lines(codes: Codes, shortest: int, longest: int) -> array[int]:
    """Return the lines with odd blanks, of such lengths: start, end, blanks at the end, and flags: 1 for tabs after
    spaces before the first sign, 2 for blanks before a comma, a semicolon or a bracket, 4 for several blanks between
    two words. Blanks do not count for the shortest."""
