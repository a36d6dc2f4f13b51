"""``whorl formats``: list front-ends, languages, selectors and presets."""

import json
from collections.abc import Mapping
from typing import Any

import click

from whorl.catalog import FRONTENDS, SELECTORS
from whorl.cli.options import format_option
from whorl.scheme import PRESETS


@click.command()
@format_option("table", "json")
def command(form: str) -> None:
    """List the formats and languages that Whorl reads, the selectors, and the preset schemes.

    For formats and languages that are not installed, the listing names the command that installs them.
    """
    listing = {
        "frontends": [_format(name) for name in FRONTENDS.names()],
        "languages": _languages(),
        "selectors": [_selector(name) for name in SELECTORS.names()],
        "presets": [{"name": name, "id": scheme.id, **scheme.as_dict()} for name, scheme in PRESETS.items()],
    }
    if form == "json":
        click.echo(json.dumps(listing, indent=1))
    else:
        _print_tables(listing)


def _format(name: str) -> dict[str, Any]:
    row = FRONTENDS.row(name)
    return {"name": name, "summary": row.summary, "extensions": list(row.extensions), **_state(row.missing())}


def _languages() -> list[dict[str, Any]]:
    from whorl.formats.code.languages import LANGUAGES, installed, missing

    return [
        {
            "name": name,
            "extensions": list(row.extensions),
            **_state("" if installed(name) else missing(name)),
        }
        for name, row in LANGUAGES.items()
    ]


def _state(remedy: str) -> dict[str, Any]:
    return {"installed": not remedy, "missing": remedy or None}


def _selector(name: str) -> dict[str, Any]:
    row = SELECTORS.row(name)
    return {"name": name, "summary": row.summary, "takes": list(row.takes)}


def _print_tables(listing: Mapping[str, list[dict[str, Any]]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    for title, rows in listing.items():
        table = Table(
            title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, show_header=False
        )
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for row in rows:
            table.add_row(row["name"], Text(_detail(title, row), "" if row.get("installed", True) else "dim"))
        console.print(table)
        console.print()


def _detail(title: str, row: Mapping[str, Any]) -> str:
    if title == "presets":
        return ", ".join(f"{name} = {value}" for name, value in row.items() if name not in ("name", "id"))
    extensions = " ".join(f".{extension}" for extension in row.get("extensions", ()))
    missing = f"not installed: {row['missing']}" if row.get("missing") else ""
    return "  ".join(part for part in (row.get("summary"), extensions, missing) if part)
