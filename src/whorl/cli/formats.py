"""``whorl formats``: what Whorl can read and how it can select."""

import json

import click

from whorl.catalog import FRONTENDS, SELECTORS, Catalog
from whorl.cli.options import format_option
from whorl.scheme import PRESETS


@click.command()
@format_option("table", "json")
def command(form: str) -> None:
    """List the front-ends, the selectors and the presets of a scheme that are installed."""
    listing = {
        "frontends": _listed(FRONTENDS),
        "languages": _languages(),
        "selectors": _listed(SELECTORS),
        "presets": [{"name": name, "id": scheme.id, **scheme.as_dict()} for name, scheme in PRESETS.items()],
    }
    if form == "json":
        click.echo(json.dumps(listing, indent=1))
    else:
        _print_tables(listing)


def _listed(catalog: Catalog) -> list[dict[str, object]]:
    rows = [(name, catalog.row(name)) for name in catalog.names()]
    return [{"name": name, "summary": row.summary, "takes": list(row.takes)} for name, row in rows]


def _languages() -> list[dict[str, object]]:
    """The programming languages that the front-end for code knows."""
    from whorl.frontends.code.languages import LANGUAGES, installed

    return [
        {
            "name": name,
            "summary": " ".join(f".{extension}" for extension in row.extensions)
            + ("" if installed(name) else f" (missing: pip install {row.distribution})"),
            "installed": installed(name),
        }
        for name, row in LANGUAGES.items()
    ]


def _print_tables(listing: dict[str, list[dict[str, object]]]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    for title, rows in listing.items():
        table = Table(
            title=title, title_justify="left", title_style="bold", box=None, pad_edge=False, show_header=False
        )
        for row in rows:
            rest = {name: value for name, value in row.items() if name not in ("name", "summary", "takes", "id")}
            detail = row.get("summary") or ", ".join(f"{name} = {value}" for name, value in rest.items())
            table.add_row(str(row["name"]), str(detail))
        console.print(table)
        console.print()
