"""Whorl's library on texts in memory, for the same input and output as the peers have; in Whorl's own environment."""

import json
import sys
from pathlib import Path

import whorl
from benchmarks.clusters_peers import rows
from whorl.model import Document


def main() -> None:
    """Read, cluster, write."""
    source, threshold, out = sys.argv[1:]
    ids, contents = rows.texts(source)
    found = whorl.cluster(map(Document, ids, contents), "web", threshold=float(threshold), workers=1)
    Path(out).write_text(json.dumps(list(map(list, found.clusters()))), "utf-8")


main()
