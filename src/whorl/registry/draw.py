"""The draw: which part of a search fingerprint is stored (Heintze 1996, section 3.3).

It comes from the registry's secret key and the document's number, which is a new one for every draw. Who does not know
the key learns nothing of one draw from all others: the numbers are SHAKE-128's.
"""

import numpy as np
from numpy.typing import NDArray

from whorl.hashing.key import Key
from whorl.scheme import Scheme


def stored(hashes: NDArray[np.uint64], scheme: Scheme, key: Key, number: int) -> NDArray[np.uint64]:
    """The stored fingerprint of a document, ascending: a part of its search fingerprint, or all of a short one."""
    if scheme.stored is None or len(hashes) <= scheme.stored:
        return hashes
    ranks = key.words(f"stored/{number}", len(hashes))
    return np.sort(hashes[np.argpartition(ranks, scheme.stored)[: scheme.stored]])
