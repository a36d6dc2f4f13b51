"""The command line. Each command is a module of its own, imported only when it runs: ``whorl --help`` stays fast."""

import atexit
import errno
import gc
import io
import mmap
import os
import sys
from importlib import import_module
from traceback import walk_tb
from typing import TYPE_CHECKING, Any

import click

from whorl._version import VERSION
from whorl.errors import WhorlError, similar

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

# No command uses NumPy's linear algebra. Starting its thread pool would cost a third of the time to import NumPy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Few reference cycles, so raise the GC threshold: collecting would cost 2% of a run, and again at exit.
gc.set_threshold(100_000)
atexit.register(gc.freeze)

# Command → its line in ``whorl --help``. The module of that name defines ``command``.
COMMANDS = {
    "cache": "Show or clear what whorl compare keeps of the files that it read.",
    "check": "Check a manuscript against an index: similarity, sources, exclusions, as a web page.",
    "cluster": "Group a collection into clusters of near-duplicates.",
    "compare": "Compare all submissions of a class with each other and report shared code or text.",
    "decontaminate": "Write a corpus again without the items of evaluation sets.",
    "dedup": "Write a corpus again without near-duplicates or repeats, in the same files and columns.",
    "fingerprint": "Show the fingerprints of documents: hashes, positions, density.",
    "formats": "List the formats, languages, selectors and presets, and what is installed.",
    "index": "Create an index of documents, and add, list, remove and check documents.",
    "registry": "Register documents in under 500 bytes each, then find the source of a text.",
    "reproduce": "Repeat the experiments of the three papers and compare the figures.",
    "search": "Find the documents in an index that share text or code with a file.",
    "serve": "Serve an index over HTTP: a web page and an API.",
    "sweep": "Record dated crawls of a site: find moved pages, changes and copies.",
}

# Commands that are in the module of another, because they share its options.
SHARED = {"cache": "compare", "decontaminate": "cluster", "dedup": "cluster"}

# Option → other words for it: those of other commands, and those known from MOSS, JPlag, Dolos and compare50.
OTHER_WORDS = {
    "--archive": ("--old",),
    "--as": ("-l", "--lang", "--language"),
    "--base": ("-b", "--base-code", "--bc", "--distro", "--skeleton", "--template"),
    "--exclude": ("-x",),
    "--format": ("-f", "--csv", "--json", "--output-format"),
    "--include": ("--extensions", "--suffixes"),
    "--limit": ("-n", "--limit-results", "--max", "--shown-comparisons", "--top"),
    "--out": ("--output", "--output-dir"),
    "--report": ("-o", "-r", "--html", "--out", "--output", "--output-dir", "--result-file"),
    "--t": ("--min-tokens",),
    "--threads": ("-j", "--jobs", "--workers"),
    "--threshold": ("--min-similarity", "--similarity", "--similarity-threshold"),
    "--workers": ("-j", "--jobs", "--threads"),
}

# Variable in which a shell asks for completions.
COMPLETE = "_WHORL_COMPLETE"

# Exit code after Ctrl-C, as of a shell's own commands: 128 and the number of the signal.
INTERRUPTED = 130

# Bytes of address space that importing NumPy takes, most of them for OpenBLAS.
_NUMPY_BYTES = 84 << 20


def _check_memory() -> None:
    """Raise MemoryError if NumPy cannot be imported: OpenBLAS would end the process with a message of its own."""
    if "numpy" in sys.modules:
        return
    try:
        mmap.mmap(-1, _NUMPY_BYTES).close()
    except OSError as error:
        raise MemoryError from error


