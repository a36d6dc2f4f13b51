"""Compiled templates, kept as Python keeps compiled modules: beside their source, if that can be written.

Compiling the template of a page takes as long as filling it in for a thousand documents.
"""

import os
import sys
from importlib.util import cache_from_source
from pathlib import Path

from jinja2 import BytecodeCache
from jinja2.bccache import Bucket


class CompiledTemplates(BytecodeCache):
    """Reads what was compiled of the same source by the same versions, which the bucket checks, and writes it, under
    the rules for modules: ``PYTHONDONTWRITEBYTECODE`` and ``PYTHONPYCACHEPREFIX`` hold, and a folder that cannot be
    written is left alone."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Fills the bucket, if there is something for it."""
        try:
            with _place(bucket).open("rb") as file:
                bucket.load_bytecode(file)
        except OSError:
            return

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps what is in the bucket."""
        if sys.dont_write_bytecode:
            return
        path = _place(bucket)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with fresh.open("wb") as file:
                bucket.write_bytecode(file)
            fresh.replace(path)
        except OSError:
            fresh.unlink(missing_ok=True)


def _place(bucket: Bucket) -> Path:
    name = cache_from_source(str(Path(__file__).parent / "templates" / f"{bucket.key}.py"))
    return Path(name).with_suffix(".template")
