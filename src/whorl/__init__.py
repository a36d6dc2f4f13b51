"""Whorl finds copies: identical, edited, reordered, partly quoted, or hidden inside something larger.

The public names are here. They are imported when they are first used, so that ``import whorl`` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from whorl._version import VERSION

__version__ = VERSION

if TYPE_CHECKING:
    from whorl.clustering.cluster import cluster
    from whorl.clustering.records import Features
    from whorl.clustering.result import Clustering
    from whorl.comparison.compare import compare, compare_all
    from whorl.comparison.result import Comparison
    from whorl.corpus_clustering import CorpusClustering, cluster_corpus
    from whorl.corpus_decontamination import decontaminate
    from whorl.corpus_dedup import dedup
    from whorl.corpus_output import Deduplication
    from whorl.engine.cache import ReadCache
    from whorl.engine.estimates import Estimate, estimate_containment, estimate_resemblance
    from whorl.engine.fingerprints import Fingerprints, fingerprint
    from whorl.engine.hashing import Key
    from whorl.engine.shingles import containment, resemblance
    from whorl.engine.sketches import Sketch, sketch
    from whorl.errors import (
        DocumentError,
        InputError,
        KernelError,
        KeyMismatchError,
        SchemeError,
        UnknownNameError,
        WhorlError,
    )
    from whorl.index.check import BaseTexts, Exclusions, ManuscriptCheck, check_manuscript
    from whorl.index.index import Index
    from whorl.index.memory import MemoryIndex
    from whorl.matching.likeness import Likeness
    from whorl.matching.passage import Match, Passage
    from whorl.model import Document, Skipped, Span, Spans, Stream
    from whorl.registry.registry import Registry
    from whorl.scheme import PRESETS, Scheme
    from whorl.sweep.sweep import Sweep

__all__ = [
    "PRESETS",
    "BaseTexts",
    "Clustering",
    "Comparison",
    "CorpusClustering",
    "Deduplication",
    "Document",
    "DocumentError",
    "Estimate",
    "Exclusions",
    "Features",
    "Fingerprints",
    "Index",
    "InputError",
    "KernelError",
    "Key",
    "KeyMismatchError",
    "Likeness",
    "ManuscriptCheck",
    "Match",
    "MemoryIndex",
    "Passage",
    "ReadCache",
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
    "check_manuscript",
    "cluster",
    "cluster_corpus",
    "compare",
    "compare_all",
    "containment",
    "decontaminate",
    "dedup",
    "estimate_containment",
    "estimate_resemblance",
    "fingerprint",
    "resemblance",
    "sketch",
]

_HOMES = {
    "PRESETS": "whorl.scheme",
    "BaseTexts": "whorl.index.check",
    "Clustering": "whorl.clustering.result",
    "Comparison": "whorl.comparison.result",
    "CorpusClustering": "whorl.corpus_clustering",
    "Deduplication": "whorl.corpus_output",
    "Document": "whorl.model",
    "Estimate": "whorl.engine.estimates",
    "Exclusions": "whorl.index.check",
    "Features": "whorl.clustering.records",
    "Fingerprints": "whorl.engine.fingerprints",
    "Index": "whorl.index.index",
    "Key": "whorl.engine.hashing",
    "Likeness": "whorl.matching.likeness",
    "ManuscriptCheck": "whorl.index.check",
    "Match": "whorl.matching.passage",
    "MemoryIndex": "whorl.index.memory",
    "Passage": "whorl.matching.passage",
    "ReadCache": "whorl.engine.cache",
    "Registry": "whorl.registry.registry",
    "Scheme": "whorl.scheme",
    "Sketch": "whorl.engine.sketches",
    "Skipped": "whorl.model",
    "Span": "whorl.model",
    "Spans": "whorl.model",
    "Stream": "whorl.model",
    "Sweep": "whorl.sweep.sweep",
    "check_manuscript": "whorl.index.check",
    "cluster": "whorl.clustering.cluster",
    "cluster_corpus": "whorl.corpus_clustering",
    "compare": "whorl.comparison.compare",
    "compare_all": "whorl.comparison.compare",
    "containment": "whorl.engine.shingles",
    "decontaminate": "whorl.corpus_decontamination",
    "dedup": "whorl.corpus_dedup",
    "estimate_containment": "whorl.engine.estimates",
    "estimate_resemblance": "whorl.engine.estimates",
    "fingerprint": "whorl.engine.fingerprints",
    "resemblance": "whorl.engine.shingles",
    "sketch": "whorl.engine.sketches",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'whorl' has no attribute {name!r}")
    value = getattr(import_module(_HOMES.get(name, "whorl.errors")), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
