"""``whorl serve``: serve an index over HTTP."""

import re
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from whorl.cli.options import IntegerRange, NumberRange, jail_option
from whorl.errors import InputError

EXISTING = click.Path(path_type=Path, exists=True)

# Modules that the extra "serve" installs.
NEEDED = ("fastapi", "httptools", "multipart", "prometheus_client", "uvicorn")

# Days: a century, as for collections. Much later dates cannot be written.
LONGEST_DAYS = 36_525

# What the Host header of a browser can have beside its port: a name, an IPv4 address, or an IPv6 address in brackets.
_HOST = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?|\[[0-9a-f:.]+\]")


def _host_names(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Check host names. They have no scheme, port or path, as they are compared with the Host header without its
    port."""
    for value in values:
        if not _HOST.fullmatch(value.lower()):
            meant = _host_in(value.lower())
            advice = f"write {meant}" if meant else "write a name such as whorl.example.org"
            raise click.BadParameter(f"{value!r} is not a host name: {advice}.")
    return tuple(value.lower() for value in values)


def _host_in(text: str) -> str | None:
    """Return the host of an address, as a browser writes it; None if there is none."""
    address = f"[{text}]" if text.count(":") > 1 and "[" not in text and "/" not in text else text
    try:
        host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
        host = f"[{host}]" if ":" in host else host.encode("idna").decode()
    except ValueError:  # UnicodeError is one
        return None
    return host if _HOST.fullmatch(host) else None


def _proxies(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Check IP addresses and networks of proxies. ``*`` is every address; beside others, the server would take it for a
    name."""
    if "*" in values:
        return ("*",)
    for value in values:
        try:
            ip_network(value)
        except ValueError as error:
            advice = "write an IP address or a network, such as 127.0.0.1 or 10.0.0.0/8"
            raise click.BadParameter(f"{error}: {advice}.") from error
    return values


OPTIONS = (
    click.option("--host", default="127.0.0.1", show_default=True,
                 help="Address to listen on. On a network, put a TLS proxy in front."),
    click.option("--port", type=IntegerRange(0, 65535), default=8000, show_default=True,
                 help="Port to listen on; 0 picks a free one."),
    click.option("--create", is_flag=True, help="Create INDEX for texts if it does not exist."),
    click.option("--registry", type=EXISTING, help="Also serve this registry."),
    click.option("--sweep", type=EXISTING, help="Also serve these sweeps (lost and found)."),
    click.option("--others", type=click.Choice(["nothing", "exists", "contact"]), default="nothing", show_default=True,
                 help="What a tenant learns about matches in documents of others: nothing; that there is one, and "
                 "roughly how much it shares; or its contact as well."),
    click.option("--foreign-answers", type=IntegerRange(min=1), default=100, show_default=True,
                 help="Answers about documents of others that a tenant gets per day (see --others)."),
    click.option("--allow-host", "allow_hosts", multiple=True, metavar="NAME", callback=_host_names,
                 help="Host name by which browsers reach the service. Can be repeated."),
    click.option("--https", is_flag=True, help="A TLS proxy is in front of the service: mark cookies as Secure."),
    click.option("--trust-proxy", "proxies", multiple=True, metavar="ADDRESS", callback=_proxies,
                 help="Trust X-Forwarded-For of this proxy, such as 127.0.0.1. The proxy must set the header itself. "
                 "Can be repeated."),
    click.option("--title", default="Whorl", show_default=True, help="Title of the pages."),
    click.option("--max-upload", type=IntegerRange(min=1), default=32, show_default=True, metavar="MB",
                 help="Maximum size of a document."),
    click.option("--max-batch", type=IntegerRange(min=1), default=256, show_default=True, metavar="MB",
                 help="Maximum size of a comparison."),
    click.option("--quota", type=IntegerRange(min=1), metavar="MB",
                 help="Maximum that a tenant may store: documents, and uploads and results of jobs.  "
                 "[default: no limit]"),
    click.option("--rate", type=NumberRange(min=0, min_open=True), default=50.0, show_default=True,
                 help="Maximum number of requests per second and token."),
    click.option("--waiting", type=IntegerRange(min=1), default=8, show_default=True,
                 help="Maximum number of waiting searches. Further requests get status 429."),
    click.option("--purge-within", type=NumberRange(0, LONGEST_DAYS), default=7.0, show_default=True, metavar="DAYS",
                 help="Time limit for erasing a deleted document from the disk."),
    click.option("--keep-days", type=IntegerRange(1, LONGEST_DAYS), default=365, show_default=True,
                 help="Days to keep entries of the audit log."),
    click.option("--fetch", is_flag=True,
                 help="Allow clients to name documents by URL. Only public addresses are fetched."),
    click.option("--moss", "moss_port", type=IntegerRange(0, 65535), metavar="PORT",
                 help="Also serve clients of MOSS, such as the script moss.pl and mosspy, at this port. Their protocol "
                 "has no authentication (docs/moss.md)."),
    click.option("--moss-host", default="127.0.0.1", show_default=True,
                 help="With --moss: address to listen on. Any but this machine's own needs --moss-from."),
    click.option("--moss-user", "moss_users", multiple=True, metavar="ID",
                 help="With --moss: accept this user id only. Can be repeated.  [default: every id]"),
    click.option("--moss-from", "moss_networks", multiple=True, metavar="NETWORK",
                 help="With --moss: accept connections from this address or network, such as 192.0.2.0/24. Can be "
                 "repeated.  [default: this machine only]"),
    jail_option,
    click.option("--open-metrics", is_flag=True, help="Serve the metrics without a token."),
)  # fmt: skip


def _options(command: Any) -> Any:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command()
@click.argument("index", type=click.Path(path_type=Path))
@_options
def command(index: Path, create: bool, **options: Any) -> None:
    """Serve INDEX over HTTP: a web page at /, an API at /api/v1 (described at /api/openapi.json). Ctrl-C stops it.

    The first start prints an admin token once. Sign in with it to create tokens for others. Jobs that are interrupted
    when the service stops are restarted at the next start.

    \b
    Examples:
      whorl serve papers.index
      whorl serve papers.index --create --port 8080
      whorl serve papers.index --registry papers.registry --sweep site.sweep --others contact
      whorl serve papers.index --host 0.0.0.0 --allow-host whorl.example.org --https
      whorl serve papers.index --quota 2000
      whorl serve courses.index --create --moss 7690
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise InputError(f'whorl serve needs {", ".join(missing)}: pip install "whorl[serve]"')
    from whorl.service.app import serve
    from whorl.service.settings import MEGABYTE, Others, ServiceSettings

    _check_index(index, create)
    for name in ("max_upload", "max_batch", "quota"):
        options[name] = None if options[name] is None else options[name] * MEGABYTE
    serve(ServiceSettings(index=index, **{**options, "others": Others(options["others"])}), _tell)


def _check_index(index: Path, create: bool) -> None:
    """Create the index if requested; raise if it cannot be opened."""
    from whorl.index.index import Index
    from whorl.stores import is_index

    (Index.create(index) if create and not is_index(index) else Index.open(index)).close()


def _tell(address: str, token: str | None, jail: str, moss: str | None) -> None:
    click.echo(f"Serving at {address} - Ctrl-C stops it.")
    if moss is not None:
        click.echo(f"MOSS clients are served at {moss}.")
    click.echo(f"Parsers are locked in: {jail}.")
    if token is not None:
        click.echo(f"The admin token, shown this once: {token}")
