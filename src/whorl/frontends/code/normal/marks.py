"""A bit for each rewrite: a node that it touched bears it."""

LOOPS = 1 << 0
COMPOUND = 1 << 1
BRANCHES = 1 << 2
CHAINED = 1 << 3
OUTPUT = 1 << 4
DECLARATIONS = 1 << 5
TEMPORARIES = 1 << 6
CONSTANTS = 1 << 7
NEGATION = 1 << 8
OPERANDS = 1 << 9
INLINED = 1 << 10
IDLE = 1 << 11
ORDER = 1 << 12
ASKED = 1 << 13
TAILS = 1 << 14
COUNTERS = 1 << 15
POWERS = 1 << 16

ALL = (1 << 17) - 1

# No rewrite: the first symbol of a statement, or of what follows the last one of a block.
STATEMENT = 1 << 31
