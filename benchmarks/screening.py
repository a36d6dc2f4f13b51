"""Screen documents against a sweep store: documents a second, and how the time grows with the store.

    python -m benchmarks.screening TEXTS.jsonl [--screened 2000] [--steps 3]

The texts are JSONL with ``text``. So many of the last ones are screened against a store of a part of the others, in the
last step against all of them. Nothing is added meanwhile. CPU seconds are those of this process.
"""

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from whorl import Document
from whorl.sweep.sweep import Sweep


def documents(path: Path) -> list[Document]:
    """Return the documents, named by their lines."""
    with path.open(encoding="utf-8") as lines:
        return [Document(f"row-{number}", json.loads(line)["text"]) for number, line in enumerate(lines, 1)]


def size(texts: Sequence[Document]) -> float:
    """Return the bytes of texts, in millions."""
    return sum(len(str(text.content).encode()) for text in texts) / 1e6


def run(path: Path, screened: int, steps: int) -> None:
    """Print the figures of each step."""
    texts = documents(path)
    stored, asked = texts[:-screened], texts[-screened:]
    print(f"{len(asked):,} documents screened, {size(asked):.1f} MB")
    with tempfile.TemporaryDirectory() as home, Sweep.create(Path(home) / "store", "pages") as sweep:
        for step in range(steps):
            more = stored[len(stored) * step // steps : len(stored) * (step + 1) // steps]
            started = time.process_time()
            sweep.add_new(more, "2026-01-01")
            adding, started = time.process_time() - started, time.process_time()
            states = Counter(answer.state for answer in sweep.screen(asked))
            spent = time.process_time() - started
            counts = ", ".join(f"{count:,} {state}" for state, count in sorted(states.items()))
            print(f"store of {len(stored) * (step + 1) // steps:,}: {len(asked) / spent:,.0f} documents a CPU s, "
                  f"{size(asked) / spent:.1f} MB/s; {counts}; adding: {size(more) / adding:.1f} MB/s")  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--screened", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=3)
    options = parser.parse_args()
    run(options.texts, options.screened, options.steps)
