"""The sandbox's tasks in this very process, which is a worker of the fuzzer's own and as confined as one of theirs.

A task costs the way to a worker and back; here it costs nothing, so that a second has hundreds of them. What the
sandbox would only report, an exception that is no ``DocumentError``, is raised here: it is a finding.
"""

import resource
import subprocess
import sys
from importlib import import_module
from shutil import which
from typing import Any
from zlib import crc32

from whorl.errors import DocumentError
from whorl.formats.documents import pages
from whorl.sandbox import Limits, Sandbox, WorkerFault, pool, wire

# One PostScript document in this many runs through Ghostscript, which takes a tenth of a second to start. Of the others
# what follows the first two bytes is taken for Ghostscript's output: that is what Whorl itself reads.
GHOSTSCRIPT = 50

# Address space beyond the limit of memory, as in a worker of the sandbox: for libraries and the reserve of threads.
MAPPED = 1 << 30


class Here(Sandbox):
    """Runs tasks where they are given."""

    def call(self, target: str, *arguments: Any) -> Any:
        """Return the task's value, or a fault with the reason of its DocumentError."""
        module, _, name = target.partition(":")
        try:
            value = getattr(import_module(module), name)(*arguments)
            wire.encode(value, self.limits.result)  # raises what sending it would
        except DocumentError as error:
            raise WorkerFault("raised", str(error)) from error
        return value


def install() -> None:
    """Confine this process, and let all front-ends in it use it as their sandbox."""
    limits = Limits()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_STACK, (limits.stack, limits.stack))
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory + MAPPED, limits.memory + MAPPED))
    sys.setrecursionlimit(limits.depth)
    here = Here(1, limits)
    pool._sandboxes |= {None: here, which("gs"): here}
    run = pages._run_ghostscript

    def sometimes(ghostscript: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
        number = crc32(data)
        if number % GHOSTSCRIPT == 0:
            return run(ghostscript, data)
        return subprocess.CompletedProcess((), number % 2, stdout=data[2:])

    pages._run_ghostscript = sometimes
