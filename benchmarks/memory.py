"""Peak memory of fingerprinting a document of 1 GB, in a process of its own for each scheme."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.corpus import english

SIZE = 1_000_000_000
SCHEMES = {"k 50, w 100": {"k": 50, "w": 100}, "preset text": {"k": 20, "w": 20}}

SCRIPT = """
import json, resource, sys, time
from pathlib import Path
import whorl
start = time.process_time()
found = whorl.fingerprint(Path(sys.argv[1]), whorl.Scheme(**json.loads(sys.argv[2])))
taken = time.process_time() - start
print(json.dumps([len(found), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, taken]))
"""


def main() -> None:
    """One document, every scheme."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.txt"
        part = english(20_000_000).encode()
        with path.open("wb") as file:
            for _ in range(SIZE // len(part) + 1):
                file.write(part)
        size = path.stat().st_size
        for name, settings in SCHEMES.items():
            command = [sys.executable, "-c", SCRIPT, str(path), json.dumps(settings)]
            count, peak, taken = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
            print(
                f"{name:12} {size / 1e9:.2f} GB: {count:,} fingerprints, peak {peak / 1e9:.2f} GB "
                f"= {peak / size:.2f} times the document, {size / taken / 1e6:.0f} MB/s"
            )


if __name__ == "__main__":
    main()
