"""What the lines of JSON and their values can be, as ``twin_jsonl`` and ``native_jsonl`` tell it."""

# What a value is. ``BLANK`` is a string that may be nothing but spaces.
MISSING, STRING, ESCAPED, INTEGER, NULL, BLANK, ELSE = range(7)

# What a line is.
EMPTY, READ, REFUSED = range(3)
