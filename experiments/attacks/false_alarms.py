"""How often people who did nothing are flagged for padding: independent programs, and modules of Python's own library.

.venv/bin/python -m experiments.attacks.false_alarms irplag.zip
"""

import argparse
import random
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from experiments.labelled.irplag import INDEPENDENT, ORIGINAL, unpack
from whorl.comparison.evidence.finding import SubmissionTexts, Text
from whorl.comparison.evidence.findings import findings
from whorl.comparison.evidence.oddities import PADDING

# Modules of the library that are drawn, how many make a class, and their sizes in characters: those of programs that
# people hand in.
MODULES, CLASS, SMALLEST, LARGEST = 400, 40, 1500, 40_000


def flagged(submissions: Sequence[SubmissionTexts]) -> int:
    """Return how many of a class are flagged."""
    found = findings(submissions)
    return sum(any(each.kind == PADDING for each in own) for own in found.submissions.values())


def independents(data: Path) -> list[list[SubmissionTexts]]:
    """Return the programs of IR-Plag that are no copies, a class for each task."""
    tasks: dict[str, list[SubmissionTexts]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for program in unpack(data, Path(folder)):
            if program.kind in (INDEPENDENT, ORIGINAL):
                home = Path(folder, "new" if program.kind == ORIGINAL else "old", program.name)
                files = [Text(path.name, "java", path.read_text("utf-8", "replace")) for path in home.iterdir()]
                tasks[program.case].append(SubmissionTexts(program.name, tuple(files)))
    return list(tasks.values())


def modules(*, tests: bool, seed: int = 3) -> Iterator[list[SubmissionTexts]]:
    """Modules of the standard library, or of its tests, in classes."""
    every = Path(sysconfig.get_path("stdlib")).rglob("*.py")
    paths = sorted(path for path in every if "site-packages" not in path.parts and _is_test(path) == tests)
    random.Random(seed).shuffle(paths)
    chosen: list[SubmissionTexts] = []
    for path in paths:
        text = path.read_bytes().decode("utf-8", "replace")
        if SMALLEST < len(text) < LARGEST and len(chosen) < MODULES:
            chosen.append(SubmissionTexts(path.name, (Text(path.name, "python", text),)))
    return (chosen[at : at + CLASS] for at in range(0, len(chosen), CLASS))


def _is_test(path: Path) -> bool:
    return any("test" in part for part in path.parts)


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="irplag.zip")
    options = parser.parse_args()
    subjects = {
        "IR-Plag": independents(options.data),
        "standard library": list(modules(tests=False)),
        "its tests": list(modules(tests=True)),
    }
    for name, classes in subjects.items():
        counts = sum(map(flagged, classes)), sum(map(len, classes))
        print(f"{name:18} {counts[0]} of {counts[1]} flagged, {counts[0] / counts[1]:.1%}")


if __name__ == "__main__":
    main()
