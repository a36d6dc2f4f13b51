"""Parsers that are stopped soon, for tests of what becomes of a program whose parser is stopped."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from whorl.sandbox import Limits, process
from whorl.sandbox.pool import configure

# Processor time. Honest programs of tests take hundredths of it; loading a lexer for the first time takes a third.
LIMITS = Limits(seconds=0.25)

# Wall time for a second of processor time: a busy machine may keep an honest program waiting for 4 s.
PATIENCE = 16


@contextmanager
def impatient(workers: int) -> Iterator[None]:
    """Let the shared sandbox have so many workers, which stop a parser soon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "PATIENCE", PATIENCE)
        configure(LIMITS, workers)
        try:
            yield
        finally:
            configure(Limits())
