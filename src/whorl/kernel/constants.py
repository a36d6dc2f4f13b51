"""Constants that the compiled kernel shares with its callers.

The ``.pxd`` and ``.h`` files beside this module repeat those that the loops use; a test compares them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Text. An entry of a table, one for each code point: the value that it becomes alone (0: nothing) and flags.
SYMBOL = 0x1FFFFF  # 21 bits hold every code point
NUMBER = 1 << 21  # words: a number, which an apostrophe does not join
SOLO = 1 << 22  # words: a letter of a script written without spaces, a word of its own
VALUE = SYMBOL | SOLO | NUMBER  # the bits that are emitted
BINDS = 1 << 23  # a text must not be divided before this code point
EXPANDS = 1 << 24  # becomes several values, by its expansion; entries from here on leave the fast path
JOINS = 1 << 25  # belongs to the segment of the code point before it: a mark, an ignorable, a medial jamo
SPLITS = 1 << 26  # words: begins with a letter and holds a separator, so no word runs into it

# A part of an expansion: a code point of the full decomposition, its combining class from bit 24 up, and this flag.
OPENS = 1 << 21  # the source is a starter although its first part is not (half-width voicing marks)

YPOGEGRAMMENI = 0x345  # the one mark that folds to a letter: held back to the end of its run, as NFD does

BREAK, APOSTROPHE = 0x20, 0x27  # a separator and an apostrophe in a table of words; never a symbol


class Shapes(NamedTuple):
    """How code points decompose and compose; the same for every kind of symbol."""

    expansion: NDArray[np.uint16]  # for each code point: the number of its expansion, 0 if it stands for itself
    offsets: NDArray[np.uint32]  # where expansion i begins in the pool; it ends where i + 1 begins
    pool: NDArray[np.uint32]  # parts, see OPENS
    pairs: NDArray[np.uint64]  # sorted: first << 32 | second
    composites: NDArray[np.uint32]  # the composite of each pair


# HTML. The role of an element, and of a tag in its row, is a sum of these flags.
BREAKS = 1  # stands on lines of its own: each of its tags becomes the end of a line
RAW = 2  # its content is no markup
UNSEEN = 4  # its raw content is not shown
HIDES = 8  # its content is dropped: always, or by an attribute of the tag
VOID = 16  # has no content, so it cannot hide anything
BESIDE = 32  # stands beside the main content
MAIN = 64  # is the main content
ENDS = 128  # the tag is an end tag

# The columns of a tag's row: start and end of its name in the page, its role, and its place in the text.
START, END, ROLE, PLACE = range(4)

# Segment files. The six numbers of a directory's row. The offset, in bytes, is split into its lower and upper half.
COLUMNS = OFFSET, OFFSET_HIGH, POSTINGS, DISTINCT, CHECKSUM, PLACE_WIDTH = range(6)

# 64 slots make 16 hashes a slot in a block of the usual size, which are searched in four steps. Twice as many slots
# would take as many bits for their starts as they save in the hashes.
SLOT_BITS = 6
SLOTS = 1 << SLOT_BITS

# From this many distinct hashes on, a start takes 32 bits.
LARGE = 1 << 16

# Lines of JSON. The kind of a value. ``BLANK`` is a string that may consist of spaces alone.
MISSING, STRING, ESCAPED, INTEGER, NULL, BLANK, ELSE = range(7)

# The state of a line.
EMPTY, READ, REFUSED = range(3)
