"""Raw UTF-8 English text to fingerprints, front-end included: per core, and against copydetect on the same files."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import whorl
from benchmarks.corpus import english
from benchmarks.environments import Environment
from benchmarks.measure import Timing, in_turns, ratio

ROUNDS = 5
SIZE = 16_000_000
COPYDETECT = Environment("copydetect", "copydetect")

# copydetect's own defaults for the noise and guarantee thresholds, and the paper's.
THRESHOLDS = ((25, 30), (50, 149))
FILES, FILE_SIZE = 20, 50_000

# Fingerprints files as copydetect does before it compares them; prints CPU seconds a round. Its filter for source code
# drops all of a plain text (version 0.5.0 finds no fingerprint in a .txt file), so it is off.
PEER_SCRIPT = """
import json, sys, time
from copydetect import CodeFingerprint
k, window, rounds, *files = sys.argv[1:]
taken = []
for _ in range(int(rounds)):
    start = time.process_time()
    for file in files:
        assert CodeFingerprint(file, int(k), int(window), filter=False, encoding="utf-8").hashes
    taken.append(time.process_time() - start)
print(json.dumps(taken))
"""


def per_core() -> None:
    """Bytes in, fingerprints out."""
    kinds = {
        "ASCII": english(SIZE).replace("—", "--").replace("’", "'").encode("ascii", "ignore"),
        "with typographic quotes and dashes": english(SIZE).encode(),
    }
    schemes = {
        "k 50, w 100": whorl.Scheme(k=50, w=100),
        "preset text (k 20, w 20)": "text",
        "preset web (words)": "web",
    }
    print("raw UTF-8 English to fingerprints, one core")
    for kind, data in kinds.items():
        timings = in_turns(
            {name: lambda s=scheme: whorl.fingerprint(data, s) for name, scheme in schemes.items()},  # type: ignore[misc]  # noqa: B023
            ROUNDS,
        )
        for name, timing in timings.items():
            print(f"  {kind:36} {name:26} {timing.speed(len(data))}")


def against_copydetect() -> None:
    """The same files, k and guarantee; CPU time of both, in turns."""
    if reason := COPYDETECT.missing():
        print(reason)
        return
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{number}.txt" for number in range(FILES)]
        for number, file in enumerate(files):
            file.write_text(english(FILE_SIZE, seed=number), "utf-8")
        for k, t in THRESHOLDS:
            compare(COPYDETECT.python, files, k, t)


def compare(python: Path, files: list[Path], k: int, t: int) -> None:
    """One pair of thresholds."""
    scheme = whorl.Scheme(k=k, t=t)
    command = [str(python), "-c", PEER_SCRIPT, str(k), str(t - k + 1), "1", *map(str, files)]
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(in_turns({"whorl": lambda: [whorl.fingerprint(file, scheme) for file in files]}, 3)["whorl"].median)
        theirs += json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    size = sum(file.stat().st_size for file in files)
    whorl_timing, peer_timing = Timing(tuple(ours)), Timing(tuple(theirs))
    print(f"\n{len(files)} files of {FILE_SIZE // 1000} kB, k = {k}, t = {t}")
    print(f"  copydetect {size / peer_timing.median / 1e6:7.2f} MB/s")
    print(f"  Whorl      {size / whorl_timing.median / 1e6:7.2f} MB/s: {ratio(peer_timing, whorl_timing)}")


def main() -> None:
    """Both."""
    print(f"Python {sys.version.split()[0]}")
    per_core()
    against_copydetect()


if __name__ == "__main__":
    main()
