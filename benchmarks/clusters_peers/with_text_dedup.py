"""text-dedup: its command ``text_dedup.minhash``, whose clusters are read from what it writes for debugging."""

import json
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.clusters_peers import rows


def main() -> None:
    """Run the command, then read its clusters."""
    source, threshold, out = sys.argv[1:]
    with tempfile.TemporaryDirectory() as home:
        given = {
            "path": "json", "data_files": source, "split": "train", "cache_dir": f"{home}/cache",
            "output": f"{home}/out", "column": "text", "threshold": threshold, "num_perm": rows.HASHES,
            "ngram": rows.SHINGLE, "num_proc": 1, "batch_size": 10_000,
        }  # fmt: skip
        options = [part for name, value in given.items() for part in (f"--{name}", str(value))]
        command = [sys.executable, "-m", "text_dedup.minhash", *options, "--debug"]
        subprocess.run(command, check=True, capture_output=True)
        with Path(home, "out", "uf.pkl").open("rb") as file:
            # Written a moment ago by the command above.
            found = pickle.load(file)
    ids, _ = rows.texts(source)
    parents = found["parent"] if isinstance(found, dict) else found.parent
    roots = rows.joined(len(ids), ((int(left), int(right)) for left, right in parents.items()))
    Path(out).write_text(json.dumps(rows.clusters(ids, roots)), "utf-8")


main()
