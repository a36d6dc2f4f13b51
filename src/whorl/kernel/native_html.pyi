"""Take the text out of a web page. Defined by ``tests/kernel/specification/html.py``.

The page is UTF-8 and may hold lone surrogates. Tokens are those of the HTML standard's tokenizer (section 13.2.5).
"""

import numpy as np
from numpy.typing import NDArray

def visible(
    page: NDArray[np.uint8], keys: NDArray[np.uint64], roles: NDArray[np.uint8]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the text between the tags, and a row for each tag (columns ``START``, ``END``, ``ROLE``, ``PLACE``).

    ``keys`` are those of element names, ``roles`` the role of each: a sum of the flags in ``constants``.
    """
