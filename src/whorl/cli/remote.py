"""``--server``: options of the commands that can use a server instead of an index in a folder."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from whorl.formats.archives.names import printable

if TYPE_CHECKING:
    from whorl.client.client import Client
    from whorl.index.index import Index

F = TypeVar("F", bound=Callable[..., Any])

_EXISTING = click.Path(path_type=Path, exists=True)


def server_options(command: F) -> F:
    options = (
        click.option("--server", metavar="URL", help="Use the server at this address instead of INDEX."),
        click.option("--token-file", type=click.Path(path_type=Path), metavar="FILE",
                     help="File with the token for --server.  [default: the variable WHORL_TOKEN]"),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def collection_option(command: F) -> F:
    return click.option("--collection", metavar="NAME", help="Collection on the server.  [default: main]")(command)


def places_argument(rest: str | None = None) -> Callable[[F], F]:
    """Add the argument INDEX, which --server replaces, and the arguments after it."""
    metavar = "INDEX" if rest is None else f"INDEX {rest}..."
    return click.argument("places", nargs=-1, metavar=metavar)


def places_of(
    places: tuple[str, ...], server: str | None, rest: str | None = None
) -> tuple[Path | None, tuple[str, ...]]:
    """Return the index, or None with --server, and the other arguments."""
    context = click.get_current_context()
    index, others = (None, places) if server is not None else (places[:1], places[1:])
    if index == ():
        raise click.UsageError("Missing argument 'INDEX'.", context)
    if rest is None and others:
        raise click.UsageError(f"Got unexpected extra argument ({' '.join(others)})", context)
    if rest is not None and not others:
        raise click.UsageError(f"Missing argument '{rest}...'.", context)
    return (None if index is None else existing(index[0], "INDEX")), others


def existing(place: str, name: str) -> Path:
    """Return an existing file or folder; raise a usage error if it is missing."""
    try:
        path: Path = _EXISTING.convert(place, None, click.get_current_context())
    except click.BadParameter as error:
        error.param_hint = f"'{name}'"
        raise
    return path


def opened(index: Path | None, options: dict[str, Any]) -> "Index | Client":
    """Open the index in a folder, or connect to a server."""
    if index is not None:
        _refuse(("token_file", "collection"), "works with --server only")
        from whorl.index.index import Index

        return Index.open(index)
    from whorl.client.address import token_of
    from whorl.client.client import DEFAULT_COLLECTION, Client

    client = Client(
        options["server"], token_of(options["token_file"]), collection=options.get("collection") or DEFAULT_COLLECTION
    )
    if client.address.is_readable_by_others:
        click.echo(printable(f"warning: {client.address.url}: the token is sent unencrypted. Use https"), err=True)
    return client


def refuse_with_server(*names: str) -> None:
    """Raise a usage error for options that have no effect with --server."""
    _refuse(names, "does not work with --server")


def _refuse(names: tuple[str, ...], why: str) -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        is_given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if parameter.name in names and is_given:
            raise click.UsageError(f"{parameter.opts[0]} {why}.", context)
