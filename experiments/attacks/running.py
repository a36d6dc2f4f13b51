"""Whether a Python program still does what it should: it is run on its task's cases, in a process of its own."""

import subprocess
import sys
import tempfile
from pathlib import Path

from experiments.attacks.program import Program, cases

# Seconds for one case. The examples take a few hundredths.
LONGEST = 20.0


def behaves(program: Program) -> bool:
    """Return whether a Python program prints what it should on every case."""
    with tempfile.TemporaryDirectory(prefix="whorl-attack-") as folder:
        for name, text in program.files:
            Path(folder, name).write_text(text, "utf-8")
        main = Path(folder, program.files[0][0])
        return all(_output(main, case.input) == case.output for case in cases(program.task))


def _output(main: Path, given: str) -> str | None:
    """Return what a program prints; None if it fails or does not end."""
    # The folder of the program is the first place that it imports from; nothing else of ours is.
    command = [sys.executable, "-S", "-E", "-B", str(main)]
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=LONGEST, check=False, cwd=main.parent
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None
