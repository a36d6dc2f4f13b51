"""Commands on a file system that is mounted read-only: what reads works, what writes says why it cannot.

The mount is in a mount namespace of its own, which only root may make; elsewhere the test is skipped with the reason.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.index.corpus import prose
from whorl import Document, Index, Registry, Sweep

# Runs commands in one process, and prints the exit code and the output of each as JSON.
SCRIPT = """
import json, sys
from click.testing import CliRunner
from whorl.cli import main
for line in sys.stdin:
    done = CliRunner().invoke(main, json.loads(line))
    crashed = done.exception is not None and not isinstance(done.exception, SystemExit)
    print(json.dumps([done.exit_code, done.output, repr(done.exception) if crashed else ""]))
"""


def mounted(folder: Path, command: list[str], lines: str = "") -> "subprocess.CompletedProcess[str]":
    """Run a command while the folder is read-only for it."""
    steps = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
    full = ["unshare", "--mount", "sh", "-c", steps, "sh", str(folder), *command]
    return subprocess.run(full, input=lines, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def medium(tmp_path_factory) -> Path:
    """A folder with a store of each kind, which can be mounted read-only."""
    folder: Path = tmp_path_factory.mktemp("medium")
    if shutil.which("unshare") is None:
        pytest.skip("there is no unshare(1)")
    tried = mounted(folder, ["touch", str(folder / "x")])
    if "ead-only file system" not in tried.stderr:
        pytest.skip(f"mounts are not allowed here: {tried.stderr.strip()}")
    with Index.create(folder / "index") as index, Registry.create(folder / "registry") as registry:
        for number in range(3):
            index.add(Document(f"{number}.txt", prose(number)))
            registry.add(Document(f"{number}.txt", prose(number)))
        index.flush()
    with Sweep.create(folder / "sweep") as sweep:
        sweep.add([Document("a", prose(1), url="http://x/a")], "2026-01-01")
    (folder / "query.txt").write_text(prose(1))
    return folder


def test_reading_works_and_writing_is_refused_in_one_line(medium: Path) -> None:
    index, registry, sweep, query = (str(medium / name) for name in ("index", "registry", "sweep", "query.txt"))
    reading = [
        ["search", index, query], ["index", "stats", index], ["index", "list", index], ["index", "verify", index],
        ["index", "export", index, "--texts"], ["registry", "search", registry, query],
        ["registry", "verify", registry], ["registry", "stats", registry],
        ["sweep", "verify", sweep], ["sweep", "find", sweep, "http://x/a"],
    ]  # fmt: skip
    writing = [
        ["index", "add", index, query], ["index", "remove", index, "1.txt"], ["index", "compact", index],
        ["index", "purge", index],
        ["index", "create", str(medium / "new")], ["registry", "add", registry, query],
        ["sweep", "add", sweep, query, "--date", "2026-02-01"], ["index", "backup", index, str(medium / "copy")],
    ]  # fmt: skip
    lines = "".join(f"{json.dumps(command)}\n" for command in [*reading, *writing])
    done = mounted(medium, [sys.executable, "-c", SCRIPT], lines)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    for command, (code, output, crash) in zip([*reading, *writing], answers, strict=True):
        assert not crash, (command, crash)
        assert (code, command in reading) in ((0, True), (1, False)), (command, output)
        if code:
            assert output.count("\n") == 1, (command, output)
            assert "ead-only" in output, (command, output)
    assert "1.txt" in answers[0][1]
