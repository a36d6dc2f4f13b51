"""Named moments of writing, at which a test can have the process killed.

``WHORL_CRASH_AT=name`` kills it the first time that it passes that point, ``name:3`` the third time. Without the
variable a point does nothing.
"""

import os
import signal
from collections import Counter

VARIABLE = "WHORL_CRASH_AT"

# Every point, in the order in which writing passes them.
POINTS = (
    "create.folder",
    "create.key",
    "create.tables",
    "create.done",
    "sweep.unlinked",
    "add.begun",
    "add.document",
    "add.text",
    "add.delta",
    "update.document",
    "remove.document",
    "remove.delta",
    "remove.tombstone",
    "store.before-commit",
    "store.committed",
    "flush.begun",
    "segment.created",
    "segment.block",
    "segment.blocks",
    "segment.directory",
    "segment.written",
    "segment.synced",
    "segment.renamed",
    "segment.durable",
    "flush.written",
    "segments.swapped",
    "flush.listed",
    "flush.done",
    "merge.begun",
    "merge.written",
    "merge.listed",
    "merge.done",
    "merge.unlinked",
)

# Those of a purge, which an index alone knows, beside the ones above that it passes.
PURGE_POINTS = ("purge.begun", "purge.compacted", "purge.rewritten", "purge.emptied", "purge.proved")

_passed: Counter[str] = Counter()


def point(name: str) -> None:
    """Die here if the environment says so. A name that is not declared above is a fault of the caller."""
    if name not in POINTS and name not in PURGE_POINTS:
        raise ValueError(f"{name!r} is not in whorl.index.points.POINTS or PURGE_POINTS")
    wanted, _, time = os.environ.get(VARIABLE, "").partition(":")
    if wanted == name:
        _passed[name] += 1
        if _passed[name] == int(time or 1):
            os.kill(os.getpid(), signal.SIGKILL)
