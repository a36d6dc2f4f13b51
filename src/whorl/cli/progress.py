"""A bar for work that takes a while: on the terminal's error stream, so that results can be piped."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# About a second's work: below it a bar would only flicker.
LONG = 100_000_000

# Seconds between two looks at how far a stage is: telling the bar of every document costs more than some documents.
OFTEN = 0.1


@contextmanager
def bar(file: Path) -> Iterator[Callable[[int], object] | None]:
    """Shows how much of a large file is done, if someone is looking; gives what to tell it, or None."""
    size = file.stat().st_size
    if size < LONG or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TransferSpeedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(file.name, total=size)
        yield lambda done: shown.update(task, completed=done)


@contextmanager
def stages() -> Iterator[Callable[[str, int, int | None], object] | None]:
    """Shows what is being done and how far it is, if someone is looking; gives what to tell it, or None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        tasks: dict[str, Any] = {}
        told = 0.0

        def tell(stage: str, done: int, total: int | None) -> None:
            nonlocal told
            now = time.monotonic()
            if stage in tasks and now - told < OFTEN and done != total:
                return
            told = now
            if stage not in tasks:
                tasks[stage] = shown.add_task(stage, total=total)
            shown.update(tasks[stage], completed=done)

        yield tell
