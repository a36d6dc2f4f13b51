"""Find values in lines of JSON. Defined by ``tests/kernel/specification/jsonl.py``.

A line that is no JSON object is refused. So is a sound but rare one, which a slower reader takes: an escaped name, half
a surrogate pair, a number of very many digits, deeply nested brackets.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Bytes: TypeAlias = NDArray[np.uint8]
Numbers: TypeAlias = NDArray[np.int64]

def fields(data: Bytes, names: Bytes, bounds: Numbers) -> tuple[Bytes, Numbers, Bytes, Numbers, Numbers]:
    """Return the state and end of each line, and the kind, start and end of each name's value in it.

    The names lie one after the other, divided at ``bounds``. Strings are without their quotation marks.
    """

def unescaped(data: Bytes, starts: Numbers, ends: Numbers) -> tuple[Bytes, Numbers]:
    """Decode strings that ``fields`` found into UTF-8, one after the other. Return them and their bounds."""
