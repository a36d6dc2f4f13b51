"""Where a document is taken apart: in a worker of the sandbox, or in this process where that is as safe.

Whorl's own readers are linear and hold little, so a small document may be read here: the way to a worker and back costs
as much as reading it. What belongs to others (PDFium, Ghostscript, zlib and expat behind the office formats) always
runs in a worker.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from whorl.errors import DocumentError
from whorl.frontends.documents.extracted import Extracted, Plain, from_plain, to_plain
from whorl.frontends.sandbox import WorkerFault, default_sandbox

# Bytes or characters of the largest document that Whorl's own readers read in this process. The slowest of them makes
# a megabyte a second on hostile input: a quarter of a second, and some megabytes.
IN_PROCESS = 1 << 18

TARGET = f"{__name__}:plain"
READERS = "whorl.frontends.documents"


def in_worker(target: str, *arguments: Any) -> Any:
    """``target(*arguments)`` in a worker. A DocumentError says why it came to nothing."""
    try:
        return default_sandbox().call(target, *arguments)
    except WorkerFault as fault:
        raise DocumentError(fault.reason) from fault


def isolated(reader: str, *arguments: Any) -> Extracted:
    """``extract(*arguments)`` of the reader of this name, in a worker."""
    return from_plain(in_worker(TARGET, reader, *arguments))


def extracted(reader: str, data: bytes | str, *arguments: Any) -> Extracted:
    """The same for one of Whorl's own readers: small documents are read in this process."""
    if len(data) > IN_PROCESS:
        return isolated(reader, data, *arguments)
    return _reader(reader)(data, *arguments)


def plain(reader: str, *arguments: Any) -> Plain:
    """What a worker runs."""
    return to_plain(_reader(reader)(*arguments))


def _reader(name: str) -> Callable[..., Extracted]:
    function: Callable[..., Extracted] = import_module(f"{READERS}.{name}").extract
    return function
