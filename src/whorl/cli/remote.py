"""``--server``: the commands that can ask a server instead of an index in a folder, and what they share."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from whorl.client.client import Client
    from whorl.index.index import Index

F = TypeVar("F", bound=Callable[..., Any])

_EXISTING = click.Path(path_type=Path, exists=True)


def server_options(command: F) -> F:
    """--server and --token-file."""
    options = (
        click.option("--server", metavar="URL", help="Ask the server at this address instead of an INDEX."),
        click.option("--token-file", type=click.Path(path_type=Path), metavar="FILE",
                     help="A file with the token for --server; by default it is in WHORL_TOKEN."),
    )  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def collection_option(command: F) -> F:
    """--collection."""
    return click.option("--collection", metavar="NAME", help="Which collection of the server; by default main.")(
        command
    )


def places_argument(rest: str | None = None) -> Callable[[F], F]:
    """INDEX, which --server replaces, and what follows it."""
    metavar = "INDEX" if rest is None else f"INDEX {rest}..."
    return click.argument("places", nargs=-1, metavar=metavar)


def places_of(
    places: tuple[str, ...], server: str | None, rest: str | None = None
) -> tuple[Path | None, tuple[str, ...]]:
    """The index, which is None if a server is asked, and what follows it."""
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
    """A file or a folder that is there; a fault of usage if it is not."""
    try:
        found: Path = _EXISTING.convert(place, None, click.get_current_context())
    except click.BadParameter as error:
        error.param_hint = f"'{name}'"
        raise
    return found


def opened(index: Path | None, given: dict[str, Any]) -> "Index | Client":
    """The index in a folder, or the one that a server keeps."""
    if index is not None:
        _refuse(("token_file", "collection"), "goes with --server only")
        from whorl.index.index import Index

        return Index.open(index)
    from whorl.client.client import DEFAULT_COLLECTION, Client
    from whorl.client.secret import token_of

    client = Client(
        given["server"], token_of(given["token_file"]), collection=given.get("collection") or DEFAULT_COLLECTION
    )
    if client.address.is_readable_by_others:
        click.echo(f"warning: {client.address.url}: whoever is on the way reads the token: use https", err=True)
    return client


def refuse_with_server(*names: str) -> None:
    """Options that only work on an index in a folder: whoever gives one should not think that it did something."""
    _refuse(names, "does not go with --server")


def _refuse(names: tuple[str, ...], why: str) -> None:
    context = click.get_current_context()
    for parameter in context.command.params:
        is_given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if parameter.name in names and is_given:
            raise click.UsageError(f"{parameter.opts[0]} {why}.", context)
