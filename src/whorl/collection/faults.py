"""What can go wrong with a collection.

WhorlError
└── InputError
    └── RulesError      rules have faults: all of them, in ``faults``

``RefusedError`` and ``BrokenError`` never leave this package: they become the reason of a ``Skipped``.
"""

import lzma
import sys
import zlib

from whorl.collection.names import printable
from whorl.errors import FaultsError


def damage() -> tuple[type[Exception], ...]:
    """What the decompressors raise on damaged data; bz2 and gzip raise OSError. That of zstd is not imported before it
    is used: it takes as long as the rest of the package."""
    used = (sys.modules["zstandard"].ZstdError,) if "zstandard" in sys.modules else ()
    return OSError, EOFError, zlib.error, lzma.LZMAError, *used


class RulesError(FaultsError):
    """Rules have faults."""


class RefusedError(Exception):
    """One thing is not read, for this reason; the rest goes on."""


class BrokenError(Exception):
    """A tar archive breaks off, or is not what it should be."""


def broken() -> tuple[type[Exception], ...]:
    """What reading a compressed tar archive may raise."""
    return BrokenError, *damage()


def reason(error: Exception) -> str:
    """An error as one line for people, without the path: the name is told beside it."""
    if isinstance(error, OSError) and error.strerror:
        return printable(error.strerror[:1].lower() + error.strerror[1:])
    return printable(str(error)) or type(error).__name__
