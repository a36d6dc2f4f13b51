"""Score pairs with copydetect: ``copydetect_scores.py REQUEST ANSWER``, run by the interpreter that has it installed.

Its report sorts a pair by the share of one of the two files that the other holds, whichever was read first. Here a pair
has the mean of both shares, so that the order of reading does not matter. Its
filter is made for programs and leaves nothing of prose, so prose is compared without it.
"""

import json
import sys
from importlib import import_module
from pathlib import Path

copydetect = import_module("copydetect")


def main(request: Path, answer: Path) -> None:
    """Write ``[left, right, score]`` of each pair of files."""
    asked = json.loads(request.read_text("utf-8"))
    detector = copydetect.CopyDetector(silent=True, autoopen=False, disable_filtering=asked["prose"])
    for path in asked["new"]:
        detector.add_file(path, "testref")
    for path in asked["archive"]:
        detector.add_file(path, "ref")
    for path in asked["base"]:
        detector.add_file(path, "boilerplate")
    detector.run()
    shares = detector.similarity_matrix.mean(axis=2)
    pairs = [
        (left, right, float(shares[row, column]))
        for row, left in enumerate(detector.test_files)
        for column, right in enumerate(detector.ref_files)
        if shares[row, column] > 0
    ]
    answer.write_text(json.dumps(pairs), "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
