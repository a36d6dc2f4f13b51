"""Plant copies in a corpus, ask every tool for its clusters, and tell what they are worth.

    python -m experiments.planted pages-100.jsonl --out FOLDER [--tools whorl gaoya] [--settings "" "--k 5"]

The corpus is a JSONL with ``id`` and ``text``, such as ``python -m experiments.corpus`` writes. Pages of 150 words or
more that have no relative get a copy of each kind: 1%, 3%, 5%, 10% and 20% of the words edited (replaced, deleted,
another put before; drawn from a seed), the first half, and a fifth of the page inside another page that is taken out of
the corpus.

Recall is the share of copies that are in the same cluster as their original; "pairs" is the share that are a row of
Whorl's pairs with it. "under" is the share of all pairs of documents in a cluster that are less alike than the tool was
asked for, by the exact measure, on the tool's own shingles (the peers': five words) and on those of Whorl's preset: of
the real pages alone; then of the largest cluster, under 0.5. FOLDER gets ``planted.jsonl``, ``copies.json``,
``planted.md`` and ``planted.json``.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.clusters_peers.peers import PEERS

import whorl
from experiments.corpus.texts import read, write_rows
from experiments.planted.edits import KINDS
from experiments.planted.planting import Planted, plant
from experiments.planted.scores import Clusters, paired, purity, recall
from experiments.planted.shinglings import Hashes, by_id
from experiments.planted.tools import SETTINGS, Tool, tools

# Words in the shingles of Whorl's preset.
OURS = whorl.PRESETS["pages"].k


@dataclass(frozen=True)
class Row:
    """What one tool found. ``under``: on the tool's own shingles, and on ours."""

    tool: str
    recall: Mapping[str, float]
    paired: Mapping[str, float] | None
    clusters: int
    pairs: int
    under: tuple[float, float]
    largest: int
    largest_under: tuple[float, float]


class Shinglings:
    """The shingles of all texts, for each k that is asked for, once."""

    def __init__(self, rows: Sequence[Mapping[str, str]]) -> None:
        self._rows, self._known = rows, dict[int, Mapping[str, Hashes]]()

    def of(self, k: int) -> Mapping[str, Hashes]:
        """Return the runs of k words of each text, by its id."""
        if k not in self._known:
            self._known[k] = by_id((row["id"] for row in self._rows), (row["text"] for row in self._rows), k)
        return self._known[k]


def score(tool: Tool, texts: Path, planted: Planted, shinglings: Shinglings) -> Row:
    """Ask a tool, and measure its answer."""
    planted_ids = {copy.id for copy in planted.copies}
    answer = tool.ask(texts, planted_ids)
    real = _without(answer.clusters, planted_ids)
    own, ours = (purity(real, shinglings.of(k), tool.measure, tool.threshold) for k in (tool.k, OURS))
    largest = max(real, key=len, default=[])
    apart = tuple(purity([largest], shinglings.of(k), tool.measure, 0.5).under for k in (tool.k, OURS))
    return Row(
        tool.name,
        recall(planted.copies, answer.clusters),
        None if answer.pairs is None else paired(planted.copies, answer.pairs),
        len(real),
        own.pairs,
        (own.under, ours.under),
        len(largest),
        (apart[0], apart[1]),
    )


def _without(clusters: Clusters, copies: set[str]) -> list[list[str]]:
    left = ([name for name in cluster if name not in copies] for cluster in clusters)
    return [cluster for cluster in left if len(cluster) > 1]


def table(rows: Sequence[Row], planted: Planted) -> str:
    """In Markdown."""
    count = len(planted.copies) // len(KINDS)
    head = ["tool", *KINDS, "clusters", "pairs in them", "under, own", "under, ours", "largest", "its under .5"]
    lines = [f"{len(planted.rows):,} pages, {count} copies of each kind.", ""]
    lines += ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for row in rows:
        lines.append(_line(row.tool, row.recall, row))
        if row.paired is not None:
            lines.append(_line(f"{row.tool}: pairs", row.paired, None))
    return "\n".join(lines) + "\n"


def _line(name: str, shares: Mapping[str, float], row: Row | None) -> str:
    cells = [name, *(f"{shares[kind]:.3f}" for kind in KINDS)]
    if row is not None:
        under = [f"{share:.1%}" for share in row.under]
        largest = " / ".join(f"{share:.0%}" for share in row.largest_under)
        cells += [f"{row.clusters:,}", f"{row.pairs:,}", *under, f"{row.largest:,}", largest]
    else:
        cells += [""] * 6
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Plant, ask, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path, help="a corpus as JSONL")
    parser.add_argument("--out", type=Path, required=True, help="folder for what is planted and what comes of it")
    parser.add_argument("--count", type=int, default=250, help="pages that get copies")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tools", nargs="*", default=["whorl", *PEERS], choices=["whorl", *PEERS])
    parser.add_argument("--settings", nargs="*", default=SETTINGS, help="of whorl cluster, each in quotes: '--k 5'")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    planted = plant(list(read(options.texts)), options.count, options.seed)
    texts = options.out / "planted.jsonl"
    write_rows(planted.rows, texts, 1 << 62)
    (options.out / "copies.json").write_text(json.dumps([asdict(copy) for copy in planted.copies]))
    shinglings = Shinglings(planted.rows)
    rows: list[Row] = []
    failed: list[str] = []
    for tool in tools(options.tools, options.settings):
        if reason := tool.missing():
            print(f"{tool.name} is left out: {reason}")
            continue
        try:
            rows.append(score(tool, texts, planted, shinglings))
        except subprocess.CalledProcessError as error:
            failed.append(f"{tool.name} failed: {error}")
            continue
        print(_line(rows[-1].tool, rows[-1].recall, rows[-1]), flush=True)
        (options.out / "planted.json").write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
        (options.out / "planted.md").write_text(table(rows, planted))
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
