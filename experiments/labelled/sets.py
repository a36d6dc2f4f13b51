"""The labelled sets: a loader each, from the zip file to tasks.

``loaded`` unpacks the sets that are asked for; the files are in a folder of the caller's. A script that tries other
scores needs no more than this::

    with tempfile.TemporaryDirectory() as home:
        for name, tasks in loaded(data, Path(home)).items():
            for task in tasks:
                for ranking in task.rankings:
                    ranking.pairs, ranking.is_copy
"""

import csv
import zipfile
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from experiments.labelled import irplag
from experiments.labelled.tasks import LabelsError, Pair, Task, all_pairs, ranking_of

# The category of a short answer that is the source the others may have copied from, and of an independent one.
SOURCE, INDEPENDENT = "orig", "non"


def read_irplag(data: Path, folder: Path) -> list[Task]:
    """Return IR-Plag: the original of each of seven tasks against the other programs of its task.

    All are compared in one run, so rarity is counted over all tasks; each task is a ranking of its own.
    """
    tasks: dict[str, list[irplag.Program]] = defaultdict(list)
    for program in irplag.unpack(data, folder):
        tasks[program.case].append(program)
    rankings = []
    for members in tasks.values():
        (original,) = (program.name for program in members if program.kind == irplag.ORIGINAL)
        others = {frozenset({original, program.name}): program for program in members if program.name != original}
        copies = {pair for pair, program in others.items() if program.kind != irplag.INDEPENDENT}
        rankings.append(ranking_of(others, copies))
    return [Task("irplag", folder / "new", tuple(rankings), archive=folder / "old")]


def read_soco(data: Path, folder: Path) -> list[Task]:
    """Return SOCO's C programs: all pairs; the copied ones are lines of ``labels.qrel``."""
    _unpack(data, folder)
    copies = {frozenset(line.split()) for line in _lines(folder / "labels.qrel")}
    return [_task("soco-c", folder / "c", copies)]


def read_vkcup(data: Path, folder: Path) -> list[Task]:
    """Return VK Cup's contests: all pairs of each; the files of a line of ``.ans`` are copies of each other."""
    _unpack(data, folder)
    return [_task(answers.stem, answers.with_suffix(""), _groups(answers)) for answers in sorted(folder.glob("*.ans"))]


def _groups(answers: Path) -> set[Pair]:
    count, *groups = _lines(answers)
    if int(count) != len(groups):
        raise LabelsError(f"{answers.name} announces {count} groups and has {len(groups)}")
    return {pair for group in groups for pair in all_pairs(group.split())}


def read_progpedia(data: Path, folder: Path) -> list[Task]:
    """Return the programs of Progpedia: all pairs but for what the base holds; ``plagiarism.csv`` has the copies."""
    _unpack(data, folder)
    copies = {frozenset(line.rstrip(";").split(";")) for line in _lines(folder / "plagiarism.csv")}
    return [_task("progpedia", folder / "ACCEPTED", copies, base=folder / "base", include=("*.java",))]


def read_short_answers(data: Path, folder: Path) -> list[Task]:
    """Return Clough and Stevenson's short answers: each answer against the source of its question.

    It is a copy if it was cut out of the source, or revised lightly or heavily; those who did not see the source wrote
    independently. Two answers that used one source are not judged: nobody labelled them. All are compared in one run
    and are one ranking, since one cut must serve all five questions.
    """
    _unpack(data, folder / "all")
    with (folder / "all" / "file_information.csv").open(encoding="utf-8", newline="") as rows:
        records = list(csv.DictReader(rows))
    sources = {record["Task"]: record["File"] for record in records if record["Category"] == SOURCE}
    pairs = {
        frozenset({record["File"], sources[record["Task"]]}): record["Category"]
        for record in records
        if record["Category"] != SOURCE
    }
    (folder / "texts").mkdir()
    for record in records:
        (folder / "all" / record["File"]).rename(folder / "texts" / record["File"])
    copies = {pair for pair, category in pairs.items() if category != INDEPENDENT}
    return [Task("short-answers", folder / "texts", (ranking_of(pairs, copies),))]


SETS: dict[str, Callable[[Path, Path], list[Task]]] = {
    "irplag": read_irplag,
    "soco-c": read_soco,
    "vkcup-sample": read_vkcup,
    "progpedia": read_progpedia,
    "short-answers": read_short_answers,
}


def loaded(data: Path, home: Path, names: Collection[str] = tuple(SETS)) -> dict[str, list[Task]]:
    """Unpack sets from the zip files in ``data`` into ``home``; return their tasks by the set's name."""
    if missing := [name for name in names if not (data / f"{name}.zip").is_file()]:
        raise FileNotFoundError(f"{data} has no {missing[0]}.zip; get the set, or choose others with --set")
    return {name: SETS[name](data / f"{name}.zip", home / name) for name in names}


def _task(
    name: str, folder: Path, copies: Collection[Pair], *, base: Path | None = None, include: tuple[str, ...] = ()
) -> Task:
    pairs = all_pairs([child.name for child in folder.iterdir()])
    return Task(name, folder, (ranking_of(pairs, copies),), base=base, include=include)


def _unpack(data: Path, folder: Path) -> None:
    with zipfile.ZipFile(data) as archive:
        archive.extractall(folder)


def _lines(path: Path) -> Iterator[str]:
    return (line for line in path.read_text("utf-8").splitlines() if line.strip())
