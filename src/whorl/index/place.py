"""Where the parts of an index are in its folder. Imports nothing of them."""

from pathlib import Path

DATABASE, SEGMENTS, KEY = "index.db", "segments", "secret.key"


def is_index(path: Path) -> bool:
    """Whether an index is in this folder."""
    return (path / DATABASE).is_file()
