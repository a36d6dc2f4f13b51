"""Whorl finds copies: identical, edited, reordered, partly quoted, or hidden inside something larger.

The public names are here. They are imported when they are first used, so that ``import whorl`` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from whorl._version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from whorl.clustering.cluster import cluster
    from whorl.clustering.features import Features
    from whorl.clustering.result import Clustering
    from whorl.comparison.compare import compare
    from whorl.comparison.compare_all import compare_all
    from whorl.comparison.result import Comparison
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
    from whorl.index.index import Index
    from whorl.index.memory import MemoryIndex
    from whorl.matching.likeness import Likeness
    from whorl.matching.passage import Match, Passage
    from whorl.model import Document, Skipped, Span, Spans, Stream
    from whorl.registry.registry import Registry
    from whorl.scheme import PRESETS, Scheme
    from whorl.sketches.estimates import Estimate, estimate_containment, estimate_resemblance
    from whorl.sketches.making import sketch
    from whorl.sketches.measures import containment, resemblance
    from whorl.sketches.sketch import Sketch
    from whorl.sweeps.sweep import Sweep

__all__ = [
    "PRESETS",
    "Clustering",
    "Comparison",
    "Document",
    "DocumentError",
    "Estimate",
    "Features",
    "Fingerprints",
    "Index",
    "InputError",
    "KernelError",
    "Key",
    "KeyMismatchError",
    "Likeness",
    "Match",
    "MemoryIndex",
    "Passage",
    "Registry",
    "Scheme",
    "SchemeError",
    "Sketch",
    "Skipped",
    "Span",
    "Spans",
    "Stream",
    "Sweep",
    "UnknownNameError",
    "WhorlError",
    "__version__",
    "cluster",
    "compare",
    "compare_all",
    "containment",
    "estimate_containment",
    "estimate_resemblance",
    "fingerprint",
    "resemblance",
    "sketch",
]

_HOMES = {
    "PRESETS": "whorl.scheme",
    "Clustering": "whorl.clustering.result",
    "Comparison": "whorl.comparison.result",
    "Document": "whorl.model",
    "Estimate": "whorl.sketches.estimates",
    "Features": "whorl.clustering.features",
    "Fingerprints": "whorl.fingerprinting.fingerprints",
    "Index": "whorl.index.index",
    "Key": "whorl.hashing.key",
    "Likeness": "whorl.matching.likeness",
    "Match": "whorl.matching.passage",
    "MemoryIndex": "whorl.index.memory",
    "Passage": "whorl.matching.passage",
    "Registry": "whorl.registry.registry",
    "Scheme": "whorl.scheme",
    "Sketch": "whorl.sketches.sketch",
    "Skipped": "whorl.model",
    "Span": "whorl.model",
    "Spans": "whorl.model",
    "Stream": "whorl.model",
    "Sweep": "whorl.sweeps.sweep",
    "cluster": "whorl.clustering.cluster",
    "compare": "whorl.comparison.compare",
    "compare_all": "whorl.comparison.compare_all",
    "containment": "whorl.sketches.measures",
    "estimate_containment": "whorl.sketches.estimates",
    "estimate_resemblance": "whorl.sketches.estimates",
    "fingerprint": "whorl.fingerprinting.fingerprint",
    "resemblance": "whorl.sketches.measures",
    "sketch": "whorl.sketches.making",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'whorl' has no attribute {name!r}")
    value = getattr(import_module(_HOMES.get(name, "whorl.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
