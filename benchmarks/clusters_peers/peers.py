"""Which peers find near-duplicates, and how they are run."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.environments import ROOT, Environment

__all__ = ["PEERS", "ROOT", "Peer"]


@dataclass(frozen=True)
class Peer(Environment):
    """A package that finds near-duplicates. ``usual`` is the threshold of its own examples, beside 0.5."""

    usual: float
    # Its only threshold, where it has no setting for it.
    fixed: bool = False

    def command(self, texts: Path, threshold: float, out: Path) -> list[str | Path]:
        """Return what runs it; to be called in the folder ``ROOT``."""
        module = f"benchmarks.clusters_peers.with_{self.name.replace('-', '_')}"
        return [self.python, "-m", module, texts.absolute(), str(threshold), out.absolute()]


PEERS = {
    peer.name: peer
    for peer in (
        Peer("datasketch", "datasketch", 0.8),
        Peer("rensa", "rensa", 0.8),
        Peer("gaoya", "gaoya", 0.75),
        Peer("text-dedup", "text-dedup", 0.7),
        Peer("datatrove", "datatrove[processing] spacy orjson", 0.72, fixed=True),
    )
}
