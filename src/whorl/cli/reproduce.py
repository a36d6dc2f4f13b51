"""``whorl reproduce``: the experiments of the three papers, the paper's figures beside ours."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from whorl.cli.options import format_option
from whorl.errors import InputError

PAPERS = ("winnowing", "clustering", "koala")

# The source tree, if Whorl runs from one: src/whorl/cli/reproduce.py is three folders below it.
TREE = Path(__file__).resolve().parents[3]


@click.command()
@click.argument("paper", type=click.Choice(PAPERS))
@click.option(
    "--corpus", type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Use the documents of this folder, such as 'make corpus' gathers; without it they are drawn.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=Path("reproduction"), show_default=True,
    help="Folder for the pages.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of all that is drawn.")
@click.option("--quick", is_flag=True, help="A small run: seconds, and coarser figures.")
@format_option("table", "json")
def command(paper: str, corpus: Path | None, out: Path, seed: int, quick: bool, form: str) -> None:
    """Run the experiments of PAPER, and say for each of its claims whether it holds.

    The folder of --out gets PAPER.html, a page with plots that opens from disk, and PAPER.md, its tables. The same seed
    gives the same figures. The experiments are part of the source tree, not of an installed package.

    \b
    Examples:
      whorl reproduce winnowing
      whorl reproduce koala --quick --out /tmp/pages
      whorl reproduce clustering --corpus corpus
    """
    run, pages, setting = (_experiments(name) for name in ("run", "pages", "setting"))
    asked = setting.Setting(seed, quick, None if corpus is None else corpus.resolve())
    made = run.run(paper, asked, None if form == "json" else _tell)
    written = pages.write(made, out)
    if form == "json":
        click.echo(json.dumps(_listing(made, written), indent=1))
    else:
        _print(made, written)


def _experiments(name: str) -> Any:
    """A module of the experiments. They stand beside the package in the source tree."""
    if not (TREE / "experiments" / "reproduction").is_dir():
        raise InputError(
            "the experiments are not part of an installed package: get Whorl's source tree, and there run 'make "
            "venv' and '.venv/bin/whorl reproduce'"
        )
    if str(TREE) not in sys.path:
        sys.path.insert(0, str(TREE))
    return import_module(f"experiments.reproduction.{name}")


def _tell(section: str) -> None:
    click.echo(f"{section} …", err=True)


def _listing(made: Any, written: tuple[Path, Path]) -> dict[str, Any]:
    findings = [
        {"section": section.title, "claim": one.claim, "paper": one.paper, "ours": one.ours, "holds": one.holds}
        for section, one in made.findings
    ]
    return {"paper": made.name, "command": made.command, "page": str(written[0]), "tables": str(written[1]),
            "findings": findings}  # fmt: skip


def _print(made: Any, written: tuple[Path, Path]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("where", "claim", "paper", "ours", "holds?", title=made.title, title_justify="left")
    for section, one in made.findings:
        verdict = Text("yes", "green") if one.holds else Text("no", "bold red")
        where = section.title.partition(":")[0]
        table.add_row(Text(where), Text(one.claim), Text(one.paper), Text(one.ours), verdict)
    Console().print(table)
    click.echo(f"{written[0]} and {written[1].name}: open the page in a browser")