class LazyGroup(click.Group):
    """A group that imports the module of a command only to run it or to show its help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        _check_memory()
        home = import_module(f"whorl.cli.{SHARED.get(cmd_name, cmd_name)}")
        command: click.Command = getattr(home, cmd_name if cmd_name in SHARED else "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run. Where there is none, say which was probably meant."""
        if args[0] in COMMANDS or args[0].startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        raise click.UsageError(_unknown_command(args[0]), ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the program. Report output that cannot be written, and escape bytes of names that are not Unicode."""
        if sys.stdout is None:
            sys.stdout = _closed_output()
        if COMPLETE in os.environ:
            from whorl.cli.completion import register

            register()
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            return super().main(*arguments, **options)
        except SystemExit as done:
            raise SystemExit(_flushed(done.code)) from None
        except OSError as error:  # of the output, of a command or of an option such as --help
            raise SystemExit(_flushed(1, error)) from None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem]":
        """Complete commands and options without importing any command."""
        from click.shell_completion import CompletionItem

        commands = [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def invoke(self, ctx: click.Context) -> object:
        """Run a command. Print an error of Whorl or of the system as one line, and exit with code 1; after Ctrl-C, with
        the code of an interrupt, where Click would exit with 1."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise _interrupted() from None
        except click.NoSuchOption as error:
            raise _unknown_option(error) from None
        except WhorlError as error:
            raise click.ClickException(_line(error)) from error
        except OSError as error:
            if error.errno == errno.EPIPE or _is_of_output(error):
                raise
            raise click.ClickException(_line(f"{_place(error)}{error.strerror or error}")) from error
        except MemoryError as error:
            raise click.ClickException("not enough memory") from error
        except (ImportError, RuntimeError) as error:
            if isinstance(error.__context__, KeyboardInterrupt):  # one that came inside of Python's own locks
                raise _interrupted() from None
            shortage = _shortage(str(error))
            if not shortage:
                raise
            raise click.ClickException(shortage) from error


def _interrupted() -> click.exceptions.Exit:
    """Say that a command was interrupted, on a line behind the ^C of the terminal, and return how it ends."""
    click.echo("\nAborted!", err=True)
    return click.exceptions.Exit(INTERRUPTED)


def _is_of_output(error: OSError) -> bool:
    """Return whether writing to the terminal raised an error: it names no file."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__")).startswith(("click.", "rich."))


def _place(error: OSError) -> str:
    """Return what an error is about, as the beginning of a message: its file, or the working folder if that is gone."""
    if error.filename:
        return f"{error.filename}: "
    try:
        os.getcwd()  # noqa: PTH109  (so that the package pathlib is not imported)
    except OSError:
        return "the working folder: "
    return ""


def _line(message: object) -> str:
    """Return a message on one line: the name of a file in it must not steer the terminal."""
    from whorl.formats.archives.names import printable  # only errors need it

    return printable(str(message))


def _unknown_command(name: str) -> str:
    """Return what to say of a command that does not exist: the similar one, or the one for a folder."""
    from pathlib import Path
    from shlex import quote

    from whorl.formats.archives.names import printable

    message = f"No such command {name!r}."
    if name in ("help", "version"):
        return f"{message} Did you mean '--{name}'?"
    if not os.access(name, os.F_OK):
        return message + "".join(f" Did you mean {match!r}?" for match in similar(name, COMMANDS))
    if Path(name).is_dir():
        return f"{message} To compare the submissions in it: whorl compare {printable(quote(name))}"
    return f"{message} A command comes before the file. whorl --help lists them"


def _unknown_option(error: click.NoSuchOption) -> click.NoSuchOption:
    """Name the option that was probably meant. Names are compared without their dashes, which make all names of one
    letter alike."""
    name, context = error.option_name, error.ctx
    params = context.command.get_params(context) if context else []
    options = [option for each in params for option in (*each.opts, *each.secondary_opts)]
    words = {option.lstrip("-"): option for option in options}
    words |= {word.lstrip("-"): option for option in options for word in OTHER_WORDS.get(option, ())}
    advice = "".join(f" Did you mean {words[word]!r}?" for word in similar(name.lstrip("-"), words))
    return click.NoSuchOption(name, f"No such option {name!r}.{advice}", ctx=context)


# Words of the library loader and the interpreter when the system refuses → the reason.
_SHORTAGES = {
    "failed to map segment": "not enough memory",
    "cannot allocate memory": "not enough memory",
    "cannot apply additional memory protection": "not enough memory",
    "can't start new thread": "the system starts no further thread: not enough memory, or a limit (ulimit -u)",
    "too many open files": "too many open files: close some, or raise the limit with ulimit -n",
}


def _shortage(message: str) -> str:
    """Return the reason if a module or a thread could not be started for lack of memory or files, else ""."""
    return next((reason for words, reason in _SHORTAGES.items() if words in message.lower()), "")


def _closed_output() -> io.TextIOWrapper:
    """Return standard output in place of one that is closed: writing to it fails. Its descriptor is taken, so that no
    file which is opened later gets the output."""
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 1)
    return open(1, "w", encoding="utf-8")


def _flushed(code: Any, error: OSError | None = None) -> Any:
    """Flush standard output and return the exit code. ``error`` is what writing to it raised before."""
    try:
        sys.stdout.flush()
    except OSError as later:
        # Discard the rest of the buffer, or Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        error = error or later
    if error is None:
        return code
    if error.errno != errno.EPIPE:
        click.echo(f"Error: cannot write the output: {error.strerror}", err=True)
    return code or 1


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if not wanted or ctx.resilient_parsing:
        return
    from whorl.errors import KernelError

    try:
        _check_memory()
        from whorl.kernel import native
    except MemoryError as error:
        raise click.ClickException("not enough memory") from error
    except KernelError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"whorl {VERSION} (kernel: {native.__name__.rpartition('.')[2]})")
    ctx.exit()


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version,
    help="Show the version and the kernel in use, and exit.",
)  # fmt: skip
@click.pass_context
def main(context: click.Context) -> None:
    """Find copies in text and source code: identical, edited, reordered, quoted in part, or inside a larger file.

    \b
    Which submissions of a class share code or text:
      whorl compare homework/ --report report/

    \b
    Which documents of a collection are nearly the same, and the rest alone:
      whorl cluster pages.jsonl -o clusters/
      whorl dedup pages.jsonl -o clean/

    \b
    Where a text comes from, by an index of an archive:
      whorl index build archive.whorl papers/
      whorl search archive.whorl manuscript.pdf

    whorl COMMAND --help explains a command, with examples.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
