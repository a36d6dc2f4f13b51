"""Runs the commands of the README, the tutorials and the how-to pages, and writes down what they print.

    python tools/make_docs_transcripts.py

In a ``console`` block a line that begins with ``$`` is run, and the lines below it are what it printed; a ``python``
block is run too. All blocks of a page run one after the other, in an empty folder that has ``examples`` in it. A test
does the same and compares.
"""

import contextlib
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from click.testing import CliRunner

from whorl.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
WALKS = sorted([*(DOCS / "tutorials").glob("*.md"), *(DOCS / "howto").glob("*.md")])
PAGES = [ROOT / "README.md", *WALKS]

BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)

# What a reader's own folder is called in the pages.
HOME = "/home/ada/work"

# As in the README: tables fit into the site's width.
COLUMNS = "100"

# In the last line of what is shown: there is more, which the page leaves out.
MORE = "…"

# An index and a registry draw a key of their own, so ids and shares differ a little from one to the next.
KEYED = re.compile(r"\b[0-9a-f]{12}\b| *[0-9]+%")
OF_A_STORE = re.compile(r"\.(?:index|registry)\b")


def run(command: str, folder: Path) -> str:
    """Return what a command prints in a folder; it must succeed."""
    program, *arguments = shlex.split(command, comments=True)
    if program == "cat":
        return "".join((folder / name).read_text("utf-8") for name in arguments)
    if program != "whorl":
        raise ValueError(f"a page runs {program}: only whorl and cat are run")
    with contextlib.chdir(folder):
        result = CliRunner().invoke(
            main, arguments, prog_name="whorl", env={"COLUMNS": COLUMNS}, catch_exceptions=False
        )
    if result.exit_code:
        raise RuntimeError(f"{command}: {result.output}")
    return result.output.replace(str(folder.resolve()), HOME)


def run_code(code: str, folder: Path) -> None:
    """Runs a block of Python in a folder; what it prints is its own affair."""
    with contextlib.chdir(folder), contextlib.redirect_stdout(None):
        exec(compile(code, "page", "exec"), {"__name__": "page"})


def entries(block: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a block, each with the lines that are shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *shown = part.splitlines()
        yield command, shown


def printed(block: str, folder: Path) -> str:
    """Return the same block of commands with what they print now."""
    return "".join(
        f"$ {command}\n" + "".join(f"{line}\n" for line in shortened(run(command, folder), shown))
        for command, shown in entries(block)
    )


def shortened(output: str, shown: list[str]) -> list[str]:
    """The lines of an output; only as many as are shown, if the page says with an ellipsis that there are more."""
    lines = [line.rstrip() for line in output.splitlines()]
    return [*lines[: len(shown) - 1], MORE] if shown[-1:] == [MORE] and len(lines) >= len(shown) else lines


def rerun(page: str, folder: Path) -> str:
    """Return the page with what its commands print now."""
    (folder / "examples").symlink_to(ROOT / "examples")

    def again(found: re.Match[str]) -> str:
        if found[1] == "python":
            run_code(found[2], folder)
            return found[0]
        return f"```console\n{printed(found[2], folder)}```"

    return BLOCK.sub(again, page)


def comparable(page: str) -> str:
    """Return the page without what a key changes: in the output of commands that read an index or a registry."""

    def masked(found: re.Match[str]) -> str:
        if found[1] == "python":
            return found[0]
        return "".join(
            f"$ {command}\n{KEYED.sub('…', text) if OF_A_STORE.search(command) else text}\n"
            for command, shown in entries(found[2])
            for text in ["\n".join(shown)]
        )

    return BLOCK.sub(masked, page)


if __name__ == "__main__":
    for path in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            before = path.read_text("utf-8")
            after = rerun(before, Path(folder))
            if comparable(after) != comparable(before):
                path.write_text(after, "utf-8")
