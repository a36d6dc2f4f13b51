"""What a durable add costs: one document, one commit. ``python -m benchmarks.durable``."""

import random
import statistics
import tempfile
import time
from pathlib import Path

from whorl import Document
from whorl.index.index import Index

DOCUMENTS = 200


def text(seed: int) -> str:
    """Return a page of made-up words."""
    draw = random.Random(seed)
    return " ".join("".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(3, 9))) for _ in range(250))


def main() -> None:
    """Add documents one by one, and print how long one takes."""
    with tempfile.TemporaryDirectory(prefix="whorl-durable-") as folder, Index.create(Path(folder) / "index") as index:
        spent, used = [], time.process_time()
        for number in range(DOCUMENTS):
            document = Document(f"{number}", text(number))
            started = time.perf_counter()
            index.add(document)
            spent.append(time.perf_counter() - started)
        used = time.process_time() - used
    median, mean = statistics.median(spent), statistics.mean(spent)
    print(f"median {1e3 * median:.2f} ms, mean {1e3 * mean:.2f} ms, processor {1e3 * used / DOCUMENTS:.2f} ms an add")


if __name__ == "__main__":
    main()
