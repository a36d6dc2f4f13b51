"""The order of the pairs on the labelled sets and in the made classes, for Whorl and its peers.

    .venv/bin/python -m experiments.labelled DATA [--set soco-c]... [--tool whorl]... [--write docs/quality.md]

DATA is the folder with the zip files of the sets. For each set and tool the table has the average precision, the area
under the ROC curve, and how many of the first n pairs are copies, where n is the number of labelled copies. Peers are
installed at their first use into benchmarks/.peers, or where the variable WHORL_PEERS says; a peer that cannot be
installed, or fails, is left out, and the reason stands below the table.

With --write everything is measured, the made classes too, and takes the place of what stands between the marks in the
page.
"""

import argparse
import platform
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.peers import written

from experiments.labelled.made import report_class, report_essays
from experiments.labelled.measures import Quality, quality
from experiments.labelled.sets import SETS, loaded
from experiments.labelled.tasks import LabelsError, Task
from experiments.labelled.tools import TOOLS, PeerError, Tool

BEGIN, END = "<!-- labelled: written by python -m experiments.labelled -->\n", "<!-- end of labelled -->\n"
HEAD = ["| set | tool | AP | AUC | copies among the first n |", "|---|---|---|---|---|"]


def measured(tasks: Sequence[Task], tool: Tool) -> Quality:
    """Return the quality of a tool on a set."""
    judged = []
    for task in tasks:
        scores = tool.scores(task)
        judged += [ranking.judged(scores) for ranking in task.rankings]
    return quality(judged)


def row(name: str, tool: str, measures: Quality) -> str:
    """Return a row of the table."""
    first = f"{measures.copies_first:.1f}".removesuffix(".0")
    return f"| {name} | {tool} | {measures.precision:.3f} | {measures.area:.3f} | {first} of {measures.copies} |"


def installed(tools: Sequence[Tool]) -> tuple[list[Tool], list[str]]:
    """Return the tools that can be run, and why the others cannot."""
    reasons = {tool.name: tool.missing() for tool in tools}
    return [tool for tool in tools if not reasons[tool.name]], [reason for reason in reasons.values() if reason]


def table(data: Path, names: Sequence[str], tools: Sequence[Tool]) -> list[str]:
    """Measure the tools on the sets; return the table, and below it what failed."""
    rows, failures = [], []
    with tempfile.TemporaryDirectory() as home:
        for name, tasks in loaded(data, Path(home), names).items():
            for tool in tools:
                try:
                    rows.append(row(name, tool.name, measured(tasks, tool)))
                except PeerError as error:
                    failures.append(f"On {name} {error}.")
    return [*HEAD, *rows, *(["", *failures] if failures else [])]


def page_lines(data: Path) -> list[str]:
    """Measure everything that the page tells."""
    tools, reasons = installed(list(TOOLS.values()))
    versions = ", ".join(f"{tool.name} {tool.version()}" for tool in tools)
    return [
        f"Measured with {versions}; Python {platform.python_version()}.",
        "",
        "### The labelled sets",
        "",
        *table(data, list(SETS), tools),
        *(["", *reasons] if reasons else []),
        "",
        "### The made class",
        "",
        *report_class(tools),
        "",
        "### The made essays",
        "",
        report_essays(),
    ]


def main() -> None:
    """Print the table, or write everything into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="folder with the zip files of the sets")
    parser.add_argument("--set", action="append", choices=SETS, help="measure on this set; by default all")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="measure this tool; by default all")
    parser.add_argument("--write", type=Path, help="measure everything and write it into this page")
    options = parser.parse_args()
    if options.write and (options.set or options.tool):
        parser.error("--write measures every set and tool: leave out --set and --tool")
    try:
        if options.write:
            lines = page_lines(options.data)
            page = written(options.write.read_text("utf-8"), lines, BEGIN, END)
            options.write.write_text(page, "utf-8")
        else:
            tools, lines = installed([TOOLS[name] for name in options.tool or TOOLS])
            lines += table(options.data, options.set or list(SETS), tools)
    except (FileNotFoundError, LabelsError) as error:
        parser.error(str(error))
    print(*lines, sep="\n")


if __name__ == "__main__":
    main()
