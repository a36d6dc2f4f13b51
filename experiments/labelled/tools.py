"""The tools whose rankings are judged: each gives the score of every pair that it lists.

The peers are those of the benchmarks: installed at their first use, each into a folder of its own below
``benchmarks/.peers``, or below the folder that the variable WHORL_PEERS names. A peer runs as a process of its own. It
gets one file a submission, in UTF-8: most of them compare single files, and skip those in another encoding.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.compare import COMPARE50, COPYDETECT, without_dolos
from benchmarks.environments import HOME, ROOT

import whorl
from experiments.labelled.tasks import Pair, Task
from whorl.formats.archives.rules import Rules

WHORL = "whorl"

# More pairs than a task has: no pair is left out for want of room.
ALL_PAIRS = 10**6

SCRIPTS = Path(__file__).parent / "peers"

# Seconds that a peer has for a task: many times what each needs for these.
TIME = 900


class PeerError(Exception):
    """A peer did not answer."""


@dataclass(frozen=True)
class Tool:
    """A tool by its name: how it scores the pairs of a task, why it cannot, if it cannot, and its version."""

    name: str
    scores: Callable[[Task], dict[Pair, float]]
    missing: Callable[[], str]
    version: Callable[[], str]


def scores_of_whorl(task: Task) -> dict[Pair, float]:
    """Return the scores of ``whorl compare`` with its defaults."""
    comparison = whorl.compare_all(
        task.folder,
        archive=() if task.archive is None else task.archive,
        base=() if task.base is None else task.base,
        rules=Rules(include=task.include),
        threshold=0.0,
        limit=ALL_PAIRS,
    )
    names = [submission.name for submission in comparison.submissions]
    return {frozenset({names[pair.left], names[pair.right]}): pair.score for pair in comparison.pairs}


def scores_of_peer(name: str, command: Sequence[str | Path], task: Task) -> dict[Pair, float]:
    """Return the scores of a peer, whose script reads a request and writes its answer, both JSON."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        names = _write_files(task, home)
        fresh = {child.name for child in task.folder.iterdir()}
        base = [] if task.base is None else [_write_file(list(task.read(task.base)), home / "base")]
        request = {
            "new": [str(path) for path, submission in names.items() if submission in fresh],
            "archive": [str(path) for path, submission in names.items() if submission not in fresh],
            "base": [str(path) for path in base],
            "prose": all(path.suffix == ".txt" for path in names),
        }
        (home / "request.json").write_text(json.dumps(request), "utf-8")
        _run(name, [*command, home / "request.json", home / "answer.json"])
        answer = json.loads((home / "answer.json").read_text("utf-8"))
    return {frozenset({names[Path(left)], names[Path(right)]}): score for left, right, score in answer}


def _write_files(task: Task, home: Path) -> dict[Path, str]:
    """Write every submission as one file; return whose each is."""
    submissions = [(name, files) for name, files in task.files().items() if files]
    return {_write_file(files, home / str(at)): name for at, (name, files) in enumerate(submissions)}


def _write_file(files: Sequence[Path], folder: Path) -> Path:
    folder.mkdir()
    path = folder / f"file{files[0].suffix}"
    path.write_text("\n".join(_decoded(file.read_bytes()) for file in files), "utf-8")
    return path


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def _run(name: str, command: Sequence[str | Path]) -> None:
    # compare50 hashes with Python's own hash, which is another one in each process unless it is fixed.
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME, env=environment, cwd=ROOT)
    except subprocess.TimeoutExpired as error:
        raise PeerError(f"{name} took more than {TIME} seconds") from error
    if done.returncode:
        raise PeerError(f"{name} failed: {(done.stderr.strip() or 'no message').splitlines()[-1]}")


def scores_of_dolos(task: Task) -> dict[Pair, float]:
    """Return Dolos' similarities."""
    return scores_of_peer("dolos", ["node", SCRIPTS / "dolos_scores.mjs", HOME / "dolos"], task)


def version_of_dolos() -> str:
    """Return the version of Dolos' library."""
    package = HOME / "dolos" / "node_modules" / "@dodona" / "dolos-lib" / "package.json"
    return str(json.loads(package.read_text("utf-8"))["version"])


def scores_of_copydetect(task: Task) -> dict[Pair, float]:
    """Return the mean of the two shares that copydetect has for a pair."""
    return scores_of_peer("copydetect", [COPYDETECT.python, SCRIPTS / "copydetect_scores.py"], task)


def scores_of_compare50(task: Task) -> dict[Pair, float]:
    """Return the weights of what two submissions share, by which compare50 ranks."""
    return scores_of_peer("compare50", [COMPARE50.python, SCRIPTS / "compare50_scores.py"], task)


TOOLS = {
    tool.name: tool
    for tool in (
        Tool(WHORL, scores_of_whorl, lambda: "", lambda: whorl.__version__),
        Tool("dolos", scores_of_dolos, without_dolos, version_of_dolos),
        Tool("copydetect", scores_of_copydetect, COPYDETECT.missing, COPYDETECT.version),
        Tool("compare50", scores_of_compare50, COMPARE50.missing, COMPARE50.version),
    )
}
