"""The command line. One file a command, imported only when it is called, so that ``whorl --help`` answers at once."""

import atexit
import gc
import os
from importlib import import_module

import click

from whorl._version import VERSION

# NumPy's linear algebra, which no command uses, would start a thread for each core: a third of what importing it costs.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Nothing that a command makes goes in circles by the thousand: the collector would look in vain, at 2% of a run, and
# again at its end.
gc.set_threshold(100_000)
atexit.register(gc.freeze)

# Command → the line that ``whorl --help`` shows for it; the module of that name holds ``command``.
COMMANDS = {
    "cluster": "Group a collection into clusters of near-duplicates.",
    "compare": "Compare all submissions of a class with each other: MOSS, on your own machine.",
    "fingerprint": "Show the fingerprints of documents, with positions and density.",
    "formats": "List front-ends, selectors and presets, and what is installed.",
    "index": "Keep fingerprints of documents, add and remove them, for years.",
    "registry": "Register documents in under 500 bytes each, and ask where a text comes from.",
    "reproduce": "Run the experiments of the three papers, their figures beside ours.",
    "search": "Find the documents in an index that a file shares most with.",
    "serve": "Serve an index over HTTP: an API for scripts, a web page for people.",
    "sweep": "Keep dated sweeps of a collection: lost and found, how pages change, who has a copy.",
}


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports a command's module only to run it or to show its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, sorted."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command itself."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"whorl.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> object:
        """Run a command; what Whorl raises on purpose becomes one line and exit code 1."""
        from whorl.errors import WhorlError

        try:
            return super().invoke(ctx)
        except WhorlError as error:
            raise click.ClickException(str(error)) from error


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from whorl import kernel
    from whorl.errors import KernelError

    try:
        kernel.core()
    except KernelError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"whorl {VERSION} (kernel: {kernel.name()})")
    ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version,
    help="Show the version and which kernel runs, and exit.",
)  # fmt: skip
def main() -> None:
    """Whorl finds copies: identical, edited, reordered, partly quoted, or hidden inside something larger.

    \b
    Start with:
      whorl fingerprint essay.txt
      whorl COMMAND --help
    """
