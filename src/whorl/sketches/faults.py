"""What can go wrong with sketches.

InputError
├── SketchError             a sketch cannot be made, or cannot answer what is asked
├── SketchMismatchError     two sketches that say nothing about each other
└── SketchFormatError       bytes that are no sketch, a damaged one, or one of a newer Whorl
"""

from whorl.errors import InputError


class SketchError(InputError):
    """A sketch cannot be made from what was given, or cannot answer what is asked of it."""


class SketchMismatchError(InputError):
    """Two sketches were made under different schemes, keys or rules, so they say nothing about each other."""


class SketchFormatError(InputError):
    """Bytes that are no sketch, a damaged one, or one that a newer Whorl wrote."""
