"""Whorl finds copies: identical, edited, reordered, partly quoted, or hidden inside something larger.

The public names are here. They are imported when they are first used, so that ``import whorl`` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from whorl._version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from whorl.errors import (
        DocumentError,
        InputError,
        KernelError,
        KeyMismatchError,
        SchemeError,
        UnknownNameError,
        WhorlError,
    )
    from whorl.fingerprinting.fingerprint import fingerprint
    from whorl.fingerprinting.fingerprints import Fingerprints
    from whorl.hashing.key import Key
    from whorl.model import Document, Span, Spans, Stream
    from whorl.scheme import PRESETS, Scheme

__all__ = [
    "PRESETS",
    "Document",
    "DocumentError",
    "Fingerprints",
    "InputError",
    "KernelError",
    "Key",
    "KeyMismatchError",
    "Scheme",
    "SchemeError",
    "Span",
    "Spans",
    "Stream",
    "UnknownNameError",
    "WhorlError",
    "__version__",
    "fingerprint",
]

_HOMES = {
    "PRESETS": "whorl.scheme",
    "Document": "whorl.model",
    "Fingerprints": "whorl.fingerprinting.fingerprints",
    "Key": "whorl.hashing.key",
    "Scheme": "whorl.scheme",
    "Span": "whorl.model",
    "Spans": "whorl.model",
    "Stream": "whorl.model",
    "fingerprint": "whorl.fingerprinting.fingerprint",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'whorl' has no attribute {name!r}")
    value = getattr(import_module(_HOMES.get(name, "whorl.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
