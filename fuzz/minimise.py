"""Makes a failing document as small as it can be made by leaving parts out, the larger ones first."""

import time
from collections.abc import Callable

# Documents that are tried, and seconds: a crash costs a new worker each time.
TRIES = 400
SECONDS = 30.0


def minimised(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Return a document that fails too, and of which no part that was tried can go."""
    late, tries = time.monotonic() + SECONDS, 0
    size = max(1, len(data) // 2)
    while size:
        at, smaller = 0, False
        while at < len(data):
            if tries >= TRIES or time.monotonic() > late:
                return data
            tries += 1
            shorter = data[:at] + data[at + size :]
            if fails(shorter):
                data, smaller = shorter, True
            else:
                at += size
        size = size if smaller and size == 1 else size // 2
    return data
