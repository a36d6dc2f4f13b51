"""The ranking of ``whorl compare`` on IR-Plag: seven tasks, each an original, independent programs, and copies of the
original in six depths of disguise (Karnalim et al. 2019).

    .venv/bin/python -m experiments.labelled.irplag irplag.zip [--k 8] [--w 4] [--no-normal-form]

The original of a task is compared with every other program of the task; what is asked is whether copies come before
independent programs. Given are, as means over the tasks, the average precision (ties count as one step), and the
area under the ROC curve, of all copies and of each depth alone. Rarity is counted over all tasks. Programs that are
labelled independent but are copies are left out, as in the study that the presets start from.
"""

import argparse
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

import whorl
from experiments.labelled.measures import area, average_precision

LEVELS = ("L1", "L2", "L3", "L4", "L5", "L6")
ORIGINAL, INDEPENDENT = "original", "non-plagiarized"

# Copies among the independent ones: numbers 13 and 15 of these tasks.
MISLABELLED = {(case, number) for case in ("02", "03", "04", "06", "07") for number in ("13", "15")}


@dataclass(frozen=True)
class Program:
    """One program: its task, ``original``, ``non-plagiarized`` or a level, and its name as a submission."""

    case: str
    kind: str
    name: str


@dataclass(frozen=True)
class Quality:
    """Means over the tasks."""

    precision: float
    area: float
    by_level: Mapping[str, float]


def unpack(data: Path, folder: Path) -> list[Program]:
    """Write every program into a submission's folder of its own, originals apart; what they are."""
    programs: dict[str, Program] = {}
    with zipfile.ZipFile(data) as archive:
        for member in sorted(archive.namelist()):
            found = _program(PurePosixPath(member))
            if found is None:
                continue
            programs[found.name] = found
            target = folder / ("new" if found.kind == ORIGINAL else "old") / found.name / PurePosixPath(member).name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(member))
    return list(programs.values())


def _program(member: PurePosixPath) -> Program | None:
    if member.suffix != ".java":
        return None
    case = next(part.removeprefix("case-") for part in member.parts if part.startswith("case-"))
    kind = next(part for part in member.parts if part in (*LEVELS, ORIGINAL, INDEPENDENT))
    if kind == INDEPENDENT and (case, member.parent.name) in MISLABELLED:
        return None
    return Program(case, kind, f"{case}-{kind}-{member.parent.name}")


def measure(programs: Sequence[Program], folder: Path, scheme: whorl.Scheme, *, normal_form: bool = True) -> Quality:
    """Compare the originals with all other programs, and tell copies from independent ones by the score."""
    found = whorl.compare_all(
        folder / "new", scheme, archive=folder / "old", threshold=0.0, limit=10**6, normal_form=normal_form
    )
    names = [submission.name for submission in found.submissions]
    scores = {frozenset((names[pair.left], names[pair.right])): pair.score for pair in found.pairs}
    tasks = list(_tasks(programs, scores))
    return Quality(
        float(np.mean([average_precision(kinds != INDEPENDENT, values) for kinds, values in tasks])),
        float(np.mean([area(kinds != INDEPENDENT, values) for kinds, values in tasks])),
        {level: float(np.mean([_level(level, *task) for task in tasks])) for level in LEVELS},
    )


def _tasks(
    programs: Sequence[Program], scores: Mapping[frozenset[str], float]
) -> Iterator[tuple[NDArray[np.str_], NDArray[np.float64]]]:
    """Of each task, what its programs are and how alike the original they are."""
    tasks: dict[str, list[Program]] = defaultdict(list)
    for program in programs:
        tasks[program.case].append(program)
    for members in tasks.values():
        (original,) = (program.name for program in members if program.kind == ORIGINAL)
        others = [program for program in members if program.kind != ORIGINAL]
        values = [scores.get(frozenset((original, program.name)), 0.0) for program in others]
        yield np.array([program.kind for program in others]), np.array(values)


def _level(level: str, kinds: NDArray[np.str_], values: NDArray[np.float64]) -> float:
    chosen = (kinds == level) | (kinds == INDEPENDENT)
    return area(kinds[chosen] == level, values[chosen])


def main() -> None:
    """Print one row of a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="irplag.zip")
    parser.add_argument("--k", type=int, default=whorl.PRESETS["code"].k)
    parser.add_argument("--w", type=int, default=whorl.PRESETS["code"].w)
    parser.add_argument("--no-normal-form", action="store_true", help="by tokens alone")
    options = parser.parse_args()
    scheme = whorl.Scheme(frontend="code", k=options.k, w=options.w)
    with tempfile.TemporaryDirectory() as folder:
        programs = unpack(options.data, Path(folder))
        found = measure(programs, Path(folder), scheme, normal_form=not options.no_normal_form)
    print("| k, w | AP | AUC |", " | ".join(LEVELS), "|")
    print("|---" * (3 + len(LEVELS)) + "|")
    levels = " | ".join(f"{found.by_level[level]:.2f}" for level in LEVELS)
    print(f"| {options.k}, {options.w} | {found.precision:.3f} | {found.area:.3f} | {levels} |")


if __name__ == "__main__":
    main()
