"""``whorl reproduce``: repeat the experiments of the three papers and compare the figures."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from whorl.cli.options import IntegerRange, format_option
from whorl.errors import InputError
from whorl.formats.archives.names import printable

PAPERS = ("winnowing", "clustering", "koala")

# The source tree, if Whorl runs from one: src/whorl/cli/reproduce.py is three folders below it.
TREE = Path(__file__).resolve().parents[3]


@click.command()
@click.argument("paper", type=click.Choice(PAPERS))
@click.option(
    "--corpus", type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Use the documents in this folder (see 'make corpus').  [default: generate documents]",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=Path("reproduction"), show_default=True,
    help="Folder for the result pages.",
)  # fmt: skip
@click.option("--seed", type=IntegerRange(min=0), default=1, show_default=True, help="Random seed.")
@click.option("--quick", is_flag=True, help="Small run: takes seconds, with coarser figures.")
@format_option("table", "json")
def command(paper: str, corpus: Path | None, out: Path, seed: int, quick: bool, form: str) -> None:
    """Repeat the experiments of PAPER, and report for each claim whether it holds.

    Writes PAPER.html (a page with plots) and PAPER.md (tables) to the folder --out. The same seed gives the same
    figures. The experiments are part of the source tree, not of an installed package.

    \b
    Examples:
      whorl reproduce winnowing
      whorl reproduce koala --quick --out /tmp/pages
      whorl reproduce clustering --corpus corpus
    """
    run, pages, setting = (_experiments(name) for name in ("run", "pages", "setting"))
    chosen = setting.Setting(seed, quick, None if corpus is None else corpus.resolve())
    result = run.run(paper, chosen, None if form == "json" else _tell)
    written = pages.write(result, out)
    if form == "json":
        click.echo(json.dumps(_listing(result, written), indent=1))
    else:
        _print(result, written)


def _experiments(name: str) -> Any:
    """Import a module of the experiments from the source tree."""
    if not (TREE / "experiments" / "reproduction").is_dir():
        raise InputError(
            "the experiments are not part of an installed package. Get the source tree of Whorl, and there run 'make "
            "venv' and '.venv/bin/whorl reproduce'"
        )
    if str(TREE) not in sys.path:
        sys.path.insert(0, str(TREE))
    return import_module(f"experiments.reproduction.{name}")


def _tell(section: str) -> None:
    click.echo(f"{section} …", err=True)


def _listing(result: Any, written: tuple[Path, Path]) -> dict[str, Any]:
    findings = [
        {"section": section.title, "claim": one.claim, "paper": one.paper, "ours": one.ours, "holds": one.holds}
        for section, one in result.findings
    ]
    return {"paper": result.name, "command": result.command, "page": str(written[0]), "tables": str(written[1]),
            "findings": findings}  # fmt: skip


def _print(result: Any, written: tuple[Path, Path]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("where", "claim", "paper", "ours", "holds?", title=result.title, title_justify="left")
    for section, one in result.findings:
        verdict = Text("yes", "green") if one.holds else Text("no", "bold red")
        where = section.title.partition(":")[0]
        table.add_row(Text(where), Text(one.claim), Text(one.paper), Text(one.ours), verdict)
    Console().print(table)
    click.echo(printable(f"{written[0]} and {written[1].name}: open the page in a browser"))
