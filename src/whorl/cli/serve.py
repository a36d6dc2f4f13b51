"""``whorl serve``: an index over HTTP, for scripts and for people."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from whorl.errors import InputError

EXISTING = click.Path(path_type=Path, exists=True)

# Modules of the extra, without which nothing can be served.
NEEDED = ("fastapi", "httptools", "multipart", "prometheus_client", "uvicorn")

OPTIONS = (
    click.option("--host", default="127.0.0.1", show_default=True,
                 help="Address to listen at. Beyond this machine, put something that speaks TLS before it."),
    click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 takes a free one."),
    click.option("--create", is_flag=True, help="Make INDEX, for texts, if it is not there."),
    click.option("--registry", type=EXISTING, help="A registry that can be searched, too."),
    click.option("--sweep", type=EXISTING, help="Sweeps, for lost and found."),
    click.option("--others", type=click.Choice(["nothing", "exists", "contact"]), default="exists", show_default=True,
                 help="What a tenant learns of a match in somebody else's document: nothing; that there is one, and "
                 "roughly how much; or whom to ask about it as well."),
    click.option("--allow-host", "allow_hosts", multiple=True, metavar="NAME",
                 help="A name by which browsers reach the service. Can be given again."),
    click.option("--https", is_flag=True, help="Something before the service speaks TLS: mark cookies accordingly."),
    click.option("--title", default="Whorl", show_default=True, help="What the pages are headed with."),
    click.option("--max-upload", type=click.IntRange(min=1), default=32, show_default=True, metavar="MB",
                 help="The largest document."),
    click.option("--max-batch", type=click.IntRange(min=1), default=256, show_default=True, metavar="MB",
                 help="The largest class to be compared."),
    click.option("--rate", type=click.FloatRange(min=0, min_open=True), default=50.0, show_default=True,
                 help="Requests a second of one token."),
    click.option("--waiting", type=click.IntRange(min=1), default=8, show_default=True,
                 help="Searches that may wait; whoever comes then is told to try again."),
    click.option("--purge-within", type=click.FloatRange(min=0), default=7.0, show_default=True, metavar="DAYS",
                 help="Time until nothing is left of a document that was deleted."),
    click.option("--keep-days", type=click.IntRange(min=1), default=365, show_default=True,
                 help="How long lines of the audit log are kept."),
    click.option("--fetch", is_flag=True, help="Let documents be given by their address: public ones only."),
    click.option("--open-metrics", is_flag=True, help="Tell the figures for monitoring without a token."),
)  # fmt: skip


def _options(command: Any) -> Any:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("index", type=click.Path(path_type=Path))
@_options
def command(index: Path, create: bool, **given: Any) -> None:
    """Serve INDEX over HTTP: a web page at /, an API at /api/v1 (described at /api/openapi.json). Ctrl-C stops it.

    The first start prints an admin token, once: with it, sign in at the page and make tokens for others. Jobs that run
    when the service is stopped go on at its next start.

    \b
    Examples:
      whorl serve papers.index
      whorl serve papers.index --create --port 8080
      whorl serve papers.index --registry papers.registry --sweep site.sweep --others contact
      whorl serve papers.index --host 0.0.0.0 --allow-host whorl.example.org --https
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(f'serving needs {", ".join(missing)}, which is missing: pip install "whorl[serve]"')
    from whorl.service.serving import serve
    from whorl.service.settings import MEGABYTE, Others, Settings

    _check_index(index, create)
    given |= {"max_upload": given["max_upload"] * MEGABYTE, "max_batch": given["max_batch"] * MEGABYTE}
    serve(Settings(index=index, **{**given, "others": Others(given["others"])}), _tell)


def _check_index(index: Path, create: bool) -> None:
    """Make the index if that was asked for; complain now if it cannot be opened."""
    from whorl.index.index import Index
    from whorl.index.place import is_index

    (Index.create(index) if create and not is_index(index) else Index.open(index)).close()


def _tell(address: str, token: str | None) -> None:
    click.echo(f"Serving at {address} - Ctrl-C stops it.")
    if token is not None:
        click.echo(f"The admin token, shown this once: {token}")
