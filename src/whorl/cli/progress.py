"""Progress on standard error, so that results can be piped: bars on a terminal, lines in a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

# Bytes of a file that take about a second. For smaller files a bar would only flicker.
LONG = 100_000_000

# Seconds between two updates of a bar: updating it for every document would be slow.
OFTEN = 0.1

# Seconds between two lines of a log. Shorter runs write none.
SELDOM = 10.0


def _is_watched() -> bool:
    """Return whether standard error is a terminal; it may be closed."""
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def bar(file: Path) -> Iterator[Callable[[int], object] | None]:
    """Show the progress within a large file on a terminal; yield the callback for it, or None."""
    size = file.stat().st_size
    if size < LONG or not _is_watched():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from whorl.formats.archives.names import printable

    columns = (TextColumn("{task.description}"), BarColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(escape(printable(file.name)), total=size)
        yield lambda done: shown.update(task, completed=done)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int | None], object] | None]:
    """Show the progress of each stage, as bars on a terminal and otherwise as lines; yield the callback for it."""
    if not _is_watched():
        yield None if sys.stderr is None else _log()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        tasks: dict[str, Any] = {}
        updated = 0.0

        def tell(stage: str, done: int, total: int | None) -> None:
            nonlocal updated
            now = time.monotonic()
            if stage in tasks and now - updated < OFTEN and done != total:
                return
            updated = now
            if stage not in tasks:
                tasks[stage] = shown.add_task(stage, total=total)
            shown.update(tasks[stage], completed=done)

        yield tell


def _log() -> Callable[[str, int, int | None], object]:
    """Return a callback that writes a line every few seconds."""
    began = written = time.monotonic()

    def tell(stage: str, done: int, total: int | None) -> None:
        nonlocal written
        now = time.monotonic()
        if now - written >= SELDOM:
            written = now
            share = f"{100 * done // total}% of {total:,}" if total else f"{done:,}"
            click.echo(f"{stage}: {share} after {now - began:.0f} s", err=True)

    return tell
