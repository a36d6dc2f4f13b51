"""The tools that are asked: Whorl's command, and the peers; all give clusters as lists of ids."""

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow.parquet as parquet
from benchmarks.clusters_peers.peers import PEERS, ROOT, Peer
from benchmarks.clusters_peers.rows import SHINGLE

from whorl import PRESETS
from whorl.clustering import THRESHOLDS


@dataclass(frozen=True)
class Answer:
    """What a tool found: clusters of two or more, and the pairs that copies are in, if it tells pairs."""

    clusters: list[list[str]]
    pairs: list[tuple[str, str]] | None = None


@dataclass(frozen=True)
class Tool:
    """A tool with its settings. ``measure`` and ``threshold`` are what it was asked for; ``k`` is how many
    words are in its shingles; ``options`` are those of Whorl's command, ``peer`` is whom it belongs to otherwise."""

    name: str
    threshold: float
    measure: str = "resemblance"
    k: int = SHINGLE
    options: tuple[str, ...] = ()
    peer: Peer | None = field(default=None, repr=False)

    def missing(self) -> str:
        """Return why it cannot be asked; nothing if it can."""
        return self.peer.missing() if self.peer else ""

    def ask(self, texts: Path, copies: Collection[str]) -> Answer:
        """Its clusters of a JSONL that has copies of these ids in it."""
        with tempfile.TemporaryDirectory() as home:
            if self.peer is None:
                return self._whorl(texts, Path(home) / "out", copies)
            out = Path(home) / "clusters.json"
            command = self.peer.command(texts, self.threshold, out)
            subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            return Answer(json.loads(out.read_text("utf-8")))

    def _whorl(self, texts: Path, out: Path, copies: Collection[str]) -> Answer:
        whorl = Path(sys.executable).with_name("whorl")
        subprocess.run([whorl, "cluster", texts, "-o", out, *self.options], check=True, stdout=subprocess.DEVNULL)
        documents = parquet.read_table(out / "documents.parquet", columns=["id", "cluster"]).to_pydict()
        groups = defaultdict(list)
        for name, cluster in zip(documents["id"], documents["cluster"], strict=True):
            groups[cluster].append(name)
        clusters = [group for group in groups.values() if len(group) > 1]
        # There can be millions of pairs of templated pages.
        asked = [[("left", "in", copies)], [("right", "in", copies)]]
        pairs = parquet.read_table(out / "pairs.parquet", columns=["left", "right"], filters=asked).to_pydict()
        return Answer(clusters, list(zip(pairs["left"], pairs["right"], strict=True)))


# Whorl's settings that are asked unless others are given. Half of a page is contained in it as a whole. Of a fifth
# that is in another page, that page holds a fifth of the original less a shingle's length: the last threshold is below
# that.
SETTINGS = ("", "--closure", "--measure containment", "--measure containment --threshold 0.1")


def whorl(settings: str) -> Tool:
    """Whorl's command with some of its options, given as on a command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--measure", default="resemblance")
    parser.add_argument("--threshold", type=float)
    parser.add_argument("--k", type=int, default=PRESETS["pages"].k)
    known, _ = parser.parse_known_args(shlex.split(settings))
    name = f"whorl {settings}".strip()
    threshold = THRESHOLDS[known.measure] if known.threshold is None else known.threshold
    return Tool(name, threshold, known.measure, known.k, tuple(shlex.split(settings)))


def tools(names: Sequence[str], settings: Sequence[str] = SETTINGS) -> list[Tool]:
    """Whorl with each of the settings, and each peer at 0.5 and at the threshold of its own examples."""
    found = [whorl(each) for each in settings] if "whorl" in names else []
    for name in names:
        if name in PEERS:
            peer = PEERS[name]
            thresholds = (peer.usual,) if peer.fixed else (0.5, peer.usual)
            found += [Tool(f"{name} at {threshold}", threshold, peer=peer) for threshold in thresholds]
    return found
